"""`run`: decode a prompt once."""

import sys
from pathlib import Path
from typing import Annotated, Any

from playground.cli.command import (
    Estimate,
    FlagsOf,
    Json,
    Settings,
    Threads,
    flag,
    print_json,
    read_machine,
    say_on_one_line,
)
from playground.errors import PlaygroundError
from playground.run_options import RunOptions


def run(
    *,
    method: Annotated[str, flag("a method's id, see methods")],
    prompt: str,
    settings: Settings = (),
    allow: Annotated[Path | None, flag("a text per line: the run writes one of them", metavar="FILE")] = None,
    options: Annotated[dict[str, Any], FlagsOf(RunOptions, but=("allow",))],
    threads: Threads = 1,
    trace: Annotated[Path | None, flag("save the trace here; under gzip where it ends in .gz", metavar="FILE")] = None,
    estimate_with: Estimate = None,
    as_json: Json = False,
) -> None:
    """Decode a prompt once."""

    import playground
    from playground.bench.entry import read_settings
    from playground.decoding.method import make_method
    from playground.decoding.stop_strings import read_stop_strings
    from playground.metrics.chance import near_chance
    from playground.metrics.summary import summarise
    from playground.models.modes import use_threads
    from playground.trace import save

    machine = read_machine(estimate_with)
    use_threads(threads)
    options |= {"allow": _lines(allow) if allow else (), "stop": read_stop_strings(options["stop"])}
    is_quiet = options["pair"] == "bundled" and not options["target"]
    result = playground.run(
        make_method(method, read_settings(settings)),
        prompt,
        **options,
        tell=(lambda _: None) if is_quiet else say_on_one_line,
    )
    if trace:
        save(result, trace)
    summary = summarise(result, machine)
    if as_json:
        print_json(summary)
    else:
        rate = summary["tokens_per_s"] or 0
        print(f"{result.started.prompt}{summary['text']}")
        print(f"\n{summary['num_tokens']} tokens, {summary['target_calls']} target calls, {rate:.1f} tokens/s")
    if warning := near_chance(result):
        print(warning, file=sys.stderr)


def _lines(path: Path) -> list[str]:
    """Return the lines of a file that are not empty."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text (UTF-8)"
        raise PlaygroundError(f"Cannot read the allowed texts from {path}: {reason}. Check the file.") from error
    if not lines:
        raise PlaygroundError(f"{path} allows no text. Write one per line.")
    return lines
