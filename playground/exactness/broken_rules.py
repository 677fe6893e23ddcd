"""Verification rules that are broken on purpose, each by a mistake such as code makes: what the bench must catch.

Every one wraps a real method and changes one thing, which its sentence in assets/languages/en.json names; what it puts
there is in broken_methods.py. They claim the distribution that the real one reproduces, and are wrong. They are no
methods: nothing offers them but the losslessness bench.
"""

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
from playground.words import Word, english, paragraph, word


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One mistake."""

    name: str  # its id; its words have keys of this name
    kind: type[DecodingMethod]  # the real method's class with the mistake in it
    # Both rules run with them where their defaults hide the mistake.
    options: dict[str, Any] = field(default_factory=dict)
    thread: str = ""  # the public one where it was found; "" where none is known

    @property
    def title(self) -> Word:
        """Its title."""
        return word(f"broken.{self.name}.title")

    @property
    def mistake(self) -> Word:
        """The mistake in the code, in a sentence."""
        return word(f"broken.{self.name}.mistake")

    @property
    def why(self) -> Word:
        """Its effect on the distribution of the text, in a sentence."""
        return word(f"broken.{self.name}.why")

    @property
    def otherwise(self) -> str:
        """The differences where it was found, in brackets; "" where nothing was."""
        return word(f"broken.{self.name}.seen") if f"broken.{self.name}.seen" in english() else ""

    @property
    def seen(self) -> Word:
        """The place where it was found, in a sentence."""
        if self.otherwise:
            return word("lossless_seen_otherwise", thread=self.thread, otherwise=self.otherwise)
        return word("lossless_seen", thread=self.thread) if self.thread else word("lossless_unseen")

    @property
    def seen_in(self) -> str:
        """The thread, and what was otherwise there; "" where none is known."""
        return f"{self.thread} {self.otherwise}".strip()

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


def _rule(name: str, kind: type[DecodingMethod], thread: str = "", /, **options: Any) -> BrokenRule:
    return BrokenRule(name, kind, options, thread and f"github.com/{thread}")


def _chain(judge: broken.ChainRule) -> type[DecodingMethod]:
    """Return speculative sampling with another rule for its chain."""
    return tested_by(SpeculativeSampling, judge)


def _patched(**mistakes: Any) -> type[DecodingMethod]:
    """Return speculative sampling with these of its functions replaced."""
    return patched(SpeculativeSampling, **mistakes)


BUSHY = {"first_branching": 3, "second_branching": 3, "later_branching": 2}  # so that later siblings matter
ASCEND = "vllm-project/vllm-ascend"

_RULES = (
    _rule("correction_from_target", _chain(broken.corrected_by(lambda p, q, token: p)), "ShopeeLLM/Spec-RL/issues/14"),
    _rule("bonus_from_draft", _patched(verify=broken.drawn_again("bonus", broken.after_draft)), draft_length=1),
    _rule("one_number", _patched(verify=broken.one_number), f"{ASCEND}/pull/16370"),
    _rule("test_and_residual", _patched(verify=broken.residual_by_the_test), f"{ASCEND}/pull/16370"),
    _rule(
        "number_zero", _chain(broken.with_numbers(lambda u: [0.0] * len(u))), f"{ASCEND}/issues/13730", draft_length=2
    ),
    _rule("number_zero_or_one", _chain(broken.with_numbers(lambda u: [0.0 if x < 0.5 else 1.0 for x in u.tolist()]))),
    _rule("next_row_of_q", _chain(broken.by_next_row_of_q), draft_length=2),
    _rule(
        "refused_masked",
        _chain(broken.corrected_by(lambda p, q, token: matching.others(p, token))),
        "xLLM-AI/xllm/pull/2175",
    ),
    _rule(
        "residual_by_softmax",
        _chain(broken.corrected_by(lambda p, q, token: np.exp(np.maximum(p - q, 0)))),
        "huggingface/transformers/pull/28508",
    ),
    _rule(
        "correction_from_next_row",
        _patched(verify=broken.drawn_again("correction", broken.after_refused)),
        "openvinotoolkit/openvino.genai/issues/4190",
    ),
    _rule("bonus_likeliest", _patched(verify=broken.drawn_again("bonus", broken.likeliest)), draft_length=1),
    _rule(
        "seeded_in_the_loop",
        _patched(draft=broken.rewound("verify_rng")),
        "feifeibear/LLMSpeculativeSampling/pull/19",
        draft_length=1,
    ),
    _rule(
        "noise_reused",
        _patched(draft=broken.rewound("draft_rng", "verify_rng")),
        "sgl-project/sglang-jax/pull/940",
        draft_length=1,
    ),
    _rule(
        "draft_before_temperature",
        _patched(verify=broken.by_plain_rows),
        "deepseek-ai/DeepSpec/issues/31",
        draft_temperature_factor=2.0,
    ),
    _rule("certain_draft", _patched(draft=broken.certain), "huggingface/transformers/issues/32867"),
    _rule(
        "draft_before_top_k",
        _patched(draft=broken.after_top_k, verify=broken.by_plain_rows),
        "huggingface/transformers/issues/47932",
    ),
    _rule("first_unverified", _chain(broken.but_the_first), "ohdearquant/lattice/issues/243"),
    _rule("unlikely_dropped", _patched(draft=broken.unlikely_dropped), "ggml-org/llama.cpp/pull/22506"),
    _rule("block_by_tokens", tested_by(BlockVerification, broken.prefix(broken.longest_last)), f"{ASCEND}/issues/7807"),
    _rule("match_likeliest", _patched(verify=broken.by_likeliest)),
    _rule("accepted_if_as_likely", _chain(broken.prefix(broken.as_likely))),
    _rule("passes_counted", _chain(broken.prefix(broken.num_passes))),
    _rule("lenience", _chain(broken.prefix(broken.lenient))),
    _rule("one_test_for_chain", _chain(broken.prefix(broken.whole_or_none))),
    _rule("bonus_from_row_before", _patched(verify=broken.drawn_again("bonus", broken.before_last)), draft_length=1),
    _rule("top_p_after_test", _patched(verify=broken.top_p_after_test), draft_length=1),
    _rule("undivided", walking(SpecTr, broken.undivided)),
    _rule(
        "each_token_once",
        walking(SpecInfer, broken.each_token_once),
        draft_length=2,
        first_draws=3,
        later_draws=2,
        draft_temperature_factor=0.15,
    ),
    _rule(
        "not_normalised",
        walking(SpecInfer, recursive_rejection(broken.not_normalised, broken.unchanged)),
        draft_length=3,
        first_draws=6,
        later_draws=2,
    ),
    _rule("judged_as_independent", walking(RSDC, broken.as_independent), **BUSHY),
    _rule("zeroed_too_early", walking(RSDC, recursive_rejection(broken.left_of_the_rest, without))),
    _rule("zeroed_only", walking(RSDC, recursive_rejection(broken.left, broken.zeroed)), **BUSHY),
    _rule("sorted_by_token", walking(RSDC, broken.by_token)),
    _rule("unmasked", walking(DynamicTree, broken.unmasked)),
    _rule("upside_down", patched(DSBD, verify=broken.beams_upside_down), threshold=0.0),
)
BROKEN = {rule.name: rule for rule in _RULES}
