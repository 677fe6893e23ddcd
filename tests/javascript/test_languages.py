"""The tables of the languages: whole where they say so, with the same places, and of words that there are."""

import json
import re
import warnings
from collections import Counter
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import playground
from playground.decoding.method import methods, option_key
from playground.errors import PlaygroundError
from playground.metrics.energy import NO_JOULES
from playground.paths import ASSETS
from playground.ui import build
from playground.ui.page.checks import PROMPT_LIMIT
from playground.ui.page.controls import method_note
from playground.ui.page.messages import complain, say
from playground.ui.page.progress import waiting
from playground.ui.runs.sweep.setup import MOST_TOKENS
from playground.ui.watch import shelf
from playground.views.link_card import TITLE
from playground.words import (
    Word,
    Words,
    commas,
    day,
    english,
    english_of,
    in_sentence,
    joined,
    keyed,
    listed,
    paragraph,
    recognised,
    tables,
    word,
)
from playground.words import named as named_word
from tests.javascript.node import ran
from tests.languages import CODES, NO_WORD, english_only, interface, named, scripts, table, untranslated

NAME = "Speculative Decoding Playground {version}"


def places(sentence: str) -> list[str]:
    return sorted(set(re.findall(r"\{(\w+)\}", sentence)))


def sentences(word: str | list[list[str]]) -> list[str]:
    """Itself, or those of a list of keys: [[keys, what they do]]."""
    return [word] if isinstance(word, str) else [sentence for line in word for sentence in line]


@cache
def all_english():
    return {**scripts(), **interface(), **named()}


def test_no_two_words_have_the_same_key():
    """The scripts share one table, so the part that is read last would speak for both."""
    text = (ASSETS / "languages" / "en.json").read_text("utf-8")
    counts = Counter(re.findall(r'^    "(\w+)": ', text, re.MULTILINE))
    assert len(counts) > 2000 and [key for key, count in counts.items() if count > 1] == []
    files = {file.relative_to(ASSETS).as_posix() for file in ASSETS.rglob("*.js")}
    assert english_of(files).keys() == tables().keys() - {"playground"}, "every part that says something is there"


def test_every_table_is_of_a_language_that_can_be_chosen():
    files = sorted(file.stem for file in (ASSETS / "languages").glob("??.json"))
    names = ran('print((await load("languages/language.js")).LANGUAGES);')
    assert files == sorted(["en", *CODES]) == sorted(names)


@pytest.mark.parametrize("code", CODES)
def test_nothing_of_what_is_to_be_translated_is_missing(code):
    words = scripts()
    wanted = words.keys() - english("player/lenses").keys()
    wanted -= {key for key in wanted if words[key] == NAME or NO_WORD.fullmatch(str(words[key]))}
    wanted = (wanted | set(interface())) - english_only()
    assert len(wanted) > 800
    assert wanted - set(table(code)) == set()


@pytest.mark.parametrize("code", CODES)
def test_what_is_english_in_every_language_is_in_no_table(code):
    """The Lab, a sweep, Recommend and the long texts of the glossary: whole, so that nobody reads half of each."""
    assert {"lab_speed_intro", "sweep_plan", "shop_user", "means_token"} <= english_only()
    assert english_only().isdisjoint(table(code)) and not [key for key in table(code) if key.startswith("shop.")]


@pytest.mark.parametrize("code", CODES)
def test_what_methods_options_and_lenses_lack_is_listed(code):
    """English is shown for it: a method is one file, and whoever writes it speaks no five languages."""
    if lacking := untranslated(code):
        warnings.warn(f"No words in {code} yet, see python -m tests.languages: {', '.join(lacking)}", stacklevel=1)
    assert len(named()) - len(lacking) > 150


