"""The vocabulary of a trace: what happened in one run, in the order it happened.

A run is `RunStarted`, then rounds of `Drafted`* `Scored` `Judged` `Committed`, then `RunFinished`. Every number in an
event was measured or computed by the models; nothing downstream asks the models again. Events are columns, not rows:
entry i of every list in an event speaks of the same draw, so that a trace stays small.

Node ids are those of the token tree: the prompt is nodes 0 .. T-1, every later node has a larger id than its parent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from playground.errors import PlaygroundError

Outcome = Literal["accepted", "rejected", "unjudged"]
Origin = Literal["accepted", "correction", "bonus", "plain"]
# What one test of a rule is about: one draw; of a position's draws the only one that was selected; a whole prefix; one
# draw among those that compete for the several texts of a layer.
Tests = Literal["draws", "selected draws", "prefixes", "layers"]
FinishReason = Literal["length", "eos", "stopped", "context"]


@dataclass(frozen=True, slots=True)
class RunStarted:
    """Configuration of the run, and the prompt as the trunk of the tree."""

    method: str  # id, the file name in decoding/methods/
    title: str
    lossless: bool
    reproduces: str  # the law the method claims: "target sampling", ..., "none"
    options: dict[str, Any]
    sampling: dict[str, float]  # temperature, top_k (0 = off), top_p (1 = off)
    seed: int
    max_new_tokens: int
    target: dict[str, Any]  # name, parameters, layers, vocab_size, dtype, device
    draft: dict[str, Any] | None  # the same, None when the method drafts without a model
    prompt: str
    prompt_ids: list[int]  # (T,)
    frontier: list[int]  # the node(s) decoding starts from: T-1
    pieces: dict[str, str]  # token id -> how to print it, for the tokens seen for the first time in this event
    prefill_s: float  # both models over the prompt without its last token; excluded from every other time
    machine: dict[str, Any] = field(default_factory=dict)  # processor, threads, products (by which operations), gpu
    versions: dict[str, str] = field(default_factory=dict)
    created: str = ""  # UTC, ISO 8601
    other_drafts: list[dict[str, Any]] = field(default_factory=list)  # further draft models that run, as `draft`
    tests: Tests | Literal[""] = ""  # what the method's rule tests; empty: not recorded
    # A run with a change that somebody has made in another one, which is otherwise its original: "round" in which it
    # comes; "node" that it is about, with its forced "outcome" or the "token" in its place; or the method's "options"
    # from there on; "of": when the original was created. Empty for every other run. See decoding/what_if/.
    branch: dict[str, Any] = field(default_factory=dict)
    num_allowed: int = 0  # the run could write one of so many sequences of tokens, and nothing else; 0: anything


@dataclass(frozen=True, slots=True)
class Drafted:
    """One layer of draws. A node appears twice when two i.i.d. draws coincide; draw order is the order of the lists."""

    round: int  # from 1
    layer: int  # draft depth below the frontier, from 1
    parents: list[int]
    nodes: list[int]
    tokens: list[int]
    # q of each draw: its probability under what it was drawn from, so 1 where no chance was in it and the rule says so;
    # a lossy method that takes the draft model's best tokens gives that model's probability of them
    draft_probs: list[float]
    seconds: float  # inside the draft models
    pieces: dict[str, str]
    writers: list[int] = field(default_factory=list)  # which draft model each draw is from; empty: there is one


@dataclass(frozen=True, slots=True)
class Scored:
    """One target call: which nodes it was asked for, which it had to run, and what it may attend to."""

    round: int
    nodes: list[int]  # asked: the distribution AFTER each of these nodes
    # sum_x min(p, q) at each asked node: the exact acceptance probability of one draw in speculative sampling's test;
    # where several draws were certain (q = 1 at each), that of one of them; where draws have laws of their own, that of
    # the first; None without a draft
    overlaps: list[float | None]
    # per asked node, rows [token, p, q or None] by falling p, with the q of the overlap; where a correction was drawn
    # also the probability it had under what was left of p; empty where nothing was decided
    alternatives: list[list[list[float | int | None]]]
    fed: list[int]  # nodes run through the target in this call, in order: the rows of the mask
    cached: int  # tokens already in the target's cache before the call
    columns: list[int]  # nodes of the mask's columns; every earlier cached token is visible to all rows
    mask: list[str] | None  # a row of "1"/"0" per fed node, one letter per column; None when too large to record
    seconds: float  # inside the target model
    pieces: dict[str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on every draw of the round, in the order of the test. Unjudged draws carry no coin."""

    round: int
    nodes: list[int]
    outcomes: list[Outcome]
    target_probs: list[float | None]  # p of the drafted token
    draft_probs: list[float | None]  # q of the drafted token
    accept_probs: list[float | None]
    coins: list[float | None]  # accepted when the coin is below the acceptance probability
    reasons: list[str]  # one plain sentence each
    # What a rule worked out on the way, for a lens to draw: {"kind": which rule, "node" or "layer": where, ...}, with
    # numbers, words and lists of numbers under names that the rule's module explains.
    workings: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Committed:
    """What the round emitted, and the node(s) the next round grows from: one, or with beams their last nodes."""

    round: int
    nodes: list[int]
    tokens: list[int]
    origins: list[Origin]
    log_probs: list[float]  # natural log, under the unwarped target, renormalised over what may be written
    extra_prob: float | None  # probability of the last token under the distribution it was drawn from, if not a draft
    text: str  # what these tokens add to the text
    frontier: list[int]
    draft_s: float
    verify_s: float
    other_s: float  # the rest of the round: sampling, acceptance tests, tree; recording and drawing excluded
    clock_s: float  # decoding clock at the end of the round: the sum of all phases so far, prefill excluded
    pieces: dict[str, str]
    parents: list[int] = field(default_factory=list)  # of the nodes; left out: each hangs from the one before it
    # With beams only. `nodes` are then all the nodes that the beams have grown by, parents before children, and
    # `frontier` names the beams in order of rank, one of them twice where two draws coincided.
    frontier_log_probs: list[float] = field(default_factory=list)  # of each beam's whole text, unwarped target
    best: int | None = None  # where the best text ends: a beam, or one that came to its end token; None without beams
    kept: int | None = None  # characters of the text so far that stay, before `text` is added; None: all of them
    # the draft model's work in this round: forward passes, tokens that ran in them, tokens whose keys and values they
    # read; three numbers more for each further draft model; empty: not recorded
    draft_work: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RunFinished:
    """Why the run ended, and its totals. Each total equals the fold of the events before it (see laws.py)."""

    reason: FinishReason
    text: str
    num_tokens: int
    rounds: int
    target_calls: int
    draft_calls: int
    num_drafted: int
    num_judged: int
    num_accepted: int
    draft_s: float
    verify_s: float
    other_s: float
    perplexity: float | None  # of the emitted tokens under the unwarped target; None when nothing was emitted
    peak_cache_bytes: int
    # joules (None when not measurable), source, reason, window_s, resolution_s: see meters/reading.py. Only what was
    # measured stands in a trace; metrics/energy.py makes an estimate from it.
    energy: dict[str, Any] = field(default_factory=dict)


