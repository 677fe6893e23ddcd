"""Values of the controls are checked again on the server, and refused in a sentence."""

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from playground.bench.grid import read_grid
from playground.errors import PlaygroundError
from playground.exactness.badges import badge
from playground.ui.page.model_chooser import chosen_models, models_of
from playground.ui.page.prompt_chooser import FILE, ONE, PRESET
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceForm, RaceSetup, race_setup


def values(**changes):
    return race_setup(RaceForm(**{"methods": ["rsd_s"], "tokens": 8, "repeats": 2} | changes))


def made(setup):
    runs = RaceRuns(setup)
    list(runs.make(chosen_models(*models_of(setup)).load(), lambda: False))
    return runs


def test_prompts_are_the_first_of_a_set_the_lines_of_a_file_or_a_text_of_any_characters(tmp_path):
    assert len(values().prompts) == 7 and values().num_runs == 2 * 7 * 2
    (tmp_path / "mine.txt").write_text("One\n\nTwo\nThree\n")
    assert values(source=FILE, file=str(tmp_path / "mine.txt"), prompts=2).prompts == ("One", "Two")
    prompt = "<img src=x onerror=alert(1)> ${alert(1)}\n\U0001f642"
    assert values(source=ONE, prompt=prompt).prompts == (prompt,)


def test_broken_lines_are_named_and_the_servers_folders_are_not(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"prompt": "One"}\nnonsense\n{"prompt": ""}\n')
    with pytest.raises(PlaygroundError, match=r"^mine\.jsonl has lines .* 2, 3\.") as message:
        values(source=FILE, file=str(path))
    assert str(tmp_path) not in str(message.value)


def test_a_message_stays_one_in_links_and_files_and_a_set_of_prompts_is_none():
    form = RaceForm(source=ONE, prompt="Hi", chat=True)
    linked = RaceForm.read_link(dict(parse_qsl(form.link(RaceForm()).removeprefix("?"))))
    assert race_setup(RaceForm(**linked)).chat and not race_setup(replace(form, source=PRESET)).chat
    setup = race_setup(form)
    assert RaceSetup.from_file(setup.as_file()) == setup and read_grid(setup.as_dict()).chat


def test_names_are_those_of_the_page():
    names = values(methods=["rsd_s:width=2", "typical_acceptance"]).names()
    assert names["rsd_s"] == {
        "label": "rsd_s", "title": "RSD-S (beam width 2)", "name": "RSD-S", "note": "beam width 2",
        "reproduces": "target sampling", "badge": badge("rsd_s", {"width": 2}),
    }  # fmt: skip
    assert names["typical_acceptance"]["reproduces"] == "none"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": []}, "more methods"),
        ({"methods": None}, "more methods"),
        ({"source": ONE, "prompt": " \n"}, "The prompt is empty"),
        ({"source": ONE, "prompt": None}, "The prompt is empty"),
        ({"pair": "nonsense"}, "Unknown pair"),
        ({"source": ONE, "prompt": "x" * 4001}, "the limit is 4,000"),
        ({"source": FILE}, "Choose a file"),
        ({"source": FILE, "file": "/nowhere.txt"}, "deleted after an hour"),
        ({"source": "moon"}, "Unknown set of prompts"),
        ({"set": "quik"}, "Did you mean 'quick'"),
        ({"prompts": 0}, "out of range"),
        ({"repeats": 21}, "out of range"),
        ({"repeats": None}, "repeats has no number"),
        ({"seed": -1}, "out of range"),
        ({"seed": float("nan")}, "seed has no number"),
        ({"seed": float("inf")}, "seed has no number"),
        ({"tokens": 10**9}, "out of range"),
        ({"temperature": 99}, "out of range"),
        ({"methods": [f"rsd_s:width={w}" for w in (1, 2, 4, 5, 6)], "prompts": 10, "repeats": 20}, "1,200 runs"),
    ],
)
def test_bad_input_is_one_sentence(changes, message):
    with pytest.raises(PlaygroundError, match=message):
        values(**changes)


def test_a_prompt_that_does_not_fit_is_named(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("short\n" + "word " * 700)
    setup = values(source=FILE, file=str(path), tokens=512)
    with pytest.raises(PlaygroundError, match=r"^Prompt 2 of 2: .* exceed the 1024 that the target can read"):
        made(setup)


def test_methods_that_cannot_run_with_these_models_do_not_keep_the_others_from_it():
    """Without a draft model only those that need none can race; the others get a sentence each."""
    changes = {"pair": "other", "target": "assets/models/target", "repeats": 1, "prompts": 1}
    rows = made(values(methods=["rsd_s", "prompt_lookup"], **changes)).rows
    assert sorted(row["label"] for row in rows) == ["autoregressive", "prompt_lookup", "rsd_s"]
    [refused] = [row for row in rows if "failed" in row]
    assert refused["label"] == "rsd_s" and "draft model" in refused["failed"]
