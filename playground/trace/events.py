"""The contract of a trace: what happened in one run, in the order it happened.

A run is `RunStarted`, then rounds of `Drafted`* `Scored` `Verified` `Committed`, then `RunFinished`. Every number in an
event was measured or computed by the models; nothing downstream asks the models again. Events are columns, not rows:
entry i of every list in an event speaks of the same draw, so that a trace stays small.

Node ids are those of the token tree: the prompt is nodes 0 .. T-1, every later node has a larger id than its parent.

Types and ranges are declared here and nowhere else: reading checks them, and the JSON Schema and the page's contract
are made from them (schema.py). A value is checked when it is read, not when a program makes the event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from playground.errors import PlaygroundError
from playground.words import word

Outcome = Literal["accepted", "rejected", "not_tested"]
Origin = Literal["accepted", "correction", "bonus", "plain"]
# What one test of a rule is about: one draw; of a position's draws the only one that was selected; a whole prefix; one
# draw among those that compete for the several texts of a depth ("layers", as files have it).
Tests = Literal["draws", "selected draws", "prefixes", "layers"]
FinishReason = Literal["length", "eos", "stop_string", "stopped", "context"]

MOST = Meta(max_length=100_000)  # entries of a list
Count = Annotated[int, Meta(ge=0, le=10**15)]
Id = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Number = Annotated[int, Meta(ge=1, le=1_000_000)]  # A round or a depth has it.
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Prob = Annotated[float, Meta(ge=-1e-6, le=1.000001)]  # float32's rounding
LogProb = Annotated[float, Meta(ge=-1e6, le=1e-6)]
Name = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=1_000_000)]
Date = Annotated[str, Meta(max_length=40)]
Ids = Annotated[list[Id], MOST]
Probs = Annotated[list[Prob], MOST]
SomeProbs = Annotated[list[Prob | None], MOST]

if TYPE_CHECKING:
    Facts = Working = dict[str, Any]
else:
    Scalar = Annotated[str, Meta(max_length=10_000)] | float | int | bool | None
    FEW, SOME = Meta(max_length=100), Meta(max_length=1000)
    Facts = Annotated[dict[str, Scalar | Annotated[list[Scalar], SOME] | Annotated[dict[str, Scalar], FEW]], FEW]
    Working = Annotated[
        dict[str, Scalar | Annotated[list[Scalar | Annotated[list[Scalar], SOME]], SOME]],
        Meta(max_length=40, extra_json_schema={"required": ["kind"], "properties": {"kind": {"type": "string"}}}),
    ]

Pieces = Annotated[
    dict[
        Annotated[str, Meta(max_length=10, extra_json_schema={"pattern": "^[0-9]{1,10}$"})],
        Annotated[str, Meta(max_length=1000)],
    ],
    Meta(max_length=100_000, description="Token id to how to print it, for the tokens first seen in this event."),
]
Alternatives = Annotated[
    list[Annotated[list[Annotated[list[Id | Prob | None], Meta(min_length=3, max_length=4)]], Meta(max_length=1000)]],
    MOST,
]
RawProbs = Annotated[
    list[Annotated[list[Annotated[list[Id | Prob], Meta(min_length=2, max_length=2)]], Meta(max_length=1000)]], MOST
]
MaskRows = Annotated[list[Annotated[str, Meta(max_length=100_000, pattern="^[01]*$")]], MOST]


def about(text: str) -> Meta:
    """Attach the description of a field to the schema."""
    return Meta(description=text)


def snake_case(name: str) -> str:
    """Convert a class's name to the spelling of files."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class _Event(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="event", tag=snake_case):
    COLUMNS: ClassVar[tuple[tuple[str, ...], ...]] = ()  # lists of one length, entry i of each about the same draw

    def __post_init__(self) -> None:
        for token in getattr(self, "pieces", ()):  # a pattern of msgspec's takes ten times as long
            if not (token.isascii() and token.isdecimal()):
                raise ValueError(f'pieces: "{token}" is not the id of a token.')


