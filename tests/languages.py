"""Words of the page in each language, and those that a language lacks: `python -m tests.languages` lists it.

Watch, the race of Compare, Learn and the errors shown there are whole in every language, or a test fails. The Lab, a
sweep, Recommend and what the glossary says of its words are English in every language, and no table has their words.
Methods, their options and recorded runs say what they are in their own files, in English; the page shows that, marked
as English, where a language has no words for them yet. So are lenses, whose words stand together in one file.
"""

import json
import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import playground
from playground.decoding.method import methods, option_key
from playground.exactness.badges import in_short
from playground.exactness.experiments import EXPERIMENTS
from playground.paths import ASSETS
from playground.ui.watch.method_menu import FAMILIES
from playground.words import english, tables

PACKAGE = Path(playground.__file__).parent
CODES = ["de", "es", "fr", "ja", "zh"]
ENGLISH_SCRIPTS = re.compile(r"(lab|recommend|runs/sweep)\b")  # folders of assets/
ENGLISH_ROOMS = re.compile(
    r"(lab|servers|recommender)/|ui/(lab|recommend|runs/sweep)/|views/(fronts|setting_speed)\.py"
    r"|exactness/(broken_rules|live_check)\.py"
)  # They lie in playground/.
SAID_IN_WATCH = {"notice_of_sweep"}  # A sweep's run that is opened there says it.
NO_WORD = re.compile(r"(\{\w+\}|\b(id|ln|[a-zA-Z])\b|[^a-zA-Z])*")  # signs, places and formulas, the same everywhere


@cache
def table(code: str) -> dict[str, Any]:
    """Words in a language, by key."""
    return json.loads((ASSETS / "languages" / f"{code}.json").read_text("utf-8"))


def scripts() -> dict[str, Any]:
    """English of all that the scripts say, by key."""
    return {key: text for part in tables() if part != "playground" for key, text in english(part).items()}


@cache
def english_only() -> frozenset[str]:
    """Return the keys of what is English in every language: what only English parts of the page say."""
    keys = {key for part in tables() if ENGLISH_SCRIPTS.match(part) for key in english(part)}
    keys |= {key for key in english("shared/glossary") if key.startswith("means_")}
    own, others = set[str](), set[str]()
    for file in sorted(PACKAGE.rglob("*.py")):
        said = own if ENGLISH_ROOMS.match(file.relative_to(PACKAGE).as_posix()) else others
        text = file.read_text("utf-8")
        composed = re.findall(r'\bf"([a-z]\w*_[^"]*)"|\bword\(\s*f"([^"]+)"', text)
        pattern = re.compile("|".join(re.sub(r"\{[^}]+\}", ".+", "".join(each)) for each in composed) or "$^")
        said |= {key for key in english() if f'"{key}"' in text or pattern.fullmatch(key)}
    return frozenset(keys | (own - others - SAID_IN_WATCH))


def named() -> dict[str, str]:
    """English of what is named in a file of its own, by key: methods, options with their units, and recorded runs."""
    phrases: dict[str, str] = {}
    for method_id, method in methods().items():
        phrases[f"method.{method_id}"] = method.summary
        for item in fields(method.Options):
            key, about = f"option.{option_key(method_id, item)}", item.metadata
            phrases |= {key: about["label"], f"{key}.help": about["help"]}
            phrases |= {f"unit.{about['unit']}": about["unit"]} if about["unit"] else {}
    index = json.loads((ASSETS / "traces" / "index.json").read_text("utf-8"))
    return phrases | {f"run.{entry['file'].partition('.')[0]}": entry["title"] for entry in index}


def lenses() -> dict[str, str]:
    """English of the lenses' words, by key."""
    return {key: text for key, text in english("player/lenses").items() if not NO_WORD.fullmatch(text)}


def interface() -> dict[str, str]:
    """English of the interface that no script says, by key: the server's words, families, distributions, ..."""
    claims = {method.reproduces for method in methods().values() if method.lossless} | set(EXPERIMENTS)
    distributions = {f"claim.{claim}": claim for claim in [*claims, *map(in_short, claims)]}
    families = {f"family.{name}": title for name, title in FAMILIES.items()}
    return english() | families | distributions


def in_english(answer: Any) -> Any:
    """Data for the browser, with the English of each word in its place."""
    if isinstance(answer, dict):
        return answer["english"] if "english" in answer else {key: in_english(each) for key, each in answer.items()}
    return [in_english(each) for each in answer] if isinstance(answer, list | tuple) else answer


def untranslated(code: str) -> dict[str, str]:
    """Methods, options, runs and lenses that a language has no words for: English by key."""
    return {key: text for key, text in (named() | lenses()).items() if key not in table(code)}


if __name__ == "__main__":
    print(json.dumps({code: untranslated(code) for code in CODES}, indent=2, ensure_ascii=False))
