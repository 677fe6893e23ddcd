"""`validate`, `export`, `hindsight`: a trace checked, made a page or graph, or read again; `site`: a folder of all."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from playground.cli.command import Json, TraceFile, flag, print_json
from playground.errors import PlaygroundError
from playground.files import export_file


def validate(file: TraceFile, *, as_json: Json = False) -> None:
    """Check a trace against its schema and its counting laws."""
    from playground.trace.invariants import load_valid

    trace = load_valid(file)
    is_complete = trace.finished is not None
    if as_json:
        print_json({"file": str(file), "valid": True, "complete": is_complete, "events": len(trace.events)})
    else:
        state = "complete" if is_complete else "interrupted"
        print(f"{file} is a valid, {state} trace of {len(trace.events)} events.")


def export(
    file: TraceFile,
    *,
    html: Annotated[Path | None, flag("a page that plays it", metavar="OUT.html")] = None,
    graphml: Annotated[Path | None, flag("the forest of a round", metavar="OUT.graphml")] = None,
    trace: Annotated[Path | None, flag("the trace again, in the newest form", metavar="OUT.json.gz")] = None,
    round: Annotated[int, flag("which round's forest to export as GraphML")] = 1,
    as_json: Json = False,
) -> None:
    """Turn a trace into a page that plays it, a forest as GraphML, or a newer file."""
    from playground.trace import save
    from playground.trace.invariants import load_valid
    from playground.views.forest import existing_round, forest_graph, graphml_of
    from playground.views.standalone import standalone_html

    if not (html or graphml or trace):
        raise PlaygroundError("Nothing to export. Give --html FILE, --graphml FILE or --trace FILE.")
    loaded = load_valid(file)
    if html:
        export_file(html, standalone_html(loaded))
    if graphml:
        export_file(graphml, graphml_of(forest_graph(loaded, existing_round(loaded, round))))
    if trace:
        save(loaded, trace)
    written = [path for path in (html, graphml, trace) if path]
    if as_json:
        print_json({"written": [str(path) for path in written]})
    else:
        print("\n".join(f"Wrote {path}." for path in written))


def site(
    out: Annotated[Path, flag("a new folder, or an earlier site, which is replaced", metavar="OUT")],
    *,
    address: Annotated[
        str, flag("where it will be served, for the picture that shared links show", metavar="URL")
    ] = "",
    as_json: Json = False,
) -> None:
    """Build a folder that plays the recorded runs from any file server, with no Python."""
    from playground.ui.runs.race.recorded import recorded_races
    from playground.views.site import build_site

    built = build_site(out, address=address, races=recorded_races())
    if as_json:
        print_json(built)
    else:
        print(f"{built['folder']}: {built['runs']} runs, {built['bytes'] / 1e6:.1f} MB. Open it with")
        print(f"    python -m http.server --directory {built['folder']}")


def hindsight(file: TraceFile, *, as_json: Json = False) -> None:
    """Say how long every draft of a finished run should have been, and what that would have saved."""
    from playground.metrics.hindsight import hindsight as in_hindsight
    from playground.trace.invariants import load_valid
    from playground.views.run.length_in_hindsight import say_hindsight

    lengths = in_hindsight(load_valid(file))
    if as_json:
        ways = {"taken": lengths.actual, "best": lengths.best, "fixed": lengths.fixed} if lengths else {}
        print_json(
            {
                "file": str(file),
                "rounds": [asdict(each) for each in lengths.rounds] if lengths else [],
                **{name: each and {**asdict(each), "gain": each.gain} for name, each in ways.items()},
                "seconds": lengths and lengths.seconds,
                "best_s": lengths and lengths.best_s,  # an estimate
            }
        )
        return
    for each in lengths.rounds if lengths else ():
        mark = " +" if each.is_whole else ""
        print(f"round {each.number:3}: {each.drafted:3} drafted, {each.accepted:3} enough{mark}")
    print(say_hindsight(lengths))
