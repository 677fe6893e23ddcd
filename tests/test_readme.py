"""The README says what is true: its methods, its commands, its folders, and what the Space is told.

`python -m tests.test_readme` writes three tables into the README: that of the methods; that of measured losslessness,
whose numbers are what `python -m playground check all --json` printed into assets/losslessness.json; and that of times,
which the `compare` command shown above it printed into assets/times.md.
"""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from playground.bench.entry import enter, read_choices
from playground.bench.race import BASELINE
from playground.cli import parser
from playground.decoding.method import make_method, methods
from playground.exactness.losslessness import FALSE_ALARM, LOSSLESS, changed_options, every_claim
from playground.models.catalog import MODELS, PAIRS
from playground.views.race.tables import titles

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
LOSSLESSNESS = ROOT / "assets" / "losslessness.json"
TIMES = ROOT / "assets" / "times.md"
CARDS = [MODELS / "target" / "README.md", MODELS / "draft" / "README.md"]
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}


def methods_table() -> str:
    """The README's table of methods, from what each method declares."""
    rows = ["| method | id | reproduces | paper |", "|---|---|---|---|"]
    for method_id, method in methods().items():
        link = f"[`{method_id}`](playground/decoding/methods/{method_id}.py)"
        paper = re.sub(r"arXiv (\d{4}\.\d{5})", r"[arXiv \1](https://arxiv.org/abs/\1)", method.paper)
        rows.append(f"| {method.title} | {link} | {method.reproduces} | {paper} |")
    return "\n".join(rows) + "\n"


def losslessness_table() -> str:
    """The README's table of measured losslessness: a row for every claim, also for one that was not measured yet."""
    measured = json.loads(LOSSLESSNESS.read_text(encoding="utf-8"))
    found = {(row["method"], tuple(row["options"].items())): row for row in measured}
    rows = [
        "| method | claims | TV from | TV | noise floor (1 in 100 above) | p-value | verdict | runs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, options in every_claim():
        changed = changed_options((name, options))
        shown = " ".join([f"`{name}`", *(f"{option}={value:g}" for option, value in changed.items())])
        row = found.get((name, tuple(changed.items())))
        if row is None:
            claim = make_method(name, dict(options)).reproduces
            rows.append(f"| {shown} | {claim} | | | | | not measured yet | |")
            continue
        p_value = "below 0.0001" if row["p_value"] < 1e-4 else f"{row['p_value']:.3g}"
        law = "its claim" if row["law"] == row["reproduces"] else row["law"]
        rows.append(
            f"| {shown} | {row['reproduces']} | {law} | {row['tv']:.4f} | {row['noise_floor']:.4f} "
            f"({row['noise_upper']:.4f}) | {p_value} | {row['verdict']} | {row['samples']:,} |"
        )
    return "\n".join(rows) + "\n"


def times_table() -> str:
    """The README's table of times, as it was printed."""
    return TIMES.read_text(encoding="utf-8")


TABLES = {"methods": methods_table, "losslessness": losslessness_table, "times": times_table}


def with_tables(readme: str) -> str:
    """The README with its tables renewed."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before, rest = readme.split(begin)
        readme = before + begin + table() + end + rest.split(end)[1]
    return readme


def timing_command() -> list[str]:
    """The arguments of the comparison whose table the README shows."""
    [line] = [line for line in commands() if "--markdown" in line]
    return shlex.split(line.partition(" > ")[0])[3:]


def front_matter(page: Path) -> dict:
    return yaml.safe_load(page.read_text(encoding="utf-8").split("---\n")[1])


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = "".join(blocks("bash")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("python -m playground ")]


def test_the_tables_are_what_the_methods_declare_and_what_was_measured():
    readme = README.read_text(encoding="utf-8")
    assert readme == with_tables(readme), (
        "README.md's tables are out of date. Run python -m tests.test_readme, or paste these between their markers:\n"
        + "\n".join(table() for table in TABLES.values())
    )


def test_what_was_measured_holds_what_the_methods_claim():
    """Every row of the table: a claim that was found to differ has no place in the README as if it were kept."""
    for row in json.loads(LOSSLESSNESS.read_text(encoding="utf-8")):
        assert row["method"] in methods() and row["samples"] >= 200_000
        if row["reproduces"] != "none":
            assert row["verdict"] == LOSSLESS and row["p_value"] >= FALSE_ALARM, row


def test_the_table_of_times_is_of_the_command_above_it():
    """Its numbers are of one machine and hour; its rows, its columns and that it was measured can be checked."""
    table = times_table().splitlines()
    parsed = parser().parse_args(timing_command())
    entries = enter([(BASELINE, {}), *read_choices(parsed.methods)])
    assert table[0] == f"| {' | '.join(titles())} |" and table[-1].startswith("*Measured:*")
    assert f"temperature {parsed.temperature:g}," in table[-1] and f"{parsed.max_new_tokens} tokens." in table[-1]
    assert [line.split(" | ")[0] for line in table[2:-2]] == [f"| `{entry.label}`" for entry in entries]


def test_there_are_commands_to_check():
    assert {"run", "methods", "pairs", "validate", "export"} <= {line.split()[3] for line in commands()}


@pytest.mark.parametrize("line", commands())
def test_every_command_shown_is_understood(line):
    parsed = parser().parse_args(shlex.split(line.partition(" > ")[0], comments=True)[3:])
    assert getattr(parsed, "method", "autoregressive") in methods()


def test_every_path_in_the_tree_and_every_link_exists():
    [tree] = [block for block in blocks("text") if block.startswith("app.py")]
    paths = [line.split()[0] for line in tree.splitlines()]
    links = [
        page.parent / target
        for page in [README, *CARDS]
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert [path for path in [*(ROOT / path for path in paths), *links] if not path.exists()] == []


def test_the_space_is_told_what_the_repository_has():
    space = front_matter(README)
    assert f"gradio=={space['sdk_version']}" in (ROOT / "requirements.txt").read_text().splitlines()
    assert space["sdk"] == "gradio"
    assert space["python_version"] == "3.12"
    assert (ROOT / space["app_file"]).is_file()
    assert len(space["short_description"]) < 60
    assert {space["colorFrom"], space["colorTo"]} <= COLOURS
    assert space["license"] == "mit"
    offered = {name for pair in PAIRS for name in (pair.target, pair.draft)}
    assert set(space["models"]) <= offered


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.parent.name)
def test_each_bundled_model_has_a_card(card):
    facts = front_matter(card)
    assert facts["license"] == "mit"
    assert facts["language"] == "en"
    assert facts["library_name"] == "transformers"
    assert facts["pipeline_tag"] == "text-generation"


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