class Branch(Struct, frozen=True, forbid_unknown_fields=True):
    """The change that a user has made to a run."""

    round: Annotated[Number, about("In which the change comes.")]
    node: Annotated[Id | None, about("The tested node that it is about; null where options were changed.")]
    outcome: Annotated[Literal["accepted", "rejected"] | None, about("The verdict that was forced on it.")]
    token: Annotated[Id | None, about("What was put in its place.")]
    options: Annotated[Facts, about("Options of the method that were changed, from this round on.")]
    of: Annotated[Date, about("When the original was created.")]


class RunStarted(_Event, frozen=True):
    """Configuration of the run, and the prompt as the trunk of the tree."""

    method: Annotated[Name, about("Id of the method: the file name in decoding/methods/.")]
    title: Annotated[Name, about("Name of the method for people.")]
    lossless: Annotated[bool, about("Whether the method claims the distribution it reproduces exactly.")]
    reproduces: Annotated[Name, about('What the method claims to sample from: "target sampling", ..., "none".')]
    options: Annotated[Facts, about("The method's own options.")]
    sampling: Annotated[
        dict[str, int | float | Annotated[str, Meta(max_length=10_000)]],
        Meta(max_length=100, description="temperature, top_k and top_p; 0 and 1: off. Others only where they are set."),
    ]
    seed: Annotated[int, Meta(ge=0, description="The one seed of the run.", extra_json_schema={"maximum": 2**64 - 1})]
    max_new_tokens: Annotated[Count, about("No more tokens than this are emitted.")]
    target: Annotated[Facts, about("name, parameters, layers, vocab_size, dtype, device of the target model.")]
    draft: Annotated[Facts | None, about("The same of the draft model; null when the method drafts without a model.")]
    prompt: Annotated[Text, about("The prompt as typed.")]
    prompt_ids: Annotated[Ids, Meta(min_length=1, description="(T,) The prompt's tokens: nodes 0 .. T-1.")]
    frontier: Annotated[Ids, Meta(min_length=1, description="The node(s) decoding starts from: T-1.")]
    pieces: Pieces
    prefill_s: Annotated[
        Seconds, about("Models over the prompt without its last token; excluded from all other times.")
    ]
    machine: Annotated[Facts, about("processor, threads, products (by which operations), gpu.")] = {}
    versions: Annotated[dict[str, Name], Meta(max_length=100, description="Versions of the software that ran.")] = {}
    created: Annotated[Date, about("UTC, ISO 8601.")] = ""
    other_drafts: Annotated[list[Facts], Meta(max_length=100, description="Further draft models, as `draft`.")] = []
    tests: Annotated[
        Tests | Literal[""],
        about(
            "What one test of the method's rule is about: one draw; of a position's draws the only one that was "
            "selected; a whole prefix; one draw among those that compete for the several texts of a depth. "
            "Left out: not recorded."
        ),
    ] = ""
    branch: Annotated[
        Branch | None, about("What was changed in another run, of which this one is a branch; it claims nothing.")
    ] = None
    num_allowed: Annotated[Count, about("The run could write one of this many token sequences; left out: any.")] = 0
    grammar: Annotated[
        str,
        Meta(max_length=10_000, description="Regular expression or JSON schema of the text; empty: any text."),
    ] = ""
    stop_strings: Annotated[
        list[Name], Meta(max_length=100, description="The text ends before the first of them that is complete.")
    ] = []
    message: Annotated[
        Text, about("The text of which the target's chat template made the prompt; left out where none did.")
    ] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed >= 2**64:
            raise ValueError(f"seed: {self.seed} is above the largest value allowed, {2**64 - 1}.")
        for name, models in (("target", [self.target]), ("draft", [self.draft]), ("other_drafts", self.other_drafts)):
            if not all(model is None or isinstance(model.get("name"), str) for model in models):
                raise ValueError(f"{name}: the field 'name' is missing.")


class Drafted(_Event, frozen=True):
    """The draws at one depth. A node appears twice when two i.i.d. draws coincide; lists are in draw order."""

    COLUMNS = (("parents", "nodes", "tokens", "draft_probs"),)

    round: Annotated[Number, about("From 1.")]
    depth: Annotated[Number, about("Below the frontier, from 1.")]
    parents: Annotated[Ids, about("The node each draw hangs from.")]
    nodes: Annotated[Ids, about("The node each draw is.")]
    tokens: Annotated[Ids, about("The token each draw is.")]
    draft_probs: Annotated[
        Probs,
        about(
            "q of each draw: its probability under what it was drawn from, so 1 where no chance was in it and the rule "
            "says so; a lossy method that takes the draft model's best tokens gives that model's probability of them."
        ),
    ]
    seconds: Annotated[Seconds, about("Inside the draft models.")]
    pieces: Pieces
    draft_models: Annotated[
        list[Count],
        Meta(max_length=100_000, description="Which draft model each draw is from, 0 is `draft`; empty: there is one."),
    ] = []


