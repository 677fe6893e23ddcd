"""Trial of a foreign rule: two tables, drafts that are drawn here, and the answer the rule has to give.

A rule is a function of four arguments, plain NumPy, and called once for every round:

    rule(target_probs, draft_probs, drafts, rng) -> tokens

For a chain of N drafts, the usual case,

    target_probs   (N + 1, V) the target's row before each draft, and the one after all of them
    draft_probs    (N, V) the draft model's rows
    drafts         (N,) tokens, as they were drawn
    rng            a numpy.random.Generator; the rule may have its own instead
    tokens         what the round writes: the drafts that it keeps, from the first on, and one token more

With several drafts at one position, `num_drafts` K > 1, it is target_probs (V,), draft_probs (V,), drafts (K,), and the
rule returns the one token that is there.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from playground.decoding.categorical import categorical
from playground.decoding.distribution import zeroed
from playground.errors import PlaygroundError
from playground.exactness.beam_distributions import warped
from playground.exactness.enumeration import Text
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel

Drawn = Literal["independent", "distinct", "likeliest"]
Drafts = Any  # (N,) or (K,) tokens, a list or an array
Rule = Callable[[np.ndarray, np.ndarray, Drafts, np.random.Generator], Any]

NUM_TOKENS = 3  # The texts that are compared have so many tokens.
VOCAB_SIZE = 4
MOST_DRAFTS = 3
LONGEST_LINE = 1000  # characters of a sample in a file
PROMPT: Text = (0,)  # It is as long as the tables' memory.
# On this one of ten pairs of tables the two distributions nearest to each other are farthest apart.
TARGET = TableModel.random(VOCAB_SIZE, order=1, seed=16, sharpness=0.7)
DRAFT = TableModel.random(VOCAB_SIZE, order=1, seed=17, sharpness=0.7)
WARP = Sampling(temperature=0.8, top_k=3, top_p=0.9)  # every row loses a token, some two
FEWEST_LEFT = 2
WARPED_TARGET, WARPED_DRAFT = (
    TableModel([warped(row, WARP) for row in each.table.tolist()]) for each in (TARGET, DRAFT)
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The input of a rule.

    Raises:
        PlaygroundError: if there is no such trial.
    """

    draft_length: int = 2  # N, tokens of a chain; 1 with several drafts at one position
    num_drafts: int = 1  # K, drafts at one position; 1 for a chain
    # "independent" of each other, each from the draft model's row; "distinct", one position's draws without
    # replacement; "likeliest", without chance, and then the draft model's row is not what they were drawn from
    drawn: Drawn = "independent"
    warped: bool = False  # whether both tables have gone through `WARP`, which leaves zeros in their rows

    def __post_init__(self) -> None:
        for name, number in (("draft length", self.draft_length), ("number of drafts", self.num_drafts)):
            if not 1 <= number <= MOST_DRAFTS:
                raise PlaygroundError(f"A {name} of {number} is out of range. Choose 1 to {MOST_DRAFTS}.")
        if self.drawn not in get_args(Drawn):
            raise PlaygroundError(f"Drafts cannot be drawn {self.drawn!r}. Choose {', '.join(get_args(Drawn))}.")
        if self.num_drafts > 1 and self.draft_length > 1:
            raise PlaygroundError("Several drafts are tried at one position. Leave out the draft length, or take one.")
        if self.num_drafts == 1 and self.drawn == "distinct":
            raise PlaygroundError("Different drafts at one position are two or more. Raise the number of drafts.")
        if self.warped and self.drawn == "distinct" and self.num_drafts > FEWEST_LEFT:
            raise PlaygroundError(f"Top-k and top-p leave {FEWEST_LEFT} tokens in some rows. Take no more drafts.")

    @property
    def at_one_position(self) -> bool:
        """True if the drafts are alternatives, not a chain."""
        return self.num_drafts > 1

    @property
    def tables(self) -> tuple[TableModel, TableModel]:
        """The target and the draft model."""
        return (WARPED_TARGET, WARPED_DRAFT) if self.warped else (TARGET, DRAFT)


def target_distribution(trial: Trial | None = None) -> dict[Text, float]:
    """Return the target's distribution over the texts that are compared."""
    target, _ = (trial or Trial()).tables
    whole = target.distribution(list(PROMPT), NUM_TOKENS)
    return {tokens: float(whole[tokens]) for tokens in np.ndindex(whole.shape)}


