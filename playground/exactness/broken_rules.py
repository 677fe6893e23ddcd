"""Verification rules that are broken on purpose, each by a mistake such as code makes: what the bench must catch.

Every one is a real method with one thing changed, which its sentence in assets/languages/en.json names: mostly its
rule, in plain NumPy, else a function of it in broken_methods.py. They claim the distribution that the real one
reproduces, and are wrong. They are no methods: nothing offers them but the losslessness bench.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playground.decoding.method import DecodingMethod
from playground.decoding.methods.block_verification import BlockVerification
from playground.decoding.methods.dsbd import DSBD
from playground.decoding.methods.dynamic_tree import DynamicTree
from playground.decoding.methods.rsd_c import RSDC
from playground.decoding.methods.specinfer import SpecInfer
from playground.decoding.methods.spectr import SpecTr
from playground.decoding.methods.speculative_sampling import SpeculativeSampling
from playground.errors import PlaygroundError, did_you_mean
from playground.exactness import broken_methods as broken
from playground.exactness import plain_rules as plain
from playground.exactness.broken_methods import patched, testing_by
from playground.exactness.plain_rules import chain_rule, in_turn, left_over, likeliest, normalised, top_p, without
from playground.exactness.trial import Rule
from playground.words import Word, english, word


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One mistake."""

    name: str  # its id; its words have keys of this name
    kind: type[DecodingMethod]  # the real method's class with the mistake in it
    # Both rules run with them where their defaults hide the mistake.
    options: dict[str, float] = field(default_factory=dict)
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

    @property
    def rule(self) -> Rule | None:
        """Its rule in plain NumPy; None where the mistake is not one of the rule."""
        return getattr(self.kind, "rule", None)

    def make(self) -> DecodingMethod:
        """Return the broken method, ready to decode."""
        return self.kind(self.kind.Options(**self.options))


def broken_rule(name: str) -> BrokenRule:
    """Return the rule of this name.

    Raises:
        PlaygroundError: if there is none.
    """
    if name not in BROKEN:
        raise PlaygroundError(f"Unknown broken rule {name!r}. {did_you_mean(name, BROKEN)}")
    return BROKEN[name]


def _rule(name: str, real: type[DecodingMethod], rule: Rule, thread: str = "", /, **options: Any) -> BrokenRule:
    return _method(name, testing_by(real, rule), thread, **options)


def _method(name: str, kind: type[DecodingMethod], thread: str = "", /, **options: Any) -> BrokenRule:
    return BrokenRule(name, kind, options, thread and f"github.com/{thread}")


def _chain(name: str, rule: Rule, thread: str = "", /, **options: Any) -> BrokenRule:
    return _rule(name, SpeculativeSampling, rule, thread, **options)


def _patched(name: str, thread: str = "", /, *, options: dict[str, float] | None = None, **mistakes: Any) -> BrokenRule:
    return _method(name, patched(SpeculativeSampling, **mistakes), thread, **(options or {}))


BUSHY = {"first_branching": 3, "second_branching": 3, "later_branching": 2}  # so that later siblings matter
ASCEND = "vllm-project/vllm-ascend"
LENIENCE = 1.5

