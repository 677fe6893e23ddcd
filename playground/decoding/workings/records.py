"""The workings in a trace, one record per kind: what a rule or a method decided with, small enough to keep.

A record's fields are the trace's, by name; the JSON Schema and the page's contract are made from them. "tokens" are
tokens that no event prints otherwise. A row at some tokens has their values, then the mass of all other tokens. Ranges
are for who reads a file: the page passes over a record that is outside of them.
"""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta, Struct, to_builtins

from playground.trace.events import snake_case

FEW = Meta(max_length=80)
Count = Annotated[int, Meta(ge=0, le=10**9)]
Counts = Annotated[list[Count], FEW]
Share = Annotated[float, Meta(ge=0, le=1.001)]  # older files have four digits
Shares = Annotated[list[Share], FEW]
Rows = Annotated[list[Shares], FEW]
Positive = Annotated[float, Meta(ge=0, le=1e9)]
Positives = Annotated[list[Positive], FEW]


class Working(Struct, kw_only=True, tag_field="kind", tag=snake_case):
    """One step of a rule. The kind is the name in snake case; subclasses say where it happened, if not in the round."""

    COLUMNS: ClassVar[tuple[tuple[str, ...], ...]] = ()  # lists of one length

    def as_dict(self) -> dict[str, object]:
        """Return it as a trace has it."""
        return to_builtins(self, enc_hook=np.generic.item)  # rules count in numpy, whose numbers JSON does not know


class AtNode(Working, kw_only=True):
    """Workings of the draws below one node, which the walk fills in."""

    node: Count = -1


class AtDepth(Working, kw_only=True):
    """Workings of one depth, from 1, which the forest fills in."""

    depth: Count = -1


class Recursive(AtNode, kw_only=True):
    """The residual of p, draw by draw.

    Attributes:
        tokens: the tested draws, and the likeliest in p, q and the last residual.
        draws: the tested ones, the accepted one last.
        residuals: p, then what each rejection left, at the tokens.
        offers: what the draws were drawn by, at the tokens; one row where it was the same for all.
    """

    tokens: Counts
    draws: Counts
    residuals: Rows
    offers: Rows


class Matching(AtNode, kw_only=True):
    """A token that the target may draw instead of a draft.

    Attributes:
        tokens: the draft, and the likeliest in p and q.
        target, draft: p, and what the draft was drawn by, at the tokens.
        chance: that a draft so drawn is matched.
    """

    tokens: Counts
    target: Shares
    draft: Shares
    chance: Share


class KSeq(AtNode, kw_only=True):
    """The division factor, and what it makes of the acceptance: `one` of one draw, `all` of all K."""

    num_draws: Count
    factor: Positive
    one: Share
    all: Share


class Importance(AtNode, kw_only=True):
    """Selection of one of the draws.

    Attributes:
        tokens: the draws and the likeliest in p, q and P_I.
        target, draft, distribution: p, q of the selected draw, and P_I, at the tokens.
        draws: in draw order.
        selected: place of the one that was.
        chances: of each draw to be the one, given all that were drawn.
        one, all: acceptance of one draw by itself, and of the selected one.
    """

    COLUMNS = (("draws", "chances"),)

    tokens: Counts
    target: Shares
    draft: Shares
    distribution: Shares
    draws: Counts
    selected: Count
    chances: Shares
    one: Share
    all: Share


class Sequoia(AtNode, kw_only=True):
    """Acceptance rates that a round's tree was planned for, and those that the run has seen by its end.

    Attributes:
        acceptance: the vector a.
        expected: tokens that the tree should emit if a is right, the extra one included.
        tested, passed: by place in the draw order, the run's tests so far, and the sum of their acceptance
            probabilities.
    """

    COLUMNS = (("tested", "passed"),)

    acceptance: Shares
    expected: Positive | None
    tested: Counts
    passed: Positives


class Relaxed(AtDepth, kw_only=True):
    """State of one depth of N draws and K outputs.

    Attributes:
        num_draws: N.
        width: K.
        accepted: draws.
        rate: alpha, of one draw.
        whole: how likely all outputs are drafts, so that the round goes on.
        share: the part of the outputs that are drafts, on average.
        distance: total variation of one output's distribution from p; None where it depends on the draws.
    """

    num_draws: Count
    width: Count
    accepted: Count
    rate: Share
    whole: Share
    share: Share
    distance: Share | None


class BeamWidth(AtDepth, kw_only=True):
    """Choice of a depth's width: see theory/beam_width.py.

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

    num_draws: Count
    rates: Shares
    probabilities: Shares
    threshold: Share | None
    min_width: Count
    reached: Count | None
    width: Count
    accepted: Count


class JointSearch(AtDepth, kw_only=True):
    """One step of a block's search.

    Attributes:
        depth: number of the block's tokens so far.
        length: number it will have.
        exact: nothing was left behind that could change the choice; before the last depth, nothing was left behind.
        width: texts kept.
        num_candidates: texts weighed.
        log_prob: joint, of the chosen text, or so far the best, since the block began.
        drawn: the choice is a draw.
    """

    length: Count
    exact: bool
    width: Count
    num_candidates: Count
    log_prob: Annotated[float, Meta(le=0.001)]
    drawn: bool


class Speculative(Working, kw_only=True):
    """A chain tested token by token: how many were, which the recorded alternatives tell the rest of."""

    tested: Count


class Block(Working, kw_only=True):
    """A chain tested as a block: the reach P_i of each of its prefixes."""

    reaches: Shares


class Traversal(Working, kw_only=True):
    """A tree tested from its leaves: how many nodes were tried until one passed."""

    tested: Count


class TopSet(Working, kw_only=True):
    """A drafted search held against the target's own: the width of both."""

    width: Count


