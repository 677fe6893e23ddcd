"""Words of the page in each language, and those that a language lacks: `python -m tests.languages` lists it.

The interface is whole in every language, or a test fails. Methods, their options and recorded runs say what they are in
their own files, in English; the page shows that, marked as English, where a language has no words for them yet. So are
lenses, whose words stand together in one file.
"""

import json
import re
from dataclasses import fields
from functools import cache
from typing import Any

from playground.decoding.method import methods, option_key
from playground.exactness.badges import in_short
from playground.exactness.experiments import EXPERIMENTS
from playground.paths import ASSETS
from playground.recommender.files import load_shop
from playground.ui.watch.method_menu import FAMILIES
from playground.words import english, tables

CODES = ["de", "es", "fr", "ja", "zh"]
NO_WORD = re.compile(r"(\{\w+\}|\b(id|ln|[a-zA-Z])\b|[^a-zA-Z])*")  # signs, places and formulas, the same everywhere


@cache
def table(code: str) -> dict[str, Any]:
    """Words in a language, by key."""
    return json.loads((ASSETS / "languages" / f"{code}.json").read_text("utf-8"))


def scripts() -> dict[str, Any]:
    """English of all that the scripts say, by key."""
    return {key: text for part in tables() if part != "playground" for key, text in english(part).items()}


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
    shop = {f"shop.{item.attributes['category']}": item.attributes["category"] for item in load_shop().items}
    return english() | families | distributions | shop


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
