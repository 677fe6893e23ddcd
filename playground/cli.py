"""The headless interface: every subcommand of `python -m playground`.

With `--json`, exactly one JSON value goes to standard output and nothing else. A mistake is one sentence on standard
error, with exit code 2.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NoReturn

from playground.errors import PlaygroundError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; its exit code."""
    try:
        parsed = _parser().parse_args(arguments)
        parsed.run(parsed)
    except PlaygroundError as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _methods(_: argparse.Namespace) -> None:
    from playground.decoding.method import methods

    _print(
        [
            {
                "id": method_id,
                "title": method.title,
                "lossless": method.lossless,
                "reproduces": method.reproduces,
                "paper": method.paper,
                "options": [_option(item) for item in fields(method.Options)],
            }
            for method_id, method in methods().items()
        ]
    )


def _option(item: Any) -> dict[str, Any]:
    about = item.metadata
    return {
        "name": item.name,
        "type": item.type,
        "default": item.default,
        "min": about["min"],
        "max": about["max"],
        "help": about["help"],
    }


def _pairs(_: argparse.Namespace) -> None:
    from playground.models.catalog import PAIRS
    from playground.models.loading import is_on_this_machine

    _print(
        [
            asdict(pair)
            | {
                "on_this_machine": is_on_this_machine(pair.target) and is_on_this_machine(pair.draft),
                "memory_bytes_float32": pair.memory_bytes(4),
                "memory_bytes_bfloat16": pair.memory_bytes(2),
                "tokenizers": _tokenizers(pair),
            }
            for pair in PAIRS
        ]
    )


def _tokenizers(pair: Any) -> str:
    """Whether both models share their tokenizer, as far as it can be checked here."""
    from playground.models.loading import is_on_this_machine, same_tokenizer

    if not (is_on_this_machine(pair.target) and is_on_this_machine(pair.draft)):
        return "not checked: not on this machine"
    return "the same" if same_tokenizer(pair.target, pair.draft) else "different"


def _run(parsed: argparse.Namespace) -> None:
    from playground.metrics.summary import summarise
    from playground.trace import Trace, save

    trace = Trace(tuple(_events(parsed)))
    if parsed.trace:
        save(trace, parsed.trace)
    summary = summarise(trace)
    if parsed.json:
        _print(summary)
    else:
        rate = summary["tokens_per_s"] or 0
        print(parsed.prompt + summary["text"])
        print(f"\n{summary['num_tokens']} tokens, {summary['target_calls']} target calls, {rate:.1f} tokens/s")


def _events(parsed: argparse.Namespace) -> Any:
    """The events of the run that the flags describe."""
    import torch

    from playground.bench.entry import read_settings
    from playground.decoding.decode import Request
    from playground.decoding.method import make_method
    from playground.decoding.record import record
    from playground.decoding.sampling import Sampling
    from playground.models.loading import load_models, load_pair

    torch.set_num_threads(parsed.threads)
    method = make_method(parsed.method, read_settings(parsed.set))
    sampling = Sampling(parsed.temperature, parsed.top_k, parsed.top_p)
    if parsed.draft and not parsed.target:
        raise PlaygroundError("--draft needs --target beside it. Give both, or --pair with a name from the catalog.")
    if parsed.target:
        pair = load_models(parsed.target, parsed.draft, dtype=parsed.dtype)
    else:
        pair = load_pair(parsed.pair, dtype=parsed.dtype)
    request = Request(
        method, pair.target, parsed.prompt, pair.draft, sampling, parsed.seed, parsed.max_new_tokens
    )  # fmt: skip
    for events in record(request):
        yield from events


def _validate(parsed: argparse.Namespace) -> None:
    from playground.trace import is_complete, load, validate

    trace = load(parsed.file)
    validate(trace)
    state = "complete" if is_complete(trace) else "interrupted"
    if parsed.json:
        _print({"file": str(parsed.file), "valid": True, "complete": is_complete(trace), "events": len(trace.events)})
    else:
        print(f"{parsed.file} is a valid, {state} trace of {len(trace.events)} events.")


def _export(parsed: argparse.Namespace) -> None:
    from playground.trace import load, validate
    from playground.views.forest import existing_round, forest_graph, write_graphml
    from playground.views.standalone import standalone_html

    if not parsed.html and not parsed.graphml:
        raise PlaygroundError("Nothing to export. Give --html FILE or --graphml FILE.")
    trace = load(parsed.file)
    validate(trace)
    written = []
    if parsed.html:
        _write(parsed.html, standalone_html(trace, charts=parsed.charts))
        written.append(parsed.html)
    if parsed.graphml:
        try:
            write_graphml(forest_graph(trace, existing_round(trace, parsed.round)), parsed.graphml)
        except OSError as error:
            raise PlaygroundError(f"{parsed.graphml} cannot be written: {error.strerror}. Choose another.") from None
        written.append(parsed.graphml)
    if parsed.json:
        _print({"written": [str(path) for path in written]})
    else:
        print("\n".join(f"Wrote {path}." for path in written))