class Paths(Struct, frozen=True, forbid_unknown_fields=True):
    """Work of a call to a target that reads paths as rows, of which some are read twice."""

    passes: Annotated[Count, about("Forward passes of the call.")]
    rows: Annotated[Count, about("Paths that were read, over all passes; each has a copy of the state.")]
    tokens: Annotated[Count, about("Tokens that were read, over all rows, padding included.")]
    again: Annotated[Count, about("Of them, those that an earlier call had read: its state was taken back.")]
    again_s: Annotated[Seconds, about("In passes that read nothing else.")]


class Scored(_Event, frozen=True):
    """One target call: which nodes it was asked for, which it had to run, and what it may attend to."""

    COLUMNS = (("nodes", "overlaps", "alternatives"),)

    round: Annotated[Number, about("From 1.")]
    nodes: Annotated[Ids, about("Asked: the distribution AFTER each of these nodes.")]
    overlaps: Annotated[
        SomeProbs,
        about(
            "sum_x min(p, q) at each asked node: the exact acceptance probability of one draw in speculative "
            "sampling's test; where several draws were certain (q = 1 at each), that of one of them; where draws have "
            "distributions of their own, that of the first; null without a draft."
        ),
    ]
    alternatives: Annotated[
        Alternatives,
        about(
            "Per asked node, rows [token, p, q or null] by falling p, with the q of the overlap; where a correction "
            "was drawn also the probability it had in the residual; empty where nothing was decided."
        ),
    ]
    fed: Annotated[Ids, about("Nodes run through the target in this call, in order: the rows of the mask.")]
    num_cached: Annotated[Count, about("Tokens already in the target's cache before the call.")]
    columns: Annotated[Ids, about("Nodes of the mask's columns; every earlier cached token is visible to all rows.")]
    mask: Annotated[
        MaskRows | None, about("A row of 1 and 0 per fed node, one letter per column; null when too large to record.")
    ]
    seconds: Annotated[Seconds, about("Inside the target model.")]
    pieces: Pieces
    raw_probs: Annotated[
        RawProbs,
        about(
            "Per asked node, rows [token, probability] of the target's own softmax, before bias, penalties, grammar, "
            "temperature and cut-offs, by falling probability: its likeliest tokens and those of `alternatives`; left "
            "out where only the temperature is set."
        ),
    ] = []
    paths: Annotated[Paths | None, about("Of a target that reads paths as rows; left out: it reads trees.")] = None


class Verified(_Event, frozen=True):
    """The verdict on every draw of the round, in the order of the test. Draws that were not tested have no uniform."""

    COLUMNS = (("nodes", "outcomes", "target_probs", "draft_probs", "accept_probs", "uniforms", "reasons"),)

    round: Annotated[Number, about("From 1.")]
    nodes: Annotated[Ids, about("The drafted node of each verdict.")]
    outcomes: Annotated[list[Outcome], MOST, about("not_tested: no test was made.")]
    target_probs: Annotated[SomeProbs, about("p of the drafted token.")]
    draft_probs: Annotated[SomeProbs, about("q of the drafted token.")]
    accept_probs: Annotated[SomeProbs, about("The probability with which the test accepts.")]
    uniforms: Annotated[SomeProbs, about("u in [0, 1); accepted when it is below the acceptance probability.")]
    reasons: Annotated[
        list[Annotated[str, Meta(max_length=1000)]],
        MOST,
        about("Why, a code each; the sentences are in assets/player/trace/reasons.js."),
    ]
    reason_values: Annotated[
        list[Annotated[dict[Name, float], Meta(max_length=20)]],
        Meta(max_length=100_000, description="Numbers of each reason's sentence by name; empty: none has any."),
    ] = []
    workings: Annotated[
        list[Working],
        Meta(
            max_length=10_000,
            description="What a rule computed on the way, for a lens to draw; the kinds are in decoding/workings.",
        ),
    ] = []

    def __post_init__(self) -> None:
        if not all(isinstance(working.get("kind"), str) for working in self.workings):
            raise ValueError("workings: the field 'kind' is missing.")


