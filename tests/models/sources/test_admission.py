"""Models of strangers: none of seventy that would do harm is read; each is refused in a sentence that says why."""

import shutil
from pathlib import Path

import pytest
from transformers import PreTrainedTokenizerFast

from playground import child
from playground.child import Bounds
from playground.decoding.chat import chat_turn
from playground.errors import PlaygroundError
from playground.models import loading
from playground.models.bundled import BUNDLED
from playground.models.loading import Models
from playground.models.sources.admission import admission
from playground.models.sources.admission.admission import guard_of
from playground.models.sources.admission.folder import check_folder
from playground.models.sources.admission.limits import FOLDER_FILES
from playground.models.sources.model_cache import ModelCache
from playground.models.sources.placement import find_placement
from tests.models.sources.hostile import CASES, CHAT, NEED, TEXT, whole
from tests.models.test_loading import llama, pass_trial, save_model

SHORT = Bounds(1_000_000_000, 1)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return whole(tmp_path_factory.mktemp("whole") / "m")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Bound a trial to a second of the processor and a folder to 20 files, and begin with nothing loaded."""
    for name in ("OF_TOKENIZER", "OF_TEXT", "OF_TEMPLATE"):
        monkeypatch.setattr(admission, name, SHORT)
    monkeypatch.setattr("playground.models.sources.admission.folder.FOLDER_FILES", FOLDER_FILES._replace(most=20))
    monkeypatch.setattr(loading, "_caches", type(loading._caches)(ModelCache))


def use(name, when):
    """Go as far as a visitor does until the refusal that is expected."""
    cpu = find_placement("cpu")
    if when == NEED:
        return Models(name, placement=cpu).memory()
    Models(name, placement=cpu).memory()
    target = Models(name, placement=cpu).load().target
    if when == TEXT:
        return target.vocabulary.encode("x" * 4_000)
    return chat_turn(target, "hello") if when == CHAT else None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_model_that_would_do_harm_is_refused_in_a_sentence(base, tmp_path, case):
    folder = tmp_path / case.name
    shutil.copytree(base, folder)
    name = case.spoil(folder) or str(folder)
    if case.when == CHAT:
        pass_trial(folder)
    with pytest.raises(PlaygroundError, match=case.words) as refused:
        use(name, case.when)
    assert str(refused.value).count(". ") <= 1 and "\n" not in str(refused.value)


def test_a_model_within_the_bounds_is_read_and_its_turns_are_those_of_transformers(base, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(base, folder)
    (folder / "chat_template.jinja").write_text(
        "{%- for m in messages %}{% if m.role == 'user' %}{{ m.content | tojson }}\n{% continue %}{% endif %}"
        "{% endfor %}"
        "{% set n = namespace(x=dict(a=1)) %}{% set n.x = 2 %}{{ n.x }}{% generation %} {{ tools is none }}"
        "{% endgeneration %}{{ eos_token is defined }}{% if add_generation_prompt %}go{% endif %}"
    )
    target = Models(str(folder), placement=find_placement("cpu")).load().target
    text, _ = chat_turn(target, 'a "b"')
    turn = [{"role": "user", "content": 'a "b"'}]
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    assert text == tokenizer.apply_chat_template(turn, add_generation_prompt=True, tokenize=False)


def test_what_comes_along_passes_unread(monkeypatch):
    monkeypatch.setattr(child.subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    check_folder(BUNDLED / "target", "target")
    assert guard_of(BUNDLED / "target", "target") is None


def test_a_tokenizer_is_tried_once_as_long_as_it_is_the_same(base, tmp_path, monkeypatch):
    name, tried = save_model(tmp_path / "m", llama()), []
    monkeypatch.setattr(admission, "_are_known", {})
    monkeypatch.setattr(admission, "ask", lambda *_, **__: tried.append(1) or {"is_known": True})
    assert guard_of(Path(name), name) is guard_of(Path(name), name) is None and len(tried) == 1
    file = tmp_path / "m" / "tokenizer.json"
    file.write_text(file.read_text() + " ")
    guard_of(Path(name), name)
    assert len(tried) == 2
