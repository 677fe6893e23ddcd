"""Files and folders are whole or as they were, and JSON says what Python could say again, or why not."""

import gzip
import json
import re

import pytest

from playground.files import (
    CannotWriteError,
    new_folder,
    parse_json,
    parse_line,
    read_json,
    remove_unfinished,
    write_file,
)


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "new" / "file"
    write_file(path, lambda file: file.write(b"old"))

    def fails(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    message = r"file cannot be written: No space left on device\. Make room"
    with pytest.raises(CannotWriteError, match=message) as refusal:
        write_file(path, fails)
    assert refusal.value.reason == "No space left on device"
    assert path.read_bytes() == b"old" and list(path.parent.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o644


def test_what_a_kill_left_behind_is_removed_and_nothing_else(tmp_path):
    for name in (".file-abc.part", "file", ".hidden", "file.part"):
        (tmp_path / name).write_text("")
    remove_unfinished(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"file", ".hidden", "file.part"}


@pytest.mark.parametrize(
    ("error", "refusal"), [(OSError(28, "No space left"), CannotWriteError), (KeyError("a bug"), KeyError)]
)
def test_a_folder_that_is_not_filled_is_as_it_was(tmp_path, error, refusal):
    def fill(name, fault=None):
        with new_folder(tmp_path / "made") as folder:
            (folder / name).write_text("")
            if fault:
                raise fault
        return [path.name for path in tmp_path.rglob("*")]

    assert fill("first") == ["made", "first"]
    with pytest.raises(refusal):
        fill("second", error)
    assert [path.name for path in tmp_path.rglob("*")] == ["made", "first"]
    assert fill("third") == ["made", "third"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[NaN]", "holds NaN, which is not a number; a missing number is null."),
        ("-Infinity", "holds -Infinity, which is not a number; a missing number is null."),
        ("1e999", "holds 1e999, a number too large to be meant."),
        ("9" * 21, f"holds {'9' * 21}, a number of 21 digits, too large to be meant."),
        ('{"a": {"b": 1, "b": 2}}', 'has the key "b" twice in one object.'),
        ("[" * 100_000, "is nested too deeply."),
    ],
)
def test_json_that_could_not_be_written_again_is_refused(text, fault):
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}$"):
        parse_json(text)
    assert parse_line(text.encode()) is None


def test_json_is_read_gzipped_or_not_and_what_is_damaged_is_said(tmp_path):
    value, path = {"a": [1, 2.5, None, "ä"], "largest seed": 2**64 - 1}, tmp_path / "file.json"
    for content in (json.dumps(value).encode(), b"\xef\xbb\xbf" + json.dumps(value).encode(), gzip.compress(b"[]")):
        path.write_bytes(content)
        assert read_json(path) == ([] if content.startswith(b"\x1f") else value)
    path.write_bytes(gzip.compress(b"[]")[:-5])
    with pytest.raises(ValueError, match="damaged or cut off"):
        read_json(path)
    for broken in (b"\xff", b"{", b""):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match=r"Expecting|decode"):
            read_json(path)
        assert parse_line(broken) is None
