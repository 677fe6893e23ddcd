"""Verification rules that are broken on purpose, each by a mistake such as code makes: what the bench must catch.

Every one wraps a real method and changes the one thing that its sentence names. They claim the distribution that the
real one reproduces, and are wrong. They are no methods: nothing offers them but the losslessness bench.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playground.decoding.distribution import without
from playground.decoding.method import DecodingMethod
from playground.decoding.methods.block_verification import BlockVerification
from playground.decoding.methods.dsbd import DSBD
from playground.decoding.methods.dynamic_tree import DynamicTree
from playground.decoding.methods.rsd_c import RSDC
from playground.decoding.methods.specinfer import SpecInfer
from playground.decoding.methods.spectr import SpecTr
from playground.decoding.methods.speculative_sampling import SpeculativeSampling
from playground.decoding.verification import matching
from playground.errors import PlaygroundError, did_you_mean
from playground.exactness import broken_methods as broken
from playground.exactness.broken_methods import patched, recursive_rejection, tested_by, walking
from playground.words import Word, named, paragraph, word


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One mistake.

    Attributes:
        title: what it is called.
        mistake: what the code does instead, in a sentence.
        why: what that does to the distribution of the text, in a sentence.
        kind: the real method's class with the mistake in it.
        options: of both, where their defaults hide the mistake.
        seen_in: the public thread where it was found, and what was otherwise there; "" where none is known.
    """

    title: str
    mistake: str
    why: str
    kind: type[DecodingMethod]
    options: dict[str, Any] = field(default_factory=dict)
    seen_in: str = ""

    @property
    def method(self) -> str:
        """Id of the real method, which is the name of its file."""
        return self.kind.__mro__[1].__module__.rpartition(".")[2]

    def make(self) -> DecodingMethod:
        """Return the broken method, ready to decode."""
        return self.kind(self.kind.Options(**self.options))


def broken_rule(name: str) -> BrokenRule:
    """Return the rule of this name.

    Raises:
        PlaygroundError: if there is none.
    """
    if name not in BROKEN:
        raise PlaygroundError(paragraph(word("unknown_rule", name=repr(name)), did_you_mean(name, BROKEN)))
    return BROKEN[name]


def named_rule(name: str) -> dict[str, Word]:
    """Return the title of a rule, its mistake, what that does, and where it was seen: words of the languages."""
    rule = BROKEN[name]
    return {part: named(f"broken.{name}.{part}", getattr(rule, part)) for part in ("title", "mistake", "why")} | {
        "seen": _seen(name, rule)
    }


def _seen(name: str, rule: BrokenRule) -> Word:
    thread, _, otherwise = rule.seen_in.partition(" ")
    if otherwise:
        return word("lossless_seen_otherwise", thread=thread, otherwise=named(f"broken.{name}.seen", otherwise))
    return word("lossless_seen", thread=thread) if thread else word("lossless_unseen")


BUSHY = {
    "first_branching": 3,
    "second_branching": 3,
    "later_branching": 2,
}  # so that later siblings matter

