"""Choice of the drafter: one word for each, which commands, forms, links and entries of a race share.

    draft     the pair's draft model
    other     its other draft model, if it has one: the bundled pair's is weaker
    foreign   its draft model with another tokenizer, if it has one: see `translated_model`
    exit4     the first 4 layers of the target, with its own output layer
    head      one layer that was trained to read what the target made of its text: the draft where that is such a head
    mtp       the multi-token-prediction layer in the target's own files: the draft where that is such a layer
    block     several positions in one call, none given the tokens before it; block-markov: each given the token
              before it; block-confidence: that, to the depth at which it predicts acceptance
    suffix    the text itself, by counts

All answer the one question that decoding asks of a model: every method with a draft model takes any of them as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from playground.errors import PlaygroundError, did_you_mean
from playground.models.bundled import BLOCK, BLOCK_CONFIDENCE, BLOCK_MARKOV
from playground.models.modes import own_modes
from playground.words import paragraph, word

if TYPE_CHECKING:
    from playground.models.language_model import LoadedPair

DRAFT = "draft"
OTHER = "other"
FOREIGN = "foreign"
SUFFIX = "suffix"
HEAD = "head"
MTP = "mtp"
BLOCKS = (BLOCK, BLOCK_MARKOV, BLOCK_CONFIDENCE)
NO_OTHER = word("refused_no_other")
NO_FOREIGN = word("refused_no_foreign")
EXIT = re.compile(r"exit(\d{1,3})")


def drafter_title(drafter: str) -> str:
    """Title of a drafter.

    Raises:
        PlaygroundError: on an unknown word.
    """
    titles = {
        DRAFT: word("race_drafter_draft"),
        OTHER: word("race_drafter_other"),
        FOREIGN: word("race_drafter_foreign"),
        HEAD: word("race_drafter_head"),
        MTP: word("race_drafter_mtp"),
        BLOCK: word("race_drafter_block"),
        BLOCK_MARKOV: word("race_drafter_markov"),
        BLOCK_CONFIDENCE: word("race_drafter_confidence"),
        SUFFIX: word("race_drafter_suffix"),
    }
    if drafter in titles:
        return titles[drafter]
    depth = _depth(drafter)
    return word("race_drafter_exit", depth=depth) if depth != 1 else word("race_drafter_exit_one")


@own_modes
def with_drafter(pair: LoadedPair, drafter: str) -> LoadedPair:
    """Return the pair with this drafter in the place of its draft model, which is then the first of the others.

    Raises:
        PlaygroundError: on an unknown word, or where the pair has no such drafter.
    """
    from playground.models.drafters.block import load_block
    from playground.models.drafters.eagle3 import Eagle3Head
    from playground.models.drafters.early_exit import EarlyExit
    from playground.models.drafters.head import load_head
    from playground.models.drafters.mtp import MtpDrafter, load_mtp
    from playground.models.drafters.text_model import TextModel
    from playground.models.drafters.translated_model import TranslatedModel

    given = {HEAD: Eagle3Head, MTP: MtpDrafter}.get(drafter)
    if drafter == DRAFT or (given and isinstance(pair.draft, given)):
        return pair
    drafts = [*([pair.draft] if pair.draft else []), *pair.others]
    if drafter == OTHER:
        if not pair.others:
            raise PlaygroundError(NO_OTHER)
        chosen = drafts.pop(1)
    elif drafter == FOREIGN:
        index = next((index for index, each in enumerate(drafts) if isinstance(each, TranslatedModel)), None)
        if index is None:
            raise PlaygroundError(NO_FOREIGN)
        chosen = drafts.pop(index)
    else:
        makers = {SUFFIX: TextModel, HEAD: load_head, MTP: load_mtp} | {
            block: partial(load_block, word=block) for block in BLOCKS
        }
        make = makers.get(drafter)
        chosen = make(pair.target) if make else EarlyExit(pair.target, _depth(drafter))
    return replace(pair, draft=chosen, others=tuple(drafts))


def drafter_called(pair: LoadedPair, name: str) -> LoadedPair | None:
    """Return the pair with the drafter that a trace calls by this name; None where it has none."""
    depths = range(1, pair.target.facts()["layers"])
    for drafter in (DRAFT, OTHER, FOREIGN, SUFFIX, HEAD, MTP, *BLOCKS, *(f"exit{depth}" for depth in depths)):
        try:
            chosen = with_drafter(pair, drafter)
        except PlaygroundError:
            continue
        if chosen.draft and chosen.draft.name == name:
            return chosen
    return None


def _depth(drafter: str) -> int:
    exit_layer = EXIT.fullmatch(drafter)
    if not exit_layer:
        hint = did_you_mean(drafter, [DRAFT, OTHER, FOREIGN, HEAD, MTP, *BLOCKS, SUFFIX, "exit4"])
        raise PlaygroundError(paragraph(word("unknown_drafter", name=repr(drafter)), hint))
    return int(exit_layer[1])
