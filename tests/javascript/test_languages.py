"""The tables of the languages: whole where they say so, with the same places, and of words that there are."""

import json
import re
import shutil
import subprocess
from functools import cache
from typing import Any

import pytest

from playground.views.modules import ASSETS

CODES = ["de", "es", "fr", "ja", "zh"]
WHOLE = ["learn/words.js", *(f"learn/lessons/{name}.js" for name in ("slow", "draft", "coin"))]  # in every language
STAGE = re.compile(
    r"(say|reason|state|legend|cast|running)_(?!\w*_title)|legend_title"
)  # of the player's words, likewise
READ = """
    const root = process.argv[1];
    const { words } = await import(`${root}/shared/words.js`);
    const { LANGUAGES } = await import(`${root}/languages/language.js`);
    await import(`${root}/learn/words.js`);
    await import(`${root}/learn/lessons.js`);
    await import(`${root}/player/words.js`);
    console.log(JSON.stringify({ words, names: LANGUAGES }));
"""


@cache
def read() -> dict[str, Any]:
    """All English words, and the table and the name of each language."""
    node = shutil.which("node")
    assert node, "tests/run installs Node.js where there is none"
    command = [node, "--input-type=module", "-e", READ, str(ASSETS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    tables = {file.stem: json.loads(file.read_text("utf-8")) for file in (ASSETS / "languages").glob("??.json")}
    return json.loads(done.stdout) | {"tables": tables}


def places(sentence: str) -> list[str]:
    return sorted(set(re.findall(r"\{(\w+)\}", sentence)))


def test_no_two_parts_have_a_word_of_the_same_name():
    """They share one table, so the part that is read last would speak for both."""
    owners: dict[str, str] = {}
    for file in sorted(ASSETS.rglob("*.js")):
        for block in re.findall(r"^learn\(\{\n(.*?)^\}\);", file.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            for key in re.findall(r"^  (\w+): ", block, re.MULTILINE):
                assert key not in owners, (key, owners[key], file.name)
                owners[key] = file.name
    assert len(owners) > 500


def test_every_table_is_of_a_language_that_can_be_chosen():
    assert sorted(read()["tables"]) == CODES == sorted(set(read()["names"]) - {"en"})


@pytest.mark.parametrize("code", CODES)
def test_nothing_of_what_is_to_be_translated_is_missing(code):
    wanted = {
        key for file in WHOLE for key in re.findall(r'^  (\w+_\w+): "', (ASSETS / file).read_text(), re.MULTILINE)
    }
    assert len(wanted) > 80 and wanted <= set(read()["words"])
    wanted |= {key for key in read()["words"] if STAGE.match(key)}
    assert len(wanted) > 150
    assert wanted - set(read()["tables"][code]) == set()


@pytest.mark.parametrize("code", CODES)
def test_every_entry_replaces_a_word_and_keeps_its_places(code):
    words = read()["words"]
    for key, sentence in read()["tables"][code].items():
        assert isinstance(words.get(key), str), key
        assert places(sentence) == places(words[key]), key
        assert sentence.strip() and sentence.rstrip() == sentence, key


@pytest.mark.parametrize("code", CODES)
def test_a_translation_is_no_copy_of_the_english(code):
    """A few short words are the same in two languages; sentences are not."""
    words = read()["words"]
    same = [key for key, sentence in read()["tables"][code].items() if sentence == words[key] and len(sentence) > 25]
    assert same == []