_RULES = (
    _chain("correction_from_target", chain_rule(correction=lambda p, q, i, x: p[i]), "ShopeeLLM/Spec-RL/issues/14"),
    _patched("bonus_from_draft", verify=broken.bonus_from_draft, options={"draft_length": 1}),
    _chain("one_number", plain.one_number, f"{ASCEND}/pull/16370"),
    _chain("test_and_residual", plain.test_and_residual, f"{ASCEND}/pull/16370"),
    _chain("number_zero", chain_rule(lambda p, q, x, rng: p[x] > 0), f"{ASCEND}/issues/13730", draft_length=2),
    _chain("number_zero_or_one", chain_rule(lambda p, q, x, rng: (rng.random() >= 0.5) * q[x] < p[x])),
    _chain("next_row_of_q", plain.next_row_of_q, draft_length=2),
    _chain("refused_masked", chain_rule(correction=lambda p, q, i, x: without(p[i], x)), "xLLM-AI/xllm/pull/2175"),
    _chain(
        "residual_by_softmax",
        chain_rule(correction=lambda p, q, i, x: np.exp(np.maximum(p[i] - q[i], 0))),
        "huggingface/transformers/pull/28508",
    ),
    _chain(
        "correction_from_next_row",
        chain_rule(correction=lambda p, q, i, x: p[i + 1]),
        "openvinotoolkit/openvino.genai/issues/4190",
    ),
    _chain("bonus_likeliest", chain_rule(bonus=lambda p: likeliest(p[-1])), draft_length=1),
    _patched(
        "seeded_in_the_loop",
        "feifeibear/LLMSpeculativeSampling/pull/19",
        draft=broken.rewound("verify_rng"),
        options={"draft_length": 1},
    ),
    _patched(
        "noise_reused",
        "sgl-project/sglang-jax/pull/940",
        draft=broken.rewound("draft_rng", "verify_rng"),
        options={"draft_length": 1},
    ),
    _patched(
        "draft_before_temperature",
        "deepseek-ai/DeepSpec/issues/31",
        verify=broken.by_plain_rows,
        options={"draft_temperature_factor": 2.0},
    ),
    _patched("certain_draft", "huggingface/transformers/issues/32867", draft=broken.certain),
    _patched(
        "draft_before_top_k",
        "huggingface/transformers/issues/47932",
        draft=broken.after_top_k,
        verify=broken.by_plain_rows,
    ),
    _chain("first_unverified", plain.first_unverified, "ohdearquant/lattice/issues/243"),
    _patched("unlikely_dropped", "ggml-org/llama.cpp/pull/22506", draft=broken.unlikely_dropped),
    _rule("block_by_tokens", BlockVerification, plain.prefix(plain.last_that_passes), f"{ASCEND}/issues/7807"),
    _chain(
        "match_likeliest",
        chain_rule(
            lambda p, q, x, rng: x == p.argmax(), lambda p, q, i, x: likeliest(p[i]), lambda p: likeliest(p[-1])
        ),
    ),
    _chain("accepted_if_as_likely", chain_rule(lambda p, q, x, rng: p[x] >= q[x])),
    _chain("passes_counted", plain.prefix(plain.num_passes)),
    _chain("lenience", chain_rule(lambda p, q, x, rng: rng.random() * q[x] < LENIENCE * p[x])),
    _chain("one_test_for_chain", plain.prefix(plain.whole_or_none)),
    _chain("bonus_from_row_before", chain_rule(bonus=lambda p: p[-2]), draft_length=1),
    _chain(
        "top_p_after_test",
        chain_rule(correction=lambda p, q, i, x: top_p(left_over(p[i], q[i])), bonus=lambda p: top_p(p[-1])),
        draft_length=1,
    ),
    _rule("undivided", SpecTr, plain.undivided),
    _rule(
        "each_token_once",
        SpecInfer,
        plain.each_token_once,
        draft_length=2,
        first_draws=3,
        later_draws=2,
        draft_temperature_factor=0.15,
    ),
    _rule(
        "not_normalised",
        SpecInfer,
        in_turn(lambda p, q, x: (np.maximum(p - q, 0), q)),
        draft_length=3,
        first_draws=6,
        later_draws=2,
    ),
    _rule("judged_as_independent", RSDC, plain.with_replacement, **BUSHY),
    _rule("zeroed_too_early", RSDC, in_turn(lambda p, q, x: plain.same_q(p, normalised(without(q, x)), x))),
    _rule("zeroed_only", RSDC, in_turn(lambda p, q, x: (normalised(left_over(p, q)), without(q, x))), **BUSHY),
    _rule("sorted_by_token", RSDC, plain.sorted_by_token),
    _rule("unmasked", DynamicTree, in_turn(lambda p, q, x: (p, q), plain.by_target)),
    _rule("upside_down", DSBD, in_turn(plain.same_q, plain.by_inverse_ratio), threshold=0.0),
)
BROKEN = {rule.name: rule for rule in _RULES}
# The two of several drafts that are mistakes of a chain, too
AS_A_CHAIN = {
    "upside_down": chain_rule(plain.by_inverse_ratio),
    "unmasked": chain_rule(plain.by_target, lambda p, q, i, x: p[i]),
}
