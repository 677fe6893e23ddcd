"""Hand-made traces that the example traces leave out: the empty one, the cut ones, coinciding draws."""

from playground.trace.events import Committed, Drafted, Scored, Trace, Verified
from tests.trace.example import speculative_trace


def empty_trace() -> Trace:
    """Only the start: the models have read the prompt, nothing else happened."""
    return Trace(speculative_trace().events[:1])


def interrupted_trace() -> Trace:
    """The example's first round whole, its second cut after the drafts."""
    return Trace(speculative_trace().events[:8])


def coinciding_trace() -> Trace:
    """One round with three i.i.d. draws below the prompt, two of them the same token.

    The first draw of node 2 is rejected, node 3 is accepted, the second draw of node 2 stays not tested.
    """
    return Trace(
        (
            speculative_trace().events[0],
            Drafted(1, 1, [1, 1, 1], [2, 3, 2], [5, 6, 5], [0.5, 0.3, 0.5], 0.002, {"5": " sat", "6": " on"}),
            Scored(1, [1, 2, 3], [0.6, None, None], [[], [], []], [1, 2, 3], 1, [1, 2, 3], None, 0.01, {}),
            Verified(
                round=1,
                nodes=[2, 3, 2],
                outcomes=["rejected", "accepted", "not_tested"],
                target_probs=[0.1, 0.6, None],
                draft_probs=[0.5, 0.3, 0.5],
                accept_probs=[0.2, 1.0, None],
                uniforms=[0.9, 0.4, None],
                reasons=["no", "yes", "not asked"],
            ),
            Committed(
                round=1,
                nodes=[3, 4],
                tokens=[6, 7],
                origins=["accepted", "bonus"],
                log_probs=[-0.5, -1.0],
                extra_prob=0.4,
                text=" on up",
                frontier=[4],
                draft_s=0.002,
                verify_s=0.01,
                other_s=0.001,
                clock_s=0.013,
                pieces={"7": " up"},
            ),
        )
    )