BROKEN: dict[str, BrokenRule] = {
    "correction_from_target": BrokenRule(
        "Correction from p",
        "After a rejection the correction is drawn from p, not from what p has beyond q.",
        "Tokens that are often accepted get their share a second time.",
        tested_by(SpeculativeSampling, broken.corrected_by(lambda p, q, token: p)),
        seen_in="github.com/ShopeeLLM/Spec-RL/issues/14",
    ),
    "bonus_from_draft": BrokenRule(
        "Bonus from q",
        "After a draft that was kept whole, the extra token is drawn from the draft model.",
        "Nobody ever tests that token, so it follows q.",
        patched(SpeculativeSampling, verify=broken.drawn_again("bonus", broken.after_draft)),
        {"draft_length": 1},
    ),
    "one_number": BrokenRule(
        "One random number a round",
        "The same random number tests every draft of a round and draws the correction, as if seeded anew each time.",
        "A number small enough for the first test is small for the second; a correction only comes with large ones.",
        patched(SpeculativeSampling, verify=broken.one_number),
        seen_in="github.com/vllm-project/vllm-ascend/pull/16370 (of the failed test and the correction alone)",
    ),
    "test_and_residual": BrokenRule(
        "One number for test and residual",
        "The number of the test that failed draws the correction as well.",
        "A test fails with a large number, so the correction is one of the residual's last tokens.",
        patched(SpeculativeSampling, verify=broken.residual_by_the_test),
        seen_in="github.com/vllm-project/vllm-ascend/pull/16370",
    ),
    "number_zero": BrokenRule(
        "A number that is always 0",
        "The uniform number of every test is 0.",
        "Every draft passes that the target can write at all, so all but the last token of a round follow q.",
        tested_by(SpeculativeSampling, broken.with_numbers(lambda uniforms: [0.0] * len(uniforms))),
        {"draft_length": 2},
        seen_in="github.com/vllm-project/vllm-ascend/issues/13730",
    ),
    "number_zero_or_one": BrokenRule(
        "A whole number for a uniform one",
        "The number of every test is 0 or 1, as an integer generator draws it.",
        "A draft that the target likes less than the draft model does passes half the time, whatever p/q is.",
        tested_by(
            SpeculativeSampling,
            broken.with_numbers(lambda uniforms: [0.0 if u < 0.5 else 1.0 for u in uniforms.tolist()]),
        ),
    ),
    "next_row_of_q": BrokenRule(
        "q of the next position",
        "A draft is tested, and its correction drawn, with the draft model's row behind it, not the one before it.",
        "That row has nothing to do with how the draft was drawn.",
        tested_by(SpeculativeSampling, broken.by_next_row_of_q),
        {"draft_length": 2},
    ),
    "refused_masked": BrokenRule(
        "Rejected token masked",
        "The correction is drawn from p without the rejected token, where the residual max(0, p - q) belongs.",
        "That is right for drafts without chance; of a drawn one all other tokens' q was offered too.",
        tested_by(SpeculativeSampling, broken.corrected_by(lambda p, q, token: matching.others(p, token))),
        seen_in="github.com/xLLM-AI/xllm/pull/2175",
    ),
    "residual_by_softmax": BrokenRule(
        "Residual by softmax",
        "The correction is drawn from softmax(max(0, p - q)), where the residual is to be divided by its sum.",
        "An exponential of numbers between 0 and 1 is nearly flat: every token may come, also where p is 0.",
        tested_by(SpeculativeSampling, broken.corrected_by(lambda p, q, token: np.exp(np.maximum(p - q, 0)))),
        seen_in="github.com/huggingface/transformers/pull/28508",
    ),
    "correction_from_next_row": BrokenRule(
        "Correction from the next row",
        "After a rejection the correction is drawn from the target's row after the rejected token.",
        "It continues a text that does not have that token.",
        patched(SpeculativeSampling, verify=broken.drawn_again("correction", broken.after_refused)),
        seen_in="github.com/openvinotoolkit/openvino.genai/issues/4190",
    ),
    "bonus_likeliest": BrokenRule(
        "Bonus without a draw",
        "After a draft that was kept whole, the extra token is the target's likeliest.",
        "That token gets the share of all others wherever a draft is kept.",
        patched(SpeculativeSampling, verify=broken.drawn_again("bonus", broken.likeliest)),
        {"draft_length": 1},
    ),
    "seeded_in_the_loop": BrokenRule(
        "Seeded in the loop",
        "The generator of the tests and of the extra token is seeded in every round, with the same seed.",
        "Each round may look right alone; together they repeat each other's luck.",
        patched(SpeculativeSampling, draft=broken.rewound("verify_rng")),
        {"draft_length": 1},
        seen_in="github.com/feifeibear/LLMSpeculativeSampling/pull/19 (of every draw)",
    ),
    "noise_reused": BrokenRule(
        "Noise drawn once for the text",
        "Drafts and tests of every round use the numbers of the first round.",
        "Each round may look right alone; together they repeat each other's luck.",
        patched(SpeculativeSampling, draft=broken.rewound("draft_rng", "verify_rng")),
        {"draft_length": 1},
        seen_in="github.com/sgl-project/sglang-jax/pull/940 (of a sampler that drafts nothing)",
    ),
    "draft_before_temperature": BrokenRule(
        "q before its temperature",
        "Drafts are sampled at twice the temperature and tested with q without it.",
        "A hot draft's rare tokens come more often than q says, and are accepted too often.",
        patched(SpeculativeSampling, verify=broken.by_plain_rows),
        {"draft_temperature_factor": 2.0},
        seen_in="github.com/deepseek-ai/DeepSpec/issues/31 (of another precision instead)",
    ),
    "certain_draft": BrokenRule(
        "Likeliest draft tested with its q",
        "The draft model's likeliest token is always drafted, but tested with p/q as if it had been drawn from q.",
        "It is drafted with certainty and accepted as if it were rarer; its q should be 1.",
        patched(SpeculativeSampling, draft=broken.certain),
        seen_in="github.com/huggingface/transformers/issues/32867",
    ),
    "draft_before_top_k": BrokenRule(
        "q before its top-k",
        "Drafts are drawn from the draft model's two likeliest tokens, and tested with its q over all tokens.",
        "A draft came more often than q says, and is accepted too often; tokens outside the two are never drafted.",
        patched(SpeculativeSampling, draft=broken.after_top_k, verify=broken.by_plain_rows),
        seen_in="github.com/huggingface/transformers/issues/47932",
    ),
    "first_unverified": BrokenRule(
        "First draft never verified",
        "The first draft of a round is kept without a test, and the tests begin with the second.",
        "The first token of every round follows q.",
        tested_by(SpeculativeSampling, broken.but_the_first),
        seen_in="github.com/ohdearquant/lattice/issues/243 (at temperature 0)",
    ),
    "unlikely_dropped": BrokenRule(
        "Unlikely draft thrown away",
        "A drawn token whose q is under 0.3 is taken out of the draft again, and the target writes there instead.",
        "Likely tokens have their share already, and get more of it where the target writes in another one's place.",
        patched(SpeculativeSampling, draft=broken.unlikely_dropped),
        seen_in="github.com/ggml-org/llama.cpp/pull/22506 (of drafts without chance, where it is harmless)",
    ),
    "block_by_tokens": BrokenRule(
        "Block tested by its tokens",
        "The longest prefix whose last token passes p/q is kept, whatever the tokens before it would have said.",
        "A token that the target does not want is carried along by a later one that it does.",
        tested_by(BlockVerification, broken.prefix(broken.longest_last)),
        seen_in="github.com/vllm-project/vllm-ascend/issues/7807",
    ),
    "match_likeliest": BrokenRule(
        "Match with the likeliest",
        "A draft is accepted where it is the target's likeliest token, and that token is written where it is not.",
        "All of p goes to one token: that is greedy decoding, whatever the temperature.",
        patched(SpeculativeSampling, verify=broken.by_likeliest),
    ),
    "accepted_if_as_likely": BrokenRule(
        "Accepted if p is not below q",
        "A draft is accepted exactly where p >= q, without a random number.",
        "Tokens that the draft model overrates are never accepted, though the residual has nothing for them either.",
        tested_by(SpeculativeSampling, broken.prefix(broken.as_likely)),
    ),
    "passes_counted": BrokenRule(
        "Passes counted, not their prefix",
        "Every draft is tested, and the number of passes is taken for the length of the accepted prefix.",
        "A draft that failed is kept for one behind it that passed.",
        tested_by(SpeculativeSampling, broken.prefix(broken.num_passes)),
    ),
    "lenience": BrokenRule(
        "Lenience",
        "A draft is accepted with min(1, 1.5 p/q), and the correction is that of the exact test.",
        "Tokens that the draft model overrates come up to half as often again as they should.",
        tested_by(SpeculativeSampling, broken.prefix(broken.lenient)),
    ),
    "one_test_for_chain": BrokenRule(
        "One test for the whole chain",
        "All drafts are accepted or rejected at once, by the product of their p/q.",
        "A chain that is rejected for its end gets a correction at its beginning.",
        tested_by(SpeculativeSampling, broken.prefix(broken.whole_or_none)),
    ),
    "bonus_from_row_before": BrokenRule(
        "Bonus from the row before",
        "After a draft that was kept whole, the extra token is drawn from the row that its last token was tested with.",
        "It continues a text that does not have that token yet.",
        patched(SpeculativeSampling, verify=broken.drawn_again("bonus", broken.before_last)),
        {"draft_length": 1},
    ),
    "top_p_after_test": BrokenRule(
        "Top-p after the test",
        "Drafts are tested with p over all tokens, and the extra token is drawn from the top 0.6 of its row.",
        "Rare tokens come by drafts alone, and likely ones get their share of every extra token.",
        patched(SpeculativeSampling, verify=broken.top_p_after_test),
        {"draft_length": 1},
    ),
    "undivided": BrokenRule(
        "K-SEQ without its division",
        "Each of four drafts is accepted with min(1, p/q): the division factor is left at 1.",
        "Four chances give popular drafts more mass than p has for them, and no correction can take it back.",
        walking(SpecTr, broken.undivided),
    ),
    "each_token_once": BrokenRule(
        "A repeated draft tested once",
        "Independent drafts that repeat a token are tested only once.",
        "The second draft was offered too, and its rejection must take q away from what is left.",
        walking(SpecInfer, broken.each_token_once),
        {"draft_length": 2, "first_draws": 3, "later_draws": 2, "draft_temperature_factor": 0.15},
    ),
    "not_normalised": BrokenRule(
        "What is left, not normalised",
        "After a rejection the next draft is tested against max(0, r - q) as it is, not normalised.",
        "Later drafts are accepted too rarely, and the correction gives their tokens' share to others.",
        walking(SpecInfer, recursive_rejection(broken.not_normalised, broken.unchanged)),
        {"draft_length": 3, "first_draws": 6, "later_draws": 2},
    ),
    "judged_as_independent": BrokenRule(
        "Different drafts tested as independent",
        "Drafts drawn without replacement are all tested against the same q.",
        "The second draft came from q without the first one's token, not from q.",
        walking(RSDC, broken.as_independent),
        BUSHY,
    ),
    "zeroed_too_early": BrokenRule(
        "Token taken out of q too early",
        "A rejected token is taken out of q before, not after, q is subtracted from what is left.",
        "The rejected token keeps all its mass and comes back as a correction.",
        walking(RSDC, recursive_rejection(broken.left_of_the_rest, without)),
    ),
    "zeroed_only": BrokenRule(
        "q not normalised again",
        "A rejected token is taken out of q, and the rest of q is left as it was.",
        "The next draft looks rarer than it was, and is accepted too often.",
        walking(RSDC, recursive_rejection(broken.left, broken.zeroed)),
        BUSHY,
    ),
    "sorted_by_token": BrokenRule(
        "Siblings sorted by token",
        "Drafts drawn without replacement are tested in the order of their token numbers, not as they were drawn.",
        "The distribution of a draft depends on those drawn before it; the sorted order has another one.",
        walking(RSDC, broken.by_token),
    ),
    "unmasked": BrokenRule(
        "Rejected token not masked",
        "Certain drafts are tested in turn, and the correction may be one of those that were just rejected.",
        "A rejected token gets its share of p once in its test, and again in the correction.",
        walking(DynamicTree, broken.unmasked),
    ),
    "upside_down": BrokenRule(
        "Ratio upside down",
        "A draft of a beam is accepted with min(1, q/p), as a paper's algorithm prints it.",
        "What the draft model prefers is favoured, where it should be held back.",
        patched(DSBD, verify=broken.beams_upside_down),
        {"threshold": 0.0},
    ),
}
