"""`greedy`: a method's greedy texts against plain decoding's, letter by letter."""

from datetime import UTC, datetime
from typing import Annotated, Any

from playground.cli.command import FlagsOf, Json, Settings, flag, part, print_json, say_on_one_line
from playground.errors import PlaygroundError
from playground.run_options import RunOptions

SAID = ("pair", "target", "draft", "drafter", "device", "dtype", "bits", "draft_bits", "max_new_tokens")
NOT_HERE = tuple(name for name in RunOptions.__dataclass_fields__ if name not in SAID)


def greedy(
    method: Annotated[str, flag("a lossless method's id, see methods", metavar="METHOD")] = "speculative_sampling",
    *,
    settings: Settings = (),
    prompts: Annotated[str | None, flag("as of compare; a hundred when none", metavar="FILE|PRESET")] = None,
    options: Annotated[dict[str, Any], FlagsOf(RunOptions, but=NOT_HERE)],
    as_json: Json = False,
) -> None:
    """Compare a method's greedy texts with plain decoding's, letter by letter, and show the first difference."""
    import torch

    from playground.bench.entry import read_settings
    from playground.bench.prompts import read_prompts
    from playground.decoding.method import make_method
    from playground.exactness.greedy_texts import greedy_texts, hundred_prompts
    from playground.models.loading import Models
    from playground.models.machine import machine
    from playground.models.sources.placement import find_placement

    torch.set_num_threads(1)
    chosen = make_method(method, read_settings(settings))
    if chosen.reproduces != "target sampling":
        raise PlaygroundError(f"{chosen.title} does not claim the target's text. Choose a method that does.")
    names, placement = ("pair", "target", "draft", "drafter"), part(options, find_placement)
    pair = Models.named(**{name: options[name] for name in names}, placement=placement).load()
    texts = read_prompts(prompts) if prompts else hundred_prompts()
    result: dict[str, Any] = {}
    for result in greedy_texts(pair, texts, chosen, options["max_new_tokens"]):
        say_on_one_line(f"{result['done']} of {result['total']} prompts, {result['texts_differ']} texts differ ...")
    conditions = {
        "method": method,
        "options": {name: getattr(chosen.options, name) for name in chosen.options.__dataclass_fields__},
        "target": pair.target.facts(),
        "machine": machine(pair.target.device),
        "on": f"{datetime.now(UTC):%Y-%m-%d}",
        "max_new_tokens": options["max_new_tokens"],
    }
    if as_json:
        print_json(conditions | result)
        return
    print(
        f"{result['total']} prompts, {result['letters']:,} letters, {result['letters_differ']:,} differ, in "
        f"{result['texts_differ']} texts."
    )
    if first := result["first"]:
        one, two = first["pieces"].values()
        print(f"First difference: letter {first['letter']} after {first['prompt']!r}.")
        for call, (first_logit, second_logit) in first["logits"].items():
            print(f"{call}, {first['rows'][call]} rows: {one!r} {first_logit:.6g}, {two!r} {second_logit:.6g}")