def write(rule: Rule, trial: Trial, drafts_rng: np.random.Generator, rule_rng: np.random.Generator) -> Text:
    """One text: rounds until it is long enough.

    Raises:
        PlaygroundError: if the rule gives back what no rule can.
    """
    written: list[int] = []
    while len(written) < NUM_TOKENS:
        written += write_round(rule, trial, written[-1] if written else PROMPT[-1], drafts_rng, rule_rng)
    return tuple(written[:NUM_TOKENS])


def write_round(
    rule: Rule, trial: Trial, last: int, drafts_rng: np.random.Generator, rule_rng: np.random.Generator
) -> list[int]:
    """Return the tokens of a round, after one token: with several drafts at one position, the one that is there.

    Raises:
        PlaygroundError: if the rule gives back what no rule can.
    """
    target, draft = (each.table for each in trial.tables)
    if trial.at_one_position:
        drafts = draw(trial, last, drafts_rng)
        return [_token(rule(target[last].copy(), draft[last].copy(), np.array(drafts), rule_rng), drafts)]
    before = [last]  # a list picks rows as a copy: what a rule does to it stays with it
    for _ in range(trial.draft_length):
        before += draw(trial, before[-1], drafts_rng)
    return _round(rule(target[before], draft[before[:-1]], np.array(before[1:]), rule_rng), before[1:])


def draw(trial: Trial, last: int, rng: np.random.Generator) -> list[int]:
    """Tokens drafted after one token, at one position."""
    row = trial.tables[1].table[last]
    if trial.drawn == "likeliest":
        return np.argsort(-row, kind="stable")[: trial.num_drafts].tolist()
    drafts: list[int] = []
    for _ in range(trial.num_drafts):
        drafts.append(categorical(row, rng.random()))
        if trial.drawn == "distinct":
            row = zeroed(row, drafts[-1])
    return drafts


def _round(answer: Any, drafts: Sequence[int]) -> list[int]:
    """Answer of a rule for a chain, as tokens."""
    tokens = [_whole(token, drafts) for token in _listed(answer, drafts)]
    if not 1 <= len(tokens) <= len(drafts) + 1:
        raise PlaygroundError(
            f"The rule gave back {len(tokens)} tokens for the drafts {list(drafts)}. It gives back the drafts that it "
            f"keeps, and one token more: 1 to {len(drafts) + 1}."
        )
    if tokens[:-1] != list(drafts[: len(tokens) - 1]):
        raise PlaygroundError(
            f"The rule gave back {tokens} for the drafts {list(drafts)}. All but the last must be the drafts that it "
            "keeps, from the first on."
        )
    return tokens


def _token(answer: Any, drafts: Sequence[int]) -> int:
    """Answer of a rule for one position."""
    tokens = [answer] if np.ndim(answer) == 0 else _listed(answer, drafts)
    if len(tokens) != 1:
        raise PlaygroundError(
            f"The rule gave back {len(tokens)} tokens for the drafts {list(drafts)} at one position. It gives back "
            "the one that is there."
        )
    return _whole(tokens[0], drafts)


def _listed(answer: Any, drafts: Sequence[int]) -> list[Any]:
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes):
        raise PlaygroundError(
            f"The rule gave back {answer!r} for the drafts {list(drafts)}. It is to give back a list of tokens."
        )
    return list(answer)


def _whole(token: Any, drafts: Sequence[int]) -> int:
    try:
        number = int(token)
    except (TypeError, ValueError):
        number = None
    if number is None or number != token or not 0 <= number < VOCAB_SIZE:
        raise PlaygroundError(
            f"The rule gave back {token!r} for the drafts {list(drafts)}. Tokens are whole numbers, 0 to "
            f"{VOCAB_SIZE - 1}."
        )
    return number


def read_samples(lines: Iterable[str]) -> list[Text]:
    """Read texts that another program wrote after the prompt, one per line: the ids of its first three tokens.

    Raises:
        PlaygroundError: if a line is anything else, or there is none.
    """
    texts: list[Text] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        words = line.replace(",", " ").split() if len(line) <= LONGEST_LINE else []
        tokens = tuple(int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 5)
        if not len(tokens) == len(words) == NUM_TOKENS or max(tokens) >= VOCAB_SIZE:
            raise PlaygroundError(
                f"Line {number} is {line.strip()[:40]!r}. A sample is {NUM_TOKENS} tokens, each 0 to {VOCAB_SIZE - 1}, "
                "as in 0 2 1."
            )
        texts.append(tokens)
    if not texts:
        raise PlaygroundError("The list of samples is empty. Write one text a line.")
    return texts
