"""The exact distribution of what a method writes: every interval of its random numbers is enumerated, no run drawn.

A coin here is not a number but the interval that the tests so far have left of [0, 1). Each test splits it, the method
is run once more for the other side, and the lengths of the intervals are the probabilities. So a coin that is used
twice, by mistake, is the same coin twice. It knows what rules do with coins: hold them against a number, or look up a
token with them. Gumbel noise it does not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.models.table_model import TableModel

TOKENS_LEFT = 16  # tokens that a run may still write: more than a round drafts, so that no draft is cut
Text = tuple[int, ...]
Result = TypeVar("Result")


@dataclass(slots=True)
class Course:
    """One way through all decisions.

    Attributes:
        given: the sides to take, from the first decision on; after them the first possible one.
        choices: at each decision the side that was taken, and the chances of all.
        chance: of this course so far.
    """

    given: list[int]
    choices: list[tuple[int, list[float]]] = field(default_factory=list)
    chance: float = 1.0

    def choose(self, chances: Sequence[float]) -> int:
        """Return a side of this decision; one without a chance is never taken."""
        index = len(self.choices)
        side = self.given[index] if index < len(self.given) else next(i for i, chance in enumerate(chances) if chance)
        self.choices.append((side, list(chances)))
        self.chance *= chances[side]
        return side

    def next(self) -> Course | None:
        """Return the next course, which changes the last decision with a side left; None after the last one."""
        for index in reversed(range(len(self.choices))):
            side, chances = self.choices[index]
            later = [other for other in range(side + 1, len(chances)) if chances[other]]
            if later:
                return Course([*(side_before for side_before, _ in self.choices[:index]), later[0]])
        return None


class Uniform:
    """A uniform number of which only its interval [low, high) is known."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.low, self.high = 0.0, 1.0

    def _among(self, ends: Sequence[float]) -> int:
        """Index of the neighbouring interval that it is in; that is known from now on."""
        begins = [self.low, *(min(max(end, self.low), self.high) for end in ends)]
        chances = [(end - begin) / (self.high - self.low) for begin, end in pairwise(begins)]
        side = self.course.choose(chances)
        self.low, self.high = begins[side], begins[side + 1]
        return side

    def __lt__(self, threshold: float) -> bool:
        if threshold <= self.low or threshold >= self.high:
            return threshold >= self.high
        return self._among([threshold, self.high]) == 0

    def __ge__(self, threshold: float) -> bool:
        return not self < threshold

    def __mul__(self, factor: float) -> Scaled:
        return Scaled(self, factor)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> int:
        """`np.searchsorted(cumulative, coin, side="right")`: the token that a coin names."""
        assert func is np.searchsorted and kwargs == {"side": "right"}, f"a coin cannot be given to {func}"
        cumulative, uniform = args
        return uniform._among(cumulative.tolist())


@dataclass(frozen=True, slots=True)
class Scaled:
    """A coin times a number, as tests without a division have it: coin q < p."""

    uniform: Uniform
    factor: float

    def __lt__(self, other: float) -> bool:
        return self.uniform < other / self.factor if self.factor else other > 0


class Stream:
    """Coins one after the other. Put back to an earlier state it gives the same ones again."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.uniforms: list[Uniform] = []
        self.bit_generator = self
        self.state = 0

    def random(self, size: int | None = None) -> Any:
        """Return the next coin, or an array of so many."""
        if size is not None:
            uniforms = np.empty(size, dtype=object)
            uniforms[:] = [self.random() for _ in range(size)]
            return uniforms
        if self.state == len(self.uniforms):
            self.uniforms.append(Uniform(self.course))
        self.state += 1
        return self.uniforms[self.state - 1]


def courses(run: Callable[[Course], Result]) -> Iterator[tuple[Result, float]]:
    """Yield the result of every course, and its probability; they sum to 1."""
    course: Course | None = Course([])
    while course is not None:
        yield run(course), course.chance
        course = course.next()


def round_distribution(
    method: DecodingMethod, target: TableModel, draft: TableModel, prompt: Text
) -> dict[Text, float]:
    """All that one round can write after a prompt."""
    return _distribution(method, target, draft, prompt, 1)


def texts_distribution(
    method: DecodingMethod, target: TableModel, draft: TableModel, prompt: Text, num_tokens: int, *, one_by_one: bool
) -> dict[Text, float]:
    """Return the first tokens after a prompt, jointly.

    Args:
        method: with coins for its only chance, and nothing that one round leaves to the next.
        target, draft: tables.
        prompt: as long as the models' memory.
        num_tokens: of the texts.
        one_by_one: only the first token of each round counts, as where a rule is asked for one position.
    """
    order = max(target.order, draft.order)
    rounds: dict[Text, dict[Text, float]] = {}
    growing, distribution = {(): 1.0}, Counter[Text]()
    while growing:
        longer = Counter[Text]()
        for text, chance in growing.items():
            context = (*prompt, *text)[-order:]
            if context not in rounds:
                emitted = Counter[Text]()
                for written, share in round_distribution(method, target, draft, context).items():
                    emitted[written[:1] if one_by_one else written] += share  # type: ignore[assignment]
                rounds[context] = dict(emitted)
            for written, share in rounds[context].items():
                grown = (*text, *written)[:num_tokens]
                is_whole = len(grown) == num_tokens
                (distribution if is_whole else longer)[grown] += chance * share  # type: ignore[assignment]
        growing = dict(longer)
    return dict(distribution)


def runs_distribution(
    method: DecodingMethod, target: TableModel, draft: TableModel, prompt: Text, num_tokens: int
) -> dict[Text, float]:
    """Distribution of whole runs, where a round may depend on those before it; these are many more."""
    return _distribution(method, target, draft, prompt, num_tokens)


def _distribution(
    method: DecodingMethod, target: TableModel, draft: TableModel, prompt: Text, least: int
) -> dict[Text, float]:
    """Distribution of the text at the end of the round that has so many tokens; longer ones are cut if least > 1."""

    def run(course: Course) -> Text:
        request = Request(method, target, "", draft, max_new_tokens=TOKENS_LEFT, prompt_ids=prompt)
        return _written(request, course, least)

    distribution = Counter[Text]()
    for text, chance in courses(run):
        distribution[text if least == 1 else text[:least]] += chance  # type: ignore[assignment]
    return dict(distribution)


def _written(request: Request, course: Course, least: int) -> Text:
    streams = cast("np.random.Generator", Stream(course)), cast("np.random.Generator", Stream(course))

    def with_streams(number: int, setting: Setting) -> DecodingMethod:
        setting.draft_rng, setting.verify_rng = streams
        return request.method

    written: list[int] = []
    for item in decode(request, method_of=with_streams):
        if isinstance(item, Round):
            written += [item.tree.tokens[node] for node in item.nodes]
            if len(written) >= least:
                break
    return tuple(written)
