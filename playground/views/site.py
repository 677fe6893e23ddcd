"""The static twin: a folder that any file server can serve, where the recorded runs play. No Python runs there.

Its addresses are relative, so it works under any path; its page may load nothing from elsewhere. Texts of models stand
in JSON alone, from where the player shows them as text.
"""

import html
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.files import new_folder
from playground.metrics.energy import estimate_at_end
from playground.paths import ASSETS
from playground.trace.events import Trace
from playground.trace.storage import load, to_json
from playground.views.charts import page_charts
from playground.views.link_card import DESCRIPTION, PICTURE, TITLE, card_tags
from playground.views.modules import styles_of
from playground.views.pages import filled_page
from playground.views.plain_beside import clocks
from playground.views.tokens import shortened
from playground.words import english_of, keyed

FOLDERS = ("languages", "shared", "player", "runs", "learn", "site")
MARK = "runs.json"  # marks a folder that holds an earlier site
COSTS = "verification_costs.json"
PROMPT_SHOWN = 90  # characters

_NOTICE = '<p id="notice" class="site-notice" role="status" aria-live="polite"></p>'
# file -> what the page is about, what its head holds, the class of its main part, what is mounted there, and by what
_PAGES = {
    "index.html": {
        "about": "Recorded runs of speculative decoding, played step by step in the browser.",
        "head": '<label><span data-word="site_run"></span> <select id="runs"></select></label>\n'
        '<a href="races.html" data-word="site_races"></a>\n<a href="learn.html" data-word="site_lessons"></a>\n'
        + _NOTICE,
        "main": "site-stage",
        "part": "player",
        "script": "site",
    },
    "races.html": {
        "about": "Methods of speculative decoding measured side by side, and replayed on one clock.",
        "head": '<label><span data-word="site_race"></span> <select id="races"></select></label>\n'
        '<a href="index.html" data-word="site_runs"></a>\n' + _NOTICE,
        "main": "site-lessons",
        "part": "race",
        "script": "races",
    },
    "learn.html": {
        "about": "Speculative decoding in lessons, each on a recorded run.",
        "head": '<a href="index.html" data-word="site_runs"></a>',
        "main": "site-lessons",
        "part": "lessons",
        "script": "lessons",
    },
}

_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)


def build_site(out: Path, *, address: str = "", races: Mapping[str, dict[str, Any]] | None = None) -> dict[str, Any]:
    """Write the folder, whole or not at all; an earlier site there is replaced.

    Args:
        address: where it will be served: cards of shared links need a picture's whole address. Empty: they show none.
        races: recorded ones by title: `values` of its panel, one for each prompt, and the `place` of that shown first.

    Returns:
        Where it is, how many runs it plays, and its size in bytes.

    Raises:
        PlaygroundError: if something else is in the way, or the folder cannot be written.
    """
    if out.exists() and not (out.is_dir() and (not any(out.iterdir()) or (out / MARK).is_file())):
        raise PlaygroundError(f"{out} is there already and holds something else. Choose a new folder.")
    with new_folder(out) as new:
        num_runs = _fill(new, address)
        _fill_races(new, races or {})
        size = sum(file.stat().st_size for file in new.rglob("*") if file.is_file())
    return {"folder": str(out), "runs": num_runs, "bytes": size}


def _fill(folder: Path, address: str) -> int:
    """Write everything; the number of runs."""
    for name in FOLDERS:
        shutil.copytree(ASSETS / name, folder / name)
    shutil.copy(ASSETS / COSTS, folder)  # A lesson reads it.
    words = english_of(file.relative_to(folder).as_posix() for file in folder.rglob("*.js"))
    (folder / "languages" / "en.json").write_text(json.dumps(words), encoding="utf-8")
    styles = [f'<link rel="stylesheet" href="{file.relative_to(ASSETS)}">' for file in styles_of(*FOLDERS)]
    shutil.copy(PICTURE, folder)
    picture = f"{address.rstrip('/')}/{PICTURE.name}" if address else ""
    for name, parts in _PAGES.items():
        head = {"card": card_tags(TITLE, DESCRIPTION, picture), "styles": "\n".join(styles)}
        page = filled_page("site.html", policy=_POLICY, title=html.escape(TITLE), **head, **parts)
        (folder / name).write_text(page, encoding="utf-8")
    # A static Space on the Hugging Face Hub reads it; any other server ignores it.
    (folder / "README.md").write_text(filled_page("site.md", title=TITLE), encoding="utf-8")
    (folder / "traces").mkdir()
    (folder / "figures").mkdir()
    listed = []
    for name, title, trace in recorded_runs():
        (folder / "traces" / f"{name}.json").write_text(to_json(trace), encoding="utf-8")
        (folder / "figures" / f"{name}.json").write_text(json.dumps(keyed(page_charts(trace))), encoding="utf-8")
        about = {"id": name, "title": title, "method": trace.started.method, "about": _about(trace)}
        beside = {**clocks(name, trace), "estimate": keyed(estimate_at_end(trace))}
        listed.append(about | {key: value for key, value in beside.items() if value})
    (folder / MARK).write_text(json.dumps(listed, indent=1), encoding="utf-8")
    return len(listed)


def _fill_races(folder: Path, races: Mapping[str, dict[str, Any]]) -> None:
    (folder / "races").mkdir()
    for number, race in enumerate(races.values(), 1):
        for index, value in enumerate(race["values"]):
            file = folder / "races" / f"{number}-{index}.json"
            file.write_text(json.dumps(keyed(value)), encoding="utf-8")
    listed = [{"title": name, "prompts": len(each["values"]), "place": each["place"]} for name, each in races.items()]
    (folder / "races.json").write_text(json.dumps(listed), encoding="utf-8")


def recorded_runs() -> Iterator[tuple[str, str, Trace]]:
    """List the recorded runs of the project: (name, title, trace), in the order of the page's menu."""
    for entry in json.loads((ASSETS / "traces" / "index.json").read_text(encoding="utf-8")):
        yield entry["file"].partition(".")[0], entry["title"], load(ASSETS / "traces" / entry["file"])


def _about(trace: Trace) -> dict[str, object]:
    """Return the origin of a run as data that the browser puts into words: day, models, temperature, seed, prompt."""
    start = trace.started
    return {
        "day": start.created[:10],
        "target": start.target["name"],
        "draft": start.draft["name"] if start.draft else None,
        "temperature": start.sampling["temperature"],
        "seed": start.seed,
        "prompt": shortened(" ".join(start.prompt.split()), PROMPT_SHOWN),
    }
