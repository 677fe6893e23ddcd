"""The workings in a trace, one record per kind: what a rule or a method decided with, small enough to keep.

A record's fields are the trace's, by name; assets/trace.schema.json and assets/player/trace/workings.js know the same
ones, and a test holds the three against each other. "tokens" are tokens that no event prints otherwise. A row "at" some
tokens has their values, then the mass of all other tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar


@dataclass(slots=True)
class Working:
    """One step of a rule. Subclasses name their kind, and say where it happened if not in the round as a whole."""

    kind: ClassVar[str]

    def as_dict(self) -> dict[str, Any]:
        """As it stands in a trace."""
        return {"kind": self.kind, **{item.name: getattr(self, item.name) for item in fields(self)}}


@dataclass(slots=True)
class AtNode(Working):
    """Of the draws below one node, which the walk fills in."""

    node: int = -1


@dataclass(slots=True)
class InLayer(Working):
    """Of one layer, from 1, which the forest fills in."""

    layer: int = -1


@dataclass(slots=True, kw_only=True)
class Recursive(AtNode):
    """How the rest of p shrank.

    Attributes:
        tokens: the tested draws, and the likeliest in p, q and the last rest.
        draws: the tested ones, the accepted one last.
        rests: p, then what each rejection left, at the tokens.
        offers: what the draws were drawn by, at the tokens; one row where it was the same for all.
    """

    kind = "recursive"
    tokens: list[int]
    draws: list[int]
    rests: list[list[float]]
    offers: list[list[float]]


@dataclass(slots=True, kw_only=True)
class Matching(AtNode):
    """What the target may draw beside a draft.

    Attributes:
        tokens: the draft, and the likeliest in p and q.
        target, draft: p, and what the draft was drawn by, at the tokens.
        chance: that a draft so drawn is matched.
    """

    kind = "matching"
    tokens: list[int]
    target: list[float]
    draft: list[float]
    chance: float


@dataclass(slots=True, kw_only=True)
class KSeq(AtNode):
    """The division factor, and what it makes of the acceptance: `one` of one draw, `all` of all K."""

    kind = "k_seq"
    num_draws: int
    factor: float
    one: float
    all: float


@dataclass(slots=True, kw_only=True)
class Importance(AtNode):
    """What the selection made of the draws.

    Attributes:
        tokens: the draws and the likeliest in p, q and P_I.
        target, draft, law: p, q of the selected draw, and P_I, at the tokens.
        draws: in draw order.
        selected: place of the one that was.
        chances: of each draw to be the one, given all that were drawn.
        one, all: acceptance of one draw by itself, and of the selected one.
    """

    kind = "importance"
    tokens: list[int]
    target: list[float]
    draft: list[float]
    law: list[float]
    draws: list[int]
    selected: int
    chances: list[float]
    one: float
    all: float


@dataclass(slots=True, kw_only=True)
class Sequoia(AtNode):
    """What a round's tree was planned for, and what the run has seen by the end of it.

    Attributes:
        acceptance: the vector a.
        expected: tokens that the tree should emit if a is right, the extra one included.
        tested, passed: by place in the draw order, the run's tests so far, and the sum of their acceptance
            probabilities.
    """

    kind = "sequoia"
    acceptance: list[float]
    expected: float
    tested: list[int]
    passed: list[float]


@dataclass(slots=True, kw_only=True)
class Relaxed(InLayer):
    """How a layer of N draws and K outputs stands.

    Attributes:
        num_draws: N.
        width: K.
        accepted: draws.
        rate: alpha, of one draw.
        whole: how likely all outputs are drafts, so that the round goes on.
        share: the part of the outputs that are drafts, on average.
        distance: total variation of one output's law from p; None where it depends on the draws.
    """

    kind = "relaxed"
    num_draws: int
    width: int
    accepted: int
    rate: float
    whole: float
    share: float
    distance: float | None


@dataclass(slots=True, kw_only=True)
class BeamWidth(InLayer):
    """How a layer came to its width: see theory/beam_width.py.

    Attributes:
        num_draws: offered, m.
        rates: alpha_1 .. alpha_m.
        probabilities: P(m, 0) .. P(m, m).
        threshold: t; None where the width is fixed.
        min_width: W_min.
        reached: W~(t); None where the width is fixed.
        width: what was asked for.
        accepted: draws.
    """

    kind = "beam_width"
    num_draws: int
    rates: list[float]
    probabilities: list[float]
    threshold: float | None
    min_width: int
    reached: int | None
    width: int
    accepted: int


@dataclass(slots=True, kw_only=True)
class JointSearch(InLayer):
    """One step of a block's search.

    Attributes:
        layer: so many of the block's tokens are there.
        length: so many it will have.
        exact: nothing was left behind that could change the choice; before the last layer, nothing was left behind.
        width: texts kept.
        num_candidates: texts weighed.
        log_prob: joint, of the chosen text, or so far the best, since the block began.
        drawn: the choice is a draw.
    """

    kind = "joint_search"
    length: int
    exact: bool
    width: int
    num_candidates: int
    log_prob: float
    drawn: bool


@dataclass(slots=True, kw_only=True)
class Speculative(Working):
    """A chain tested token by token: how many were, which the recorded alternatives tell the rest of."""

    kind = "speculative"
    tested: int


@dataclass(slots=True, kw_only=True)
class Block(Working):
    """A chain judged as a block: the reach P_i of each of its prefixes."""

    kind = "block"
    reaches: list[float]


@dataclass(slots=True, kw_only=True)
class Traversal(Working):
    """A tree judged from its leaves: how many nodes were tried until one passed."""

    kind = "traversal"
    tested: int


@dataclass(slots=True, kw_only=True)
class TopSet(Working):
    """A drafted search held against the target's own: the width of both."""

    kind = "top_set"
    width: int


