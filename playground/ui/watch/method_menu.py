"""The menu of methods: in families, each with a small picture, and every method with its measured speed-up.

Gradio's own menu shows one string a line, so this one is drawn by assets/page/panels/method.js.
"""

import gradio as gr

from playground.decoding.method import methods
from playground.exactness.badges import badge
from playground.ui.contract.from_page import Chosen
from playground.ui.page.drawn_panel import drawn_panel
from playground.ui.recorded import rated
from playground.ui.watch.shelf import recording_of
from playground.words import keyed

FAMILIES = {
    "nothing": "Without drafts",
    "chain": "One chain",
    "chains": "Many chains",
    "tree": "Trees",
    "beams": "Beams",
    "lossy": "Lossy",
}


def method_menu(first: str) -> gr.HTML:
    """Return the menu; its value is the chosen method's id, and `chosen` is heard when a reader chooses."""
    return drawn_panel(
        "method",
        hears=[Chosen],
        settings={"families": keyed(families())},
        value=first,
        elem_id="method",
    )


def families() -> list[dict[str, object]]:
    """Every family with its methods, as the browser draws them."""
    by_family: dict[str, list[dict[str, object]]] = {name: [] for name in FAMILIES}
    for name, method in methods().items():
        mark = badge(name)
        by_family[family_of(name)].append(
            {
                "id": name,
                "title": method.title,
                "full_name": method.full_name,
                "summary": method.summary,
                "paper": paper_in_short(method.paper),
                "mark": "" if mark["lossless"] else mark["mark"],
                "speed_up": speed_up(name),
            }
        )
    return [{"id": name, "title": FAMILIES[name], "methods": each} for name, each in by_family.items() if each]


def speed_up(name: str) -> dict[str, float] | None:
    """Return median, low and high of a method's speed-up on the recording that its choice shows; None where untimed."""
    path = recording_of(name)
    return rated(path.name.partition(".")[0]) if path else None


def family_of(name: str) -> str:
    """Return the family of a method; lossless ones without beams are grouped by the shape of their drafts."""
    method = methods()[name]
    if not method.lossless:
        return "lossy"
    return "beams" if "beam" in method.reproduces else method.drafts


def paper_in_short(paper: str) -> str:
    """Return author, year and address of a method's paper, "Jeon et al. 2024, arXiv 2402.14160", or ""."""
    if paper.startswith("Definition"):
        return ""
    author, *_, address = paper.split(", ")
    return f"{author}, {address}"
