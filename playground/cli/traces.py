"""`validate` and `export`: a saved trace checked, or turned into a page or a graph."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from playground.cli.command import add_command, print_json, write_text
from playground.errors import PlaygroundError


def add(commands: Any) -> None:
    """Add `validate` and `export` to the subcommands."""
    validate = add_command(commands, "validate", _validate, "Check a trace against its schema and its counting laws.")
    validate.add_argument("file", type=Path, metavar="TRACE")

    export = add_command(
        commands,
        "export",
        _export,
        "Turn a trace into a page that plays it, a forest as GraphML, or a newer file.",
    )
    export.add_argument("file", type=Path, metavar="TRACE")
    export.add_argument("--html", type=Path, metavar="OUT.html")
    export.add_argument("--graphml", type=Path, metavar="OUT.graphml")
    export.add_argument("--trace", type=Path, metavar="OUT.json.gz", help="the trace again, in the newest form")
    export.add_argument("--round", type=int, default=1, help="which round's forest to export as GraphML")


def _validate(parsed: argparse.Namespace) -> None:
    from playground.trace import load, validate

    trace = load(parsed.file)
    validate(trace)
    is_complete = trace.finished is not None
    if parsed.json:
        print_json({"file": str(parsed.file), "valid": True, "complete": is_complete, "events": len(trace.events)})
    else:
        state = "complete" if is_complete else "interrupted"
        print(f"{parsed.file} is a valid, {state} trace of {len(trace.events)} events.")


def _export(parsed: argparse.Namespace) -> None:
    from playground.trace import load, save, validate
    from playground.views.forest import existing_round, forest_graph, write_graphml
    from playground.views.standalone import standalone_html

    if not (parsed.html or parsed.graphml or parsed.trace):
        raise PlaygroundError("Nothing to export. Give --html FILE, --graphml FILE or --trace FILE.")
    trace = load(parsed.file)
    validate(trace)
    written = []
    if parsed.html:
        write_text(parsed.html, standalone_html(trace))
        written.append(parsed.html)
    if parsed.graphml:
        try:
            write_graphml(forest_graph(trace, existing_round(trace, parsed.round)), parsed.graphml)
        except OSError as error:
            raise PlaygroundError(f"{parsed.graphml} cannot be written: {error.strerror}. Choose another.") from None
        written.append(parsed.graphml)
    if parsed.trace:
        save(trace, parsed.trace)
        written.append(parsed.trace)
    if parsed.json:
        print_json({"written": [str(path) for path in written]})
    else:
        print("\n".join(f"Wrote {path}." for path in written))
