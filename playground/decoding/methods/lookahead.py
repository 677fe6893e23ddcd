"""Lookahead decoding: no draft model; every call refines a window of predictions, and n-grams of them are verified.

    frontier -> a -> b            candidates: n-grams of the pool that start with the text's last token
             -> x1 -> x2 -> x3    window, W = 3 by N - 1 = 2: its first row is a chain,
                |     |     |
                y1    y2    y3    and each trajectory x, y hangs from its own place in that row
    one call: walk down, candidates first; the row after y1 predicts z1, and x1 y1 z1 is a new n-gram of the pool

A call is one Jacobi iteration of the window: y1 y2 y3 become its first row, z1 z2 z3 its second. It begins with random
tokens of the text, and is N - 1 rows high after N - 1 calls.

Paper: Fu et al. 2024, Break the Sequential Dependency of LLM Inference Using Lookahead Decoding, arXiv 2402.02057.
Differs from the paper: the window's own predictions are verified, too, after the pool's n-grams; they are in the call
    anyway, and count as drafted. A trajectory that the budget or an end token cuts off begins again.

Measured greedily on ten prompts, on one thread of a processor: 1.45 tokens a call with the bundled target, 1.44 with
SmolLM2 135M, at 0.47 (0.42 to 0.51) and 0.43 (0.31 to 0.50) of plain decoding's speed: a call of that many tokens costs
three plain ones there. It pays where a call of 20 tokens costs little more than a call of one.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import chain

import numpy as np

from playground.decoding import method
from playground.decoding.categorical import categorical
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import hang_paths
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree
from playground.decoding.workings import records


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Size of the window, and number of candidates from the pool."""

    window: int = option(
        5,
        label="Window",
        help="Positions ahead that the target predicts in every call. W in the paper.",
        low=1,
        high=10,
    )
    ngram: int = option(
        3,
        label="N-gram length",
        help="Tokens of an n-gram: a prediction becomes one after this many calls. N in the paper.",
        low=2,
        high=5,
        unit="tokens",
    )
    candidates: int = option(
        5,
        label="Candidates",
        help="N-grams of the pool verified per round at most. 0 leaves Jacobi decoding. G in the paper.",
        low=0,
        high=10,
    )

    @property
    def num_drafted(self) -> int:
        """All trajectories, and all candidates without their first token."""
        return (self.window + self.candidates) * (self.ngram - 1)


@dataclass(slots=True)
class Memory:
    """Tokens of the window and of the pool, from round to round."""

    # predictions of each window position, of up to N - 1 calls, the oldest first
    trajectories: list[list[int]] = field(default_factory=list)
    # first token -> what followed it in the n-grams, the latest first
    pool: dict[int, list[list[int]]] = field(default_factory=dict)


@dataclass(slots=True)
class LookaheadDraft(Draft):
    """A draft with the nodes of its parts."""

    # nodes of each n-gram from the pool, as far as it was not cut off
    candidates: list[list[int]] = field(default_factory=list)
    trajectories: list[list[int]] = field(default_factory=list)  # nodes of each trajectory that was not cut off


class Lookahead(DecodingMethod):
    """No draft model: every call refines predictions of later tokens, and verifies n-grams of earlier ones."""

    title = "Lookahead decoding"
    paper = "Fu et al. 2024, Lookahead Decoding, arXiv 2402.02057"
    reproduces = "target sampling"
    needs_draft_model = False

    def draft(self, setting: Setting) -> LookaheadDraft:
        """Hang the pool's n-grams that start with the last token, then the window."""
        memory = setting.memory = setting.memory or Memory()
        width, height, last = self.options.window, self.options.ngram - 1, setting.tree.tokens[setting.frontier[0]]
        trajectories = [each[-height:] for each in memory.trajectories[:width]]
        trajectories += [[_token_of_text(setting)] for _ in range(width - len(trajectories))]
        first_row = [each[0] for each in trajectories]
        paths = [each[:height] for each in memory.pool.get(last, [])[: self.options.candidates]]
        num_candidates = len(paths)
        paths += [first_row[:index] + each for index, each in enumerate(trajectories)]
        draft = LookaheadDraft()
        nodes = hang_paths(setting, draft, paths, setting.depth(max(map(len, paths))))
        in_window = zip(nodes[num_candidates:], paths[num_candidates:], strict=True)
        draft.candidates = nodes[:num_candidates]
        draft.trajectories = [on[index:] for index, (on, path) in enumerate(in_window) if len(on) == len(path)]
        return draft

    def verify(self, setting: Setting, draft: LookaheadDraft) -> Verdict:
        """Walk down the tree, then move the window on by the same call's rows."""
        verdict, memory, token_of = verify_tree(setting, draft, recursive.judge), setting.memory, setting.tree.tokens
        predictions = [int(verdict.reading.row(nodes[-1]).argmax()) for nodes in draft.trajectories]
        if draft.depths:
            num_ngrams = sum(map(len, memory.pool.values()))
            verdict.workings.append(partial(workings, draft, predictions, self.options.ngram, num_ngrams))
        longer = [
            [*(token_of[node] for node in nodes), prediction]
            for nodes, prediction in zip(draft.trajectories, predictions, strict=True)
        ]
        ngrams = [each for each in longer if len(each) == self.options.ngram]
        pool = with_ngrams(memory.pool, ngrams, most=self.options.candidates)
        setting.memory = Memory([each[1:] if each in ngrams else each for each in longer], pool)
        return verdict


def with_ngrams(pool: dict[int, list[list[int]]], ngrams: list[list[int]], *, most: int) -> dict[int, list[list[int]]]:
    """Return a pool with further n-grams, the latest first; it keeps a limited number for each first token.

    Example: [1, 2, 3] puts [2, 3] before all that followed 1.
    """
    pool = dict(pool)
    for first, *following in ngrams:
        pool[first] = [following, *(each for each in pool.get(first, []) if each != following)][:most]
    return pool


def workings(draft: LookaheadDraft, predictions: list[int], ngram: int, num_ngrams: int) -> records.Lookahead:
    """Record the nodes of candidates and trajectories, and the call's prediction for each trajectory."""
    paths = [*draft.candidates, *draft.trajectories]
    return records.Lookahead(
        lengths=list(map(len, paths)),
        nodes=list(chain.from_iterable(paths)),
        tokens=predictions,
        ngram=ngram,
        num_ngrams=num_ngrams,
    )


def _token_of_text(setting: Setting) -> int:
    """Draw a token of the text so far."""
    tokens = np.bincount(setting.tree.context(setting.frontier[0]))
    return categorical(tokens / tokens.sum(), setting.draft_rng.random())
