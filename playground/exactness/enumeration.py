"""The exact distribution of what a method writes: every interval of its random numbers is enumerated, no run drawn.

A random number u is here no number but an interval: what the tests so far have left of [0, 1). A test splits it in
two, and the method is run once for each side. The probability of a course of events is the product of the shares that
its sides have of their intervals. A u that is used twice, by mistake, is the same interval twice. Rules may compare u
with a number, or look up a token with it; rules that turn it into Gumbel noise cannot be enumerated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import DecodingMethod
from playground.decoding.setting import Setting
from playground.models.table_model import TableModel

TOKENS_LEFT = 16  # tokens that a run may still write: more than a round drafts, so that no draft is cut
STREAMS = ("draft_rng", "verify_rng")
Text = tuple[int, ...]
Intervals = tuple[tuple[float, float], ...]  # The first numbers of a stream lie in them.
Result = TypeVar("Result")


@dataclass(slots=True)
class Course:
    """One way through all decisions."""

    given: list[int]  # the sides to take, from the first decision on; after them the first possible one
    # Each decision has the side that was taken, and the chances of all sides.
    choices: list[tuple[int, list[float]]] = field(default_factory=list)
    chance: float = 1.0  # It is the course's so far.

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

    def __init__(self, course: Course, low: float = 0.0, high: float = 1.0) -> None:
        self.course = course
        self.low, self.high = low, high

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
        """Answer `np.searchsorted(cumulative, u, side="right")`: the token drawn with u."""
        assert func is np.searchsorted and kwargs == {"side": "right"}, f"an interval cannot be given to {func}"
        cumulative, uniform = args
        return uniform._among(cumulative.tolist())


@dataclass(frozen=True, slots=True)
class Scaled:
    """u times a number, for tests without a division: u q < p."""

    uniform: Uniform
    factor: float

    def __lt__(self, other: float) -> bool:
        return self.uniform < other / self.factor if self.factor else other > 0


class Stream:
    """A stream of intervals in place of random numbers. Put back to an earlier state it gives the same ones again."""

    def __init__(self, course: Course, known: Intervals = ()) -> None:
        self.course = course
        self.uniforms = [Uniform(course, *interval) for interval in known]
        self.bit_generator = self
        self.state = 0

    def random(self, size: int | None = None) -> Any:
        """Return the next random number, or an array of them."""
        if size is not None:
            uniforms = np.empty(size, dtype=object)
            uniforms[:] = [self.random() for _ in range(size)]
            return uniforms
        if self.state == len(self.uniforms):
            self.uniforms.append(Uniform(self.course))
        self.state += 1
        return self.uniforms[self.state - 1]


# (context, the streams of STREAMS) -> the tokens of a round
WriteRound = Callable[[Text, Sequence[Stream]], Text]


def courses(run: Callable[[Course], Result]) -> Iterator[tuple[Result, float]]:
    """Yield the result of every course, and its probability; they sum to 1."""
    course: Course | None = Course([])
    while course is not None:
        yield run(course), course.chance
        course = course.next()


def method_round(method: DecodingMethod, target: TableModel, draft: TableModel) -> WriteRound:
    """Return what writes a round of a method in the decoding loop, on tables.

    Args:
        method: one whose rounds depend on the text and on these numbers alone.
    """

    def write(context: Text, streams: Sequence[Stream]) -> Text:
        request = Request(method, target, "", draft, max_new_tokens=TOKENS_LEFT, prompt_ids=context)
        return _written(request, streams, 1)

    return write


def texts_distribution(
    write: WriteRound, prompt: Text, num_tokens: int, rewound: Sequence[str] = ()
) -> dict[Text, float]:
    """Return the first tokens after a prompt, jointly.

    Args:
        write: a round's tokens after a context.
        prompt: as long as the models' memory.
        num_tokens: of the texts.
        rewound: those of STREAMS that restart in every round: the intervals of their numbers pass from round to round.
    """
    rounds: dict[Any, dict[tuple[Text, tuple[Intervals, ...]], float]] = {}
    growing: dict[Any, float] = {((), ((), ())): 1.0}
    distribution: defaultdict[Text, float] = defaultdict(float)
    while growing:
        longer: defaultdict[Any, float] = defaultdict(float)
        for (text, known), chance in growing.items():
            begin = (*prompt, *text)[-len(prompt) :], known
            if begin not in rounds:
                rounds[begin] = _summed(courses(partial(_write_on, write, *begin, rewound)))
            for (written, then), share in rounds[begin].items():
                grown = (*text, *written)[:num_tokens]
                if len(grown) == num_tokens:
                    distribution[grown] += chance * share
                else:
                    longer[grown, then] += chance * share
        growing = longer
    return dict(distribution)


def _write_on(
    write: WriteRound, context: Text, known: tuple[Intervals, ...], rewound: Sequence[str], course: Course
) -> tuple[Text, tuple[Intervals, ...]]:
    """Return a round's tokens, and the intervals of the random numbers that restart."""
    streams = [Stream(course, intervals) for intervals in known]
    text = write(context, streams)
    then = [
        tuple((uniform.low, uniform.high) for uniform in stream.uniforms) if name in rewound else ()
        for name, stream in zip(STREAMS, streams, strict=True)
    ]
    return text, tuple(then)


def runs_distribution(
    method: DecodingMethod,
    target: TableModel,
    draft: TableModel,
    prompt: Text,
    num_tokens: int,
    *,
    max_new_tokens: int = TOKENS_LEFT,
) -> tuple[dict[Text, float], int]:
    """Return the first tokens of whole runs, whatever a round leaves to the next; and the number of their courses."""

    def run(course: Course) -> Text:
        request = Request(method, target, "", draft, max_new_tokens=max_new_tokens, prompt_ids=prompt)
        return _written(request, [Stream(course), Stream(course)], num_tokens)[:num_tokens]

    texts = list(courses(run))
    return _summed(texts), len(texts)


def _summed(results: Iterable[tuple[Result, float]]) -> dict[Result, float]:
    distribution: defaultdict[Result, float] = defaultdict(float)
    for result, chance in results:
        distribution[result] += chance
    return dict(distribution)


def _written(request: Request, streams: Sequence[Stream], least: int) -> Text:
    def with_streams(number: int, setting: Setting) -> DecodingMethod:
        setting.draft_rng, setting.verify_rng = cast("list[np.random.Generator]", streams)
        return request.method

    written: list[int] = []
    for item in decode(request, method_of=with_streams):
        if isinstance(item, Round):
            written += [item.tree.tokens[node] for node in item.nodes]
            if len(written) >= least:
                break
    return tuple(written)
