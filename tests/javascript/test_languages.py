"""The tables of the languages: whole where they say so, with the same places, and of words that there are."""

import gzip
import json
import re
import warnings
from functools import cache
from pathlib import Path

import pytest

import playground
from playground.decoding.method import methods
from playground.paths import ASSETS
from playground.trace.reasons import sentences as reason_sentences
from playground.ui import build
from playground.ui.page.controls import method_note
from playground.ui.page.messages import set_up
from playground.ui.page.model_chooser import drafter_field
from playground.ui.page.progress import waiting
from playground.ui.race import turn as racing
from playground.ui.sweep import turn as sweeping
from playground.ui.watch import shelf
from playground.ui.watch.turn import ENDS
from tests.languages import CODES, interface, named, read, untranslated

WHOLE = [  # in every language: modules that add words, and no others
    "shared/words.js",
    "shared/glossary/words.js",
    "player/words.js",
    "player/lenses/words.js",
    "player/take/words.js",
    "player/tour/words.js",
    "player/what_if/words.js",
    "page/words.js",
    "race/words.js",
    "sweep/words.js",
    "recommend/words.js",
    "learn/words.js",
    "site/words.js",
    *(f"learn/lessons/{name}.js" for name in ("slow", "draft", "coin")),
]
NO_WORD = re.compile(r"(\{\w+\}|\b(id|ln|[a-zA-Z])\b|[^a-zA-Z])*")  # signs, places and formulas, the same everywhere
COMPOSED = (  # said in pieces: verdicts that no recorded run has, and what the twin says of a run
    *reason_sentences().values(),
    "Recorded on 2026-11-22: A and B, temperature 1, seed 0. Prompt: “Once”",
    "Recorded on 2026-11-22: A, temperature 1, seed 0. Prompt: “Once”",
)
LINES = (  # what the lines say while something runs; they are put together as it goes on
    *(set_up(press, [])["text"] for press in ("Run", "Race", "Sweep", "Recommend")),
    *(f"{end}: 24 tokens in 0.31 s of decoding." for end in ENDS.values()),
    *(waiting(ahead, seconds)["text"] for ahead in (0, 1, 2) for seconds in (None, 40, 150)),
    *(racing.under_way(racing.Step(done, 24, 9.0), 3)["text"] for done in (0, 2, 10, 24)),
    *(sweeping.under_way(sweeping.Step(done, 24, left))["text"] for done, left in ((0, None), (3, 40.0), (4, 200.0))),
    "Done: 24 measured runs in 9 s, warm-ups included.",
    "Stopped after 3 of 24 runs. What was measured is below.",
    "Stopped after 3 of 24 runs. Those are kept, and Resume makes the rest.",
    "Done: 1 new run in 9 s, 24 in all.",
    "Done: 3 new runs in 9 s, 24 in all.",
    "RSD-S: it is on the stage. Options are set as it was made, so Run makes it again.",
)
SENTENCE_ENDS = re.compile(r"(?<=\.) (?=[A-Z])")  # as `spoken` takes a line apart
SENTENCES = [part for line in LINES for part in (line, *SENTENCE_ENDS.split(line))]
NAME = "Speculative Decoding Playground {version}"


def places(sentence: str) -> list[str]:
    return sorted(set(re.findall(r"\{(\w+)\}", sentence)))


def sentences(word: str | list[list[str]]) -> list[str]:
    """Itself, or those of a list of keys: [[keys, what they do]]."""
    return [word] if isinstance(word, str) else [sentence for line in word for sentence in line]


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
    english = read()["words"]
    wanted = {key for name in WHOLE for key in read()["owners"][name]}
    wanted -= {key for key in wanted if english[key] == NAME or NO_WORD.fullmatch(str(english[key]))}
    wanted |= set(interface())
    assert len(wanted) > 400
    assert wanted - set(read()["tables"][code]) == set()


@pytest.mark.parametrize("code", CODES)
def test_what_methods_and_options_lack_is_listed(code):
    """English is shown for it: a method is one file, and whoever writes it speaks no five languages."""
    if lacking := untranslated(code):
        warnings.warn(f"No words in {code} yet, see python -m tests.languages: {', '.join(lacking)}", stacklevel=1)
    assert len(named()) - len(lacking) > 150


