"""Models of strangers are read in a child first, and what runs away there is refused; others are read at once."""

import shutil

import pytest

from playground import child
from playground.child import Bounds
from playground.errors import PlaygroundError
from playground.models import rehearsal
from playground.models.loading import Models
from playground.models.rehearsal import StrangeModels
from playground.models.sources.placement import find_placement
from tests.models.sources.hostile import STRANGE, whole

CPU = find_placement("cpu")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return whole(tmp_path_factory.mktemp("whole") / "m")


@pytest.fixture(autouse=True)
def nothing_passed(monkeypatch):
    monkeypatch.setattr(rehearsal, "_passed", set())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["labels", "grows-twice", "decoder-grows"])
def test_a_model_that_runs_away_is_refused_and_never_read_here(base, tmp_path, monkeypatch, name):
    """One by its configuration, two by their tokenizers; tests.load.strangers has all."""
    monkeypatch.setattr(rehearsal, "BOUNDS", Bounds(1_500_000_000, 60))
    monkeypatch.setattr("playground.models.pair_reading.read_config", lambda source: pytest.fail("it was read"))
    [case] = [each for each in STRANGE if each.name == name]
    shutil.copytree(base, folder := tmp_path / name)
    models = StrangeModels(case.spoil(folder) or str(folder), placement=CPU)
    for use in (models.memory, models.fetch, models.load):
        with pytest.raises(PlaygroundError, match=r"cannot be read: reading it took more than .*\. Choose another"):
            use()


@pytest.mark.slow
def test_a_model_that_comes_to_an_end_is_read_once_as_long_as_it_is_the_same(base, tmp_path, monkeypatch):
    shutil.copytree(base, folder := tmp_path / "m")
    models = StrangeModels(str(folder), placement=CPU)
    assert models.load().target.vocab_size == 8
    monkeypatch.setattr(child.subprocess, "Popen", lambda *_, **__: pytest.fail("it was read again"))
    assert models.memory().weights_bytes > 0
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + " ")
    with pytest.raises(pytest.fail.Exception, match="read again"):
        models.memory()


def test_what_is_wrong_there_is_said_as_it_would_be_here(base, monkeypatch):
    monkeypatch.setattr(rehearsal, "ask", lambda *_, **__: "m cannot be loaded: its model_type is of another kind.")
    with pytest.raises(PlaygroundError, match="its model_type is of another kind"):
        StrangeModels(str(base), placement=CPU).memory()


def test_models_of_the_host_are_read_at_once(base, monkeypatch):
    monkeypatch.setattr(child.subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    Models(str(base), placement=CPU).memory()
    Models.named("bundled").load()
