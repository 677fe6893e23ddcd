"""Questions of the Lab's sections. The answer is what the section computes for it, or a `Refusal`.

Whether numbers are in their range is checked where they are used.
"""

from typing import Literal

from msgspec import Struct

from playground.ui.contract.from_page import FromPage, Options

Row = list[float]  # It has a probability for each token.


class Refusal(Struct, frozen=True):
    """The answer where a question is bad, or its answer fails: a sentence."""

    error: str


class Wait(Struct, frozen=True):
    """The answer where the question is to be asked again in a moment."""

    wait: bool = True


class Question(FromPage, frozen=True):
    """A question of a section."""


# -- acceptance --------------------------------------------------------------------------------------------------------


class _Drafts(Question, frozen=True):
    target: Row
    draft: Row
    num_drafts: int
    rule: str


class Position(_Drafts, frozen=True):
    """Ask what two rows come to under every scheme."""


class Curve(_Drafts, frozen=True):
    """Ask how acceptance changes while one number moves; the curve's name is that in links."""

    curve: Literal["towards", "bernoulli", "flatness", "uniform_draft", "uniform_draft_right"]


# -- losslessness ------------------------------------------------------------------------------------------------------


class Catalogue(Question, frozen=True):
    """Ask what can be measured."""


class Subject(Struct, frozen=True, forbid_unknown_fields=True):
    """A method to measure, or a rule that is broken on purpose."""

    name: str
    options: Options = {}
    broken: bool = False


class Start(Question, frozen=True):
    """Begin one check, or two side by side."""

    runs: list[Subject]
    on: Literal["tables", "pair"]
    prompt: str
    num_tokens: int
    num_likeliest: int
    samples: int
    seed: int


class Poll(Question, frozen=True):
    """Ask how far a bench is, beyond the points that the page has of each check."""

    id: str
    seen: list[int]


class Stop(Question, frozen=True):
    """End a bench."""

    id: str


# -- expected speed ----------------------------------------------------------------------------------------------------


class Speed(Question, frozen=True):
    """Ask what drafting is worth."""

    passing: Row
    nodes_cost: str
    draft_length: int
    num_nodes: int
    children: int
    num_beams: int
    num_draws: int
    cost_ratio: float
    per_node: float
    bytes_per_parameter: float
    layer_acceptance: float
    falling: float


class Load(Question, frozen=True):
    """Ask what drafting is worth under load."""

    rate: float
    draft_length: int
    batch: int
    table: str
    costs: str
    cost_ratio: float
    round_ms: float
    num_experts: int
    per_token: int
    expert_share: float
    arrivals_per_s: float
    reads_again: bool


class Batches(Question, frozen=True):
    """Measure batches of the bundled pair, in which each sequence drafts this many tokens."""

    draft_length: int


class OpenTrace(Question, frozen=True):
    """Read the file of a trace; its content goes over in base64."""

    name: str
    content: bytes


# -- your server -------------------------------------------------------------------------------------------------------


class Names(Question, frozen=True):
    """Ask what servers call their numbers."""


class Log(Question, frozen=True):
    """Ask what a server recorded; its log goes over in base64, costs are in plain steps."""

    content: bytes
    draft_cost: float | None
    verify_cost: float