class Timed:
    """Seconds by phase, of a round or a run, prefill excluded."""

    __slots__ = ()
    draft_s: float
    verify_s: float
    other_s: float

    @property
    def seconds(self) -> float:
        """Decoding time: drafting, the target's calls and the rest."""
        return self.draft_s + self.verify_s + self.other_s


class Committed(_Event, Timed, frozen=True):
    """Tokens that the round emitted, and the node(s) the next round grows from: one, or with beams their last nodes."""

    COLUMNS = (("nodes", "tokens", "origins", "log_probs"),)

    round: Annotated[Number, about("From 1.")]
    nodes: Annotated[Ids, about("Emitted tokens, in the order of the text; with beams all new nodes, parents first.")]
    tokens: Annotated[Ids, about("The emitted tokens.")]
    origins: Annotated[list[Origin], MOST, about("An accepted draft, or the one extra token of the round.")]
    log_probs: Annotated[
        list[LogProb], MOST, about("Natural log, under the unwarped target, renormalised over what may be written.")
    ]
    extra_prob: Annotated[
        Prob | None, about("Probability of the last token under what it was drawn from, if it is not a draft.")
    ]
    text: Annotated[Text, about("What these tokens add to the text.")]
    frontier: Annotated[
        Ids,
        Meta(
            min_length=1,
            description="The node(s) the next round grows from; with beams in order of rank, one of them twice where "
            "two draws coincided.",
        ),
    ]
    draft_s: Annotated[Seconds, about("Drafting in this round.")]
    verify_s: Annotated[Seconds, about("The target call of this round.")]
    other_s: Annotated[
        Seconds, about("The rest of the round: sampling, acceptance tests, tree; recording and drawing excluded.")
    ]
    clock_s: Annotated[
        Seconds, about("Decoding clock at the end of the round: the sum of all phases so far, prefill excluded.")
    ]
    pieces: Pieces
    parents: Annotated[Ids, about("Of the nodes; left out: each hangs from the one before it.")] = []
    frontier_log_probs: Annotated[
        list[Annotated[float, Meta(ge=-1e9, le=1e-3)]],
        MOST,
        about("With beams: natural log of each beam's whole text, under the unwarped target."),
    ] = []
    best: Annotated[Id | None, about("With beams: where the best text ends, live or ended; null without beams.")] = None
    text_offset: Annotated[
        Annotated[int, Meta(ge=0, le=1_000_000)] | None,
        about("Characters of the text so far that stay, before `text` is added; null: all of them."),
    ] = None
    draft_work: Annotated[
        list[Count],
        Meta(
            max_length=300,
            description="The draft model's forward passes in this round, the tokens that ran in them, and the tokens "
            "whose keys and values they read; three numbers more for each further draft model; empty: not recorded.",
        ),
    ] = []
    draft_cache_bytes: Annotated[
        list[Count],
        Meta(
            max_length=100,
            description="Keys and values in each draft model's cache behind its last pass so far; empty: not recorded.",
        ),
    ] = []


class RunFinished(_Event, Timed, frozen=True):
    """Reason why the run ended, and its totals: each equals the fold of the events before it (see invariants.py)."""

    finish_reason: Annotated[FinishReason, about("Budget, end of text, stop string, a person, or context full.")]
    text: Annotated[Text, about("Everything emitted, without the prompt.")]
    num_tokens: Annotated[Count, about("Emitted tokens, correction and bonus tokens included.")]
    rounds: Annotated[Count, about("Rounds committed.")]
    target_calls: Annotated[Count, about("Prefill excluded.")]
    draft_calls: Annotated[Count, about("Prefill excluded.")]
    num_drafted: Annotated[Count, about("Draws drafted.")]
    num_tested: Annotated[Count, about("Draws whose test was made.")]
    num_accepted: Annotated[Count, about("Draws that were accepted.")]
    draft_s: Annotated[Seconds, about("Sum over the rounds.")]
    verify_s: Annotated[Seconds, about("Sum over the rounds.")]
    other_s: Annotated[Seconds, about("Sum over the rounds.")]
    perplexity: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        about("Of the emitted tokens under the unwarped target; null when nothing was emitted."),
    ]
    peak_cache_bytes: Annotated[Count, about("Largest key and value cache of all models together.")]
    energy: Annotated[
        Facts,
        about("joules (null when not measurable), source, reason, window_s, resolution_s; only what was measured."),
    ] = {}


