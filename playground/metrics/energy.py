"""Energy of a run: what was measured, and an estimate from what the models had to do.

The two never mix. A trace holds only what was measured; the estimate is made here from the recorded work, with
constants that can be changed, see theory/roofline.py.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from playground.errors import PlaygroundError, did_you_mean
from playground.theory.roofline import A100, CONSTANTS, CPU_CORE, L40, MACHINES, Machine, ModelSize, work_seconds
from playground.trace.events import Facts, Round, RunStarted, Trace
from playground.words import paragraph, word

BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2, "float16 and float32": 2}
Seconds = NDArray[np.float64]  # (2,): of arithmetic, of reading memory

NOT_OVER = word("column_not_over")
NOT_SAID = word("column_trace_silent")
NO_JOULES = (  # why nothing was measured, as files hold it
    NOT_OVER,
    NOT_SAID,
    word("column_no_counter", why="{why}"),
    word("column_no_gpu", why="{why}"),
    word("column_gpu_slice"),
    word("column_no_device_counter", device="{device}"),
    word("column_nvml_says", error="{error}"),
    word("column_no_rapl"),
    word("column_no_package"),
    word("column_root_only", file="{file}"),
    word("column_counter_still", seconds="{seconds}", renewed="{renewed}"),
    word("column_counters_still"),
)


@dataclass(frozen=True, slots=True)
class EnergyEstimate:
    """Estimated joules of a run's complete rounds, prefill excluded."""

    machine: Machine  # The estimate takes its constants.
    draft_j: float  # the draft model's passes
    verify_j: float  # the target's
    # the part of both that drafts took which did not become text, rejected or never tested: their share of the
    # drafting, and what the target's pass would have cost less without them
    rejected_j: float
    # Other watts than the machine's are multiplied by (seconds of arithmetic, of reading memory). Three parts add up to
    # the whole: the target's `text`, its work on `rejected` drafts, and all of the `draft` model's.
    seconds: dict[str, tuple[float, float]]

    @property
    def joules(self) -> float:
        """Both phases."""
        return self.draft_j + self.verify_j


def energy(trace: Trace, machine: Machine | None = None) -> Facts:
    """Return the measured energy of a run, and the estimate under names that say so. JSON data.

    joules: measured by `source`; None where it could not be, and `reason` says why.
    estimated_joules, estimated_draft_joules, estimated_verify_joules, estimated_rejected_joules: see EnergyEstimate.
    estimated_seconds: its parts, to apply other watts to.
    estimated_with: the constants of the estimate.
    """
    end = trace.finished
    recorded = end.energy if end else {"reason": NOT_OVER}
    unknown = {"joules": None, "source": None, "reason": NOT_SAID if recorded.get("joules") is None else None}
    estimate = estimate_energy(trace, machine)
    names = {"joules": "joules", "draft_joules": "draft_j", "verify_joules": "verify_j"}
    names |= {"rejected_joules": "rejected_j", "seconds": "seconds"}
    estimates = {f"estimated_{name}": getattr(estimate, field, None) for name, field in names.items()}
    return unknown | recorded | estimates | {"estimated_with": asdict(estimate.machine) if estimate else None}


def estimate_energy(trace: Trace, machine: Machine | None = None) -> EnergyEstimate | None:
    """Joules that the run's work would take on a machine; None where the trace does not say enough.

    Args:
        machine: the constants; those that come nearest to where the run was made when None, with rates that are at
            least those of the run itself.
    """
    start = trace.started if trace.events else None
    target = _size(start.target) if start else None
    draft_sizes = [_size(facts) for facts in (start.draft, *start.other_drafts) if facts] if start else []
    drafts = [size for size in draft_sizes if size]
    rounds = trace.rounds
    if start is None or target is None or len(drafts) < len(draft_sizes):
        return None
    if start.draft and not all(each.committed.draft_work for each in rounds):
        return None  # recorded before a draft model's work was
    machine = machine or _as_fast_as_its_run(nearest_machine(start), rounds, drafts, target)
    draft, verify, spared, wasted_draft = (np.zeros(2) for _ in range(4))  # seconds of arithmetic, of reading memory
    for each in rounds:
        drafting = _drafting(each, drafts, machine)
        verifying = _verifying(each, target, machine)
        drafted, wasted = _drafted_and_wasted(each)
        draft += drafting
        verify += verifying
        if wasted:
            wasted_draft += drafting * len(wasted) / len(drafted)
            spared += verifying - _verifying(each, target, machine, wasted)
    watts = np.array([machine.flop_w, machine.memory_w])
    parts = {"text": verify - spared, "rejected": spared, "draft": draft}
    return EnergyEstimate(
        machine,
        draft_j=float(watts @ draft),
        verify_j=float(watts @ verify),
        rejected_j=float(watts @ (wasted_draft + spared)),
        seconds={name: (float(flop_s), float(memory_s)) for name, (flop_s, memory_s) in parts.items()},
    )


