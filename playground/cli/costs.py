"""`costs`: the price of verification, a call over several tokens over a call over one, beside published prices."""

from datetime import UTC, datetime
from typing import Annotated, Any

from playground.cli.command import FlagsOf, Json, Threads, flag, print_json, say_on_one_line
from playground.errors import PlaygroundError
from playground.run_options import PlacementOptions

RATES = (0.5, 0.7, 0.9)
DRAFT_LENGTH = 4  # By context, a call over so many drafts and the token before them is measured.


def costs(
    *,
    pair: Annotated[str, flag("whose target; see the command pairs", metavar="ID")] = "bundled",
    target: Annotated[
        str | None, flag("Hub id, folder or GGUF file, instead of a pair's target", metavar="MODEL")
    ] = None,
    context: Annotated[int, flag("cached tokens before those of the call", metavar="N")] = 128,
    threads: Threads = 1,
    cost_ratio: Annotated[float, flag("a draft call over a target call", metavar="C")] = 0.0,
    by_context: Annotated[
        bool, flag("instead: acceptance, and the price of a call over 5 tokens, behind 128 tokens to all that are read")
    ] = False,
    markdown: Annotated[bool, flag("print a table for a document, beside published rows")] = False,
    options: Annotated[dict[str, Any], FlagsOf(PlacementOptions)],
    as_json: Json = False,
) -> None:
    """Measure what a target call over 1 to 32 tokens costs, and the longest draft that pays."""
    import msgspec

    from playground.bench.calibration import verification_costs
    from playground.lab.verification_costs import CostRow, as_markdown, cost_rows
    from playground.models.language_model import LanguageModel
    from playground.models.loading import Models
    from playground.models.machine import machine
    from playground.models.modes import use_threads
    from playground.models.sources.placement import find_placement

    if not 0 <= cost_ratio <= 10:
        raise PlaygroundError(f"A cost ratio of {cost_ratio:g} is out of range. Choose 0 to 10.")
    use_threads(threads)
    models = Models.named(pair, target, placement=find_placement(**options)).load()
    if by_context:
        _by_context(models, as_json=as_json)
        return
    model = models.target
    assert isinstance(model, LanguageModel), model
    seconds, here = verification_costs(model, context), machine(model.device)
    row = CostRow(
        id=f"{model.name}, {model.facts()['dtype']}, {threads}",
        engine="this playground",
        model=f"{model.name}, {model.facts()['dtype']}",
        machine=here["gpu"] or here["processor"],
        threads=here["threads"],
        context=context,
        on=f"{datetime.now(UTC):%Y-%m-%d}",
        costs={size: round(each / seconds[1], 3) for size, each in seconds.items()},
    )
    if as_json:
        print_json(msgspec.to_builtins(row, str_keys=True))
    elif markdown:
        print(as_markdown([row, *cost_rows().values()], RATES, cost_ratio))
    else:
        print(f"{row.model}, {row.machine}, threads: {row.threads}, context: {row.context}")
        print(f"One token takes {1000 * seconds[1]:.3g} ms. A call over n tokens takes, times that:")
        print("".join(f"{size:>8}" for size in row.costs))
        print("".join(f"{cost:8.2f}" for cost in row.costs.values()))
        for rate, length in zip(RATES, row.longest_paying(RATES, cost_ratio), strict=True):
            print(f"At acceptance {rate:g} drafts of up to {length} tokens are faster than plain decoding, by formula.")


def _by_context(models: Any, *, as_json: bool) -> None:
    from playground.bench.contexts import by_context
    from playground.models.machine import machine

    known: dict[str, Any] = {}
    for known in by_context(models, DRAFT_LENGTH):
        say_on_one_line(f"{known['done']} of {known['total']} ...")
    if as_json:
        print_json(known | {"machine": machine(models.target.device), "on": f"{datetime.now(UTC):%Y-%m-%d}"})
        return
    print(f"{known['target']}: acceptance at {known['texts']} x {known['positions']} positions, with 95 % intervals.")
    print(f"{'length':>8} {'acceptance':>22} {'ms a token':>11} {f'{DRAFT_LENGTH + 1} tokens cost':>22}")
    for each in known["points"]:
        rate = f"{each['rate']:.3f} ({each['low']:.3f} to {each['high']:.3f})"
        price = f"{each['price']:.2f} ({each['price_low']:.2f} to {each['price_high']:.2f})"
        print(f"{each['length']:>8} {rate:>22} {each['step_ms']:>11.2f} {price:>22}")
    if change := known["change"]:
        value, low, high = change.values()
        print(f"From first to last acceptance changes by {value:+.3f} ({low:+.3f} to {high:+.3f}).")