def _compare(parsed: argparse.Namespace) -> None:
    import torch

    from playground.bench.entry import enter, read_choices
    from playground.bench.prompts import read_prompts
    from playground.bench.race import BASELINE, race
    from playground.decoding.sampling import Sampling
    from playground.models.loading import load_pair

    torch.set_num_threads(1)
    choices = read_choices(parsed.methods)
    if all(name != BASELINE for name, _ in choices):
        choices.insert(0, (BASELINE, {}))  # every ratio needs it
    entries = enter(choices)
    prompts = read_prompts(parsed.prompts)
    pair = load_pair(parsed.pair)
    asked = {
        "sampling": Sampling(parsed.temperature, parsed.top_k, parsed.top_p),
        "seed": parsed.seed,
        "max_new_tokens": parsed.max_new_tokens,
    }
    requests = {entry.label: [entry.request(pair, prompt, **asked) for prompt in prompts] for entry in entries}

    def progress(done: int, total: int) -> None:
        if not parsed.json:
            print(f"\rrun {done} of {total}", end="" if done < total else "\n", file=sys.stderr, flush=True)

    rows = race(requests, repeats=parsed.repeats, seed=parsed.seed, progress=progress)
    if parsed.json:
        _print(rows)
    else:
        _print_race(rows)


def _print_race(rows: list[dict[str, Any]]) -> None:
    """The race as a table; a dash where a number does not exist."""

    def cell(row: dict[str, Any], field: str, digits: int) -> str:
        value = row.get(field)
        return "-" if value is None else f"{value['median']:.{digits}f}"

    width = max(len(row["label"]) for row in rows)

    titles = ("tokens/s", "speed-up (95 %)", "block eff.", "acceptance", "perplexity")
    print("{:{}} {:>8} {:>20} {:>10} {:>10} {:>10}".format("method", width, *titles))
    for row in rows:
        label = f"{row['label']:{width}}"
        if "failed" in row:
            print(f"{label} failed: {row['failed']}")
            continue
        speed_up = row["speed_up"]
        ratio = f"{speed_up['median']:.2f}" if speed_up else "-"
        if speed_up and speed_up["low"] is not None:
            ratio += f" ({speed_up['low']:.2f}-{speed_up['high']:.2f})"
        print(
            f"{label} {cell(row, 'tokens_per_s', 0):>8} {ratio:>20} {cell(row, 'block_efficiency', 2):>10} "
            f"{cell(row, 'acceptance_rate', 2):>10} {cell(row, 'perplexity', 1):>10}"
        )


def _benchmark(parsed: argparse.Namespace) -> None:
    from playground.bench.engine import benchmark

    _print(benchmark(num_prompts=parsed.prompts, repeats=parsed.repeats))


def _check(parsed: argparse.Namespace) -> None:
    from playground.bench.losslessness import CHUNK, check
    from playground.decoding.method import methods

    chosen = list(methods()) if parsed.method_or_all == "all" else [parsed.method_or_all]
    workers = min(2, os.cpu_count() or 1) if parsed.samples >= 4 * CHUNK else 1  # a process takes seconds to start
    results = check(chosen, samples=parsed.samples, seed=parsed.seed, workers=workers)
    if parsed.json:
        rows = [asdict(result) for result in results]
        _print(rows if parsed.method_or_all == "all" else rows[0])
        return
    print(f"Running {', '.join(chosen)}: {parsed.samples:,} seeded runs each.", file=sys.stderr)
    for result in results:
        print(f"{result.method}: {result.verdict}. It claims to reproduce: {result.reproduces}.", end="")
        if result.tv is not None:
            print(
                f" Distance from the target {result.tv:.5f}, noise floor {result.noise_floor:.5f} (1 in 100 above "
                f"{result.noise_upper:.5f}), p-value {result.p_value:.3g}, {result.samples:,} samples.",
                end="",
            )
        print(flush=True)


