"""Output reaches a console of any encoding, and a stream that fails is one sentence and an exit code."""

import argparse
import io
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from playground.makers.commands import main, parser

app = import_module("app")  # the file that starts the page
RECORDED = "assets/traces/speculative_sampling.json.gz"
RESPONSES = "tests/servers/logs/vllm_responses.jsonl"
COMMANDS = [
    ["methods"],
    ["log", RESPONSES],
    ["validate", RECORDED],
    ["hindsight", RECORDED],
    ["expect", "--acceptance", "0.8"],
    ["acceptance", "--target=1,2", "--draft=2,1", "--num-drafts=1"],
    ["compare", "--preset", "list"],
    ["run", "--method", "prompt_lookup", "--prompt", "le café 日本 🎉", "--max-new-tokens", "2"],
    ["run", "--help"],
]


def status(arguments):
    """Exit code of a command, also of one that ends in argparse."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_console_without_unicode_has_every_command(monkeypatch, command, encoding):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    assert status(command) == 0
    assert len(written.getvalue().decode(encoding)) > 40


def test_json_is_the_same_value_on_any_console_and_bars_have_a_plain_form(monkeypatch):
    for encoding in ("utf-8", "cp1252", "ascii"):
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
        assert main([*COMMANDS[-2], "--grammar", " café 日本 🎉", "--max-new-tokens", "40", "--json"]) == 0
        assert json.loads(written.getvalue().decode(encoding))["text"] == " café 日本 🎉"
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    main(["log", RESPONSES])
    assert b"  " + b"#" * 40 in written.getvalue()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_full_disk_behind_the_output_is_one_sentence_with_exit_code_2(monkeypatch, capsys, command):
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", full)
        assert status(command) == 2
    sentence = "The output cannot be written: No space left on device. Make room, or write elsewhere.\n"
    assert capsys.readouterr().err.endswith(sentence)


def test_a_command_whose_reader_has_gone_comes_to_its_end_with_its_own_exit_code(monkeypatch):
    for least, code in (("1", 0), ("1000", 1)):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w", encoding="utf-8") as closed:
            monkeypatch.setattr(sys, "stdout", closed)
            assert main(["log", RESPONSES, "--least", least]) == code


def test_a_stream_that_was_closed_before_the_start_is_a_sentence_or_no_matter(monkeypatch, capsys):
    for name, code in (("stderr", 0), ("stdout", 2)):
        with monkeypatch.context() as patch:
            patch.setattr(sys, name, None)
            assert main(["methods"]) == code
    assert capsys.readouterr().err.startswith("The output cannot be written: Bad file descriptor.")


def flags_with_a_value(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Every flag that takes a value, with the words of its command before it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from ([name, *words] for words in flags_with_a_value(command))
        elif action.nargs != 0:
            yield from ([flag] for flag in action.option_strings)


def test_an_empty_value_of_any_flag_of_any_command_is_one_sentence(capsys):
    """A shell writes it for a variable that is not set."""
    flags = list(flags_with_a_value(parser()))
    assert len(flags) > 200 and ["run", "--target"] in flags and ["train", "tokenizer", "--text"] in flags
    for words in [*flags, ["validate"], []]:
        flag = words[-1] if words and words[-1].startswith("--") else "An argument"
        for empty in [[*words, ""], [*words[:-1], f"{flag}="]][: 2 if flag in words else 1]:
            assert main(empty) == 2
            assert capsys.readouterr() == ("", f"{flag} is empty. Give a value, or leave it out.\n")


def test_the_page_starts_with_no_empty_value_of_a_flag(monkeypatch):
    flags = [words[0] for words in flags_with_a_value(app.parser())]
    assert {"--host", "--name", "--offer", "--root-path", "--device"} <= {*flags}
    for flag in flags:
        monkeypatch.setattr(sys, "argv", ["app.py", flag, ""])
        with pytest.raises(SystemExit, match=f"^{flag} is empty. Give a value, or leave it out.$"):
            app.main()
    monkeypatch.setattr(sys, "argv", ["app.py", "--port", "seven"])
    with pytest.raises(SystemExit, match=r"^Argument --port: invalid int value: 'seven'. See .* --help.$"):
        app.main()
