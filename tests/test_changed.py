"""Which tests a change can break: those that import it at any depth, and those that reach it unsaid."""

import subprocess

import pytest

from tests import changed
from tests.changed import EVERYTHING, GUARDS, changed_since, files_for


@pytest.mark.parametrize(
    ("path", "chosen", "not_chosen"),
    [
        ("playground/trace/events.py", "decoding/test_decode browser/test_lenses", "browser/test_player"),
        (
            "playground/decoding/methods/bild.py",
            "decoding/test_every_method browser/test_watch",
            "test_tree browser/test_watch_screen",
        ),
        ("playground/lab/load.py", "lab/test_load browser/test_lab_sections", "browser/test_lab models/test_windows"),
        (
            "playground/ui/runs/sweep/tab.py",
            "ui/runs/sweep/test_tab browser/test_sweep",
            "browser/test_lab decoding/test_decode",
        ),
        ("playground/ui/build.py", "browser/test_sweep browser/test_lab", "decoding/test_decode"),
        ("playground/cli/command.py", "test_cli", "browser/test_lab"),
        ("playground/models/passes/compiled.py", "models/test_compiled_pass", "test_tree"),
        ("assets/lab/lab.css", "browser/test_lab views/test_modules", "browser/test_sweep javascript/test_ratio"),
        ("playground/ui/runs/sweep/recorded.py", "browser/test_sweep", "browser/test_watch_screen"),
        ("assets/player/player.js", "browser/test_player browser/test_watch", "browser/test_lab browser/test_race"),
        ("assets/player/trace/trace.js", "notebook/test_stage browser/test_lenses", "decoding/test_decode"),
        (
            "assets/shared/words.js",
            "browser/test_lab browser/test_compare browser/test_watch javascript/test_languages",
            "browser/test_race browser/test_watch_screen decoding/test_decode",
        ),
        ("assets/page/form.js", "browser/test_lab browser/test_watch", "browser/test_player"),
        ("assets/page.css", "browser/test_lab views/test_modules", "decoding/test_decode"),
        ("assets/presets/dsbd-table1.toml", "papers/test_presets", "decoding/test_decode browser/test_lab"),
        ("tests/decoding/test_gone.py", "", "decoding/test_decode"),
        ("playground/theory/gone.py", "", "decoding/test_decode"),
        ("playground/decoding/methods/gone.py", "decoding/test_every_method", "test_tree"),
        ("tests/conftest.py", "test_tree browser/test_lab", ""),
        ("tests/browser/conftest.py", "browser/test_lab", "test_tree"),
        ("tests/test_tree.py", "test_tree", "test_cli"),
        ("README.md", "test_readme", "test_cli"),
    ],
)
def test_what_a_change_can_break_is_chosen_and_little_else(path, chosen, not_chosen):
    files = files_for([path])
    for name in [*chosen.split(), *not_chosen.split()]:
        assert (changed.ROOT / "tests" / f"{name}.py").exists(), name
        assert (f"tests/{name}.py" in files) == (name in chosen.split()), name
    assert set(GUARDS) <= set(files)


@pytest.mark.parametrize("path", ["requirements.txt", "assets/models/target/config.json", "gone.py", "x"])
def test_where_nobody_knows_how_far_a_change_reaches_every_test_is_run(path):
    assert files_for(["README.md", path]) == EVERYTHING


def test_changes_are_those_since_the_branch_left_main_and_what_is_not_committed(tmp_path, monkeypatch):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def write(name):
        (tmp_path / name).write_text(name)
        git("add", name)

    monkeypatch.setattr(changed, "ROOT", tmp_path)
    git("init", "--initial-branch", "main")
    for name in ("kept", "edited"):
        write(name)
    git("commit", "-m", "main")
    git("checkout", "-b", "branch")
    write("committed")
    git("commit", "-m", "branch")
    write("staged")
    (tmp_path / "edited").write_text("anew")
    (tmp_path / "unknown").write_text("")
    assert changed_since("") == ["committed", "edited", "staged", "unknown"]
    assert changed_since("HEAD") == ["edited", "staged", "unknown"]
