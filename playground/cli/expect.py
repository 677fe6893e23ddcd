"""`expect`: chains by formula, with an acceptance for each position, and the batch from which verifying them costs."""

from typing import Annotated

from playground.cli.command import Json, flag, print_json
from playground.errors import PlaygroundError

LONGEST = 16


def expect(
    *,
    acceptance: Annotated[str, flag("of each position in turn; the last for all after it", metavar="A1,A2,..")],
    cost_ratio: Annotated[float, flag("a draft call over a target call", metavar="C")] = 0.1,
    draft_length: Annotated[int, flag("of the longest chain", choices=range(1, LONGEST + 1), metavar="N")] = 8,
    arrivals: Annotated[
        float | None,
        flag(
            "also simulate requests, this many per second, on the bundled target's steps, with the first acceptance",
            metavar="R",
        ),
    ] = None,
    bytes_per_parameter: Annotated[float, flag("of the target's weights", metavar="B")] = 2.0,
    as_json: Json = False,
) -> None:
    """Compute expected tokens and speed-up of chains whose acceptance depends on the position."""
    from playground.theory.goodput import goodputs
    from playground.theory.roofline import MACHINES, crossover_batch

    rates = _read_rates(acceptance)
    if not 0 <= cost_ratio <= 10 or not 0.1 <= bytes_per_parameter <= 8:
        raise PlaygroundError("A cost ratio is from 0 to 10, and bytes per parameter are from 0.1 to 8.")
    tokens = goodputs(rates, 0.0, draft_length)
    speed_ups = goodputs(rates, cost_ratio, draft_length)
    rows = [
        {
            "draft_length": length,
            "emitted": tokens[length],
            "speed_up": speed_ups[length],
            "crossover_batch": {
                machine.id: crossover_batch(machine, bytes_per_parameter, length) for machine in MACHINES.values()
            },
        }
        for length in range(draft_length + 1)
    ]
    served = _under_arrivals(rates[0], arrivals, cost_ratio, draft_length) if arrivals is not None else {}
    if as_json:
        print_json({"lengths": rows, "arrivals": served})
        return
    print("Estimated by formula: emitted tokens a round, speed-up of one sequence, and sequences up to which a target")
    print("call over their drafts takes no longer than a plain step, by each machine's roofline.")
    print(f"{'draft length':>12}{'emitted':>9}{'speed-up':>10}" + "".join(f"{name:>10}" for name in MACHINES))
    for row in rows:
        batches = "".join(f"{batch:10.1f}" for batch in row["crossover_batch"].values())
        print(f"{row['draft_length']:12}{row['emitted']:9.3f}{row['speed_up']:10.3f}{batches}")
    for length, result in served.items():
        print(f"Simulated, draft length {length}: {_latency(result)}; {result['tokens_per_s']:.0f} tokens/s.")


def _latency(result: dict[str, float | None]) -> str:
    """Return the latencies in words, or why there are none."""
    if result["median_s"] is None:
        return f"the queue grows without end, as a full batch serves {result['capacity_per_s']:.3g} requests a second"
    return f"latency {result['median_s']:.2f} s, 1 in 20 above {result['slowest_in_20_s']:.2f} s"


def _under_arrivals(
    rate: float, arrivals: float, cost_ratio: float, draft_length: int
) -> dict[str, dict[str, float | None]]:
    """Simulate plain decoding and the draft length under the same arrivals."""
    from playground.lab.load import measured_step, under_arrivals

    if not 0.01 <= arrivals <= 10_000:
        raise PlaygroundError(f"--arrivals {arrivals:g} is out of range. Choose 0.01 to 10000 a second.")
    step = measured_step(cost_ratio)
    return {str(length): under_arrivals(rate, length, arrivals, step) for length in (0, draft_length)}


def _read_rates(words: str) -> list[float]:
    """Parse acceptance rates by position."""
    try:
        rates = [float(each) for each in words.split(",")]
    except ValueError:
        rates = [-1.0]
    if not all(0 <= rate <= 1 for rate in rates):
        raise PlaygroundError(f"--acceptance {words} is not a list of probabilities. Write 0.9,0.8,0.7.")
    return rates
