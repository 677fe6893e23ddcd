"""The language of the page, without a browser: of the address, of the reader's choice, of what the browser prefers."""

import json

import pytest

from tests.javascript.node import ran


@pytest.mark.parametrize(
    ("search", "chosen", "preferred", "language"),
    [
        ("?tab=learn", None, ["zh-CN", "de"], "zh"), ("?tab=learn", None, ["nl", "de-DE"], "de"),
        ("?tab=learn", "fr", ["zh-CN"], "fr"), ("?tab=learn&language=ja", "fr", ["zh-CN"], "ja"),
        ("", None, ["zh-CN"], "en"), ("?language=tlh", "de", [], "de"), ("?tab=learn", None, ["constructor"], "en"),
    ],
)  # fmt: skip
def test_the_address_comes_first_then_the_readers_choice_and_on_lessons_what_the_browser_prefers(
    search, chosen, preferred, language
):
    script = f"""
        globalThis.window = {{ location: {{ search: {json.dumps(search)}, hash: "", pathname: "/" }} }};
        globalThis.localStorage = {{ getItem: () => {json.dumps(chosen)} }};
        Object.defineProperty(globalThis, "navigator", {{ value: {{ languages: {json.dumps(preferred)} }} }});
        print((await load("languages/language.js")).language);
    """
    assert ran(script, with_document=True) == language
