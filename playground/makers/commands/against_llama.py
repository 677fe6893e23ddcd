"""`against-llama`: the engine beside llama.cpp, on the same files; every row as soon as it is measured."""

import json
from pathlib import Path
from typing import Annotated, Any

from playground.cli.command import add_command, flag, say_progress
from playground.files import write_file


def add(commands: Any) -> None:
    """Add `against-llama` to the subcommands."""
    add_command(commands, against_llama, "against-llama")


def against_llama(
    *,
    source: Annotated[Path, flag("SmolLM2-135M-Instruct.Q4_1.gguf", metavar="FILE")],
    files: Annotated[Path, flag("of the files of random weights, 2 GB", metavar="FOLDER")],
    llama: Annotated[Path | None, flag("of node-llama-cpp; without it files are written", metavar="FOLDER")] = None,
    only: Annotated[str | None, flag("such as 135M-Q4_1,1.7B-Q4_0; default: all", metavar="ROW,..")] = None,
    threads: Annotated[str, flag("each row is measured with each", metavar="N,..")] = "1,2",
    turns: Annotated[int, flag("of both sides", choices=range(1, 21), metavar="N")] = 3,
    out: Annotated[Path | None, flag("default: assets/engine_llama.json", metavar="FILE")] = None,
) -> None:
    """Measure plain steps and calls beside llama.cpp's, in turns; what the file has of other processors stays."""
    from playground.makers.engine import against_llama as engine
    from playground.paths import ASSETS

    wanted = only.split(",") if only else [f"{size}-{kind}" for size, kind in engine.ROWS]
    rows = [(size, kind) for size, kind in engine.ROWS if f"{size}-{kind}" in wanted]
    engine.prepare(source, files, rows)
    if not llama:
        return
    file = out or ASSETS / "engine_llama.json"
    report: dict[str, Any] = {"conditions": engine.conditions(turns), "rows": []}
    elsewhere = engine.of_other_processors(file, report["conditions"]["processor"])
    for row in engine.measure(files, llama, rows, [int(each) for each in threads.split(",")], turns):
        report["rows"].append(row)
        say_progress(json.dumps(row))
        text = json.dumps([*elsewhere, report], indent=1) + "\n"
        write_file(file, lambda file, text=text: file.write(text.encode()))
