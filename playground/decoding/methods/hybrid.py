"""Hybrid: copy where the text repeats itself, ask the draft model where it does not.

    the text's end stood before, and what followed there adds up to enough?
        yes:  frontier -> the tree of what followed            deterministic: q = 1
        no:   frontier --q--> x1 --q--> x2 --q--> x3           drawn from the draft model; with a width above 1
              the tree of its best tokens, as in `dynamic_tree`
    walk: u < p/q, with the q of each draw; a correction from the residual, a bonus if all were accepted

The choice between the two depends on the text so far and on nothing else, so the round is lossless either way.

Paper: Oliaro et al. 2024, SuffixDecoding: Extreme Speculative Decoding for Emerging AI Applications, arXiv 2411.04975:
    its hybrid takes the copied tree where that has a high enough score, and a model-based speculator where not.
Differs from the paper: unless asked otherwise the speculator is a plain draft model that writes a chain, not EAGLE's
    trained head with a tree; our default threshold. As in `suffix_decoding`, only the run's own text is searched.
"""

from dataclasses import dataclass
from functools import partial

from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import length_option
from playground.decoding.drafting.samplers import draft_chains, draft_samplers
from playground.decoding.method import DecodingMethod, option
from playground.decoding.methods import suffix_decoding
from playground.decoding.methods.dynamic_tree import RankedDraft, grow_best, workings
from playground.decoding.methods.suffix_decoding import SuffixDraft, copied, search
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree


@dataclass(frozen=True, slots=True)
class Options(suffix_decoding.Options):
    """The copied tree, the draft model's chain, and the score from which a tree is copied."""

    draft_length: int = length_option()
    width: int = option(
        1,
        label="Width",
        help="1: the draft model writes a chain. More: it grows a tree, and the best nodes are verified, on average "
        "this many a depth, as deterministic draws.",
        low=1,
        high=8,
    )
    least_score: float = option(
        3.0,  # more than a match of one token has
        label="Least score to copy",
        help="Copy where the shares of what followed add up to this much; else the draft model writes. 0 copies "
        "wherever there is something to copy.",
        low=0.0,
        high=16.0,
        step=0.25,
    )

    @property
    def num_drafted(self) -> int:
        """The larger of the two drafts."""
        return max(self.draft_length * self.width, min(self.num_nodes, int(self.max_match * self.per_token)))


class Hybrid(DecodingMethod):
    """Copies a tree where the text repeats itself, as SuffixDecoding does, and lets the draft model write elsewhere."""

    title = "Hybrid of copying and drafting"
    paper = "Oliaro et al. 2024, SuffixDecoding, arXiv 2411.04975"
    reproduces = "target sampling"

    def draft(self, setting: Setting) -> Draft:
        """Draft the copied tree, or a chain drawn token by token from the draft model."""
        continuation = search(setting, self.options)
        if continuation and continuation.score >= self.options.least_score:
            return copied(setting, continuation)
        length, width = self.options.draft_length, self.options.width
        if width == 1:
            return draft_chains(setting, length, draft_samplers(setting))
        return grow_best(setting, depth=length, width=width, total=length * width)

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down, each draw with its own distribution."""
        verdict = verify_tree(setting, draft, recursive.judge)
        if isinstance(draft, SuffixDraft) and draft.depths:
            verdict.workings.append(suffix_decoding.workings(draft))
        if isinstance(draft, RankedDraft) and draft.depths:
            verdict.workings.append(partial(workings, draft))
        return verdict
