"""Code that has not run on the hardware it is for, with what was tested instead."""

from __future__ import annotations

from dataclasses import dataclass

HERE = "All of this was developed, tested and timed on processors: Intel Xeon and AMD EPYC, under Linux."


@dataclass(frozen=True, slots=True)
class Untried:
    """One thing.

    Attributes:
        what: it is.
        state: "written", or "not written".
        tested: what was tried in its place, in words.
    """

    what: str
    state: str
    tested: str


UNTRIED = (
    Untried(
        "Models on a GPU by CUDA",
        "written",
        "the same code on a processor, in float32 and bfloat16; the same tokens on a pretend device, which holds the "
        "processor's memory and refuses operations over two devices as CUDA does, for every method, drafter, "
        "constrained run, branch, recording and recommendation; that a device which is not there is refused",
    ),
    Untried(
        "Models on an Apple GPU by MPS",
        "not written",
        "nothing: it has no float64, in which tokens are drawn and judged here, so the processor is chosen there",
    ),
    Untried(
        "Out of memory on a GPU in mid-run",
        "written",
        "a processor's allocator that refuses in mid-run",
    ),
    Untried(
        "CUDA graphs for passes of 1 to 64 nodes, in buckets",
        "written",
        "with a stand-in that notes a pass's operations and does them again on the same memory: buckets, padding, "
        "masks, growth from block to block, tokens of whole runs, that nothing comes from the host or goes to it, and "
        "every way back to the lean pass; not what they gain, nor what 28 captures a model at loading take",
    ),
    Untried(
        "One wait of the host for each model call: distributions are warped on the GPU, and tested on the host",
        "written",
        "read-backs and uploads counted on the pretend device, as ceilings for every method; not what a wait takes on "
        "a GPU, nor what rows of a large vocabulary take on their way",
    ),
    Untried("A GPU's energy by NVML", "written", "a stand-in for the library, whose counter is known"),
    Untried("ZeroGPU", "written", "a stand-in for the package `spaces`, and none at all: a lent call is a plain one"),
    Untried(
        "Weights in 8 and 4 bits on a GPU",
        "written",
        "by bitsandbytes on a processor: the bundled target with an earlier draft in 8 bits, whose memory was foretold "
        "within 1 %, accepted 0.72 of the drafts (0.73 in float32), ran slower, and wrote one greedy text of ten "
        "otherwise: 8 bits round by what else is in a pass; random weights in 4 bits, which the bundled target's "
        "widths do not allow there",
    ),
    Untried(
        "A model over several GPUs",
        "written",
        "a map by accelerate over a processor and a disk; that the map is asked for, and refused without the package",
    ),
    Untried(
        "The Hub itself, and the real pairs of the catalog",
        "written",
        "its own client against a small Hub on the same machine, without Xet; random weights in six architectures",
    ),
)