@pytest.mark.parametrize("code", CODES)
def test_every_entry_replaces_a_word_keeps_its_places_and_is_no_copy_of_the_english(code):
    """A few short words are the same in two languages; sentences are not."""
    words = all_english()
    for key, sentence in table(code).items():
        assert sentence != words.get(key) or len(sentence) <= 25, key
        assert key in words, f"{key} is translated, and nothing says it in English"
        ours, theirs = sentences(words[key]), sentences(sentence)
        assert list(map(places, theirs)) == list(map(places, ours)), key
        assert all(each.strip() and each.rstrip() == each for each in theirs), key


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
    return frozenset(found)


def kind_of(text: str) -> bool:
    """Whether it is a word of the page, and not the name of a component that Gradio gives itself."""
    return not re.fullmatch(r"\d+(st|nd|rd|th)|Html|Dataset|Textbox", text)


@cache
def source() -> str:
    """The server's code, texts that go over lines in one."""
    files = Path(playground.__file__).parent.rglob("*.py")
    return re.sub(r'"\n\s+f?"', "", "\n".join(file.read_text("utf-8") for file in files))


def keys_in_code() -> list[re.Pattern[str]]:
    """The keys that the server's code asks `word` for; those that it puts together, as patterns."""
    calls = re.findall(r'\bword\(\s*(f?)"([^"]+)"', source())
    return [re.compile(re.sub(r"\{[^}]+\}", ".+", key) if composed else re.escape(key)) for composed, key in calls]


def test_the_servers_words_are_those_that_its_code_asks_for():
    keys, patterns = english(), keys_in_code()
    assert len(patterns) > 150
    assert [pattern.pattern for pattern in patterns if not any(pattern.fullmatch(key) for key in keys)] == []
    shown = {f"1 to {MOST_TOKENS}.", f"Up to {PROMPT_LIMIT:,} characters."}  # the code puts these together
    left = [key for key, text in keys.items() if text not in shown and not any(p.fullmatch(key) for p in patterns)]
    assert [key for key in left if f'"{key}"' not in source()] == []  # or hands on to what asks


def test_every_label_that_gradio_draws_is_a_word_of_the_server():
    """The browser finds a label's key by its English, so no two keys have the same."""
    texts = list(english().values())
    assert len(set(texts)) == len(texts) and not set(english()) & set(scripts())
    assert english()["page_title"] == TITLE  # The head of every page has it, also where no server is.
    assert len(shown_by_gradio()) > 100
    assert shown_by_gradio() - set(texts) - set(shelf.recordings()) == set()


def test_a_message_carries_its_keys_and_the_values_of_its_places():
    told = say(word("notice_opened", name="a {b} file"), "", "Some English.", kind="error")
    opened = "a {b} file is open on the stage."
    said = {"word": "notice_opened", "values": {"name": "a {b} file"}, "english": opened}
    assert told == {"text": f"{opened} Some English.", "said": [said, "Some English."], "kind": "error"}
    assert complain(PlaygroundError(word("notice_no_prompt")))["said"][0]["word"] == "notice_no_prompt"
    assert json.dumps(keyed(word("notice_opened", name=np.int64(3)))), "a count of numpy is no JSON by itself"
    assert [each["word"] for each in waiting(1)["said"]] == ["waiting_one"]


def test_every_choice_of_the_lab_has_a_word():
    """Their keys are put together when a section is drawn, and an unknown key would show itself."""
    script = """
        const { SCHEMES, RULES, CURVES, PRESETS, COSTS, BYTES, TABLES, SHAPES } =
            await load("lab/choices.js");
        const schemes = SCHEMES.flatMap((each) => each.schemes);
        const begun = (start, ids, end = "") => ids.map((id) => start + id + end);
        print([
            begun("schemes_", SCHEMES.map((each) => each.group)), begun("scheme_", schemes),
            begun("scheme_", schemes, "_help"), begun("full_", RULES), begun("curve_", CURVES),
            begun("curve_", CURVES, "_x"), PRESETS.map(([key]) => key), begun("nodes_", COSTS),
            begun("bytes_", BYTES), begun("load_table_", TABLES), begun("shape_", SHAPES),
            begun("shape_", SHAPES, "_help"),
        ]);
    """
    choices = ran(script)
    assert all(choices) and {key for keys in choices for key in keys} - set(scripts()) == set()


