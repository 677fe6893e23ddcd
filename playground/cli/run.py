"""`run`: decode a prompt once."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from playground.cli.command import (
    add_command,
    add_estimate,
    add_placement,
    add_sampling,
    print_json,
    read_machine,
    read_sampling,
    say_on_one_line,
)
from playground.errors import PlaygroundError

_AS_GIVEN = (  # flags that `playground.run` takes under the same names
    *("pair", "target", "draft", "drafter", "device", "dtype", "bits", "draft_bits"),
    *("seed", "max_new_tokens", "chat", "layers", "grammar"),
)


def add(commands: Any) -> None:
    """Add `run` to the subcommands."""
    run = add_command(commands, "run", _run, "Decode a prompt once.")
    run.add_argument("--method", required=True, help="a method's id, see methods")
    run.add_argument("--prompt", required=True)
    run.add_argument("--pair", default="bundled", help="a pair's id, see pairs")
    run.add_argument(
        "--target",
        help="Hub id, perhaps with @revision, folder, or GGUF file, here or as id:file.gguf, instead of --pair",
    )
    run.add_argument("--draft", help="the same, with --target; with another tokenizer it drafts what both know")
    run.add_argument(
        "--other-draft", action="append", default=[], metavar="DRAFT", help="a further draft model, besides --draft"
    )
    run.add_argument(
        "--drafter",
        default="draft",
        metavar="WORD",
        help="draft, other (the pair's other draft), foreign (its draft with another tokenizer), head (trained to read "
        "what the target made of the text), block, block-markov or block-confidence (several tokens in one "
        "call), exit4 (the target's first 4 layers), suffix (the text itself)",
    )
    run.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the method")
    run.add_argument(
        "--chat", action="store_true", help="the prompt is a message: the target's chat template makes a turn of it"
    )
    run.add_argument("--allow", type=Path, metavar="FILE", help="a text per line: the run writes one of them")
    run.add_argument(
        "--grammar", default="", metavar="TEXT", help="a regular expression or a JSON schema that the text has to match"
    )
    run.add_argument(
        "--stop", action="append", default=[], metavar="TEXT", help=r"end the text before it; \n is a line break"
    )
    add_sampling(run)
    add_placement(run)
    run.add_argument("--threads", type=int, default=1, choices=range(1, 257), metavar="N", help="CPU threads")
    run.add_argument("--trace", type=Path, metavar="FILE", help="save the trace here; under gzip where it ends in .gz")
    run.add_argument("--layers", action="store_true", help="the trace tells what every layer says of the drafts")
    add_estimate(run)


def _run(parsed: argparse.Namespace) -> None:
    import torch

    import playground
    from playground.bench.entry import read_settings
    from playground.decoding.method import make_method
    from playground.decoding.stop_strings import read_stop_strings
    from playground.metrics.summary import summarise
    from playground.trace import save

    machine = read_machine(parsed)
    torch.set_num_threads(parsed.threads)
    trace = playground.run(
        make_method(parsed.method, read_settings(parsed.set)),
        parsed.prompt,
        **{name: getattr(parsed, name) for name in _AS_GIVEN},
        **asdict(read_sampling(parsed)),
        other_drafts=parsed.other_draft,
        allow=_lines(parsed.allow) if parsed.allow else (),
        stop=read_stop_strings(parsed.stop),
        tell=say_on_one_line if parsed.target or parsed.pair != "bundled" else lambda _: None,
    )
    if parsed.trace:
        save(trace, parsed.trace)
    summary = summarise(trace, machine)
    if parsed.json:
        print_json(summary)
    else:
        rate = summary["tokens_per_s"] or 0
        print(trace.started.prompt + summary["text"])
        print(f"\n{summary['num_tokens']} tokens, {summary['target_calls']} target calls, {rate:.1f} tokens/s")


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
