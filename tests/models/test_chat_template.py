"""A chat template writes what transformers writes, in a child that bounds it."""

import pytest
from transformers import PreTrainedTokenizerFast

from playground import child
from playground.decoding.chat import chat_turn
from playground.errors import PlaygroundError
from playground.models import chat_template
from playground.models.chat_template import render_turn
from playground.models.loading import Models
from playground.models.sources.placement import find_placement
from tests.models.sources.hostile import whole


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "took more than"),
        ("{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x * 2 %}{% endfor %}", "took more than"),
        ("{{ 'a' * 9999999999 }}", "took more than 1 GB|too|Memory"),
        ("{% for i in range(60000) %}aaaaaaaaaaaaaaaaaaaa{% endfor %}", "it writes 1,200,000 letters"),
        ("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}", "recursion"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "access to attribute|is undefined|is unsafe"),
        ("{% set n = namespace(_x=1) %}", "a namespace has no"),
    ],
)
def test_a_template_that_would_do_harm_is_refused_in_a_sentence(template, words, monkeypatch):
    monkeypatch.setattr(chat_template, "BOUNDS", child.Bounds(1_000_000_000, 1))
    with pytest.raises(PlaygroundError, match=words) as refused:
        render_turn(template, {})
    assert "\n" not in str(refused.value)


def test_a_template_writes_what_transformers_writes_and_the_same_turn_is_written_once(tmp_path, monkeypatch):
    folder = whole(tmp_path / "m")
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
    monkeypatch.setattr(child.subprocess, "Popen", lambda *_, **__: pytest.fail("it was written again"))
    assert chat_turn(target, 'a "b"')[0] == text
