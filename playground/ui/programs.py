"""For programs: four endpoints with names, for `gradio_client`, plain HTTP, and MCP where the page is so served.

    Client(address).predict("rsd_s:width=2", "Once upon a time", api_name="/run")

They do what the commands of the same names do, with the bundled pair alone, and no more of it than one page may ask.
A run waits in the queue of the pages' runs, a comparison in that of their races. Rank and
seconds are in `job.status()` of `gradio_client`.
"""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial, wraps
from typing import Any
from uuid import uuid4

import gradio as gr
from gradio import api  # pyright: ignore[reportPrivateImportUsage]  documented, but in no list of exports

from playground.bench.entry import enter, read_choices
from playground.bench.grid import Grid, requests
from playground.bench.prompts import read_prompts
from playground.bench.race import BASELINE, race
from playground.bench.sweep import Progress
from playground.decoding.method import method_list
from playground.decoding.record import run as decode
from playground.errors import PlaygroundError, StoppedError
from playground.lab.acceptance import MAX_DRAFTS
from playground.lab.one_position import MAX_TOKENS, acceptance_by_scheme
from playground.metrics.summary import summarise
from playground.models.sampling import Sampling
from playground.trace import to_json
from playground.ui.live import turns
from playground.ui.live.device import MOST_RACES, device, in_own_thread
from playground.ui.page.checks import LARGEST_SEED, MOST_TOKENS, refuse_long, whole
from playground.ui.page.model_chooser import chosen_models
from playground.ui.runs.race.tab import WHAT as RACE
from playground.ui.served.gradio_queue import current_event_id, is_abandoned, on_queued

PAIR = "bundled"
# A comparison has no more entries, prompts, and tokens in each run.
MOST_METHODS, MOST_PROMPTS, MOST_COMPARED = 6, 5, 128

MOST_OF_CLIENT = 3  # requests of one client that wait or go on: one race fewer than may go on at a time
TURNS = {"run": turns.RUN, "compare": RACE}  # A page would have lined up these.
REFUSAL = "refuse"

Endpoint = Callable[..., Any]

_log = logging.getLogger(__name__)


def build() -> None:
    """Add them to the page that is being built."""
    queues = {"run": ("compute", 1), "compare": ("races", MOST_RACES)}
    for name, endpoint in ENDPOINTS.items():
        queue, limit = queues.get(name, (None, 4))
        api(
            in_sentences(endpoint),
            api_name=name,
            concurrency_id=queue,
            concurrency_limit=limit,
            batch=False,
        )
    api(refuse, api_name=REFUSAL, api_visibility="private", concurrency_limit=None)


def admit(page: gr.Blocks) -> None:
    """From now on a program's request for a run or a comparison gets a turn as it is queued, or is refused.

    A turn is there from the moment in which the request is, so that the pages which wait behind it are told. It ends
    with its client: one that hangs up is waited for no longer, and what was begun for it is stopped.
    """

    def refusal(name: str, client: str) -> str | None:
        is_too_many = name in TURNS and turns.num_of_client(client) >= MOST_OF_CLIENT
        return REFUSAL if is_too_many else None

    def line_up(name: str, event: str, values: list[Any], client: str) -> None:
        if name not in TURNS:
            return
        is_gone = partial(is_abandoned, page, event)
        with suppress(PlaygroundError):  # the server is ending: the request itself says so
            turns.ask(event, TURNS[name], client=client, is_gone=is_gone)

    on_queued(page, refusal, line_up)


def refuse() -> None:
    """Refuses a request of a client that is one too many, by whatever way it came."""
    raise gr.Error(
        f"{MOST_OF_CLIENT} requests of yours wait or go on already. Wait until one has ended.", print_exception=False
    )


def run(
    method: str = "speculative_sampling",
    prompt: str = "Once upon a time",
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
    max_new_tokens: int = 64,
) -> dict[str, object]:
    """Decode a prompt once with the bundled models, and give its numbers and its whole trace.

    Args:
        method: a method's id, with options where they are wanted, and who drafts: "rsd_s:width=2:drafter=exit4".
        prompt: what to continue.
        temperature: 0 is greedy.
        top_k: 0 is off.
        top_p: 1 is off.
        seed: the same seed, the same tokens.
        max_new_tokens: at most 512.

    Returns:
        The summary of the run; under "trace" the text of its file.
    """
    with _turn(turns.RUN) as turn:
        [entry] = enter(_choices(method, 1))
        request = entry.request(
            chosen_models(PAIR, None, None).load(),
            _prompt(prompt),
            sampling=Sampling(temperature, top_k, top_p),
            seed=whole(seed, "The seed", 0, LARGEST_SEED),
            max_new_tokens=whole(max_new_tokens, "The number of new tokens", 1, MOST_TOKENS),
        )
        with device:
            trace = in_own_thread(lambda: decode(request, turn.is_over))
    return {**_plain(summarise(trace)), "trace": to_json(trace)}


