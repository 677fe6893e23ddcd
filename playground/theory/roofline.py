"""Estimates from counted work: the power and the time of arithmetic, and those of reading memory.

Qin et al. 2024 (multi-token assisted decoding, arXiv 2407.09722), Eq. 9: E = PW_flop T_flop + PW_mem T_mem. The paper
splits energy so to argue that reading the weights dominates; it gives no constants. Here T_flop = operations / peak
rate and T_mem = bytes / bandwidth, and the constants are those of a stated machine, open to change.

Everything from here is an estimate, never a measurement. It knows nothing of idle power, of time outside the models,
of caches that keep small weights close to the processor, or of units that run at half their power.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from playground.words import word

Numbers = np.float64 | NDArray[np.float64]

CONSTANTS = ("flops_per_s", "bytes_per_s", "flop_w", "memory_w")
READING_OVER_ARITHMETIC = 1.25  # the paper, section 4: reading takes 20 to 30 % more power than arithmetic at its peak


@dataclass(frozen=True, slots=True)
class Machine:
    """The constants of an estimate."""

    # id, title: short and long name
    id: str
    title: str
    flops_per_s: float  # floating-point operations per second, at best
    bytes_per_s: float  # bytes read from memory per second, at best
    flop_w: float  # watts while calculating at that rate, PW_flop
    memory_w: float  # watts while reading at that rate, PW_mem
    source: str  # The numbers are from there.

    def __post_init__(self) -> None:
        for name in CONSTANTS:
            value = getattr(self, name)
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} must be a positive number, not {value:g}.")


L40 = Machine(
    "l40",
    "NVIDIA L40",
    181e12,
    864e9,
    300 / READING_OVER_ARITHMETIC,
    300.0,
    word("lab_source_l40"),
)
A100 = Machine(
    "a100",
    "NVIDIA A100 80 GB SXM",
    312e12,
    2039e9,
    400 / READING_OVER_ARITHMETIC,
    400.0,
    word("lab_source_a100"),
)
CPU_CORE = Machine(
    "cpu_core",
    word("chart_cpu_core"),
    100e9,
    12e9,
    8 / READING_OVER_ARITHMETIC,
    8.0,
    word("lab_source_cpu_core"),
)
MACHINES = {machine.id: machine for machine in (L40, A100, CPU_CORE)}


@dataclass(frozen=True, slots=True)
class ModelSize:
    """The facts of a model that an estimate needs."""

    # their number. All are taken to be read, and to be used once per token, in every call
    parameters: float
    bytes_per_parameter: float  # 4 for float32, 2 for the 16-bit formats
    kv_bytes_per_token: float = 0.0  # keys and values of one token in all layers; 0 leaves them out


def work_seconds(
    machine: Machine, model: ModelSize, *, passes: ArrayLike, fed: ArrayLike, read: ArrayLike
) -> tuple[Numbers, Numbers]:
    """T_flop and T_mem of some work of a model, which Eq. 9 multiplies by its watts. Both are linear in all counts.

    Args:
        passes: forward passes; each reads all weights, however many tokens run in it.
        fed: tokens that ran in them, at 2 operations per parameter. What attention adds to that is left out.
        read: tokens whose keys and values they read or wrote: of each pass, those cached before and those fed.
    """
    passes, fed, read = (np.asarray(count, dtype=float) for count in (passes, fed, read))
    if np.any(passes < 0) or np.any(fed < 0) or np.any(read < 0):
        raise ValueError(f"Work cannot be negative: {passes} passes, {fed} tokens fed, {read} read.")
    operations = 2 * model.parameters * fed
    bytes_read = model.parameters * model.bytes_per_parameter * passes + model.kv_bytes_per_token * read
    return operations / machine.flops_per_s, bytes_read / machine.bytes_per_s


def free_nodes(machine: Machine, bytes_per_parameter: float) -> float:
    """Nodes that a target call can run before arithmetic takes longer than reading the weights.

    A call reads every parameter once, in b / bandwidth, and calculates with it once per node, 2 operations each: both
    take as long at n = b * rate / (2 * bandwidth), whatever the size of the model.
    """
    return machine.flops_per_s * bytes_per_parameter / (2 * machine.bytes_per_s)


def crossover_batch(machine: Machine, bytes_per_parameter: float, draft_length: int) -> float:
    """Return the batch of sequences from which on verifying drafts takes longer than a plain step, by the roofline.

    A round over B sequences verifies B (gamma + 1) tokens, which cost nothing up to the ridge, `free_nodes`.
    """
    return free_nodes(machine, bytes_per_parameter) / (draft_length + 1)


def call_growth(machine: Machine, bytes_per_parameter: float, num_nodes: ArrayLike) -> Numbers:
    """T(n) / T(1): a target call over n nodes over one on a single node, each as long as its slower half.

    An estimate: caches of keys and values, attention, and everything outside the model are left out.
    """
    ridge = free_nodes(machine, bytes_per_parameter)
    return np.maximum(1.0, np.asarray(num_nodes, dtype=float) / ridge) / max(1.0, 1 / ridge)