def _acceptance(parsed: argparse.Namespace) -> None:
    from playground.bench.one_position import acceptance_by_scheme

    target, draft = (_row(text, flag) for text, flag in ((parsed.target, "--target"), (parsed.draft, "--draft")))
    found = acceptance_by_scheme(target, draft, parsed.num_drafts)
    if parsed.json:
        _print(found)
        return
    if found.pop("normalised"):
        print("A row did not sum to 1 and was normalised.", file=sys.stderr)
    for scheme, value in found.items():
        print(f"{scheme:<28}{'too many orders to enumerate' if value is None else format(value, '.6f')}")


def _row(text: str, flag: str) -> list[float]:
    try:
        return [float(entry) for entry in text.split(",")]
    except ValueError:
        raise PlaygroundError(f"{flag} {text} is no row of numbers. Write it as {flag} 0.2,0.3,0.5.") from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PlaygroundError(f"{path} cannot be written: {error.strerror}. Choose another place.") from None


def _print(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode())


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage page."""
        raise PlaygroundError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m playground", description="Speculative decoding, without the page.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(name: str, run: Any, help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help)
        sub.set_defaults(run=run)
        sub.add_argument("--json", action="store_true", help="print one JSON value and nothing else")
        return sub

    command("methods", _methods, "The decoding methods and their options.")
    command("pairs", _pairs, "The model pairs offered, and which of them are on this machine.")

    run = command("run", _run, "Decode a prompt once.")
    run.add_argument("--method", required=True, help="a method's id, see methods")
    run.add_argument("--prompt", required=True)
    run.add_argument("--pair", default="bundled", help="a pair's id, see pairs")
    run.add_argument("--target", help="Hub id or folder, instead of --pair")
    run.add_argument("--draft", help="Hub id or folder, beside --target")
    run.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the method")
    _add_sampling(run)
    run.add_argument("--dtype", default="auto", help="auto, float32, bfloat16 or float16")
    run.add_argument("--threads", type=int, default=1, choices=range(1, 257), metavar="N", help="CPU threads")
    run.add_argument("--trace", type=Path, metavar="FILE", help="save the trace here")

    validate = command("validate", _validate, "Check a trace against its schema and its counting laws.")
    validate.add_argument("file", type=Path, metavar="TRACE.json")

    export = command("export", _export, "Turn a trace into a page that plays it, or a round's forest into GraphML.")
    export.add_argument("file", type=Path, metavar="TRACE.json")
    export.add_argument("--html", type=Path, metavar="OUT.html")
    export.add_argument("--no-charts", dest="charts", action="store_false", help="leave plotly out: 5 MB smaller")
    export.add_argument("--graphml", type=Path, metavar="OUT.graphml")
    export.add_argument("--round", type=int, default=1, help="which round's forest to export as GraphML")

    check = command("check", _check, "Measure on exact table models whether a method keeps its claim to be lossless.")
    check.add_argument("method_or_all", metavar="METHOD|all", help="a method's id, see methods; or all")
    check.add_argument("--samples", type=int, default=20_000, metavar="N", help="seeded runs per method")
    check.add_argument("--seed", type=int, default=0)

    acceptance = command("acceptance", _acceptance, "Exact acceptance of K drafts at one position, by every scheme.")
    acceptance.add_argument("--target", required=True, metavar="P1,P2,..", help="the target's row")
    acceptance.add_argument("--draft", required=True, metavar="Q1,Q2,..", help="the draft's row")
    acceptance.add_argument("--num-drafts", type=int, required=True, metavar="K")

    compare = command("compare", _compare, "Methods side by side on the same prompts: medians, spreads, speed-ups.")
    compare.add_argument(
        "--methods",
        default="all",
        metavar="ID,ID:OPTION=VALUE,..",
        help="ids with commas between, each with options where they are wanted; or all",
    )
    compare.add_argument("--prompts", default="quick", metavar="FILE|PRESET", help="a .txt, a .jsonl, or a preset")
    compare.add_argument("--repeats", type=int, default=3, choices=range(1, 101), metavar="R")
    compare.add_argument("--pair", default="bundled", help="a pair's id, see pairs")
    _add_sampling(compare)

    benchmark = command("benchmark", _benchmark, "Ratios of the engine, side by side in one run on the bundled pair.")
    benchmark.add_argument("--prompts", type=int, default=6, choices=range(1, 21), metavar="N")
    benchmark.add_argument("--repeats", type=int, default=3, choices=range(1, 101), metavar="N")
    return parser


def _add_sampling(command: argparse.ArgumentParser) -> None:
    command.add_argument("--temperature", type=float, default=1.0, help="0 is greedy")
    command.add_argument("--top-k", type=int, default=0, help="0 is off")
    command.add_argument("--top-p", type=float, default=1.0, help="1 is off")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--max-new-tokens", type=int, default=128)
