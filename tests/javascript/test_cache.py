"""Slots of the cache in the player, by Node.js alone: their bytes are those that the models' own caches counted."""

import json

import pytest

from playground.decoding.method import make_method, methods
from playground.paths import ASSETS
from playground.trace import to_json
from tests.decoding.runs import request, trace_of
from tests.javascript.node import RECORDED, ran, recorded_file
from tests.models.small import random_model

FOLD = """
    const { folded } = await load("learn/folded.js");
    const slots = await load("player/lenses/cache/slots.js");
    const shown = (each) => ({
      before: each.before.length, written: each.written.length, kept: each.kept.length, freed: slots.freedBy(each),
      moved: each.moved.size, separate: each.separate, drafts: each.drafts,
    });
    print(given.map((file) => {
      const { trace } = folded(file);
      const all = slots.slotsOf(trace);
      return all && { rounds: all.map(shown), totals: slots.totalsOf(trace, all) };
    }));
"""


@pytest.fixture(scope="module")
def runs():
    """A run of every method on models with caches, and its slots."""
    models = {"target": random_model("llama", 1, lean=True), "draft": random_model("llama", 2)}
    files = [
        json.loads(to_json(trace_of(request(make_method(name), **models, prompt=[3, 4, 5, 3, 4], length=16))))
        for name in sorted(methods())
    ]
    return dict(zip(sorted(methods()), zip(files, ran(FOLD, files), strict=True), strict=True))


@pytest.mark.parametrize("name", sorted(methods()))
def test_the_largest_cache_is_the_run_s_own(runs, name):
    file, slots = runs[name]
    finished = file["events"][-1]
    assert finished["peak_cache_bytes"] > 0 and slots["totals"]["bytes"] == finished["peak_cache_bytes"]


@pytest.mark.parametrize("name", sorted(methods()))
def test_every_slot_is_written_once_and_kept_or_freed(runs, name):
    file, slots = runs[name]
    scored = [event for event in file["events"] if event["event"] == "scored"]
    assert [(each["before"], each["written"]) for each in slots["rounds"]] == [
        (event["num_cached"], len(event["fed"])) for event in scored
    ]
    for each in slots["rounds"]:
        assert each["before"] + each["written"] == each["kept"] + each["freed"] and each["moved"] <= each["kept"]
        assert each["separate"] is None or each["separate"]["slots"] >= each["kept"]
    totals, first, last = slots["totals"], slots["rounds"][0], slots["rounds"][-1]
    assert first["before"] + totals["written"] - totals["freed"] == last["kept"]


def test_recorded_runs_have_slots_and_older_ones_say_nothing_of_the_draft_models_cache():
    files = list(map(recorded_file, RECORDED))
    for path, file, slots in zip(RECORDED, files, ran(FOLD, files), strict=True):
        assert slots is not None, path.name
        per_token = file["events"][0]["target"]["kv_bytes_per_token"]
        of_drafts = file["events"][-1]["peak_cache_bytes"] - slots["totals"]["most"] * per_token
        assert of_drafts >= 0 and (of_drafts > 0 or not file["events"][0]["draft"] or "copied" in path.name), path.name
        told_bytes = [draft["bytes"] for each in slots["rounds"] for draft in each["drafts"]]
        assert not told_bytes or slots["totals"]["bytes"] == file["events"][-1]["peak_cache_bytes"], path.name


def test_a_trace_whose_counts_disagree_or_are_missing_has_no_slots():
    file = recorded_file(ASSETS / "traces" / "rsd_s.json.gz")
    without = json.loads(json.dumps(file))
    del without["events"][0]["target"]["kv_bytes_per_token"]
    other = json.loads(json.dumps(file))
    next(event for event in other["events"] if event["event"] == "scored" and event["round"] == 3)["num_cached"] += 1
    assert ran(FOLD, [without, other]) == [None, None]
