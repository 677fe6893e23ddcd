"""Prompt lookup: no draft model; the draft is copied from where the last few tokens stood in the text before.

    the cat sat on the mat and the cat sat ...
    ~~~~~~~~~~~                ~~~~~~~~~~~       the last n tokens occur earlier, n as large as possible
               \\-> on the mat and ...             the draft: what followed there
    u1 < p(on)?  u2 < p(the)?  ...                copying is deterministic, so q = 1

Paper: Saxena 2023, Prompt Lookup Decoding, github.com/apoorvumang/prompt-lookup-decoding (no paper).
Differs from the paper: sampling too, not only greedy, by the rule for deterministic draws; the most recent occurrence,
    not the first; a copy that reaches the end of the text goes on with what it has copied, so repetitions are
    continued. Copying stops at an end-of-text token.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import NamedTuple

from playground.decoding import method
from playground.decoding.distribution import Deterministic
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree
from playground.decoding.workings.records import PromptLookup as Working


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Length of the match, and length of the copy."""

    draft_length: int = option(8, label="Draft length", help="Tokens copied per round.", low=1, high=32, unit="tokens")
    max_ngram: int = option(
        3,
        label="Longest match",
        help="Look for the last n tokens, from this n down to 1.",
        low=1,
        high=8,
        unit="tokens",
    )


class Match(NamedTuple):
    """Earlier occurrence of the last tokens: the index after it, and its length."""

    end: int
    length: int


@dataclass(slots=True)
class CopiedDraft(Draft):
    """A draft with the match that it was copied from; None without one."""

    match: Match | None = None


class PromptLookup(DecodingMethod):
    """No draft model: copy what followed the last few tokens where they stood before."""

    title = "Prompt lookup"
    paper = "Saxena 2023, Prompt Lookup Decoding, github.com/apoorvumang/prompt-lookup-decoding"
    reproduces = "target sampling"
    needs_draft_model = False
    drafts = "chain"

    def draft(self, setting: Setting) -> CopiedDraft:
        """Draft a chain of copied tokens; nothing where the last token is new to the text."""
        context, length = setting.tree.context(setting.frontier[0]), self.options.draft_length
        draft = CopiedDraft(match=last_match(context, max_ngram=self.options.max_ngram))
        for [node], token in zip(setting.parents_by_depth(draft, length), copied(context, draft.match), strict=False):
            draft.hang(setting.tree, [(node, token)], Deterministic())
        return draft

    def verify(self, setting: Setting, draft: CopiedDraft) -> Verdict:
        """Walk down the chain."""
        verdict, match = verify_tree(setting, draft, recursive.judge), draft.match
        if match and draft.depths:
            verdict.workings.append(lambda: Working(start=match.end - match.length, length=match.length))
        return verdict


def last_match(context: list[int], *, max_ngram: int) -> Match | None:
    """Find the most recent earlier occurrence of the last n tokens, for the largest n that has one."""
    for n in range(min(max_ngram, len(context) - 1), 0, -1):
        suffix = context[-n:]
        for end in range(len(context) - 1, n - 1, -1):
            if context[end - 1] == suffix[-1] and context[end - n : end] == suffix:
                return Match(end, n)
    return None


def copied(context: list[int], match: Match | None) -> Iterator[int]:
    """Tokens that followed a match, repeated without end; none without a match.

    Example: after [1, 2, 3, 1, 2] the match is [1, 2] at the beginning, and its copy is 3, 1, 2, 3, 1, ...
    """
    return cycle(context[match.end :]) if match else iter(())
