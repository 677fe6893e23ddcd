"""`methods`, `pairs` and `environment`: what there is to choose from, and what has been tried of it."""

from dataclasses import asdict
from typing import Annotated, Any

from playground.cli.command import FlagsOf, Json, flag, print_json
from playground.run_options import PlacementOptions


def methods() -> None:
    """List the decoding methods and their options."""
    from playground.decoding.method import method_list

    print_json(method_list())


def pairs() -> None:
    """List the model pairs offered, and which of them are on this machine."""
    from playground.models.catalog import PAIRS

    print_json(
        [
            asdict(pair)
            | {
                "on_this_machine": _is_here(pair),
                "way_to_get": pair.way_to_get,
                "memory_bytes_float32": pair.memory_bytes(4),
                "memory_bytes_bfloat16": pair.memory_bytes(2),
                "tokenizers": _tokenizers(pair),
            }
            for pair in PAIRS
        ]
    )


def environment(*, as_json: Json = False) -> None:
    """Say which devices are here, and what has not run on any."""
    from playground.models.passes.tuning import chosen_readings, sentence
    from playground.models.products import kernels
    from playground.models.sources.placement import devices
    from playground.models.untried import HERE, UNTRIED

    if as_json:
        print_json(
            {
                "devices": devices(),
                "products": kernels(),
                "readings": chosen_readings(),
                "tested_on": HERE,
                "untried": [asdict(each) for each in UNTRIED],
            }
        )
        return
    print(f"Here: {', '.join(devices())}; products: {kernels()}.")
    print(f"Chosen on this machine: {sentence(chosen_readings())}.")
    print(f"{HERE} What has not run:")
    for each in UNTRIED:
        print(f"  {each.what} ({each.state}). Tested instead: {each.tested}.")


def memory_estimate(
    target: Annotated[str, flag("Hub id, perhaps with @revision, or folder")],
    draft: Annotated[str | None, flag("the same")] = None,
    *,
    options: Annotated[dict[str, Any], FlagsOf(PlacementOptions)],
    as_json: Json = False,
) -> None:
    """Estimate what models would take: bytes to download and memory; nothing is read."""
    import torch

    from playground.models.loading import Models
    from playground.models.sources.placement import find_placement

    torch.set_num_threads(1)  # `run` has one thread by default, too.
    placement = find_placement(**options)
    estimate = Models(target, draft, placement=placement).memory()
    if as_json:
        print_json(asdict(estimate) | {"free_bytes": placement.free_bytes(), "device": str(placement.device)})
    else:
        print(estimate.sentence(placement))


def _is_here(pair: Any) -> bool:
    """Return whether the pair can be loaded without the network."""
    from playground.models.sources.hub import is_on_this_machine

    if pair.package:
        return not pair.way_to_get
    return is_on_this_machine(pair.target) and is_on_this_machine(pair.draft)


def _tokenizers(pair: Any) -> str:
    """Return whether both models share their tokenizer; None where it cannot be checked here."""
    from playground.models.loading import same_tokenizer

    if not pair.draft:
        return "one model, one tokenizer"
    if not _is_here(pair):
        return "not checked: not on this machine"
    return "the same" if same_tokenizer(pair.target, pair.draft) else "different"