Event = RunStarted | Drafted | Scored | Verified | Committed | RunFinished


@dataclass(frozen=True, slots=True)
class Round:
    """One draft and one verification. A round of plain decoding has no `drafted` and an empty verdict."""

    number: int  # from 1
    drafted: tuple[Drafted, ...]
    scored: Scored
    verified: Verified
    committed: Committed

    @property
    def depth_of(self) -> dict[int, int]:
        """Node id -> draft depth below the frontier, for the nodes drafted in this round."""
        return {node: event.depth for event in self.drafted for node in event.nodes}

    @property
    def parent_of(self) -> dict[int, int]:
        """Node id -> parent id, for the nodes drafted in this round."""
        return {node: parent for event in self.drafted for node, parent in zip(event.nodes, event.parents, strict=True)}


@dataclass
class BegunRound:
    """The events of one round; one that an interruption cut short lacks the last ones."""

    number: int
    drafted: list[Drafted] = field(default_factory=list)
    scored: Scored | None = None
    verified: Verified | None = None
    committed: Committed | None = None

    @property
    def draws(self) -> list[int]:
        """The node of every draw of the round, in draw order."""
        return [node for event in self.drafted for node in event.nodes]

    def verified_as(self, outcome: Outcome) -> list[int]:
        """Return the nodes of the draws with this verdict."""
        if self.verified is None:
            return []
        return [node for node, each in zip(self.verified.nodes, self.verified.outcomes, strict=True) if each == outcome]


@dataclass(frozen=True)
class Trace:
    """A finished or interrupted run: its events in order."""

    events: tuple[Event, ...]

    @property
    def started(self) -> RunStarted:
        """Settings, prompt and models of the run.

        Raises:
            PlaygroundError: if the trace does not say; one that the loop recorded always does.
        """
        if self.events and isinstance(self.events[0], RunStarted):
            return self.events[0]
        raise PlaygroundError(word("refused_no_start"))

    @cached_property
    def begun_rounds(self) -> list[BegunRound]:
        """The rounds as far as they came; the events are in order."""
        rounds: list[BegunRound] = []
        for event in self.events:
            if isinstance(event, Drafted | Scored) and (not rounds or rounds[-1].committed):
                rounds.append(BegunRound(event.round))
            match event:
                case Drafted():
                    rounds[-1].drafted.append(event)
                case Scored():
                    rounds[-1].scored = event
                case Verified():
                    rounds[-1].verified = event
                case Committed():
                    rounds[-1].committed = event
        return rounds

    @cached_property
    def rounds(self) -> list[Round]:
        """The rounds that were committed, in order. A round that an interruption cut short is in no number.

        Raises:
            PlaygroundError: if one was committed without being scored and verified.
        """
        rounds = []
        for each in self.begun_rounds:
            if each.committed is None:
                continue
            if each.scored is None or each.verified is None:
                raise PlaygroundError(word("refused_no_verification", round=each.number))
            rounds.append(Round(each.number, tuple(each.drafted), each.scored, each.verified, each.committed))
        return rounds

    @cached_property
    def committed(self) -> list[Committed]:
        """The `committed` event of each round that was committed."""
        return [event for event in self.events if isinstance(event, Committed)]

    @cached_property
    def grows_one_text(self) -> bool:
        """True if every frontier is one node; with several beams the invariants of the one path do not hold."""
        one_node = all(len(event.frontier) == 1 for event in [self.started, *self.committed])
        return one_node and all(event.best is None for event in self.committed)

    @property
    def finished(self) -> RunFinished | None:
        """Reason and totals of the end; None where it was interrupted, perhaps in the middle of a round."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, RunFinished) else None
