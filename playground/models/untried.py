"""Code that has not run on the hardware it is for, with what was tested instead."""

from dataclasses import dataclass

HERE = (
    "All of this was developed and timed on processors, Intel Xeon and AMD EPYC, under Linux. The tests for a GPU ran "
    "on an NVIDIA H100 on 2026-11-26."
)


@dataclass(frozen=True, slots=True)
class Untried:
    """One thing that is `written` or `not written`, and what was tried in its place."""

    what: str
    state: str
    tested: str


UNTRIED = (
    Untried(
        "Models on an Apple GPU by MPS",
        "not written",
        "nothing: it has no float64, in which tokens are drawn and verified here, so the processor is chosen there",
    ),
    Untried("ZeroGPU", "written", "a stand-in for the package `spaces`, and none at all: a lent call is a plain one"),
    Untried(
        "Weights in 4 bits on a GPU",
        "written",
        "weights in 8 bits there, which write text at 37 tokens/s where 16 bits write 913; random weights in 4 bits by "
        "bitsandbytes on a processor, which the bundled target's widths do not allow there",
    ),
    Untried(
        "A model over several GPUs",
        "written",
        "a map by accelerate over a processor and a disk; that the map is asked for, and refused without the package",
    ),
    Untried(
        "The EAGLE-3 heads that others have published",
        "written",
        "heads of random weights in both layouts, against the paper's formulas",
    ),
    Untried(
        "The MTP layers that models bring",
        "written",
        "layers of random weights in the layouts of eight families, against their formulas; one trained on stories",
    ),
    Untried(
        "The Hub itself, and the real pairs of the catalog",
        "written",
        "its own client against a small Hub on the same machine, without Xet; random weights in six architectures",
    ),
)
