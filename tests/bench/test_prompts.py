"""Prompts come from presets and files, and what is wrong with a file is named."""

import json

import pytest

from playground.bench.prompts import MOST_BYTES, presets, read_kinds, read_prompts
from playground.errors import PlaygroundError


def test_prompts_come_from_a_preset_or_a_file(tmp_path):
    assert len(read_prompts("quick")) == 10
    text, lines = tmp_path / "p.txt", tmp_path / "p.jsonl"
    text.write_text("One\n\nTwo\n")
    lines.write_text('{"prompt": "One"}\n\n{"prompt": "Two"}\n')
    assert read_prompts(str(text)) == read_prompts(str(lines)) == ["One", "Two"]


def test_broken_lines_are_named(tmp_path):
    lines = tmp_path / "p.jsonl"
    lines.write_text('{"prompt": "One"}\n{"prompt": 3}\nnonsense\n')
    with pytest.raises(PlaygroundError, match="2, 3"):
        read_prompts(str(lines))


@pytest.mark.parametrize(("name", "message"), [("nowhere.txt", "no text file"), ("empty.txt", "no prompts")])
def test_files_without_prompts_are_refused(tmp_path, name, message):
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(PlaygroundError, match=message):
        read_prompts(str(tmp_path / name))


def test_every_preset_can_be_read():
    assert all(read_prompts(name) == prompts and all(prompts) for name, prompts in presets().items())


def test_lines_that_are_no_text_are_named_and_not_the_whole_file(tmp_path):
    path = tmp_path / "p.txt"
    path.write_bytes("\ufeffOne\nTwo \U0001f642\n".encode() + b"\xff\xfe\nFour\n" + b"\x80\n")
    with pytest.raises(PlaygroundError, match=r"^mine\.txt has lines that are not text \(UTF-8\): 3, 5\. "):
        read_prompts(str(path), name="mine.txt")
    path.write_bytes("\ufeffOne\nTwo \U0001f642\n".encode())
    assert read_prompts(str(path)) == ["One", "Two \U0001f642"]


def test_many_broken_lines_make_no_endless_message(tmp_path):
    path = tmp_path / "p.txt"
    path.write_bytes(b"\xff\n" * 500)
    with pytest.raises(PlaygroundError, match="and 488 more"):
        read_prompts(str(path))


def test_the_question_files_that_people_have_are_read_with_their_kinds(tmp_path):
    """MT-bench's and Spec-Bench's, HumanEval's and GSM8K's."""
    path = tmp_path / "question.jsonl"
    questions = [
        {"question_id": 81, "category": "writing", "turns": ["Compose a blog.", "Rewrite it."], "reference": []},
        {"task_id": "HumanEval/0", "prompt": "def f():", "canonical_solution": "    pass"},
        {"question": "How many clips?", "answer": "72"},
    ]
    path.write_text("\n".join(map(json.dumps, questions)))
    found = [("writing", "Compose a blog."), ("text", "def f():"), ("text", "How many clips?")]
    assert read_kinds(str(path)) == found
    as_list = tmp_path / "question.json"
    as_list.write_text(json.dumps(questions, indent=1))
    assert read_kinds(str(as_list)) == found
    as_list.write_text(path.read_text())  # lines of JSON under the other name
    assert read_kinds(str(as_list)) == found


def test_a_table_is_read_by_its_column(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('category,prompt\nmath,"One, two,\nthree"\nprose,Four\n')
    assert read_kinds(str(path)) == [("math", "One, two,\nthree"), ("prose", "Four")]
    path.write_text("One\nTwo\n")
    with pytest.raises(PlaygroundError, match=r"p\.csv has no column prompt\. Name the column"):
        read_prompts(str(path))
    path.write_text('prompt\n"One\n')
    with pytest.raises(PlaygroundError, match="is not a table"):
        read_prompts(str(path))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize(("name", "text"), [("p.txt", "Où\r\nZwei\n"), ("p.json", '["Où", "Zwei"]')])
def test_a_byte_order_mark_says_how_a_text_is_written(tmp_path, encoding, name, text):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    assert read_prompts(str(path)) == ["Où", "Zwei"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.txt", "One\n".encode("utf-16-le"), "is not text in UTF-8"),
        ("p.txt", b"\xff\xfeO", "is not text in UTF-8"),
        ("p.txt", b"\xff\xfe\x00\x00" + "One".encode("utf-32-le"), "is not text in UTF-8"),
        ("p.jsonl", b"[" * 100_000, "has lines that are not"),
        ("p.json", b"[" * 100_000, "has entries that are not"),
        ("p.json", b"3", "has entries that are not"),
        ("p.json", b'{"prompt": ["One", "Two"]}', "has entries that are not"),
        ("p.jsonl", b'{"turns": []}\n""\n["One"]', "not .*: 1, 2, 3"),
        ("p.txt", b"\n" * 200_000, "more than 100,000 lines"),
        ("p.txt", b"\r" * 200_000, "more than 100,000 lines"),
        ("p.txt", b"a" * (MOST_BYTES + 1), "longer than 10,000,000 bytes"),
    ],
)
def test_what_costs_too_much_or_is_not_clear_is_refused_in_a_sentence(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(PlaygroundError, match=rf"^mine .*{message}"):
        read_prompts(str(path), name="mine")
