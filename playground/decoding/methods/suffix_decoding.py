"""SuffixDecoding: no draft model; the draft is the tree of all that followed where the text's end stood before.

    ... the cat sat on ... the cat ran ... the cat sat by ... the cat    every earlier occurrence of the last n tokens
    frontier -> sat 2/3 -> on 1/3                  best first, by the share of occurrences; as many as the match is long
             |          \\-> by 1/3                 of all n, the one whose tree has the greatest sum of shares
             \\-> ran 1/3
    walk: u < p(sat)? else u' < p(ran) / (1 - p(sat))? ...         copying is deterministic: q = 1

Paper: Oliaro et al. 2024, SuffixDecoding: Extreme Speculative Decoding for Emerging AI Applications, arXiv 2411.04975.
Differs from the paper: it looks into the texts of earlier requests too; here a run knows itself only, so that the same
    request gives the same text. Sampling too, by the rule for deterministic draws, with siblings tested in the order of
    their shares. The text is searched again in every round: no suffix tree is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import hang_paths
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree
from playground.decoding.workings import records
from playground.models.drafters.suffixes import Continuation, best_continuation

NUM_OCCURRENCES_SHOWN = 8  # in the workings


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Length of the match, and size of the draft."""

    num_nodes: int = option(
        16,
        label="Tree size",
        help="Tokens drafted per round at most.",
        low=1,
        high=64,
        unit="tokens",
        key="num_nodes",
    )
    max_match: int = option(
        16,
        label="Longest match",
        help="Look for at most this many last tokens.",
        low=1,
        high=32,
        unit="tokens",
        key="max_match",
    )
    per_token: float = option(
        2.0,
        label="Tokens per matched token",
        help="A match of n tokens drafts n times this many: a longer one is likelier to go on. Alpha in the paper.",
        low=1.0,
        high=8.0,
        step=0.5,
        unit="tokens",
        key="per_token",
    )

    @property
    def num_drafted(self) -> int:
        """Largest size of the tree."""
        return min(self.num_nodes, int(self.max_match * self.per_token))


@dataclass(slots=True)
class SuffixDraft(Draft):
    """A draft with the match that it was copied from; None without one."""

    continuation: Continuation | None = None  # the match, and the tree of what followed it
    values: dict[int, float] | None = None  # node -> its share of the occurrences, best first


class SuffixDecoding(DecodingMethod):
    """No draft model: a tree of everything that followed where the text's end stood before, the commonest first."""

    title = "SuffixDecoding"
    paper = "Oliaro et al. 2024, SuffixDecoding, arXiv 2411.04975"
    reproduces = "target sampling"
    needs_draft_model = False

    def draft(self, setting: Setting) -> SuffixDraft:
        """Draft the copied tree; an empty one where the last token is new to the text."""
        return copied(setting, search(setting, self.options))

    def verify(self, setting: Setting, draft: SuffixDraft) -> Verdict:
        """Walk down the tree."""
        verdict = verify_tree(setting, draft, recursive.judge)
        if draft.depths:
            verdict.workings.append(workings(draft))
        return verdict


def search(setting: Setting, options: Options) -> Continuation | None:
    """Continuation of the best match of the text's end; None where there is none."""
    return best_continuation(
        setting.tree.context(setting.frontier[0]),
        longest=options.max_match,
        per_token=options.per_token,
        most=options.num_nodes,
        depth=setting.depth(options.num_nodes),
        final=setting.eos_ids,
    )


def copied(setting: Setting, continuation: Continuation | None) -> SuffixDraft:
    """Return a continuation as deterministic draws, depth by depth; none below a node that ends its text."""
    draft, paths = SuffixDraft(continuation=continuation), list[list[int]]()
    guesses = continuation.guesses if continuation else ()
    for guess in guesses:
        paths.append([*(paths[guess.parent] if guess.depth > 1 else ()), guess.token])
    nodes = hang_paths(setting, draft, paths, max(map(len, paths), default=0))
    whole = zip(guesses, paths, nodes, strict=True)
    draft.values = {on[-1]: guess.value for guess, path, on in whole if len(on) == len(path)}
    return draft


def workings(draft: SuffixDraft) -> Callable[[], records.Suffix]:
    """Record the match, and the values of its tree."""
    continuation, values = draft.continuation, draft.values or {}
    assert continuation is not None, "a copied draft without a match"
    return lambda: records.Suffix(
        length=continuation.length,
        indices=list(continuation.positions[:NUM_OCCURRENCES_SHOWN]),
        num_indices=len(continuation.positions),
        score=continuation.score,
        nodes=list(values),
        values=list(values.values()),
    )
