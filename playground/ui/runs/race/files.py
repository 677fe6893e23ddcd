"""A race as files: its table as CSV and for LaTeX, everything as JSON."""

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playground.files import write_file
from playground.ui.runs.race.panel import named_rows
from playground.ui.runs.race.result import Result
from playground.ui.served.taken_along import folder_to_take
from playground.views.race.standings import COLUMNS, Standings, standings_data

FORMAT, VERSION = "speculative-decoding-race", 1
IN_LATEX = ("tokens_per_s", "speed_up", "block_efficiency", "acceptance_per_position", "draft_efficiency")


def write_csv(result: Result) -> Path:
    """One line per entry. A measure has its spread beside it, and its head says how it came about.

    Every option that an entry has is a column of its own, so that a setting can be sorted and drawn by its number.
    """
    table, entries = _table(result), {entry.label: entry for entry in result.setup.entries}
    options = list(dict.fromkeys(name for entry in result.setup.entries for name in entry.options))
    path = folder_to_take() / "race.csv"
    file = io.StringIO(newline="")
    rows_out = csv.writer(file)
    heads = [f"{column.id} ({column.kind})" for column in COLUMNS]
    spread = [[head, f"{column.id} low", f"{column.id} high"] for head, column in zip(heads, COLUMNS, strict=True)]
    first = ["entry", "title", "method", "drafter", *options, "runs", "failed"]
    rows_out.writerow([*first, *(name for names in spread for name in names)])
    for row in table["rows"]:
        cells = [row["cells"].get(column.id, {}) for column in COLUMNS]
        numbers = [cell.get(name) for cell in cells for name in ("value", "low", "high")]
        entry = entries[row["label"]]
        setting = [entry.method, entry.drafter, *(entry.options.get(name) for name in options)]
        rows_out.writerow([row["label"], row["title"], *setting, row["runs"], row["failed"] or "", *numbers])
    write_file(path, file.getvalue())
    return path


def write_latex(result: Result) -> Path:
    """Return a tabular with rules of booktabs: an entry a line, each median with its spread."""
    shown = [column for column in COLUMNS if column.id in IN_LATEX]
    heads = " & ".join(["Method", *(_in_latex(column.title) for column in shown)])
    lines = [f"\\begin{{tabular}}{{l{'r' * len(shown)}}}", "\\toprule", heads + r" \\", "\\midrule"]
    for row in _table(result)["rows"]:
        cells = [_cell_in_latex(row["cells"].get(column.id, {})) for column in shown]
        lines.append(" & ".join([_in_latex(row["title"]), *cells]) + r" \\")
    lines += ["\\bottomrule", "\\end{tabular}"]
    setup, machine = result.setup, result.runs.conditions.get("machine", {})
    where = f"% {setup.num_runs} runs, {machine.get('gpu') or machine.get('processor')}, seed {setup.seeds[0]}"
    path = folder_to_take() / "race.tex"
    write_file(path, "\n".join([where, *lines]) + "\n")
    return path


def _table(result: Result) -> Standings:
    return standings_data(named_rows(result.setup, result.rows))


def _cell_in_latex(cell: Mapping[str, Any]) -> str:
    """Return a median, and its spread in small letters; a dash where nothing was measured."""
    value, low, high = (cell.get(name) for name in ("value", "low", "high"))
    if value is None:
        return "--"
    return f"{value:.3g}" if low is None else f"{value:.3g} {{\\scriptsize({low:.3g}--{high:.3g})}}"


def _in_latex(text: str) -> str:
    return re.sub(r"[&%$#_{}]", lambda sign: "\\" + sign[0], text)


def write_json(result: Result) -> Path:
    """Return the setup, a row per entry, and a row per run."""
    path = folder_to_take() / "race.json"
    content = {
        "format": FORMAT,
        "version": VERSION,
        "setup": result.setup.as_file(),
        "conditions": result.runs.conditions,
        "rows": result.rows,
        "runs": result.runs.numbers(),
    }
    write_file(path, json.dumps(content, indent=1, ensure_ascii=False))
    return path
