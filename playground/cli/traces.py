"""`validate`, `export`, `hindsight`: a trace checked, made a page or graph, or read again; `site`: a folder of all."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from playground.cli.command import add_command, print_json
from playground.errors import PlaygroundError
from playground.files import export_file


def add(commands: Any) -> None:
    """Add `validate`, `export`, `hindsight` and `site` to the subcommands."""
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

    site = add_command(
        commands, "site", _site, "Build a folder that plays the recorded runs from any file server, with no Python."
    )
    site.add_argument("out", type=Path, metavar="OUT", help="a new folder, or an earlier site, which is replaced")
    site.add_argument(
        "--address", default="", metavar="URL", help="where it will be served, for the picture that shared links show"
    )
    hindsight = add_command(
        commands,
        "hindsight",
        _hindsight,
        "How long every draft of a finished run should have been, and what that would have saved.",
    )
    hindsight.add_argument("file", type=Path, metavar="TRACE")


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
    from playground.views.forest import existing_round, forest_graph, graphml_of
    from playground.views.standalone import standalone_html

    if not (parsed.html or parsed.graphml or parsed.trace):
        raise PlaygroundError("Nothing to export. Give --html FILE, --graphml FILE or --trace FILE.")
    trace = load(parsed.file)
    validate(trace)
    written = []
    if parsed.html:
        export_file(parsed.html, standalone_html(trace))
        written.append(parsed.html)
    if parsed.graphml:
        export_file(parsed.graphml, graphml_of(forest_graph(trace, existing_round(trace, parsed.round))))
        written.append(parsed.graphml)
    if parsed.trace:
        save(trace, parsed.trace)
        written.append(parsed.trace)
    if parsed.json:
        print_json({"written": [str(path) for path in written]})
    else:
        print("\n".join(f"Wrote {path}." for path in written))


def _site(parsed: argparse.Namespace) -> None:
    from playground.ui.runs.race.recorded import recorded_races
    from playground.views.site import build_site

    built = build_site(parsed.out, address=parsed.address, races=recorded_races())
    if parsed.json:
        print_json(built)
    else:
        print(f"{built['folder']}: {built['runs']} runs, {built['bytes'] / 1e6:.1f} MB. Open it with")
        print(f"    python -m http.server --directory {built['folder']}")


def _hindsight(parsed: argparse.Namespace) -> None:
    from playground.metrics.hindsight import hindsight as in_hindsight
    from playground.trace import load, validate
    from playground.views.run.length_in_hindsight import say_hindsight

    trace = load(parsed.file)
    validate(trace)
    hindsight = in_hindsight(trace)
    if parsed.json:
        lengths = {"taken": hindsight.actual, "best": hindsight.best, "fixed": hindsight.fixed} if hindsight else {}
        print_json(
            {
                "file": str(parsed.file),
                "rounds": [asdict(each) for each in hindsight.rounds] if hindsight else [],
                **{name: each and {**asdict(each), "gain": each.gain} for name, each in lengths.items()},
                "seconds": hindsight and hindsight.seconds,
                "best_s": hindsight and hindsight.best_s,  # an estimate
            }
        )
        return
    for each in hindsight.rounds if hindsight else ():
        mark = " +" if each.is_whole else ""
        print(f"round {each.number:3}: {each.drafted:3} drafted, {each.accepted:3} enough{mark}")
    print(say_hindsight(hindsight))
