"""Drafting while the target verifies, on two clocks: a simulation on runs and times that were measured here.

While the target verifies a chain, a drafter on a device of its own drafts for the outcomes that its own distributions
make likely: so many accepted tokens, and this token behind them. If the outcome is one of them the next chain is there
already (a hit), else it is drafted then (a miss). Tokens and outcomes are those of a run of speculative sampling, whose
text this changes in nothing; only the clocks are simulated: there is one device here, and messages take no time.

Paper: Kumar, Dao and May 2026, Speculative Speculative Decoding, arXiv 2603.03251
Differs from the paper: every number of accepted tokens has equally many guesses; drafts are sampled from q as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from playground.bench.calibration import call_seconds, plain_step_s
from playground.bench.prompts import read_prompts
from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.decoding.reader import Reader
from playground.errors import PlaygroundError
from playground.metrics.interval import median_interval, wilson_interval
from playground.models.forward import Model
from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.sampling import Sampling
from playground.tree import TokenTree

NUM_PROMPTS = 8
MAX_NEW_TOKENS = 64
REPEATS = 40
MOST_GUESSES = 8  # per number of accepted tokens
MOST_LENGTH = 8
CONTEXT = 64  # tokens before the timed calls of the drafter


@dataclass(frozen=True, slots=True)
class Clocked:
    """A round as it ran on one clock, and whether its outcome was among the guesses."""

    tokens: list[str]  # drafted
    num_accepted: int
    extra: str  # the token behind the accepted ones; empty where the text ended before
    rank: int | None  # That token's place in the drafter's row there, from 1; None where there is no such token.
    is_hit: bool
    draft_s: float
    target_s: float  # the target's call and the rest of the round


@dataclass(frozen=True, slots=True)
class Block:
    """Work on one device; seconds from the first draft's beginning."""

    kind: str  # "draft", "verify", or "guess": chains for likely outcomes
    round: int  # from 1, whose work it is
    start_s: float
    end_s: float


def two_clocks(pair: LoadedPair, draft_length: int, guesses: int, temperature: float) -> Iterator[dict[str, object]]:
    """Run speculative sampling and plain decoding on some prompts, and put the rounds on two clocks.

    Args:
        guesses: tokens per number of accepted drafts, from 0 to all, for which the drafter makes a chain.

    Yields:
        After each prompt `done` of `total`; `rounds` of the first one, with its `blocks` on two clocks and on one, and
            the seconds of plain decoding, `plain_s`, of as many `tokens`; `hits` of `outcomes` with their
            `rate_interval`; `guess_s`, which the chains of all guesses take; and `speed_ups` over plain decoding on
            "one" clock, on "two", on two if every outcome were a hit at no cost as "always", and of "two" over "one" as
            "gain": medians over prompts, with intervals.

    Raises:
        PlaygroundError: if a number is out of range, or there is no draft model with calls of its own.
    """
    ranges = {"draft length": (draft_length, MOST_LENGTH), "number of guesses": (guesses, MOST_GUESSES)}
    for name, (value, most) in ranges.items():
        if not 1 <= value <= most:
            raise PlaygroundError(f"A {name} of {value} is out of range. Choose 1 to {most}.")
    target, draft = pair.target, pair.draft
    if not isinstance(draft, LanguageModel):  # A head reads what the target makes of the text, and cannot run ahead.
        raise PlaygroundError("Two clocks need a draft model that reads the text alone. Choose a pair that has one.")
    guess_s, speed_ups = _guess_s(draft, draft_length, guesses), {"one": [], "two": [], "always": [], "gain": []}
    known: dict[str, Any] = {"done": 0, "total": NUM_PROMPTS, "guess_s": guess_s, "outcomes": 0, "hits": 0}
    method = make_method("speculative_sampling", {"draft_length": draft_length})
    for seed, prompt in enumerate(read_prompts("bundled")[:NUM_PROMPTS]):
        request = Request(method, target, prompt, draft, Sampling(temperature), seed, MAX_NEW_TOKENS)
        rounds = clocked(request, guesses)
        if not seed:
            rounds = clocked(request, guesses)  # The first run is slow.
        clocks = {"one": on_one_clock(rounds), "two": on_two_clocks(rounds, guess_s)}
        clocks["always"] = on_two_clocks([replace(each, is_hit=True) for each in rounds], 0.0)
        tokens = sum(each.num_accepted + (each.rank is not None) for each in rounds)
        plain_s = plain_step_s(request) * tokens
        if not seed:
            known |= {"rounds": rounds, "blocks": clocks, "plain_s": plain_s, "tokens": tokens}
        for clock, blocks in clocks.items():
            speed_ups[clock].append(plain_s / blocks[-1].end_s)
        speed_ups["gain"].append(speed_ups["two"][-1] / speed_ups["one"][-1])
        known["outcomes"] += len(rounds) - 1
        known["hits"] += sum(each.is_hit for each in rounds[:-1])
        known["done"] += 1
        known["rate_interval"] = wilson_interval(known["hits"], known["outcomes"])
        known["speed_ups"] = {
            name: (median(values), median_interval([[value] for value in values])) for name, values in speed_ups.items()
        }
        yield known | {}