Event = RunStarted | Drafted | Scored | Judged | Committed | RunFinished


@dataclass(frozen=True, slots=True)
class Round:
    """One draft and one verification. A round of plain decoding has no `drafted` and an empty verdict."""

    number: int  # from 1
    drafted: tuple[Drafted, ...]
    scored: Scored
    judged: Judged
    committed: Committed

    @property
    def layer_of(self) -> dict[int, int]:
        """Node id -> draft depth below the frontier, for the nodes drafted in this round."""
        return {node: event.layer for event in self.drafted for node in event.nodes}

    @property
    def parent_of(self) -> dict[int, int]:
        """Node id -> parent id, for the nodes drafted in this round."""
        return {node: parent for event in self.drafted for node, parent in zip(event.nodes, event.parents, strict=True)}


@dataclass(frozen=True)
class Trace:
    """A finished or interrupted run: its events in order."""

    events: tuple[Event, ...]

    @property
    def started(self) -> RunStarted:
        """How the run began.

        Raises:
            PlaygroundError: if the trace does not say; one that the loop recorded always does.
        """
        if self.events and isinstance(self.events[0], RunStarted):
            return self.events[0]
        raise PlaygroundError("The trace does not say how its run began. Record the run again.")

    @cached_property
    def rounds(self) -> list[Round]:
        """The rounds that were committed, in order. A round that an interruption cut short is in no number.

        Raises:
            PlaygroundError: if one was committed without being scored and judged.
        """
        rounds: list[Round] = []
        drafted: list[Drafted] = []
        scored, judged = None, None
        for event in self.events:
            match event:
                case Drafted():
                    drafted.append(event)
                case Scored():
                    scored = event
                case Judged():
                    judged = event
                case Committed():
                    if scored is None or judged is None:
                        raise PlaygroundError(f"Round {event.round} has no verification. Record the run again.")
                    rounds.append(Round(event.round, tuple(drafted), scored, judged, event))
                    drafted, scored, judged = [], None, None
        return rounds

    @cached_property
    def committed(self) -> list[Committed]:
        """What each round emitted."""
        return [event for event in self.events if isinstance(event, Committed)]

    @cached_property
    def grows_one_text(self) -> bool:
        """Whether every frontier is one node; with several beams the laws of the one path do not hold."""
        one_node = all(len(event.frontier) == 1 for event in [self.started, *self.committed])
        return one_node and all(event.best is None for event in self.committed)

    @property
    def finished(self) -> RunFinished | None:
        """Why and how the run ended; None where it was interrupted, perhaps in the middle of a round."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, RunFinished) else None
