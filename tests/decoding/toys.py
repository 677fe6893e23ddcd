"""Methods of two files that no list names: one as a contributor would write it, one that claims what it does not keep.

As a pytest plugin (`-p tests.decoding.toys`) it lets every test of that run find the files in the folder that
the environment variable TOY_METHODS names, as if they lay in `playground/decoding/methods/`.
"""

import os
from pathlib import Path

from playground.decoding import methods as package

CHAIN = '''"""Toy chain: speculative sampling in as few lines as it takes.

    frontier --q--> x1 --q--> x2        one draw below the last
    walk: test them in turn, correct the first that fails

Paper: Definition; no paper.
Differs from the paper: nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.drafting import grow_level, independent_draws
from playground.decoding.method import DecodingMethod, option
from playground.decoding.round import Draft, Setting, Verdict
from playground.decoding.verification.recursive import judge_with_replacement
from playground.decoding.verification.walk import verify_tree


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length."""

    toy_length: int = option(2, label="Toy length", help="Tokens drafted per round.", low=1, high=4, unit="tokens")


class ToyChain(DecodingMethod):
    """Draft a chain, test it from its start."""

    title = "Toy chain"
    summary = "A chain of drafts, tested one after the other."
    paper = "Definition; no paper"
    lossless = True
    reproduces = "target sampling"
    needs_draft_model = True
    Options = Options

    def draft(self, setting: Setting) -> Draft:
        """One draw below the last."""
        draft, level = Draft(), setting.frontier
        for _ in range(min(self.options.toy_length, setting.room - 1)):
            level = grow_level(setting, draft, level, independent_draws(setting, 1))
        return draft

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down."""
        return verify_tree(setting, draft, judge_with_replacement)
'''

# The same, but for its rule: it accepts everything, and still claims to be lossless
LIAR = (
    CHAIN.replace("Toy chain", "Toy liar")
    .replace("ToyChain", "ToyLiar")
    .replace(
        "from playground.decoding.verification.recursive import judge_with_replacement\n"
        "from playground.decoding.verification.walk import verify_tree\n",
        "from playground.decoding.verification.walk import NodeResult, verify_tree\n",
    )
    .replace(
        "verify_tree(setting, draft, judge_with_replacement)",
        "verify_tree(setting, draft, lambda p, q, tokens, coins: NodeResult(0, [1.0], [coins.random()], p, ['1']))",
    )
)
assert "judge_with_replacement" not in LIAR


def write(folder: Path) -> None:
    """Both files."""
    (folder / "toy_chain.py").write_text(CHAIN)
    (folder / "toy_liar.py").write_text(LIAR)


def pytest_configure():
    package.__path__.append(os.environ["TOY_METHODS"])