WORDED = 'const { worded } = await load("shared/words.js"); print(worded(given.value));'


def in_language(code, table, script, value):
    """As in the browser, by a page that brings its table along; the script has `given.value`."""
    begin = f"""
        globalThis.window = {{ location: {{ search: "?language={code}", hash: "", pathname: "/" }} }};
        const textContent = JSON.stringify(given.table);
        globalThis.document = {{ getElementById: () => ({{ lang: "{code}", textContent }}) }};
    """
    return ran(begin + script, {"table": table, "value": value})


def test_what_a_language_lacks_is_shown_in_english_and_marked():
    script = """
        const { phrase, languageOf, optionName } = await load("shared/words.js");
        const option = { key: "x.y", label: "Width", unit: "texts" };
        print([
            phrase("method.a", "Method", { n: 3 }), languageOf("method.a"),
            phrase("method.b", "Method"), languageOf("method.b"), optionName(option),
        ]);
    """
    said = in_language("de", {"method.a": "Verfahren {n}"}, script, None)
    assert said == ["Verfahren 3", {}, "Method", {"lang": "en"}, "Width (texts)"]


def test_what_is_composed_of_words_reads_as_in_the_readers_language():
    """Rows, names within a sentence, and days; each language joins and writes them in its own way."""
    width = named_word("option.rsd_s.width", "Beam width")
    row, plain = commas(["a", in_sentence(width)]), in_sentence(named_word("x", "K"))
    answer = [row, plain, joined(" / ", ["b", "c"]), day("2026-11-26")]
    assert answer == ["a, beam width", "K", "b / c", "26 November 2026"]
    for code, label, said in (
        ("de", "Strahlbreite", ["a, Strahlbreite", "K", "b / c", "26. November 2026"]),
        ("es", "Anchura", ["a, anchura", "K", "b / c", "26 de noviembre de 2026"]),
        ("ja", "ビーム幅", ["a、ビーム幅", "K", "b / c", "2026年11月26日"]),
    ):
        assert in_language(code, {"option.rsd_s.width": label}, WORDED, keyed(answer)) == said


def test_a_text_of_a_file_is_recognised_as_the_word_that_it_was():
    reason = "no energy counter for this run (no NVIDIA GPU in use, no readable RAPL files)"
    known = recognised(reason, NO_JOULES)
    assert known == reason and isinstance(known, Word) and known.key == "column_no_counter"
    assert known.values["why"].values["why"].key == "column_no_rapl"
    assert not isinstance(recognised("the meter fell down", NO_JOULES), Word)


def test_words_of_the_server_come_in_the_readers_language_wherever_they_stand():
    """Also within another's places, one after another, and in a list; a command prints their English."""
    name = word("method")
    answer = {"said": [paragraph(word("notice_opened", name=name), "", "More."), listed([name, "b", "c"])], "n": 1}
    assert answer["said"] == ["Method is open on the stage. More.", "Method, b and c"]
    words = {"method": "Verfahren", "notice_opened": "{name} ist offen."}
    told = {"said": ["Verfahren ist offen. More.", "Verfahren, b und c"], "n": 1}
    assert in_language("de", words, WORDED, keyed(answer)) == told
    # a chart says something at every bar: of each sentence only the values of its places come again
    said = Words([*(word("chart_said_draft", round=n, ms="2.00") for n in (1, 2)), name, "More."])
    assert said == ["round 1: draft 2.00 ms", "round 2: draft 2.00 ms", "Method", "More."]
    sent = keyed({"said": said})
    assert sent["said"]["rows"] == [[0, 1, "2.00"], [0, 2, "2.00"], [1], [2, "More."]]
    told = ["Runde 1: 2.00 ms", "Runde 2: 2.00 ms", "Verfahren", "More."]
    assert in_language("de", words | {"chart_said_draft": "Runde {round}: {ms} ms"}, WORDED, sent) == {"said": told}


