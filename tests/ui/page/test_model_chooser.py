"""The offer of a server to its visitors: any models and what they take, or its host's and no word of others."""

from importlib import import_module

import pytest

from playground.errors import PlaygroundError
from playground.models.catalog import PAIRS
from playground.models.drafters.choice import with_drafter
from playground.models.loading import Models
from playground.models.rehearsal import StrangeModels
from playground.paths import ROOT
from playground.ui.page import model_chooser
from playground.ui.page.model_chooser import BUNDLED, OTHER, REFUSED, Offer, chosen_models, say_need
from playground.ui.watch.form import WatchForm
from tests.models.test_loading import llama, save_model

app = import_module("app")  # the file that starts the page
UI = ROOT / "playground" / "ui"


@pytest.fixture
def offered(monkeypatch):
    """Change what is offered, for one test."""
    return lambda **how: monkeypatch.setattr(model_chooser, "_offer", Offer(**how))


def test_what_models_take_stands_above_the_fields_before_a_run(tmp_path, offered, monkeypatch):
    offered(device="cpu")
    # It depends on the machine.
    monkeypatch.setattr("playground.models.sources.placement.is_held_twice", lambda *_: False)
    monkeypatch.setattr(StrangeModels, "vet", Models.vet)
    target, draft = save_model(tmp_path / "t", llama()), save_model(tmp_path / "d", llama())
    said = say_need(target, draft).info
    assert said.startswith("Nothing to download; 23 kB of memory (")
    assert "with Python and its libraries) and 262 kB for 1,024 tokens" in said
    assert say_need(f" {target} ", "").info.startswith("Nothing to download; 11 kB")
    assert "no folder" in say_need("/nowhere", None).info
    assert say_need("", "").info == model_chooser.ANY_TWO


def test_every_word_in_the_menu_of_drafters_names_another_drafter_of_the_bundled_pair():
    words = [word for _, word in model_chooser.drafter_field().choices if word != "mtp"]  # which this pair lacks
    names = {with_drafter(Models.named(BUNDLED).load(), word).draft.name for word in words}
    assert len(names) == len(words) > 5 and "head of bundled target" in names


@pytest.fixture
def nothing_is_looked_for(monkeypatch):
    monkeypatch.setattr("playground.models.loading.find_source", lambda name: pytest.fail(f"{name} was looked for"))


def test_strangers_learn_of_no_folder_whether_it_is_there(tmp_path, offered, nothing_is_looked_for):
    """The same sentence of each, and nobody looks for one."""
    offered(device="cpu", is_public=True, names=("me/mine",))
    here = save_model(tmp_path / "t", llama())
    (tmp_path / "empty").mkdir()
    for name in (
        here,
        f"{tmp_path}/empty",
        f"{tmp_path}/none",
        "~root",
        "//server/share",
        "..",
        "tests",
        "/root/m.gguf",
    ):
        assert say_need(name, None).info == say_need("me/mine", name).info == REFUSED


def test_what_the_host_offers_is_read_at_once_and_what_a_reader_names_in_a_child_first(tmp_path, offered):
    folder = str(tmp_path / "models/mine")
    save_model(tmp_path / "models/mine", llama())
    offered(device="cpu", is_public=True, names=(folder,))
    assert type(chosen_models(OTHER, folder, folder)) is Models
    assert say_need(folder, "").info.startswith("Nothing to download")
    offered(device="cpu")
    assert type(chosen_models(OTHER, folder, "")) is StrangeModels
    assert type(chosen_models("gpt2", "", "")) is Models


def rows_of_the_table():
    """(flags, public, models, install) of each row of the table of what a page offers."""
    lines = (UI / "THREATS.md").read_text().split("| started with |")[1].split("\n\n")[0].splitlines()[2:]
    return [tuple(cell.strip().strip("`") for cell in line.strip("|").split("|")) for line in lines]


@pytest.mark.parametrize(("started", "public", "models", "install"), rows_of_the_table())
def test_a_page_offers_what_the_table_says(started, public, models, install, monkeypatch, nothing_is_looked_for):
    words = started.split()
    for name in ("SPACE_ID", "GRADIO_ROOT_PATH", "GRADIO_SHARE", "GRADIO_SERVER_NAME"):
        monkeypatch.delenv(name, raising=False)
    for variable in (word for word in words if "=" in word):
        monkeypatch.setenv(*variable.split("="))
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("sys.argv", ["app.py", *(word for word in words if "=" not in word and word != "app.py")])
    offer = app.offered(app.read_flags())
    monkeypatch.setattr(model_chooser, "_offer", offer)
    listed = [each for each in models.split(", ") if each not in ("the catalog", "the bundled pair", "any other")]
    assert (offer.is_public, model_chooser.may_install()) == (public == "yes", install == "yes")
    catalog = [BUNDLED] if "bundled" in models else [pair.id for pair in PAIRS]
    others = [OTHER] if listed or "any other" in models else []
    assert [pair for _, pair in model_chooser._choices()] == catalog + others
    assert list(offer.names) == listed
    for name in [*listed, *(["me/unlisted"] if "any other" in models else [])]:
        assert chosen_models(OTHER, name, "").target == name
    if "any other" not in models:
        with pytest.raises(PlaygroundError, match="only its menu's models"):
            chosen_models(OTHER, "me/unlisted", "")


@pytest.mark.parametrize("pair", [OTHER, *(pair.id for pair in PAIRS if pair.id != BUNDLED), "no such pair"])
def test_where_only_the_bundled_pair_is_offered_nothing_else_is_looked_at(
    pair, tmp_path, offered, nothing_is_looked_for
):
    """The answer is the same whether a folder exists or not, and nobody asks the Hub or the disk."""
    offered(only_bundled=True)
    here = save_model(tmp_path / "t", llama())
    for target in (here, "/nowhere", "gpt2", ""):
        with pytest.raises(PlaygroundError) as refused:
            chosen_models(pair, target, "")
        assert str(refused.value) == REFUSED
        assert say_need(target, "").info == (REFUSED if target else say_need("", "").info)
    assert [choice for _, choice in model_chooser._choices()] == [BUNDLED]
    assert chosen_models(BUNDLED, "/nowhere", "/nowhere").pair.is_bundled, "the bundled pair always is"


@pytest.mark.parametrize("query", [{"target": "gpt2"}, {"pair": OTHER, "target": "gpt2"}, {"pair": "gpt2"}])
def test_a_link_to_models_that_are_not_offered_says_so_and_sets_the_rest_up(query, offered):
    assert WatchForm.read_link(query)["pair"] and not WatchForm.wrong_in_link(query)
    offered(only_bundled=True)
    assert WatchForm.read_link(query | {"tokens": "9"}) == {"tokens": 9}
    assert WatchForm.wrong_in_link(query) == ["models that this server does not run"]
    assert WatchForm.read_link({"pair": BUNDLED}) == {"pair": BUNDLED} and not WatchForm.wrong_in_link({})


def test_a_device_that_is_not_there_is_refused_before_the_page_is_built(monkeypatch):
    monkeypatch.setattr(model_chooser, "_offer", Offer())
    with pytest.raises(PlaygroundError, match="no device 'cuda:9'"):
        model_chooser.offer(Offer(device="cuda:9"))
    assert model_chooser._offer == Offer()


def test_a_space_without_hardware_offers_the_bundled_pair_only(monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert not model_chooser.is_small_space()
    monkeypatch.setenv("SPACE_ID", "someone/playground")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert model_chooser.is_small_space()
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    assert not model_chooser.is_small_space()