@dataclass(slots=True, kw_only=True)
class Joint(Working):
    """The threshold, and the joint ratio of each prefix, 1 at most."""

    kind = "joint"
    tau: float
    ratios: list[float]


@dataclass(slots=True, kw_only=True)
class Rollback(Working):
    """Both thresholds, and what was held against them.

    Attributes:
        confidences: of the small model in each drafted token, then in the one it was too unsure of to draft, if any.
        surprises: of the drafted tokens; None: impossible under the target.
        fallback: the least confidence with which the small model writes on.
        rollback: the largest surprise that is let pass.
        tokens: the one that was not drafted.
    """

    kind = "rollback"
    confidences: list[float]
    surprises: list[float | None]
    fallback: float
    rollback: float
    tokens: list[int]


@dataclass(slots=True, kw_only=True)
class Typical(Working):
    """The bar before each token that was ruled on, and the entropy it came from."""

    kind = "typical"
    epsilon: float
    delta: float
    bars: list[float]
    entropies: list[float]


@dataclass(slots=True, kw_only=True)
class PromptLookup(Working):
    """Where the last tokens stood before: places in the text, the prompt's first token being 0, and how many."""

    kind = "prompt_lookup"
    start: int
    length: int


@dataclass(slots=True, kw_only=True)
class Suffix(Working):
    """Where the text's end stood before, and the tree of what followed.

    Attributes:
        length: so many last tokens.
        places: of what followed, the most recent first, the prompt's first token being 0; not more than are shown.
        num_places: all of them.
        score: the sum of the values.
        nodes, values: the drafted ones, and the share of places that each stands for, best first.
    """

    kind = "suffix"
    length: int
    places: list[int]
    num_places: int
    score: float
    nodes: list[int]
    values: list[float]


@dataclass(slots=True, kw_only=True)
class DynamicTree(Working):
    """What was kept and what was cut, best first.

    Attributes:
        nodes, values: what was kept.
        tokens, cut: the best of what was left out, and their values.
        num_cut: all that were left out.
    """

    kind = "dynamic_tree"
    nodes: list[int]
    values: list[float]
    tokens: list[int]
    cut: list[float]
    num_cut: int


@dataclass(slots=True, kw_only=True)
class Layers(Working):
    """What every layer of the target would have said where a drafted token was tested, the first layer first.

    Attributes:
        node: the drafted one.
        tokens, best: the likeliest token of each layer, and its probability.
        drafted: the probability of the drafted token; the last layer's is p, but for beams, see `layers_of`.
    """

    kind = "layers"
    node: int
    tokens: list[int]
    best: list[float]
    drafted: list[float]


def kinds() -> dict[str, type[Working]]:
    """Every record by its kind."""
    found = [kind for where in (Working, AtNode, InLayer) for kind in where.__subclasses__()]
    return {each.kind: each for each in found if hasattr(each, "kind")}