@pytest.mark.parametrize("code", CODES)
def test_every_entry_replaces_a_word_and_keeps_its_places(code):
    words = read()["words"] | interface() | named()
    for key, sentence in read()["tables"][code].items():
        if key == "labels":
            continue
        assert key in words, f"{key} is translated, and nothing says it in English"
        ours, theirs = sentences(words[key]), sentences(sentence)
        assert list(map(places, theirs)) == list(map(places, ours)), key
        assert all(each.strip() and each.rstrip() == each for each in theirs), key


@pytest.mark.parametrize("code", CODES)
def test_a_translation_is_no_copy_of_the_english(code):
    """A few short words are the same in two languages; sentences are not."""
    words = read()["words"]
    table = read()["tables"][code]
    same = [key for key, sentence in table.items() if sentence == words.get(key) and len(sentence) > 25]
    same += [english for english, told in table["labels"].items() if english == told and len(english) > 25]
    assert same == []


@cache
def shown_by_gradio() -> frozenset[str]:
    """The labels, hints and buttons of the tabs, and the words of their menus; what papers call a figure is no word."""
    page = build.build()
    found: set[str] = set()
    for part in page.get_config_file()["components"]:
        props, kind = part["props"], part["type"]
        if kind == "api" or str(props.get("elem_id")).startswith("preset-"):
            continue
        found |= {props[name] for name in ("label", "info", "placeholder") if props.get(name)} - {"Top-k", "Top-p"}
        if "button" in kind and props.get("value"):
            found.add(props["value"])
        found |= set(
            re.findall(r">(\w[^<]+)</(?:button|h2)>", str(props.get("html_template")) + str(props.get("value")))
        )
    found = {text for text in found if kind_of(text)} - {method_note(name) for name in methods()}
    found |= {shelf.PLAYING} | {title for title, _ in drafter_field().choices}
    return frozenset(found)


def kind_of(text: str) -> bool:
    """Whether it is a word of the page, and not the name of a component that Gradio gives itself."""
    return not re.fullmatch(r"\d+(st|nd|rd|th)|Html|Dataset|Textbox", text)


@cache
def reasons() -> frozenset[str]:
    """What the recorded runs say of their verdicts, read without making runs of them, which takes seconds."""
    found: set[str] = set()
    for file in (ASSETS / "traces").glob("*.json.gz"):
        for each in re.findall(r'"reasons": ?(\[.*?\])', gzip.decompress(file.read_bytes()).decode()):
            found |= {reason for reason in json.loads(each) if reason}
    return frozenset(found)


def told_by(labels: dict[str, str], sentence: str) -> bool:
    return sentence in labels or any(
        re.fullmatch(".+?".join(map(re.escape, re.split(r"\{\w+\}", label))), sentence)
        for label in labels
        if "{" in label
    )


@cache
def source() -> str:
    """The server's code, texts that go over lines in one."""
    files = Path(playground.__file__).parent.rglob("*.py")
    return re.sub(r'"\n\s+f?"', "", "\n".join(file.read_text("utf-8") for file in files))


def is_spelled(english: str) -> bool:
    pattern = r"\{[^{}]+\}".join(map(re.escape, re.split(r"\{\w+\}", english)))
    return english in source() or ("{" in english and re.search(pattern, source()) is not None)


def test_what_the_tabs_say_is_told_and_so_is_every_recorded_verdict():
    assert len(shown_by_gradio()) > 100 and len(reasons()) > 50
    for code in CODES:
        labels = read()["tables"][code]["labels"]
        assert [text for text in shown_by_gradio() if not told_by(labels, text)] == [], code
        assert [reason for reason in reasons() if not told_by(labels, reason)] == [], code


def test_so_is_what_the_lines_say_while_something_runs():
    """Whole, or sentence by sentence, as `spoken` looks it up."""
    lines = {*LINES, *re.findall(r'\bsay\("([^"{]+)"\)', source())}
    assert len(lines) > 40
    for code in CODES:
        labels = read()["tables"][code]["labels"]
        for line in lines:
            assert told_by(labels, line) or all(told_by(labels, each) for each in SENTENCE_ENDS.split(line)), (
                code,
                line,
            )


def test_every_label_is_one_that_the_server_says_and_keeps_its_places():
    """An English that nobody says any more would stay untranslated where it now stands."""
    for code in CODES:
        for english, told in read()["tables"][code]["labels"].items():
            assert places(english) == places(told) and told.strip() == told and told, english
    for english in read()["tables"]["de"]["labels"]:
        said = english in shown_by_gradio() or is_spelled(english)
        parts = [*reasons(), *COMPOSED, *shown_by_gradio(), *SENTENCES]
        assert said or any(told_by({english: ""}, part) for part in parts), english
