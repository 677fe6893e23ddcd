"""Output reaches a console of any encoding, and a stream that fails is one sentence and an exit code."""

import io
import json
import os
import sys

import pytest

from playground.makers.commands import main

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


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "--method", "", "--prompt", "x"], "--method"),
        (["run", "--method", "autoregressive", "--prompt", "x", "--target", ""], "--target"),
        (["run", "--method", "autoregressive", "--prompt=x", "--grammar="], "--grammar"),
        (["validate", ""], "An argument"),
        (["", "--json"], "An argument"),
    ],
)
def test_an_empty_value_as_of_an_unset_variable_is_refused(capsys, arguments, named):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err == f"{named} is empty. Give a value, or leave it out.\n" and captured.out == ""
