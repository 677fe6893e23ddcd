"""The READMEs say what is true: their tables, commands, code, paths and links, and what the Space is told."""

import importlib.util
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from PIL import Image

from playground.bench.entry import enter, read_choices
from playground.bench.race import BASELINE
from playground.decoding.method import methods
from playground.exactness.broken_rules import BROKEN
from playground.exactness.losslessness import FALSE_ALARM, LOSSLESS
from playground.makers.commands import main, parser
from playground.models.bundled import BESIDE
from playground.models.catalog import MODELS, PAIRS
from playground.papers.presets import presets
from playground.views.race.tables import titles
from tests.tables import (
    CHAT_TIMES,
    LOSSLESSNESS,
    ONE_POSITION,
    PAPERS,
    README,
    ROOT,
    TABLES,
    TIMES,
    is_fresh,
    papers_module,
    readmes,
    with_tables,
)

CARDS = [MODELS / name / "README.md" for name in ("target", "draft", "weaker")]
# Each is about one subject.
NOTES = [file for file in sorted((ROOT / "playground").rglob("*.md")) if file.name != "README.md"]
CARDS_BESIDE = [MODELS / name / "README.md" for name in BESIDE]
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
BEGIN = re.compile(r"^<!-- (\w+):begin -->$", re.MULTILINE)


def name_of(readme: Path) -> str:
    return readme.relative_to(ROOT).as_posix()


def text_of(readme: Path) -> str:
    return readme.read_text(encoding="utf-8")


def front_matter(page: Path) -> dict:
    return yaml.safe_load(text_of(page).split("---\n")[1])


def blocks(readme: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(readme), re.MULTILINE | re.DOTALL)


def shell(readme: Path, begins: str) -> list[str]:
    """The lines of its shell blocks that begin so, those in several parts as one, without what follows a `>`."""
    lines = "".join(blocks(readme, "bash")).replace("\\\n", " ").splitlines()
    return [line.partition(" > ")[0] for line in lines if line.startswith(begins)]


def commands(readme: Path) -> list[list[str]]:
    """The arguments of every `python -m playground` in it."""
    return [shlex.split(line, comments=True)[3:] for line in shell(readme, "python -m playground ")]


ALL_COMMANDS = [(readme, arguments) for readme in readmes() for arguments in commands(readme)]


WRITES = re.compile(r"(?:^python -m playground site|.* (?:--out|--html|--trace|--work|>)) ([\w.-]+(?:/[\w.-]+)*)")


def written(readme: Path) -> list[str]:
    """The files and folders that its commands write."""
    lines = "".join(blocks(readme, "bash")).replace("\\\n", " ").splitlines()
    return [result[1] for line in lines if (result := WRITES.match(line.partition(" # ")[0]))]


