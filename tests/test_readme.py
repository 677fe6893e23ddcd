"""The README says what is true: its methods, its commands, its folders, and what the Space is told.

`python -m tests.test_readme` writes the table of methods into the README.
"""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from playground.cli import parser
from playground.decoding.method import methods
from playground.models.catalog import MODELS, PAIRS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- methods:begin -->\n", "<!-- methods:end -->"
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


def with_table(readme: str) -> str:
    """The README with its table of methods renewed."""
    before, rest = readme.split(BEGIN)
    return before + BEGIN + methods_table() + END + rest.split(END)[1]


def front_matter(page: Path) -> dict:
    return yaml.safe_load(page.read_text(encoding="utf-8").split("---\n")[1])


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = "".join(blocks("bash")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("python -m playground ")]


def test_the_table_of_methods_is_what_the_methods_declare():
    readme = README.read_text(encoding="utf-8")
    assert readme == with_table(readme), (
        "README.md's table of methods is out of date. Run python -m tests.test_readme, or paste this between its "
        f"markers:\n{methods_table()}"
    )


def test_there_are_commands_to_check():
    assert {"run", "methods", "pairs", "validate", "export"} <= {line.split()[3] for line in commands()}


@pytest.mark.parametrize("line", commands())
def test_every_command_shown_is_understood(line):
    parsed = parser().parse_args(shlex.split(line, comments=True)[3:])
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
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
