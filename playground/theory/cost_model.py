"""Cost of a round on a real machine, and the speed-up that follows: expected tokens over measured seconds.

The textbook formula (speculation.py) takes a target call over many nodes to be as long as one over a single node, and
everything outside the models to be free. Here the target's time over n nodes is a measured curve and the rest of a
round is measured as well, so that what is left to be wrong is the acceptance: it is taken as independent and the same
at every position.
"""

from dataclasses import dataclass

import numpy as np

from playground.theory.speculation import expected_emitted

LONGEST = 16  # draft tokens; no longer chain is looked at


@dataclass(frozen=True, slots=True)
class Costs:
    """Measured seconds of a pair on a machine."""

    # one token of plain decoding, through the same loop as every method: target call and all the rest; the fastest
    # seen, as are the others
    step_s: float
    # sizes, chain_s: seconds of a target call over this many nodes in a row, from 1 upwards
    sizes: tuple[int, ...]
    chain_s: tuple[float, ...]
    # tree_sizes, tree_s: the same over siblings, which need a mask
    tree_sizes: tuple[int, ...]
    tree_s: tuple[float, ...]
    draft_s: float | None  # one draft call on one node; None where nothing drafts with a model

    @property
    def cost_ratio(self) -> float | None:
        """c: one draft call over one target call, both on a single node."""
        return None if self.draft_s is None else self.draft_s / self.chain_s[0]


def verification_s(costs: Costs, num_nodes: float, *, tree: bool = False) -> float:
    """Return the seconds of a target call: the measured curve, linear between its points and past its end.

    Args:
        num_nodes: at least 1; an average need not be whole.
        tree: read the curve of siblings.
    """
    sizes = np.asarray(costs.tree_sizes if tree else costs.sizes, dtype=float)
    seconds = np.asarray(costs.tree_s if tree else costs.chain_s)
    if num_nodes > sizes[-1] and len(sizes) > 1:
        slope = (seconds[-1] - seconds[-2]) / (sizes[-1] - sizes[-2])
        return float(seconds[-1] + slope * (num_nodes - sizes[-1]))
    return float(np.interp(num_nodes, sizes, seconds))


def round_s(costs: Costs, draft_length: int, rest_s: float) -> float:
    """Seconds of a round that drafts a chain: gamma draft calls, one target call over gamma + 1 nodes, and the rest."""
    return draft_length * (costs.draft_s or 0.0) + verification_s(costs, draft_length + 1) + rest_s


def predicted_speed_up(acceptance_rate: float, draft_length: int, costs: Costs, rest_s: float) -> float:
    """Speed-up over plain decoding of a chain of drafts: E[emitted] step_s / round_s.

    Leviathan et al. 2023 (arXiv 2211.17192), Eq. 1, for the tokens; assumes i.i.d. acceptance. Counts the correction or
    bonus token.

    Args:
        acceptance_rate: alpha, accepted / tested.
        draft_length: gamma.
        rest_s: seconds of a round outside the models.
    """
    emitted = float(expected_emitted(acceptance_rate, draft_length))
    return emitted * costs.step_s / round_s(costs, draft_length, rest_s)


def best_draft_length(acceptance_rate: float, costs: Costs, rest_s: float, draft_length: int) -> tuple[int, float]:
    """Return the draft length of 1 .. `LONGEST` with the largest predicted speed-up, and that speed-up.

    Args:
        acceptance_rate: alpha.
        rest_s: seconds of a round outside the models at `draft_length`; taken as growing with the number of nodes.
        draft_length: at which `rest_s` was measured.
    """
    per_node = rest_s / (draft_length + 1)
    gains = [
        predicted_speed_up(acceptance_rate, length, costs, per_node * (length + 1)) for length in range(1, LONGEST + 1)
    ]
    best = int(np.argmax(gains))
    return best + 1, gains[best]
