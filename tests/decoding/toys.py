"""Methods that no list names: as contributors would write them, and one that claims what it does not keep.

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

from dataclasses import dataclass

from playground.decoding import method
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.samplers import draft_chains, draft_samplers
from playground.decoding.method import DecodingMethod, option
from playground.decoding.setting import Setting
from playground.decoding.verdict import Verdict
from playground.decoding.verification import recursive
from playground.decoding.verifying import verify_tree


@dataclass(frozen=True, slots=True)
class Options(method.Options):
    """Draft length."""

    toy_length: int = option(2, label="Toy length", help="Tokens drafted per round.", low=1, high=4, unit="tokens")

    @property
    def num_drafted(self) -> int:
        """The chain."""
        return self.toy_length


class ToyChain(DecodingMethod):
    """A chain of drafts, tested one after the other."""

    title = "Toy chain"
    paper = "Definition; no paper"
    reproduces = "target sampling"

    def draft(self, setting: Setting) -> Draft:
        """One draw below the last."""
        return draft_chains(setting, self.options.toy_length, draft_samplers(setting))

    def verify(self, setting: Setting, draft: Draft) -> Verdict:
        """Walk down."""
        return verify_tree(setting, draft, recursive.judge)
'''

# The chain with a broken rule: it accepts everything, and still claims to be lossless
LIAR = (
    CHAIN.replace("Toy chain", "Toy liar")
    .replace("ToyChain", "ToyLiar")
    .replace("import recursive\n", "import ruling\n")
    .replace(
        "verify_tree(setting, draft, recursive.judge)",
        "verify_tree(setting, draft, lambda p, q, tokens, rng: ruling.Ruling([ruling.threshold_test(0, True, '')]))",
    )
)
assert "recursive" not in LIAR


# What a new author writes who thinks of drafting only: no budget, no end token, no q, no empty draft, no recorded run
GREEDY = '''"""Toy greedy: the draft model's best tokens, one below the other.

    frontier --best--> x1 --best--> x2 --best--> x3

Paper: Definition; no paper.
Differs from the paper: nothing.
"""

from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import MOST_LIKELY, grow
from playground.decoding.method import DecodingMethod, Options
from playground.decoding.verification import speculative
from playground.decoding.verifying import verify_chain


class ThreeTokens(Options):
    """Nothing to choose."""

    num_drafted = 3


class ToyGreedy(DecodingMethod):
    """The draft model's best tokens, tested one after the other."""

    title = "Toy greedy"
    paper = "Definition; no paper"
    reproduces = "target sampling"
    Options = ThreeTokens

    def draft(self, setting):
        """The best token below the last."""
        draft = Draft()
        for parents in setting.parents_by_depth(draft, 3):
            grow(setting, draft, parents, MOST_LIKELY)
        return draft

    def verify(self, setting, draft):
        """From the start of the chain."""
        return verify_chain(setting, draft, speculative.judge)
'''


# The greedy toy, but drafting by the tree alone, past the end of the text and beyond the budget
HEEDLESS = (
    GREEDY.replace("Toy greedy", "Toy heedless")
    .replace("ToyGreedy", "ToyHeedless")
    .replace(
        "from playground.decoding.drafting.growth import MOST_LIKELY, grow\n",
        "from playground.decoding.distribution import Deterministic\n",
    )
    .replace("import speculative", "import recursive")
    .replace("import verify_chain", "import verify_tree")
    .replace("verify_chain(setting, draft, speculative.judge)", "verify_tree(setting, draft, recursive.judge)")
    .replace(
        """        for parents in setting.parents_by_depth(draft, 3):
            grow(setting, draft, parents, MOST_LIKELY)
""",
        """        [node] = setting.frontier
        for _ in range(3):
            token = int(setting.draft_model.read([node]).probs[0].argmax())
            [node] = draft.hang(setting.tree, [(node, token)], Deterministic())
""",
    )
)
assert "parents_by_depth" not in HEEDLESS and "grow" not in HEEDLESS


def write(folder: Path) -> None:
    """The files."""
    (folder / "toy_chain.py").write_text(CHAIN)
    (folder / "toy_liar.py").write_text(LIAR)
    (folder / "toy_greedy.py").write_text(GREEDY)
    (folder / "toy_heedless.py").write_text(HEEDLESS)


def pytest_configure():
    package.__path__.append(os.environ["TOY_METHODS"])
