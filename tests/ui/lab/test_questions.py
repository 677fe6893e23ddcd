"""The questions of servers' users: fifteen, each with threads or a click, and no link or command that leads nowhere."""

import re
import shlex
from urllib.parse import parse_qs

import pytest

from playground.files import read_json
from playground.makers.commands import parser
from playground.paths import ASSETS
from playground.ui.lab.tab import QUESTIONS, SECTIONS

TEXT = QUESTIONS.read_text(encoding="utf-8")
PARAGRAPHS = TEXT.split("\n## ")[1:]
SCRIPTS = "".join((ASSETS / "lab" / name).read_text() for name in ("speed/speed.js", "speed/load.js", "choices.js"))


def test_there_are_fifteen_in_order_and_each_says_where_to_look():
    assert [int(each.partition(".")[0]) for each in PARAGRAPHS] == list(range(1, 16))
    for each in PARAGRAPHS:
        assert re.search(r"\]\(|`python|\*Why not faster|table of the first README", each), each


@pytest.mark.parametrize("link", re.findall(r"\]\((\?[^)]+)\)", TEXT))
def test_its_links_lead_to_a_section_of_the_lab_with_fields_that_are_there(link):
    (section,), fields = (query := parse_qs(link[1:])).pop("section"), query
    assert fields.pop("tab") == ["lab"] and section in SECTIONS
    for name, (value,) in fields.items():
        assert f"{name}: [" in SCRIPTS or (name == "nodes_cost" and f'"{value}"' in SCRIPTS), name


def test_its_commands_are_understood():
    commands = [each.replace("\n", " ") for each in re.findall(r"`python -m\s+playground ([^`]+)`", TEXT)]
    assert len(commands) > 3
    for command in commands:
        if "--help" not in command:
            assert parser().parse_args(shlex.split(command))


def test_what_is_said_of_acceptance_by_length_was_measured():
    rates = {each["length"]: f"{each['rate']:.2f}" for each in read_json(ASSETS / "contexts.json")["points"]}
    said = f"{rates[128]} behind 128 tokens and {rates[384]} behind 384, then {rates[1024]} behind 1,024"
    assert said in PARAGRAPHS[2].replace("\n", " ")
    assert (
        f"here {read_json(ASSETS / 'models' / 'made.json')['runs']['draft']['plan']['window']} tokens" in PARAGRAPHS[2]
    )


def test_its_threads_are_links_to_a_number_of_a_repository():
    threads = re.findall(r"\((https://[^)]+)\)", TEXT)
    assert len(threads) > 12
    assert [
        link for link in threads if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", link)
    ] == []
