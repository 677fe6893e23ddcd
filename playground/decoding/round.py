"""What passes between the loop and a method in one round: the setting, the draft, the verdict."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

if TYPE_CHECKING:
    from playground.decoding.sampling import Sampling
    from playground.models.forward import Forward, Model
    from playground.trace.events import Origin, Outcome
    from playground.tree import TokenTree


class Reading:
    """What a model said at some nodes.

    Attributes:
        nodes: (n,) the nodes asked.
        forward: the raw answer, with the unwarped logits.
        seconds: inside the model.
    """

    def __init__(self, nodes: list[int], forward: Forward, seconds: float, sampling: Sampling) -> None:
        self.nodes = nodes
        self.forward = forward
        self.seconds = seconds
        self._sampling = sampling

    @cached_property
    def probs(self) -> torch.Tensor:
        """(n, V) distributions after the nodes, warped; rows sum to 1. Made when first asked for: beams never ask."""
        return self._sampling.probs(self.forward.logits)


class Reader:
    """A model seen through sampling settings, on one tree, with every call counted and timed."""

    def __init__(self, model: Model, sampling: Sampling, tree: TokenTree) -> None:
        self.model = model
        self.sampling = sampling
        self.tree = tree
        self.num_calls = 0
        self.num_passes = self.num_fed = self.num_read = 0
        self.seconds = 0.0
        self.peak_cache_bytes = 0

    def work(self) -> tuple[int, int, int]:
        """Forward passes so far, tokens that ran in them, and tokens whose keys and values they read."""
        return self.num_passes, self.num_fed, self.num_read

    def read(self, nodes: list[int], sampling: Sampling | None = None) -> Reading:
        """Ask for the distributions after these nodes: one call, whatever it has to catch up on."""
        started = time.perf_counter()
        forward = self.model.forward(self.tree, nodes)
        synchronise(self.model.device)
        seconds = time.perf_counter() - started
        self.num_calls += 1
        if forward.fed:  # else everything was known already
            self.num_passes += 1
            self.num_fed += len(forward.fed)
            self.num_read += forward.num_cached + len(forward.fed)
        self.seconds += seconds
        self.peak_cache_bytes = max(self.peak_cache_bytes, self.model.cache_bytes(self.tree))
        return Reading(nodes, forward, seconds, sampling or self.sampling)


def synchronise(device: torch.device) -> None:
    """Wait for the device, so that a clock read now includes the work it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


@dataclass(slots=True)
class Setting:
    """Everything a method may see and use in a round. It never sees a cache, a mask, a position or a device.

    Attributes:
        tree: grow it with `tree.add`.
        frontier: the node(s) the round starts from.
        room: how many tokens the round may still emit, by the budget and the models' context.
        target, draft_models: ask them with `read`; none for methods that need no draft model, mostly one.
        draft_rng, verify_rng: two independent streams, so that a longer draft does not change the coins.
        eos_ids: tokens that end the text.
        start_depth: the depth of the prompt's last token, from which lengths count.
        beams: what the round before decided, for methods that carry several texts; the others need only the frontier.
        memory: what a method wants to know again in the next round; None at first. It belongs to the run, not to the
            method, which may serve several runs.
    """

    tree: TokenTree
    frontier: list[int]
    room: int
    target: Reader
    draft_models: list[Reader]
    draft_rng: np.random.Generator
    verify_rng: np.random.Generator
    eos_ids: frozenset[int]
    start_depth: int
    beams: Beams
    memory: Any = None

    @property
    def draft_model(self) -> Reader:
        """The draft model: the first one."""
        return self.draft_models[0]


@dataclass(slots=True)
class Layer:
    """Draws made in one step of drafting, in draw order; equal draws below one parent share a node."""

    parents: list[int]
    nodes: list[int]
    seconds: float  # inside the draft models
    writers: list[int] = field(default_factory=list)  # which draft model each draw is from; empty: the first


@dataclass(slots=True)
class Draft:
    """What was drafted: the draws by layer, and the distribution below each node that was drawn from.

    Attributes:
        layers: from the frontier downwards.
        probs: parent node -> (V,), the very row its children were drawn from; or (K, V), a row for each of its draws,
            in draw order, where these have laws of their own. Where draws are deterministic and are judged as such, 1
            at each of them: their q. A lossy method that takes the draft model's best tokens gives the draft model's
            row.
    """

    layers: list[Layer] = field(default_factory=list)
    probs: dict[int, torch.Tensor] = field(default_factory=dict)

    def first_law(self, node: int) -> torch.Tensor:
        """What the first draw below a node came from. (V,)"""
        return self.probs[node] if self.probs[node].ndim == 1 else self.probs[node][0]

    def laws(self, layer: Layer) -> list[torch.Tensor]:
        """What each draw of a layer came from, in draw order. (V,) each"""
        num_drawn: Counter[int] = Counter()
        laws = []
        for parent in layer.parents:
            rows = self.probs[parent]
            laws.append(rows if rows.ndim == 1 else rows[num_drawn[parent]])
            num_drawn[parent] += 1
        return laws

    def nodes(self) -> list[int]:
        """Distinct drafted nodes, in the order they were first drawn."""
        return list(dict.fromkeys(node for layer in self.layers for node in layer.nodes))


@dataclass(slots=True)
class Judgement:
    """The test of one draw. Numbers are None where the draw was not tested."""

    node: int
    outcome: Outcome
    target_prob: float | None
    draft_prob: float | None
    accept_prob: float | None
    coin: float | None
    reason: str


class Beam(NamedTuple):
    """A text under way: its last node, and the log-probability of all it has written, under the unwarped target."""

    node: int
    log_prob: float


@dataclass(slots=True)
class Beams:
    """The texts that a beam method carries, all of one length but for those that have ended.

    Attributes:
        live: in order of rank, the next round's frontier. Where draws are independent a beam may stand here twice.
        ended: texts that came to an end token, this round's included; they are no part of the frontier.
        best: the last node of the best text so far, live or ended.
        origins: how each node of this round came about, a parent before its children.
        over: True when nothing live can become the best any more.
    """

    live: list[Beam]
    ended: list[Beam]
    best: int
    origins: dict[int, Origin] = field(default_factory=dict)
    over: bool = False


# What a rule worked out on the way, as data for the trace. It is called between rounds, where the clock stands still.
Workings = Callable[[], dict[str, Any]]


@dataclass(slots=True)
class Verdict:
    """What the verification decided: one path and perhaps one more token, or beams.

    Attributes:
        reading: the target's answer.
        judgements: one per draw, in the order of the test.
        accepted: the accepted nodes, a path below the frontier.
        extra: the token the target adds at the end of that path, or None when the path ends the text.
        origin: how that token came about.
        extra_probs: (V,) what it was drawn from, unnormalised: p, or what is left of p after the rejections.
        beams: what a method with several texts decided instead of all that.
        workings: what a lens may show of how it was decided, see `events.Judged`.
    """

    reading: Reading
    judgements: list[Judgement]
    accepted: list[int] = field(default_factory=list)
    extra: int | None = None
    origin: Origin = "plain"
    extra_probs: torch.Tensor | None = None
    beams: Beams | None = None
    workings: list[Workings] = field(default_factory=list)