def compare(
    methods: str = "speculative_sampling,rsd_s",
    prompts: int = 2,
    temperature: float = 1.0,
    seed: int = 0,
    max_new_tokens: int = 64,
) -> list[dict[str, object]]:
    """Race methods on the same prompts with the bundled models: medians, spreads and speed-ups, a row per method.

    Args:
        methods: ids with commas between, each with options where they are wanted: "rsd_s:width=2,specinfer".
        prompts: how many of the page's own prompts, at most 5.
        temperature: 0 is greedy.
        seed: the same seed, the same tokens.
        max_new_tokens: of each run, at most 128.

    Returns:
        A row per method, plain decoding first.
    """
    choices = _choices(methods, MOST_METHODS)
    if all(name != BASELINE for name, _ in choices):
        choices = [(BASELINE, {}), *choices]
    grid = Grid(
        choices=tuple(choices),
        axes={},
        prompts=tuple(read_prompts("quick")[: whole(prompts, "The number of prompts", 1, MOST_PROMPTS)]),
        seeds=(whole(seed, "The seed", 0, LARGEST_SEED),),
        sampling=Sampling(temperature, 0, 1.0),
        max_new_tokens=whole(max_new_tokens, "The number of new tokens", 1, MOST_COMPARED),
    )
    requests(grid, pair := chosen_models(PAIR, None, None).load())  # refuses what cannot run before it waits

    with _turn(RACE) as turn:

        def give_way(at: Progress) -> None:  # between two runs, as a race on the page does
            if not turn.is_over():
                device.give_way()

        with device:
            rows = in_own_thread(lambda: race(grid, pair=pair, progress=give_way, stop=turn.is_over))
        if turn.is_over():
            raise StoppedError(turns.ENDING)
    return _plain(rows)


def acceptance(target: list[float], draft: list[float], num_drafts: int = 1) -> dict[str, object]:
    """Probability that one of K drafts is accepted at one position, exactly, by every scheme.

    Args:
        target: the target's probabilities of 2 to 8 tokens.
        draft: the draft's, of the same tokens.
        num_drafts: K, at most 6.

    Returns:
        The probability by scheme, null where a scheme has none; "normalised" says whether a row did not sum to 1.
    """
    if not 2 <= len(target) <= MAX_TOKENS:
        raise PlaygroundError(f"{len(target)} tokens is out of range. Choose 2 to {MAX_TOKENS}.")
    p, q = ([float(entry) for entry in row] for row in (target, draft))
    return _plain(acceptance_by_scheme(p, q, whole(num_drafts, "The number of drafts", 1, MAX_DRAFTS)))


def methods() -> list[dict[str, object]]:
    """Every decoding method: its id, what it reproduces, its paper, and its options with their ranges."""
    return _plain(method_list())


ENDPOINTS: dict[str, Endpoint] = {each.__name__: each for each in (run, compare, acceptance, methods)}


@contextmanager
def _turn(what: str) -> Iterator[turns.Turn]:
    """Yield the turn of this request, which begins; for a call in this process, one that is lined up now."""
    event = current_event_id() or uuid4().hex
    if not turns.is_asked(event, what):
        turns.ask(event, what)
    with turns.current(event, what) as turn:
        turns.begin(turn)
        yield turn


def in_sentences(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint, with what is wrong in a sentence for the client."""

    @wraps(endpoint)
    def answered(*values: Any, **named: Any) -> Any:
        try:
            return endpoint(*values, **named)
        except PlaygroundError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except (TypeError, ValueError, ArithmeticError):
            raise gr.Error(
                "A value is not of its kind. See the endpoint's description.", print_exception=False
            ) from None
        except Exception as error:
            _log.exception("A program's call failed")
            raise gr.Error(
                f"The call broke off ({type(error).__name__}). The server's log says more.", print_exception=False
            ) from None

    return answered


def _choices(text: str, most: int) -> list[tuple[str, dict[str, Any]]]:
    if not isinstance(text, str) or len(text) > 2000:
        raise PlaygroundError("Methods are named by their ids, with commas between. Ask /methods for them.")
    choices = [(name, dict(options)) for name, options in read_choices(text)]
    if len(choices) > most:
        raise PlaygroundError(f"{len(choices)} methods are too many; {most} work. Take some out.")
    return choices


def _prompt(text: str) -> str:
    if not isinstance(text, str) or not text:
        raise PlaygroundError("The prompt is empty. Write some words for the models to continue.")
    refuse_long(text)
    return text


def _plain(value: Any) -> Any:
    """As JSON has it."""
    return json.loads(json.dumps(value, allow_nan=False))