class Joint(Working, kw_only=True):
    """The threshold, and the joint ratio of each prefix, 1 at most."""

    tau: Share
    ratios: Shares


class Rollback(Working, kw_only=True):
    """Both thresholds, and what was held against them.

    Attributes:
        confidences: of the small model in each drafted token, then in the one it was too unsure of to draft, if any.
        surprises: of the drafted tokens; None: impossible under the target.
        fallback: the least confidence with which the small model writes on.
        rollback: the largest surprise that is let pass.
        tokens: the one that was not drafted.
    """

    confidences: Shares
    surprises: Annotated[list[Positive | None], FEW]
    fallback: Positive
    rollback: Positive
    tokens: Counts


class Typical(Working, kw_only=True):
    """The bar before each token that was ruled on, and the entropy it came from."""

    COLUMNS = (("thresholds", "entropies"),)

    epsilon: Share
    delta: Share
    thresholds: Shares
    entropies: Positives


class Ensemble(Working, kw_only=True):
    """Weight of the target in the mixture, and the mixture's probability of each token that was tested."""

    weight: Share
    mixture: Shares


class PromptLookup(Working, kw_only=True):
    """Earlier occurrences of the last tokens: their number, and positions in the text, where the prompt begins at 0."""

    start: Count
    length: Count


class Suffix(Working, kw_only=True):
    """Earlier occurrences of the text's end, and the tree of what followed.

    Attributes:
        length: number of last tokens.
        indices: of what followed, the most recent first, the prompt's first token being 0; not more than are shown.
        num_indices: all of them.
        score: the sum of the values.
        nodes, values: the drafted ones, and the share of indices that each represents, best first.
    """

    COLUMNS = (("nodes", "values"),)

    length: Count
    indices: Counts
    num_indices: Count
    score: Positive
    nodes: Counts
    values: Shares


class TokenTable(Working, kw_only=True):
    """Rows that a round's call writes into the table of Token Recycling.

    Attributes:
        size: rows of the table at the beginning of the round.
        width: next tokens in a row.
        nodes: whose tokens the rows are of, in the order of the call; of many the first.
        tokens: those of the rows, one row after the other, the likeliest first.
    """

    size: Count
    width: Count
    nodes: Counts
    tokens: Counts


class Lookahead(Working, kw_only=True):
    """The pool's candidates and the window's trajectories; those that were cut off are left out.

    Attributes:
        lengths: number of nodes of each candidate, then of each trajectory, one for each of the tokens.
        nodes: of all of them, one after the other; those that coincide occur twice.
        tokens: the prediction that the call adds to each trajectory.
        ngram: N; a trajectory that it makes this long is a new n-gram.
        num_ngrams: in the pool, at the beginning of the round.
    """

    lengths: Counts
    nodes: Counts
    tokens: Counts
    ngram: Count
    num_ngrams: Count


class DynamicTree(Working, kw_only=True):
    """Drafts that were kept and drafts that were cut, best first.

    Attributes:
        nodes, values: what was kept.
        tokens, cut: the best of what was left out, and their values.
        num_cut: all that were left out.
    """

    COLUMNS = (
        ("nodes", "values"),
        ("tokens", "cut"),
    )

    nodes: Counts
    values: Shares
    tokens: Counts
    cut: Shares
    num_cut: Count


class BlockDraft(Working, kw_only=True):
    """A path drafted from one call of a block drafter, position by position: at temperature 1, before warping.

    Attributes:
        nodes: the drafted ones; of a tree, the path of first draws.
        base: q of the drafted token by the row of its position, without the Markov bias.
        biased: q with the Markov bias of the token before; where none is added, `base`.
        confidences: predicted acceptance of each row of the call, drafted from or not, if all before it are accepted.
        least_survival: predicted probability that all up to a position are accepted, below which it is not drafted;
            None where the drafter sets no limit.
    """

    COLUMNS = (("nodes", "base", "biased"),)

    nodes: Counts
    base: Shares
    biased: Shares
    confidences: Shares
    least_survival: Share | None


class Layers(Working, kw_only=True):
    """Every layer's prediction at each tested draft token, the first layer first.

    Attributes:
        node: the drafted one.
        tokens, best: the likeliest token of each layer, and its probability.
        drafted: the probability of the drafted token; the last layer's is p, but for beams, see `layers_of`.
    """

    COLUMNS = (("tokens", "best", "drafted"),)

    node: Count
    tokens: Counts
    best: Shares
    drafted: Shares


def kinds() -> dict[str, type[Working]]:
    """Every record by its kind."""
    records = [kind for base in (Working, AtNode, AtDepth) for kind in base.__subclasses__()]
    return {str(each.__struct_config__.tag): each for each in records if each not in (AtNode, AtDepth)}
