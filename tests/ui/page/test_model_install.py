"""The button that installs the real chat model: where it is seen, what it says meanwhile, and where it fails."""

import sys

import pytest

from playground.ui.page import model_chooser, model_install
from playground.ui.page.model_chooser import BUNDLED, REAL, Offer


@pytest.fixture
def lacking(monkeypatch):
    """A machine of the reader's own, without the model."""
    monkeypatch.setattr(model_chooser, "_offer", Offer())
    monkeypatch.setattr(model_install, "has_model", lambda: False)
    monkeypatch.setattr(model_install, "LOOK_S", 0.01)
    return lambda *programs: monkeypatch.setattr(
        model_install, "model_commands", lambda: [[sys.executable, "-c", program] for program in programs]
    )


def test_it_is_seen_where_the_model_is_chosen_and_lacks(lacking, monkeypatch):
    assert [model_install.offer_install(pair)[0].visible for pair in (REAL, BUNDLED)] == [True, False]
    monkeypatch.setattr(model_install, "has_model", lambda: True)
    assert not model_install.offer_install(REAL)[0].visible


def test_nobody_installs_on_a_public_server(lacking, monkeypatch):
    monkeypatch.setattr(model_chooser, "_offer", Offer(is_public=True))
    assert not model_install.offer_install(REAL)[0].visible and not list(model_install.install())


def test_it_ends_with_the_next_thing_to_do(lacking):
    lacking("print()", "print()")
    *meanwhile, (button, message, pair) = model_install.install()
    assert meanwhile[0][1]["text"] == "Installing: 0% of 93 MB." and not meanwhile[0][0].interactive
    assert message["text"] == "Installed. Press Run." and not button.visible and pair.info


def test_a_failure_is_said_in_the_words_of_pip(lacking):
    lacking("import sys; sys.exit('ERROR: No matching distribution.')", "raise SystemExit(9)")
    button, message, _ = list(model_install.install())[-1]
    assert "ERROR: No matching distribution. The bundled pair" in message["text"] and button.interactive
