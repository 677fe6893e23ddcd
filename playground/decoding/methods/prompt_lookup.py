"""Prompt lookup: no draft model; the draft is copied from where the last few tokens stood in the text before.

    the cat sat on the mat and the cat sat ...
    ~~~~~~~~~~~                ~~~~~~~~~~~       the last n tokens occur earlier, n as large as possible
               \\-> on the mat and ...             the draft: what followed there
    coin < p(on)?  coin < p(the)?  ...            a copied token was certain to be proposed, so q = 1

Paper: Saxena 2023, Prompt Lookup Decoding, github.com/apoorvumang/prompt-lookup-decoding (no paper).
Differs from the paper: sampling too, not only greedy, by the rule for deterministic draws; the most recent occurrence,
    not the first; a copy that reaches the end of the text goes on with what it has copied, so repetitions are
    continued. Copying stops at an end-of-text token.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice

import torch

from playground.decoding import method
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Draft, Layer, Setting, Verdict
from playground.decoding.verification import deterministic
from playground.decoding.verification.walk import verify_tree


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """How much to match, and how much to copy."""

    draft_length: int = option(8, label="Draft length", help="Tokens copied per round.", low=1, high=32, unit="tokens")
    max_ngram: int = option(
        3,
        label="Longest match",
        help="Look for the last n tokens, from this n down to 1.",
        low=1,
        high=8,
        unit="tokens",
    )


class PromptLookup(DecodingMethod):
    """Copy a chain out of the text so far, judge it in one target call."""

    title = "Prompt lookup"
    summary = "No draft model: copy what followed the last few tokens where they stood before."
    paper = "Saxena 2023, Prompt Lookup Decoding, github.com/apoorvumang/prompt-lookup-decoding"
    lossless = True
    reproduces = "target sampling"
    needs_draft_model = False
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """A chain of copied tokens; nothing where the last token is new to the text."""
        draft, node = Draft(), setting.frontier[0]
        context = setting.tree.context(node)
        length = min(self.options.draft_length, setting.room - 1)  # the last token is the target's own
        model = setting.target.model
        blank = torch.empty(model.vocab_size, device=model.device)  # (V,)
        for token in copied(context, max_ngram=self.options.max_ngram, length=length):
            draft.probs[node] = deterministic.certain_draws([token], like=blank)  # (V,)
            child = setting.tree.add(node, token)
            draft.layers.append(Layer([node], [child], 0.0))
            node = child
            if token in setting.eos_ids:
                break
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down the chain."""
        return verify_tree(setting, draft, deterministic.judge)


def copied(context: list[int], *, max_ngram: int, length: int) -> list[int]:
    """What followed the last n tokens at their most recent earlier occurrence, for the largest n that has one.

    Example: after [1, 2, 3, 1, 2] with max_ngram 2 the match is [1, 2], and its copy is 3, 1, 2, 3, 1, ...

    Args:
        context: the text so far.
        max_ngram: the largest n to try.
        length: tokens to copy.
    """
    for n in range(min(max_ngram, len(context) - 1), 0, -1):
        suffix = context[-n:]
        for end in range(len(context) - 1, n - 1, -1):
            if context[end - 1] == suffix[-1] and context[end - n : end] == suffix:
                return list(islice(cycle(context[end:]), length))
    return []
