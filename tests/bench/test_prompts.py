"""Prompts come from presets and files, and what is wrong with a file is named."""

from types import SimpleNamespace

import pytest

from playground.bench.prompts import CHAT, as_turn, presets, read_prompts
from playground.errors import PlaygroundError


def test_prompts_come_from_a_preset_or_a_file(tmp_path):
    assert len(read_prompts("quick")) == 10
    text, lines = tmp_path / "p.txt", tmp_path / "p.jsonl"
    text.write_text("One\n\nTwo\n")
    lines.write_text('{"prompt": "One"}\n\n{"prompt": "Two"}\n')
    assert read_prompts(str(text)) == read_prompts(str(lines)) == ["One", "Two"]
    assert all(read_prompts(name) == prompts and all(prompts) for name, prompts in presets().items())


def test_broken_lines_are_named(tmp_path):
    lines = tmp_path / "p.jsonl"
    lines.write_text('{"prompt": "One"}\n{"prompt": 3}\nnonsense\n')
    with pytest.raises(PlaygroundError, match="2, 3"):
        read_prompts(str(lines))


@pytest.mark.parametrize(("name", "message"), [("nowhere.txt", "not a text file"), ("empty.txt", "no prompts")])
def test_files_without_prompts_are_refused(tmp_path, name, message):
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(PlaygroundError, match=message):
        read_prompts(str(tmp_path / name))


def test_lines_that_are_no_text_are_named_and_not_the_whole_file(tmp_path):
    path = tmp_path / "p.txt"
    path.write_bytes("\ufeffOne\nTwo \U0001f642\n".encode() + b"\xff\xfe\nFour\n" + b"\x80\n")
    with pytest.raises(PlaygroundError, match=r"^mine\.txt has lines that are not UTF-8: 3, 5\. "):
        read_prompts(str(path), name="mine.txt")
    path.write_bytes("\ufeffOne\nTwo \U0001f642\n".encode())
    assert read_prompts(str(path)) == ["One", "Two \U0001f642"]
    path.write_bytes(b"\xff\n" * 500)
    with pytest.raises(PlaygroundError, match="and 488 more"):  # no endless message
        read_prompts(str(path))


def test_a_message_of_the_chat_set_is_a_turn_where_the_target_has_a_template(monkeypatch):
    monkeypatch.setattr("playground.bench.prompts.chat_turn", lambda _, message: (f"<user>{message}", (1, 2)))
    chat, plain = (SimpleNamespace(vocabulary=SimpleNamespace(has_chat_template=each)) for each in (True, False))
    message, other = read_prompts(CHAT)[0], "Once upon a time"
    assert as_turn(chat, message) == (f"<user>{message}", (1, 2), message)
    assert [as_turn(plain, message), as_turn(chat, other)] == [(message, (), ""), (other, (), "")]
    assert as_turn(chat, other, chat=True) == (f"<user>{other}", (1, 2), other)
