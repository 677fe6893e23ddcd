"""Card of a link where it is posted: title, sentence and picture, for the page and for its static twin."""

import html

from playground.paths import ASSETS

TITLE = "Speculative decoding"
DESCRIPTION = "A draft model drafts a tree of tokens, the target model verifies it in one call: see every verdict."
PICTURE = ASSETS / "page" / "card.png"  # made by tests/browser/link_card.py
SIZE = (1200, 630)  # px, as those who show cards ask for


def card_tags(title: str, description: str, picture: str) -> str:
    """Tags of a card, as Open Graph and Twitter read them.

    Args:
        title, description: plain text.
        picture: a whole address; empty: a card without one.
    """
    width, height = SIZE
    values = {
        "og:type": "website",
        "og:title": title,
        "og:description": description,
        "og:image": picture,
        "og:image:width": str(width),
        "og:image:height": str(height),
        "twitter:card": "summary_large_image",
        "twitter:title": title,
        "twitter:description": description,
        "twitter:image": picture,
    }
    if not picture:
        values = {name: value for name, value in values.items() if "image" not in f"{name} {value}"}
    return "".join(
        f'<meta {"name" if name.startswith("twitter") else "property"}="{name}" content="{html.escape(value)}" />\n'
        for name, value in values.items()
    )
