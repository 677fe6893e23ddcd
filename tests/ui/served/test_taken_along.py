"""Files that readers take along and upload do not fill the disk, and go with their process."""

import os
import shutil
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from playground.ui.served import taken_along
from playground.ui.served.taken_along import GRADIO, KEPT_S, LOCK, PREFIX, STARTING_S, Entry, folder_to_take, make_room


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder that is nobody else's."""
    monkeypatch.setattr(taken_along, "folder", lambda: tmp_path)
    (tmp_path / LOCK).touch()
    return tmp_path


@pytest.fixture
def files(own):
    """Five of them, from the oldest to the newest, each in a folder of its own."""
    paths = [own / name / "trace.json.gz" for name in "abcde"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("a run")
    return paths


def ages(monkeypatch, files, num_bytes=10):
    """As if they had been written a second apart: a file system tells no shorter times apart."""
    entries = [Entry(time.time() + second, num_bytes, path) for second, path in enumerate(files)]
    monkeypatch.setattr(taken_along, "_entries", lambda: iter(entries))


def later(monkeypatch, seconds):
    monkeypatch.setattr(taken_along, "time", SimpleNamespace(time=lambda: time.time() + seconds))


def test_what_was_taken_along_an_hour_ago_goes_with_its_folder(own, files, monkeypatch):
    left_empty = folder_to_take()
    make_room()
    assert all(path.exists() for path in files) and left_empty.exists()
    later(monkeypatch, KEPT_S + 1)
    assert list(folder_to_take().iterdir()) == [] and (own / LOCK).exists()
    assert not left_empty.exists() and not any(path.parent.exists() for path in files)


def test_a_folder_that_somebody_tidied_away_is_made_anew(own):
    shutil.rmtree(own)
    assert folder_to_take().is_dir()


@pytest.mark.parametrize(("most_files", "most_bytes"), [(3, 1000), (1000, 30), (1000, 39)])
def test_of_too_many_or_too_large_files_the_oldest_go(files, monkeypatch, most_files, most_bytes):
    ages(monkeypatch, files)
    monkeypatch.setattr(taken_along, "MOST_FILES", most_files)
    monkeypatch.setattr(taken_along, "MOST_BYTES", most_bytes)
    make_room()
    assert [path.exists() for path in files] == [False, False, True, True, True]


def test_what_a_file_takes_of_the_disk_is_counted_not_what_it_holds(files):
    assert all(4096 <= entry.num_bytes <= 3 * 4096 for entry in taken_along._entries())
    assert {entry.path for entry in taken_along._entries()} == set(files)


def test_a_process_keeps_its_folder_and_what_a_killed_one_left_goes(tmp_path):
    """In processes of their own: gradio's files lie in the folder, and it goes at the end."""
    left, unheld, starting = (tmp_path / f"{PREFIX}{name}" for name in ("left", "unheld", "starting"))
    for folder in (left, unheld, starting):
        folder.mkdir()
        (folder / "upload").touch()
    for folder in (left, starting):
        (folder / LOCK).touch()
    long_ago = time.time() - STARTING_S - 1
    os.utime(left / LOCK, (long_ago, long_ago))
    code = (
        "import os; from playground.ui.served.taken_along import *; give_to_gradio(); print(folder());"
        "print(os.environ[GRADIO], os.path.exists(folder()))"
    )
    environment = os.environ | {GRADIO: str(tmp_path)}
    printed = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    own, gradio, was_there = printed.stdout.split()
    assert own.startswith(str(tmp_path / PREFIX)) and gradio.startswith(own) and was_there == "True"
    assert sorted(tmp_path.iterdir()) == [starting, unheld]


def test_a_folder_whose_process_is_there_is_nobody_elses_to_delete(own, monkeypatch):
    with (own / LOCK).open("w") as held:
        taken_along.lock_file(held)
        later(monkeypatch, STARTING_S + 1)
        taken_along._delete_if_left(own)
    assert own.exists()
    taken_along._delete_if_left(own)
    assert not own.exists()