def on_one_clock(rounds: Sequence[Clocked]) -> list[Block]:
    """Return the rounds as they ran: each drafts, then verifies."""
    blocks: list[Block] = []
    now = 0.0
    for number, each in enumerate(rounds, 1):
        blocks.append(Block("draft", number, now, now + each.draft_s))
        blocks.append(Block("verify", number, blocks[-1].end_s, blocks[-1].end_s + each.target_s))
        now = blocks[-1].end_s
    return blocks


def on_two_clocks(rounds: Sequence[Clocked], guess_s: float) -> list[Block]:
    """Return the rounds with a drafter that guesses while the target verifies.

    Args:
        guess_s: seconds for the chains of all guesses; given up at the end of the verification where none of them hits.
    """
    blocks = [Block("draft", 1, 0.0, rounds[0].draft_s)]
    ready = rounds[0].draft_s  # The chain that is to be verified is there at this time.
    for number, each in enumerate(rounds, 1):
        verified = ready + each.target_s
        verify = Block("verify", number, ready, verified)
        if number < len(rounds):
            guessed = ready + guess_s
            blocks.append(Block("guess", number, ready, guessed if each.is_hit else min(guessed, verified)))
            ready = max(verified, guessed)
            if not each.is_hit:
                ready = verified + rounds[number].draft_s
                blocks.append(Block("draft", number + 1, verified, ready))
        blocks.append(verify)
    return blocks


def clocked(request: Request, guesses: int) -> list[Clocked]:
    """Run a request, and look for the outcome of each round among the drafter's guesses."""
    assert request.draft_model, "the caller has a draft model"
    piece, text = request.target.vocabulary.piece, list(request.prompt_ids)
    rounds: list[Clocked] = []
    for each in decode(request):
        if not isinstance(each, Round):
            continue
        chain = [each.tree.tokens[node] for node in each.draft.nodes()]
        num_accepted, extra = len(each.verdict.accepted), each.verdict.extra
        rejected = chain[num_accepted] if num_accepted < len(chain) else None
        behind = text + chain[:num_accepted]
        rank = None if extra is None else _rank(request.draft_model, behind, rejected, extra)
        rounds.append(
            Clocked(
                tokens=[piece(token) for token in chain],
                num_accepted=num_accepted,
                extra="" if extra is None else piece(extra),
                rank=rank,
                is_hit=rank is not None and rank <= guesses,
                draft_s=each.draft_s,
                target_s=each.verify_s + each.other_s,
            )
        )
        text += [each.tree.tokens[node] for node in each.nodes]
    return rounds


def _rank(draft: Model, text: list[int], rejected: int | None, extra: int) -> int:
    """Return the rank, from 1, of a token in the drafter's row behind a text; the rejected draft is left out."""
    row = Reader(draft, Sampling(1.0), TokenTree(text)).read([len(text) - 1]).probs[0]  # (V,)
    return 1 + int((row > row[extra]).sum()) - (rejected is not None and bool(row[rejected] > row[extra]))


def _guess_s(draft: Model, draft_length: int, guesses: int) -> float:
    """Seconds for the chains of all guesses: a call for the row behind the drafted chain, then one for each token."""
    num_chains = min(guesses * (draft_length + 1), draft.vocab_size)
    seconds = call_seconds(draft, CONTEXT, (1, num_chains), REPEATS, in_a_row=False)
    return median(seconds[1]) + draft_length * median(seconds[num_chains])
