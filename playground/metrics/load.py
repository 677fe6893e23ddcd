"""Load: goodput of a batch of sequences by draft length, from the cost of a step over this many tokens.

Every sequence of the batch drafts equally many tokens, and one target call verifies all of them. A step's cost is read
off a table of tokens and milliseconds, straight between its entries; of a batch only the number of tokens counts, so
attention over contexts of its own is left out. Acceptance is i.i.d. and the same under every load.

Sources: Liu et al. 2024, arXiv 2406.14066, for goodput; Leviathan et al. 2023, arXiv 2211.17192, Eq. 1, for tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playground.errors import PlaygroundError
from playground.theory.speculation import expected_emitted

LARGEST_BATCH = 128  # sequences
LARGEST_RATIO = 10.0  # c of a table of costs
LONGEST = 16  # draft tokens of a sequence
MOST_COSTS = 40  # entries of a table


@dataclass(frozen=True, slots=True)
class StepCosts:
    """Cost of rounds under load."""

    # tokens, ms: a target call over tokens[i] tokens takes ms[i] milliseconds; tokens rise
    tokens: tuple[int, ...]
    ms: tuple[float, ...]
    cost_ratio: float = 0.0  # c, a draft call for a batch over a target call for one token of each of its sequences
    round_ms: float = 0.0  # A round that drafts takes so much more than both models' calls.
    # num_experts, per_token: of a layer, and those that each token is routed to; 0 experts for a dense model
    num_experts: int = 0
    per_token: int = 1
    # share of a call over one token in which it reads experts' weights, where the table was not measured on these
    # experts. Of more tokens it grows as the experts that they touch
    expert_share: float = 0.0
    # The target's state may be one that cannot be cut: what was right before a rejection is then read again.
    reads_again: bool = False
    tokens_again: float = 0.0  # A run that was measured read so many tokens of a round a second time.

    def __post_init__(self) -> None:
        if not 1 <= len(self.tokens) == len(self.ms) <= MOST_COSTS:
            raise PlaygroundError(f"The table of costs has {len(self.tokens)} entries. Give 1 to {MOST_COSTS}.")
        if any(low >= high for low, high in zip((0, *self.tokens), self.tokens, strict=False)):
            raise PlaygroundError("The tokens of a step must rise from line to line, from 1 on.")
        if not all(0 < value < 1e9 for value in self.ms):
            raise PlaygroundError("The milliseconds of a step must be above 0.")
        if not (0 <= self.cost_ratio <= LARGEST_RATIO and 0 <= self.round_ms < 1e9):
            raise PlaygroundError(
                "The costs of a draft call and of a round cannot be negative, and a draft call cannot cost more than "
                f"{LARGEST_RATIO:g} target calls."
            )

    def step_ms(self, num_tokens: float) -> float:
        """Milliseconds of a target call, by the table, and by the experts that it touches beyond those of one token."""
        if not self.num_experts:
            return self._table_ms(num_tokens)
        touched = experts_touched(self.num_experts, self.per_token, num_tokens) / self.per_token
        return self._table_ms(num_tokens) + self.expert_share * self._table_ms(1) * (touched - 1)

    def _table_ms(self, num_tokens: float) -> float:
        """Milliseconds by the table: straight between entries, never below the first.

        Behind the last entry it goes on with the last slope, or with the mean one where that is steeper: a table that
        ends on a step, as that of a GPU, would else promise tokens that cost nothing.
        """
        if num_tokens > self.tokens[-1] and len(self.tokens) > 1:
            slope = max(
                (self.ms[-1] - self.ms[first]) / (self.tokens[-1] - self.tokens[first])
                for first in (0, len(self.ms) - 2)
            )
            return self.ms[-1] + max(0.0, slope) * (num_tokens - self.tokens[-1])
        return float(np.interp(num_tokens, self.tokens, self.ms))

    def batch_ms(self, batch: int, draft_length: int, rate: float = 1.0) -> float:
        """Milliseconds of a round of a batch at an acceptance rate; with draft length 0 of a plain step."""
        if draft_length == 0:
            return self.step_ms(batch)
        drafting = draft_length * self.cost_ratio * self.step_ms(batch)
        again = self.tokens_again + (read_again(rate, draft_length) if self.reads_again else 0.0)
        return self.step_ms(batch * (draft_length + 1 + again)) + drafting + self.round_ms


def read_again(rate: float, draft_length: int) -> float:
    """Return the expected tokens of a round that are read a second time: after a rejection, what was right until then.

    The last token of the text and k accepted drafts, where draft k + 1 of gamma is rejected: the sum of
    alpha^k (1 - alpha) (k + 1). A state that was taken back twice in a row has more to read, which is left out.
    """
    return float(expected_emitted(rate, draft_length)) - rate**draft_length * (draft_length + 1)


def read_costs(text: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Tokens and milliseconds of lines as "8: 12.5"; commas part entries, too.

    Raises:
        PlaygroundError: on an entry of another form.
    """
    entries = [each.strip() for each in text.replace("\n", ",").split(",") if each.strip()]
    if len(entries) > MOST_COSTS:
        raise PlaygroundError(f"The table of costs has {len(entries)} entries. Give 1 to {MOST_COSTS}.")
    pairs = []
    for entry in entries:
        tokens, _, ms = entry.partition(":")
        try:
            pairs.append((int(tokens), float(ms)))
        except ValueError:
            raise PlaygroundError(
                f"{entry[:40]!r} is not a cost. Write the tokens of a step, a colon and its milliseconds, as 8: 12.5."
            ) from None
    return tuple(tokens for tokens, _ in pairs), tuple(ms for _, ms in pairs)


