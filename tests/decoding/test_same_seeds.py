"""Same seeds, same tokens: runs made by an earlier version come out again, draw for draw and verdict for verdict.

Runs of toy models are frozen in same_seeds.json; tables are double precision, so they come out alike on every machine.
A change that is meant to change tokens writes the file anew, and says so:

    python -m tests.decoding.test_same_seeds

The recorded runs of assets/traces are the same promise about the bundled pair. Its floats differ in their last digits
between processors, and in the end a coin falls on the other side; in the first rounds none does.
"""

import json
from pathlib import Path

import pytest
import torch

from playground.decoding.decode import Request
from playground.decoding.method import make_method, methods
from playground.models.drafters.choice import drafter_called
from playground.models.loading import Models
from playground.models.sampling import Sampling
from playground.models.sources.placement import find_placement
from playground.models.table_model import TableModel
from playground.trace import load
from playground.trace.events import Committed, Drafted, Verified
from tests.decoding.runs import TARGET, request, trace_of

FROZEN = Path(__file__).with_name("same_seeds.json")
SETTINGS = {"temperature 1": Sampling(), "temperature 0": Sampling(0), "top-k and top-p": Sampling(0.7, 3, 0.9)}
OPTIONS = [  # beside the defaults of every method
    ("speculative_sampling", {"draft_length": 0}),
    ("speculative_sampling", {"draft_temperature_factor": 2.0}),
    ("specinfer", {"later_draws": 2, "draft_models": 2, "temperature_spread": 2.0}),
    ("importance_sampling", {"draft_models": 2}),
    ("rsd_c", {"first_branching": 3, "second_branching": 3, "later_branching": 2}),
    ("beam_sampling", {"replacement": 0}),
    ("atspeed_relaxed", {"spare": 0}),
    ("mtjd", {"sample": 1}),
    ("mtad", {"sample": 0, "tau": 0.1}),
    # the papers' values, which were our defaults once
    ("mtad", {"tau": 0.1}),
    ("bild", {"fallback": 0.6, "rollback": 5.0}),
    ("typical_acceptance", {"epsilon": 0.09, "delta": 0.3}),
]
INDEX = json.loads(Path("assets/traces/index.json").read_text(encoding="utf-8"))
RECORDED = sorted(Path("assets/traces") / entry["file"] for entry in INDEX if "--pair" not in entry["run"])
ROUNDS = 2  # A recorded run makes so many.
# the second tree of Sequoia rests on sums of probabilities that another processor rounds otherwise
ROUNDS_OF = {"sequoia": 1}


def of_toys(method, sampling):
    """What a run drafted, judged and emitted, a line for each round. The models agree about token 3: it ends texts."""
    target = TableModel(TARGET.table, eos_ids=frozenset([3]))
    trace = trace_of(request(method, target=target, sampling=sampling, seed=11, length=16))
    drafted, judged, committed = ([e for e in trace.events if isinstance(e, k)] for k in (Drafted, Verified, Committed))
    return [
        " | ".join(
            [
                " ".join("".join(map(str, event.tokens)) for event in drafted if event.round == end.round),
                "".join(outcome[0] for outcome in verdict.outcomes),
                "".join(map(str, end.tokens)),
                end.origins[-1],
            ]
        )
        for verdict, end in zip(judged, committed, strict=True)
    ]


def cases():
    """Name, and how to run it; every method that is here."""
    for name, options in [*((name, {}) for name in methods()), *OPTIONS]:
        for title, sampling in SETTINGS.items():
            said = " ".join([name, *(f"{option}={value:g}" for option, value in options.items())])
            yield f"{said}, {title}", name, options, sampling


def frozen():
    """The lines of each case."""
    return json.loads(FROZEN.read_text()) if FROZEN.exists() else {}


@pytest.mark.parametrize(("said", "name", "options", "sampling"), [case for case in cases() if case[0] in frozen()])
def test_runs_of_toy_models_come_out_again(said, name, options, sampling):
    assert of_toys(make_method(name, options), sampling) == frozen()[said]


def test_no_frozen_run_has_lost_its_method():
    assert frozen() and frozen().keys() <= {said for said, *_ in cases()}


@pytest.fixture(scope="module")
def pair():
    torch.set_num_threads(1)
    return Models.named(placement=find_placement(dtype="float32")).load()


def told(trace, kind, *names):
    """These columns of the first rounds' events of one kind."""
    most = ROUNDS_OF.get(trace.started.method, ROUNDS)
    rounds = [event for event in trace.events if isinstance(event, kind) and event.round <= most]
    return [[getattr(event, name) for name in names] for event in rounds]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name.split(".")[0])
def test_recorded_runs_come_out_again(pair, path):
    recorded = load(path)
    begun = recorded.events[0]
    pair = drafter_called(pair, begun.draft["name"]) if begun.draft else pair
    run_request = Request(
        make_method(begun.method, begun.options),
        pair.target,
        begun.prompt,
        pair.draft,
        Sampling(**begun.sampling),
        begun.seed,
        begun.max_new_tokens,
        other_drafts=pair.others,
    )
    rounds = iter(range(ROUNDS))
    again = trace_of(run_request, stop=lambda: next(rounds, None) is None)
    for kind, *names in (
        (Drafted, "parents", "nodes", "tokens", "draft_models"),
        (Verified, "nodes", "outcomes", "reasons"),
        (Committed, "nodes", "tokens", "origins", "frontier", "best", "text"),
    ):
        assert told(again, kind, *names) == told(recorded, kind, *names)


if __name__ == "__main__":
    lines = {said: of_toys(make_method(name, options), sampling) for said, name, options, sampling in cases()}
    FROZEN.write_text(json.dumps(lines, indent=1) + "\n")
    print(f"{len(lines)} runs in {FROZEN}")
