"""No interface files at Gradio's import, and the import of others as it was."""

import inspect

import pytest
from gradio import component_meta
from gradio.components import Textbox

from playground.ui.interface_files import unwritten


def test_gradio_makes_no_interface_in_it_and_one_outside(monkeypatch):
    made = []
    monkeypatch.setattr(component_meta, "create_pyi", lambda *_: made.append(1) or "")
    monkeypatch.setattr(component_meta.Path, "write_text", lambda *_: None)

    def component():
        class Other(Textbox):
            EVENTS = ["change"]

        return Other

    known = inspect.getfile
    with unwritten():
        component()
    assert not made and inspect.getfile is known
    with pytest.raises(KeyError), unwritten():
        raise KeyError
    assert inspect.getfile is known
    monkeypatch.setattr(component_meta, "extract_class_source_code", lambda *_: ("class Other: pass", 1))
    component()
    assert made == [1]