def test_what_the_commands_write_is_tracked_or_ignored():
    """So whoever tries them has a clean `git status`, and publishes none of it by accident."""
    paths = {path for readme in readmes() for path in written(readme)}
    assert {"twin", "runs/rsd", "story.html", "run.json.gz", "assets/times.md"} <= paths
    ignored = subprocess.run(["git", "check-ignore", *paths], cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert [path for path in paths - set(ignored) if not (ROOT / path).exists()] == []


def test_the_whole_page_is_published_without_what_its_clone_has_besides():
    [whole] = [line for line in shell(ROOT / "playground" / "cli" / "README.md", "hf upload ") if " . . " in line]
    left_out = {pattern.rstrip("*").strip("/") for pattern in re.findall(r'--exclude "([^"]+)"', whole)}
    ours = {"twin", "runs", ".venv", "__pycache__", "node_modules"}
    assert ours <= {pattern.removeprefix("*/") for pattern in left_out}


@pytest.mark.parametrize("readme", readmes(), ids=name_of)
def test_its_tables_are_what_follows_from_the_code_and_was_measured(readme):
    assert is_fresh(readme, with_tables(readme, text_of(readme))), "Run python -m tests.tables"


def test_rows_that_are_only_new_are_a_warning_and_what_changed_fails(tmp_path, monkeypatch):
    """So a method is one file. A number that was measured again, or a row that is gone, is for whoever measured."""
    monkeypatch.delenv("CI", raising=False)
    page = tmp_path / "README.md"
    old, new = "| a | .5 |\n| law | x, y |\n", "| a | .5 |\n| b | .6 |\n| law | w, x, y |\n"
    page.write_text(old)
    with pytest.warns(UserWarning, match=r"README.md lacks new rows. Write them with python -m tests.tables"):
        assert is_fresh(page, new)
    assert page.read_text() == old and is_fresh(page, old), "a test writes nothing"
    for other in (new.replace(".5", ".7"), new.replace("law", "rule"), old[:-9]):
        assert not is_fresh(page, other)
    monkeypatch.setenv("CI", "true")
    assert not is_fresh(page, new)


def test_every_table_stands_somewhere_and_every_mark_has_one():
    """A mark without its end, or of another name, would leave a table that nothing checks."""
    marks = [name for readme in readmes() for name in BEGIN.findall(text_of(readme))]
    assert set(marks) == set(TABLES)
    ends = [name for readme in readmes() for name in re.findall(r"^<!-- (\w+):end -->$", text_of(readme), re.MULTILINE)]
    assert marks == ends


def test_a_table_keeps_the_order_in_which_its_files_are_to_be_read():
    readme = ROOT / "playground" / "trace" / "README.md"
    text = text_of(readme)
    rows = re.findall(r"^\| \[\w+\.py\].*\n", text, re.MULTILINE)
    swapped = text.replace(rows[0] + rows[1], rows[1] + rows[0])
    assert swapped != text and with_tables(readme, swapped) == swapped
    lacking = text.replace(rows[0], "")
    assert with_tables(readme, lacking) == lacking.replace(rows[-1], rows[-1] + rows[0])


def test_what_was_measured_holds_what_the_methods_claim():
    """Every row of the table: a claim that was found to differ has no place in a README as if it were kept."""
    for row in json.loads(text_of(LOSSLESSNESS)):
        assert row["method"] in methods() and row["samples"] >= 200_000
        if row["reproduces"] != "none":
            assert row["verdict"] == LOSSLESS and row["p_value"] >= FALSE_ALARM, row


def test_the_tables_of_times_are_of_the_commands_above_them():
    """Their numbers are of one machine and hour; their rows, columns and that they were measured can be checked."""
    in_16_bits, in_float32, of_chat_model = (
        text_of(ROOT / "assets" / name).splitlines() for name in (*TIMES, CHAT_TIMES)
    )
    assert in_16_bits[0] == in_float32[0]
    assert "in float16 and float32; draft bundled draft, 2.0 M in float16 and float32;" in in_16_bits[-1]
    assert "in float32; draft bundled draft, 2.0 M in float32;" in in_float32[-1]
    assert "target SmolLM2-135M-Instruct" in of_chat_model[-1]
    bundled, chat = [parser().parse_args(each) for each in commands(README) if "--markdown" in each]
    for parsed, table in ((bundled, in_16_bits), (bundled, in_float32), (chat, of_chat_model)):
        entries = enter([(BASELINE, {}), *read_choices(parsed.methods)])
        assert table[0] == f"| {' | '.join(titles())} |" and table[-1].startswith("*Measured:*")
        assert f"temperature {parsed.temperature:g}," in table[-1] and f"{parsed.max_new_tokens} tokens." in table[-1]
        assert [line.split(" | ")[0] for line in table[2:-2]] == [f"| `{entry.label}`" for entry in entries]


def test_the_table_of_acceptance_is_of_the_command_above_it():
    shown = [arguments for _, arguments in ALL_COMMANDS if arguments[0] == "acceptance"]
    [arguments] = [each for each in shown if "--draft-length" not in each]
    parsed = parser().parse_args(arguments)
    rows = [[float(entry) for entry in row.split(",")] for row in (parsed.target, parsed.draft)]
    assert (*rows, parsed.num_drafts) == ONE_POSITION


def test_every_command_is_shown_somewhere():
    [subcommands] = [action.choices for action in parser()._actions if action.dest == "command"]
    assert {arguments[0] for _, arguments in ALL_COMMANDS} == set(subcommands)


def test_every_command_shown_is_understood():
    for readme, arguments in ALL_COMMANDS:
        parsed = parser().parse_args(arguments)
        assert getattr(parsed, "method", "autoregressive") in methods(), (readme, arguments)
        assert getattr(parsed, "preset", None) in {None, *presets()}, (readme, arguments)


def test_every_module_of_the_tests_that_is_shown_exists():
    shown = {line.split()[2] for readme in readmes() for line in shell(readme, "python -m tests.")}
    assert "tests.tables" in shown and [name for name in shown if importlib.util.find_spec(name) is None] == []


def test_the_first_lines_of_python_run(capsys):
    [code] = blocks(README, "python")
    assert len(code.splitlines()) <= 10
    there: dict = {}
    exec(code, there)
    said = capsys.readouterr().out
    trace = there["trace"]
    shown = trace.rounds[:5]
    assert len(shown) == 5 and all(f"adds {each.committed.text!r}" in said for each in shown)
    assert "".join(each.committed.text for each in trace.rounds) == trace.finished.text
    assert f"{trace.finished.num_accepted} of {trace.finished.num_drafted} drafted tokens accepted" in said


def test_the_commands_and_the_code_of_the_trace_do_what_they_say(tmp_path, monkeypatch, capsys):
    """In their order, in a folder of their own: a run is recorded, checked, exported twice and measured."""
    monkeypatch.chdir(tmp_path)
    readme = ROOT / "playground" / "trace" / "README.md"
    for arguments in commands(readme):
        assert main(arguments) == 0, capsys.readouterr().err
    assert {"story.html", "round3.graphml"} <= {path.name for path in tmp_path.iterdir()}
    [code] = blocks(readme, "python")
    capsys.readouterr()
    exec(code, {})
    assert float(capsys.readouterr().out) > 1


def test_the_first_readme_leads_to_every_room():
    """To its README where it has one: nobody looks for a page that no page speaks of."""
    rooms = [path.parent for path in sorted((ROOT / "playground").glob("*/__init__.py"))]
    pages = [room / "README.md" if (room / "README.md").exists() else room for room in rooms]
    linked = {(ROOT / path).resolve() for path in re.findall(r"\]\(([^)#:]+)\)", text_of(README))}
    assert [name_of(page) for page in [*pages, *readmes()[1:]] if page not in linked] == []


@pytest.mark.parametrize("page", [*readmes(), *CARDS, *CARDS_BESIDE, *NOTES], ids=name_of)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text_of(page)):
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        headings = re.findall(r"^#+ (.+)$", text_of(there), re.MULTILINE) if anchor else []
        assert not anchor or anchor in {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}