def estimate_at_end(trace: Trace) -> dict[str, object] | None:
    """Return the estimated joules of a run that has ended, and the machine whose constants they use. JSON data."""
    estimate = estimate_energy(trace) if trace.finished else None
    return {"joules": estimate.joules, "machine": estimate.machine.title} if estimate else None


def machine_from(text: str, constants: Mapping[str, str] | None = None) -> Machine:
    """Return a machine's constants by its id, some of them changed.

    Raises:
        PlaygroundError: on an unknown id or constant, or a value that is no positive number.
    """
    if text not in MACHINES:
        raise PlaygroundError(f"Unknown machine {text!r}. {did_you_mean(text, MACHINES)}")
    changed: dict[str, float] = {}
    for name, value in (constants or {}).items():
        if name not in CONSTANTS:
            raise PlaygroundError(f"A machine has no constant {name!r}. {did_you_mean(name, CONSTANTS)}")
        try:
            changed[name] = float(value)
        except ValueError:
            raise PlaygroundError(f"{name} must be a number, not {value!r}. Write it as {name}=3e11.") from None
    try:
        changed_source = {"source": f"{MACHINES[text].source} Changed here: {', '.join(changed)}."} if changed else {}
        return replace(MACHINES[text], **changed, **changed_source)
    except ValueError as error:
        raise PlaygroundError(f"{error} Choose one above 0.") from None


def nearest_machine(start: RunStarted) -> Machine:
    """Constants for where a run was made: a CPU's core, the A100 on one, and the paper's L40 for every other GPU."""
    if str(start.target.get("device", "cpu")).startswith("cpu"):
        return CPU_CORE
    return A100 if "A100" in str(start.machine.get("gpu")) else L40


def _as_fast_as_its_run(machine: Machine, rounds: list[Round], drafts: list[ModelSize], target: ModelSize) -> Machine:
    """Return the machine with the rates raised that the run contradicts, as its calls took less time than they say.

    Without that a fast core would be taken to have read for longer than the run lasted, at more watts than it has.
    """
    measured_s = sum(each.committed.draft_s + each.committed.verify_s for each in rounds)
    if not measured_s:
        return machine
    work = sum((_drafting(each, drafts, machine) + _verifying(each, target, machine) for each in rounds), np.zeros(2))
    flops, reading = np.maximum(1.0, work / measured_s).tolist()
    if flops == reading == 1:
        return machine
    source = paragraph(machine.source, word("lab_source_raised"))
    rates = {"flops_per_s": machine.flops_per_s * flops, "bytes_per_s": machine.bytes_per_s * reading}
    return replace(machine, **rates, source=source)


def _size(facts: Facts) -> ModelSize | None:
    """Return the size of a language model; None for a table of probabilities, and for facts that are not complete."""
    parameters, width = facts.get("parameters"), BYTES.get(str(facts.get("dtype")))
    kv_bytes = facts.get("kv_bytes_per_token")
    if reads := facts.get("reads"):  # A file's blocks hold a weight in fewer bits than its number format has.
        parameters, width = reads["weights"], reads["bytes"] / reads["weights"]
    elif "blocks" in str(facts.get("forward_pass")):  # recorded before their bytes were
        return None
    if not facts.get("layers") or not parameters or not width or kv_bytes is None:
        return None
    return ModelSize(parameters, width, kv_bytes)


def _drafting(each: Round, drafts: list[ModelSize], machine: Machine) -> Seconds:
    seconds, work = np.zeros(2), iter(each.committed.draft_work)  # three numbers for each model
    for size, passes, fed, read in zip(drafts, work, work, work, strict=False):
        seconds += work_seconds(machine, size, passes=passes, fed=fed, read=read)
    return seconds


def _verifying(each: Round, target: ModelSize, machine: Machine, without: frozenset[int] = frozenset()) -> Seconds:
    fed = [node for node in each.scored.fed if node not in without]
    passes = 1 if each.scored.fed else 0
    read = each.scored.num_cached + len(fed) if passes else 0
    return np.array(work_seconds(machine, target, passes=passes, fed=len(fed), read=read))


def _drafted_and_wasted(each: Round) -> tuple[frozenset[int], frozenset[int]]:
    """Count the round's drafted nodes, and those that did not become text."""
    drafted = frozenset(node for event in each.drafted for node in event.nodes)
    return drafted, drafted - frozenset(each.committed.nodes)
