"""`meters`: what this machine can measure energy with, and whether its two readings of a GPU agree."""

import time
from dataclasses import asdict
from typing import Annotated, Any

from playground.cli.command import Json, flag, print_json
from playground.errors import PlaygroundError


def meters(
    *,
    idle: Annotated[float, flag("how long to measure idle power", metavar="SECONDS")] = 2.0,
    agreement: Annotated[
        float | None,
        flag(
            "also keep the GPU busy so long, and compare its energy counter with its power, sampled and integrated",
            metavar="SECONDS",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what this machine can measure energy with, or why it cannot."""
    import torch

    from playground.meters.meter import while_idle
    from playground.models.machine import meter_of

    if not 0 < idle <= 60:
        raise PlaygroundError(f"{idle:g} s of idling is out of range. Choose 0.1 to 60.")
    rows: list[dict[str, object]] = []
    for name in ["cpu", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]:
        reading = while_idle(meter_of(torch.device(name)), seconds=idle)
        rows.append({"device": name, "source": reading.source, "reason": reading.reason, "idle_w": reading.watts})
        if agreement and name != "cpu":
            rows[-1] |= _agreement(torch.device(name), agreement)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        watts = f"{row['idle_w']:.1f} W idle" if row["idle_w"] else row["reason"]
        print(f"{row['device']}: {row['source'] or 'nothing to read'}; {watts}")
        if "counter_j" in row:
            print(f"  counted {row['counter_j']} J, sampled {row['sampled_j']:.1f} J in {row['seconds']:.1f} s")


def _agreement(device: Any, seconds: float) -> dict[str, object]:
    """Counter and samples over the same work, on a GPU that has a counter."""
    import torch

    from playground.meters.agreement import counter_against_samples
    from playground.meters.nvml import NvmlMeter
    from playground.models.machine import meter_of

    meter = meter_of(device)
    if not isinstance(meter, NvmlMeter):
        return {}
    square = torch.randn(4096, 4096, device=device)

    def work() -> None:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            for _ in range(20):
                torch.mm(square, square)
            torch.cuda.synchronize(device)

    work()  # warm up
    return asdict(counter_against_samples(meter, work))
