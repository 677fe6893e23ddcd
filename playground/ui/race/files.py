"""A race as files: its table as CSV, everything as JSON."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from playground.ui.page.taken_along import folder_to_take
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceSetup
from playground.views.race.standings import COLUMNS, standings_data

FORMAT, VERSION = "speculative-decoding-race", 1


def write_csv(setup: RaceSetup, rows: list[dict[str, Any]], runs: RaceRuns) -> Path:
    """One line per entry. A measure has its spread beside it, and its head says how it came about."""
    names = setup.names()
    table = standings_data([row | names[row["label"]] for row in rows])
    path = folder_to_take() / "race.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows_out = csv.writer(file)
        heads = [f"{column.id} ({column.kind})" for column in COLUMNS]
        spread = [[head, f"{column.id} low", f"{column.id} high"] for head, column in zip(heads, COLUMNS, strict=True)]
        rows_out.writerow(["entry", "title", "runs", "failed", *(name for names in spread for name in names)])
        for row in table["rows"]:
            cells = [row["cells"].get(column.id, {}) for column in COLUMNS]
            numbers = [cell.get(name) for cell in cells for name in ("value", "low", "high")]
            rows_out.writerow([row["label"], row["title"], row["runs"], row["failed"] or "", *numbers])
    return path


def write_json(setup: RaceSetup, rows: list[dict[str, Any]], runs: RaceRuns) -> Path:
    """Return the setup, a row per entry, and a row per run."""
    path = folder_to_take() / "race.json"
    content = {
        "format": FORMAT,
        "version": VERSION,
        "setup": setup.as_dict(),
        "conditions": runs.conditions,
        "rows": rows,
        "runs": runs.numbers,
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    return path