def tokens_per_s(rate: float, batch: int, draft_length: int, costs: StepCosts) -> float:
    """Goodput: expected tokens of all sequences over the time of a round, at an acceptance rate."""
    emitted = float(expected_emitted(rate, draft_length))
    return 1000 * batch * emitted / costs.batch_ms(batch, draft_length, rate)


def expected_rounds(rate: float, draft_length: int, num_tokens: int) -> float:
    """Return the expected rounds of a text of this many tokens: what its last round writes beyond its end is cut off.

    By renewal: a text needs one round, and those of what is left of it after 1, 2, .. tokens. So goodput by
    `tokens_per_s` is too high, by this times the tokens of a round over those of the text.
    """
    chances = [rate**accepted * (1 - rate) for accepted in range(draft_length)] + [rate**draft_length]
    rounds = [0.0] * (draft_length + 1)  # Nothing is left of a text that was written past its end.
    for _ in range(num_tokens):
        rounds.append(1 + sum(chance * rounds[-emitted] for emitted, chance in enumerate(chances, 1)))
    return rounds[-1]


def speed_up_of(rate: float, batch: int, draft_length: int, costs: StepCosts) -> float:
    """Goodput at a draft length over that of plain decoding of the same batch."""
    return tokens_per_s(rate, batch, draft_length, costs) / tokens_per_s(rate, batch, 0, costs)


def speed_ups(rate: float, batch: int, costs: StepCosts) -> list[float]:
    """Speed-ups by draft length, 0 to `LONGEST`."""
    return [speed_up_of(rate, batch, length, costs) for length in range(LONGEST + 1)]


def best_length(rate: float, batch: int, costs: StepCosts) -> int:
    """Draft length with the largest goodput, the shortest on a tie; 0 where none pays."""
    values = speed_ups(rate, batch, costs)
    return max(range(LONGEST + 1), key=lambda length: (values[length], -length))


def perfect_drafter_loses(batch: int, costs: StepCosts) -> bool:
    """Return whether every draft length is slower than plain decoding even with acceptance 1."""
    return max(speed_ups(1.0, batch, costs)[1:]) < 1


def unpaid_from(rate: float, costs: StepCosts) -> int | None:
    """Batch size from which on, up to `LARGEST_BATCH`, no draft length pays; None where one pays at the largest."""
    paid = [batch for batch in range(1, LARGEST_BATCH + 1) if best_length(rate, batch, costs)]
    first = max(paid, default=0) + 1
    return first if first <= LARGEST_BATCH else None


def experts_touched(num_experts: int, per_token: int, num_tokens: float) -> float:
    """Return the expected number of different experts that tokens of a layer are routed to: E (1 - (1 - k / E)^n).

    An estimate: every token takes k of E experts, each set equally likely and independent of the others. Tokens that
    follow one another are routed more alike, and touch fewer.
    """
    if not 1 <= per_token <= num_experts:
        raise PlaygroundError(f"{per_token} of {num_experts} experts cannot be chosen. Give fewer for each token.")
    return num_experts * (1 - (1 - per_token / num_experts) ** num_tokens)


def sweep(rate: float, batches: Sequence[int], costs: StepCosts) -> list[float]:
    """Largest speed-up of a draft length above 0, by batch size."""
    return [max(speed_ups(rate, batch, costs)[1:]) for batch in batches]