def test_a_run_names_its_options_as_their_controls_are_named():
    """A trace has their names alone, and several methods share a key."""
    options = {
        (method_id, item.name): label
        for method_id, method in methods().items()
        for item in fields(method.Options)
        if (label := table("de").get(f"option.{option_key(method_id, item)}"))  # others are in English
    }
    script = """
        const { optionSetting } = await load("player/trace/settings.js");
        print(given.value.map((each) => optionSetting(...each)));
    """
    assert dict(zip(options, in_language("de", table("de"), script, list(options)), strict=True)) == options


TERMS = {  # English -> in each language one of these; names such as block verification stay English
    r"\breject": {"de": "abgelehnt|ablehn", "es": "rechaz", "fr": "refus", "ja": "棄却|却下|退け", "zh": "拒绝"},
    r"\baccept(?! len)": {
        **{"de": "angenomm|annahm|annehm|nimmt|nahm|akzept|acceptance", "es": "acept|acceptance"},
        **{"fr": "accept", "ja": "受理|採択|acceptance", "zh": "接受|acceptance"},
    },
    r"\bresidual": {"de": "rest", "es": "residu", "fr": "résidu", "ja": "残差", "zh": "残差"},
    r"\bverif": {
        **{"de": "prüf|verifi", "es": "verific", "fr": "vérifi|verification"},
        **{"ja": "検証|verification", "zh": "验证|verification"},
    },
    r"\btarget model": {"de": "zielmodell", "es": "objetivo", "fr": "cible", "ja": "ターゲット", "zh": "目标"},
    r"\bdepths?\b": {"de": "tief", "es": "prof", "fr": "prof", "ja": "深|浅", "zh": "深"},
}
LEFT = {  # said in none of the languages: the picture of a coin is kept for the lesson on it
    **{"en": r"\b[Cc]oins?\b|\b[Gg]uess|\b[Rr]efus|\b[Pp]ropos|\b[Jj]udg", "de": "[Mm]ünze|[Gg]eraten|[Ee]rraten"},
    **{"es": "[Mm]oneda|[Cc]onjetur|[Aa]divin", "fr": r"\b[Pp]ièces?\b|[Dd]evin[eé]"},
    **{"ja": "コイン|推測", "zh": "硬币|猜"},
}


def said_in(phrase):
    """Text of a phrase, which may be a list of keys or an entry of the glossary, without the names of its places."""
    parts = phrase.values() if isinstance(phrase, dict) else phrase
    text = phrase if isinstance(phrase, str) else " ".join(map(said_in, parts))
    return re.sub(r"\{\w+\}", "", text)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("term", TERMS)
def test_a_term_of_the_field_is_one_word_in_each_language(code, term):
    words, english_of = table(code), all_english()
    using = [key for key, phrase in english_of.items() if re.search(term, said_in(phrase)) and key in words]
    assert using
    astray = [key for key in using if not re.search(TERMS[term][code], said_in(words[key]), re.IGNORECASE)]
    assert not astray, {key: (english_of[key], words[key]) for key in astray}


@pytest.mark.parametrize("code", ["en", *CODES])
def test_a_draft_is_drafted_and_rejected_by_a_random_number_and_by_no_other_word(code):
    words = all_english() if code == "en" else table(code)
    # a name; and the headline is for a reader to whom the field's words say nothing yet
    others = [key for key in words if key.startswith("lead_")]
    astray = {key: words[key] for key in words if key not in others and re.search(LEFT[code], said_in(words[key]))}
    assert not astray


def test_the_calls_and_depths_of_a_round_have_words_for_one_and_for_many():
    """Their keys are written out: one that was put together was taken for unused, and its name stood on the stage."""
    script = (ASSETS / "player" / "stage" / "cast.js").read_text(encoding="utf-8")
    pairs = re.findall(r'counted\("(\w+)", "(\w+)"', script)
    assert {key for pair in pairs for key in pair} == {"cast_call", "cast_calls", "cast_layer", "cast_layers"}
    assert all(key in english("player") for pair in pairs for key in pair)
