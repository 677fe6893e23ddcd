"""A piece that depends on the pair is made again when the pair is another one, and only then."""

import gzip
import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from playground.decoding.method import make_method
from playground.makers.commands import parser
from playground.models.bundled import HEAD, pair_in
from playground.trace import save
from tests import pieces as pieces_module
from tests import renew as module
from tests.decoding.runs import request, trace_of
from tests.pieces import FILE, PLAYGROUND, Piece, code_version, pieces
from tests.renew import main, minutes_of, renew, stale

WRITES = (sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('made')", FILE)
PRINTS = (sys.executable, "-c", "print('printed')")
FAILS = (sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('half'); sys.exit(3)", FILE)


def two(folder):
    return [Piece("written", folder / "a.txt", WRITES), Piece("printed", folder / "new" / "b.txt", PRINTS)]


def test_a_second_call_makes_nothing(tmp_path):
    kept_path = tmp_path / "renewed.json"
    made = renew(stale(two(tmp_path), "one", kept_path), "one", kept_path)
    assert [each.name for each in made] == ["written", "printed"]
    assert (tmp_path / "a.txt").read_text() == "made" and (tmp_path / "new" / "b.txt").read_text() == "printed\n"
    assert stale(two(tmp_path), "one", kept_path) == []


def test_another_pair_makes_everything_stale_and_a_lost_file_itself(tmp_path):
    kept_path = tmp_path / "renewed.json"
    list(renew(two(tmp_path), "one", kept_path))
    assert stale(two(tmp_path), "another", kept_path) == two(tmp_path)
    (tmp_path / "a.txt").unlink()
    assert [each.name for each in stale(two(tmp_path), "one", kept_path)] == ["written"]


@pytest.mark.parametrize("change", [{"number_format": "float32"}, {"code": ("decoding",)}])
def test_another_number_format_or_other_code_makes_a_piece_stale(tmp_path, change):
    kept, [first, second] = tmp_path / "renewed.json", two(tmp_path)
    list(renew([first, second], "one", kept))
    assert stale([first, replace(second, **change)], "one", kept)[0].name == second.name


def test_the_version_of_code_changes_with_what_it_does_and_not_with_its_prose(monkeypatch, tmp_path):
    """Docstrings, comments, types, messages, what an option is called, and where an import stands, make no numbers."""
    (tmp_path / "playground").mkdir()
    monkeypatch.setattr(pieces_module, "ROOT", tmp_path)

    def syntax(text):
        (tmp_path / "playground" / "lean.py").write_text(text)
        return pieces_module._syntax("lean")

    code = '"""A."""\nimport a\nx = option(1, help="A.")\ndef f(y: int) -> int:\n    raise Error("A")\n'
    prose = '"""B."""\nimport b\nx = option(1, help="B.")  # B\ndef f(y):\n    """B."""\n    raise Error("B")\n'
    assert syntax(code) == syntax(prose) != syntax(prose.replace("option(1", "option(2"))


def test_a_recorded_run_is_made_by_its_method_and_not_by_another(monkeypatch):
    """RSD-S by the recursive rule, SpecTr by K-SEQ; both by the loop and the draft's growth."""
    known = {each.name: each.code for each in pieces() if each.name in ("traces rsd_s", "traces spectr")}
    syntax, files = pieces_module._syntax, {}
    for name, modules in known.items():
        seen = files[name] = set()
        monkeypatch.setattr(pieces_module, "_syntax", lambda module, seen=seen: seen.add(module) or syntax(module))
        code_version.cache_clear()
        code_version(modules)
    code_version.cache_clear()
    rules = {"decoding.verification.recursive", "decoding.verification.k_seq"}
    assert [files[name] & rules for name in known] == [{each} for each in sorted(rules, reverse=True)]
    shared = {"decoding.decode", "decoding.drafting.draft", "models.passes.compiled"}
    assert all(shared <= each for each in files.values())


def test_nothing_is_begun_that_should_take_longer_than_what_is_left(tmp_path):
    kept, (first, second) = tmp_path / "renewed.json", two(tmp_path)
    begun = list(renew([replace(first, minutes=3.0), second], "one", kept, minutes=2.0))
    assert begun == [second] and minutes_of(second, kept) < second.minutes and minutes_of(first, kept) == first.minutes


def test_a_run_of_the_command_line_is_made_in_this_process(monkeypatch, tmp_path):
    def run(words):
        Path(words[-1]).write_text(words[0])
        return 0

    monkeypatch.setattr(module, "playground", run)
    piece = Piece("a run", tmp_path / "run.txt", (*PLAYGROUND, "run", "--trace", FILE))
    assert list(renew([piece], "one", tmp_path / "renewed.json")) == [piece] and piece.file.read_text() == "run"


def test_a_run_that_the_code_makes_again_keeps_its_file_and_times_and_another_does_not(tmp_path):
    record_file = tmp_path / "renewed.json"
    for name, seed, expected in (("old", 1, "old"), ("again", 1, "old"), ("other", 2, "other")):
        save(trace_of(request(make_method("rsd_s"), length=12, seed=seed)), tmp_path / f"{name}.json.gz")
        copy = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
        command = (sys.executable, "-c", copy, str(tmp_path / f"{name}.json.gz"), FILE)
        piece = Piece("a run", tmp_path / "run.json.gz", command)
        assert list(renew([piece], "one", record_file)) == [piece] and stale([piece], "one", record_file) == []
        assert piece.file.read_bytes() == (tmp_path / f"{expected}.json.gz").read_bytes()
    assert (tmp_path / "old.json.gz").read_bytes() != (tmp_path / "again.json.gz").read_bytes()


def test_what_was_interrupted_is_made_next_time_and_the_old_file_is_whole(tmp_path):
    """The second piece dies half-way: the first is kept, the second's old file too; half of one is not in the way."""
    (tmp_path / ".new").mkdir()
    (tmp_path / ".new" / "another.txt").write_text("half")
    kept, (first, second) = tmp_path / "renewed.json", two(tmp_path)
    list(renew([first, second], "one", kept))
    broken = Piece(second.name, second.file, FAILS)
    with pytest.raises(module.subprocess.CalledProcessError):
        list(renew([first, broken], "two", kept))
    assert second.file.read_text() == "printed\n"
    assert [each.name for each in stale([first, second], "two", kept)] == [second.name]
    assert not (tmp_path / ".new").exists()


def test_a_pair_is_told_by_its_weights_and_what_a_head_made_by_the_heads(tmp_path):
    seen = []
    for name, target, head in (("one", b"0", b"1"), ("again", b"0", b"1"), ("other", b"1", b"1"), ("head", b"0", b"2")):
        for role, weights in (("target", target), ("head", head)):
            (tmp_path / name / role).mkdir(parents=True)
            (tmp_path / name / role / "model.safetensors").write_bytes(weights)
        seen.append((pair_in(tmp_path / name), pair_in(tmp_path / name, beside=(HEAD,))))
    one, again, other, head = seen
    assert one == again and one[0] == head[0] != other[0] and one[1] != head[1]


def test_every_piece_has_a_name_and_a_file_of_its_own_and_code_that_is_there():
    all_pieces = pieces()
    assert len({each.name for each in all_pieces}) == len({each.file for each in all_pieces}) == len(all_pieces)
    assert {f"playground.{name}" for each in all_pieces for name in each.code} <= pieces_module._imports().modules


def test_every_command_is_one_that_the_command_line_knows():
    """Parsed alone: a flag that is gone would else be noticed when everything is renewed."""
    commands = [each.command for each in pieces() if each.command[: len(PLAYGROUND)] == PLAYGROUND]
    assert len(commands) > 40 and all(parser().parse_args(each[len(PLAYGROUND) :]).command for each in commands)


def test_what_is_stale_is_listed(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(module, "pieces", lambda: two(tmp_path))
    assert main(["--list"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "stale: written (not made yet; 1.0 minutes)",
        "stale: printed (not made yet; 1.0 minutes)",
        "2 pieces, some 2 minutes.",
    ]


def test_a_piece_whose_package_is_not_installed_stays_as_it_is_and_says_what_to_install(monkeypatch, capsys, tmp_path):
    lacking = replace(two(tmp_path)[0], lacks="It is in the package that-one. Install it: pip install that-one.")
    monkeypatch.setattr(module, "pieces", lambda: [lacking])
    monkeypatch.setattr(module.tables, "write", lambda: None)
    assert main(["--all"]) == 0 and not lacking.file.exists()
    assert "written stays as it is. It is in the package that-one." in capsys.readouterr().out


def test_no_piece_is_kept_that_is_not_there():
    """Of the repository itself: what was made and what is made have the same names."""
    names = {each.name for each in pieces()}
    assert set(json.loads(module.RENEWED.read_text())) <= names


def test_a_timed_file_says_the_machine_and_the_day_that_it_was_made_on():
    """Of the repository itself; the traces of an opening among them, in the events that they begin with."""
    records = json.loads(module.RENEWED.read_text())
    timed = [each for each in pieces() if each.is_timed]
    assert len(timed) > 15
    for piece in timed:
        content = piece.file.read_bytes()
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
        assert records[piece.name]["machine"] in text and re.search(r"20\d\d-\d\d-\d\d", text), piece.name


def test_a_timed_run_is_made_again_with_its_times_and_the_others_keep_theirs(tmp_path):
    record_file, trace = tmp_path / "renewed.json", tmp_path / "run.json.gz"
    for name in ("old", "again"):
        save(trace_of(request(make_method("rsd_s"), length=12, seed=1)), tmp_path / f"{name}.json.gz")
    for is_timed, expected in ((False, "old"), (True, "again")):
        shutil.copy(tmp_path / "old.json.gz", trace)
        copy = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
        piece = Piece("a run", trace, (sys.executable, "-c", copy, str(tmp_path / "again.json.gz"), FILE))
        record_file.write_text(json.dumps({"a run": {}}))
        list(renew([replace(piece, is_timed=is_timed)], "one", record_file))
        assert trace.read_bytes() == (tmp_path / f"{expected}.json.gz").read_bytes()


def test_timed_pieces_are_asked_for_by_a_flag_and_one_that_fails_does_not_stop_the_others(
    monkeypatch, capsys, tmp_path
):
    first, second = two(tmp_path)
    record_file = tmp_path / "renewed.json"
    list(renew([first, second], pair_in(), record_file))

    def make(wanted, pair, *, minutes):
        for piece in wanted:
            if piece.command is FAILS:
                raise module.subprocess.CalledProcessError(3, "a command")
            yield piece

    known = [replace(first, command=FAILS, is_timed=True), replace(second, is_timed=True)]
    monkeypatch.setattr(module, "pieces", lambda: known)
    monkeypatch.setattr(module, "stale", lambda known, pair: [])
    monkeypatch.setattr(module, "renew", make)
    monkeypatch.setattr(module, "compiled_kernel", lambda: True)
    monkeypatch.setattr(module.tables, "write", lambda: None)
    assert main([]) == 0 and "0 pieces made" in capsys.readouterr().out
    assert main(["--timed"]) == 1
    said = capsys.readouterr().out
    assert "written failed, and its file is the old one" in said and "1 pieces made in" in said
    assert said.endswith("Failed: written.\n")
