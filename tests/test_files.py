"""Files and folders are whole or as they were, and JSON says what Python could say again, or why not."""

import gzip
import json
import os
import re
import socket
import stat
import tracemalloc

import pytest

from playground import files
from playground.files import (
    CannotWriteError,
    export_file,
    new_folder,
    parse_json,
    parse_line,
    read_json,
    remove_unfinished,
    unpack,
    write_file,
)


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "new" / "file"
    write_file(path, "old")

    def fails(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    message = r"file cannot be written: No space left on device\. Make room"
    with pytest.raises(CannotWriteError, match=message) as refusal:
        write_file(path, fails)
    assert refusal.value.reason == "No space left on device"
    assert path.read_bytes() == b"old" and list(path.parent.iterdir()) == [path]


@pytest.fixture
def umask():
    """The mask of new files' modes, which a test may set."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def test_a_new_file_has_the_mode_of_any_new_file_and_one_that_is_replaced_keeps_its_own(tmp_path, umask):
    path = tmp_path / "file"
    write_file(path, b"one")
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o620)
    write_file(path, "two")
    assert path.stat().st_mode & 0o777 == 0o620 and path.read_text() == "two"
    umask(0o077)
    write_file(tmp_path / "own", "")
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o600


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    for name, before in (("there", "old"), ("new", None)):
        target, link = tmp_path / f"{name}.json", tmp_path / f"{name} link"
        link.symlink_to(target)
        if before:
            target.write_text(before)
        write_file(link, "text")
        assert link.is_symlink() and not target.is_symlink() and target.read_text() == "text"
    (tmp_path / "folder").mkdir()
    (tmp_path / "to folder").symlink_to("folder")
    with new_folder(tmp_path / "to folder") as folder:
        (folder / "file").write_text("")
    assert (tmp_path / "to folder").is_symlink() and (tmp_path / "folder" / "file").is_file()
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(CannotWriteError, match="circle cannot be written"):
        write_file(tmp_path / "circle", "")


def test_a_pipe_is_written_into_and_a_socket_or_folder_is_a_sentence(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "text")
    assert os.read(reader, 10) == b"text" and stat.S_ISFIFO(pipe.lstat().st_mode)
    os.close(reader)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        with pytest.raises(CannotWriteError, match="socket cannot be written"):
            write_file(tmp_path / "socket", "text")
    with pytest.raises(CannotWriteError, match="Is a directory"):
        write_file(tmp_path, "text")
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "socket"}


def test_a_named_file_is_not_written_into_a_folder_that_is_missing(tmp_path):
    with pytest.raises(CannotWriteError, match=r"the folder .*missing does not exist\. Choose another"):
        export_file(tmp_path / "missing" / "file", "")


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


@pytest.mark.parametrize("most", [999, 1000, 1001])
def test_gzip_unpacks_one_byte_beyond_the_limit_at_most(most):
    packed = gzip.compress(b"a" * 600) + gzip.compress(b"b" * 400)
    assert unpack(packed, most) == ((b"a" * 600 + b"b" * 400)[: most + 1], True)
    assert unpack(packed[:-3], most)[1] == (most < 1000)


def test_a_small_file_that_unpacks_to_a_large_one_takes_no_more_memory_than_the_limit():
    packed = gzip.compress(bytes(200_000_000), 1)
    tracemalloc.start()
    assert len(unpack(packed, 1_000_000)[0]) == 1_000_001
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000


def test_packed_json_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_UNPACKED", 10)
    path = tmp_path / "long.json.gz"
    path.write_bytes(gzip.compress(b"[1]" + b" " * 8))
    with pytest.raises(ValueError, match="unpacks to more than 10 bytes"):
        read_json(path)