def test_what_is_named_and_counted_is_there_and_the_moving_picture_moves():
    text = " ".join(text_of(README).split())
    assert f"{len(BROKEN)} mistakes made on purpose" in text and f"{len(presets())} comparisons" in text
    readme = ROOT / "assets" / "README.md"
    [tree] = blocks(readme, "text")
    paths = {line.split()[0] for line in tree.splitlines()}
    assert [path for path in paths if not (readme.parent / path).exists()] == []
    assert {LOSSLESSNESS.name, *TIMES} <= paths
    picture = ROOT / "assets" / "playground.gif"
    with Image.open(picture) as frames:
        assert frames.n_frames > 50 and 800 <= frames.width <= 960 and picture.stat().st_size < 1_500_000


def test_the_space_is_told_what_the_repository_has():
    space = front_matter(README)
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    [(low, high)] = [result.groups() for line in lines if (result := re.fullmatch(r"gradio>=([\d.]+),<(\d+)", line))]
    version = [int(part) for part in space["sdk_version"].split(".")]
    assert len(version) == 3 and [int(part) for part in low.split(".")] <= version < [int(high)]
    assert (space["sdk"], space["python_version"], space["license"]) == ("gradio", "3.12", "mit")
    assert (ROOT / space["app_file"]).is_file() and len(space["short_description"]) < 60
    assert {space["colorFrom"], space["colorTo"]} <= COLOURS
    offered = {name for pair in PAIRS for name in (pair.target, pair.draft)}
    assert set(space["models"]) <= offered


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.parent.name)
def test_each_bundled_model_has_a_card(card):
    facts = {"license": "mit", "language": "en", "library_name": "transformers", "pipeline_tag": "text-generation"}
    assert facts.items() <= front_matter(card).items()


def test_the_player_cites_the_papers_that_the_methods_name():
    assert is_fresh(PAPERS, papers_module()), "run python -m tests.tables"
