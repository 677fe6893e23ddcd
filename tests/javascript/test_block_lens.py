"""The lens of a block drafter, in Node.js: its bars and sentences are the recorded numbers, step by step."""

import json
import math

import pytest

from playground.models.drafters import block
from playground.models.drafters.choice import BLOCK_CONFIDENCE, BLOCK_MARKOV
from tests.browser.lens_traces import block_trace
from tests.javascript.node import ran

DRAW = """
await load("player/lenses/order.js");
const { lenses } = await load("player/lenses/lens.js");
const { Picture } = await load("player/lenses/picture.js");
const { folded } = await load("learn/folded.js");
const { trace } = folded(%s);
const lens = lenses.find((each) => each.id === "block_draft");
const drawn = (step) => {
  const picture = new Picture(900, "sans-serif");
  const drawing = lens.draw(picture, { trace, step, round: step.round, now: step, marked: null, node: null });
  if (!drawing) return null;
  const parts = picture.root.all();
  const with_ = (name) => parts.filter((part) => part.attributes.class?.split(" ").includes(name));
  const heights = (name) => with_(name).map((part) => Number(part.attributes.height) / 150);
  const low = new Picture(900, "sans-serif", 220);
  lens.draw(low, { trace, step, round: step.round, now: step, marked: null, node: null });
  return {
    round: step.round.number, kind: step.kind, layers: step.layers, sentence: drawing.sentence, key: drawing.key.length,
    hollow: heights("sp-lens-hollow-q"), filled: heights("sp-fill-q"), badges: with_("sp-badge").length,
    survival: with_("sp-fill-ink").map((part) => 1 - (part.attributes.cy - 46) / 150),
    least: with_("sp-lens-threshold").length,
    labels: with_("sp-lens-item").map((part) => part.attributes["aria-label"]), low: low.height,
  };
};
print({ suits: lens.suits(trace), steps: trace.steps.filter((step) => step.round).map(drawn).filter(Boolean) });
"""


def steps_of(trace):
    drawn = ran(DRAW % json.dumps(trace), with_document=True)
    assert drawn["suits"]
    records = {
        event["round"]: each
        for event in trace["events"]
        for each in event.get("workings", [])
        if each["kind"] == "block_draft"
    }
    steps = [step for step in drawn["steps"] if step["round"] in records]
    assert {step["round"] for step in steps} == records.keys() and len(records) > 2
    return steps, records


@pytest.mark.parametrize("word", ["block", BLOCK_MARKOV, BLOCK_CONFIDENCE])
def test_the_bars_are_the_recorded_q_and_the_line_is_the_survival_from_the_first_token_on(word, monkeypatch):
    monkeypatch.setattr(block, "LEAST_SURVIVAL", 0.05)
    steps, records = steps_of(block_trace(word))
    for step in steps:
        record = records[step["round"]]
        drafted = step["layers"] if step["kind"] == "drafted" else len(record["nodes"])
        is_biased = record["base"] != record["biased"]
        assert step["filled"] == pytest.approx(record["biased"][:drafted], abs=2e-3)
        assert step["hollow"] == pytest.approx(record["base"][:drafted] if is_biased else [], abs=2e-3)
        survival = [math.prod(record["confidences"][: at + 1]) for at in range(len(record["confidences"]))]
        assert step["survival"] == pytest.approx(survival, abs=2e-3)  # known with the call, before a token is drawn
        assert step["least"] == (word == BLOCK_CONFIDENCE) and step["key"] == 2 + is_biased + step["least"]
        assert len(step["labels"]) == drafted and step["low"] <= 220
        assert step["badges"] == 0 or step["kind"] not in ("drafted", "scored")


def test_it_says_what_the_bias_changed_and_compares_the_prediction_with_the_verdicts():
    trace = block_trace(BLOCK_MARKOV)
    steps, records = steps_of(trace)
    accepted = {e["round"]: e["outcomes"].count("accepted") for e in trace["events"] if e["event"] == "verified"}
    for step in steps:
        record = records[step["round"]]
        count, survive = len(record["nodes"]), 0.0
        for at in range(count):
            survive += math.prod(record["confidences"][: at + 1])
        base, biased = (sum(record[name]) / count for name in ("base", "biased"))
        if step["kind"] == "scored" and count > 1:
            assert step["sentence"] == (
                f"One draft call gave 4 positions. The Markov bias changed q of the {count} drafted tokens from "
                f"{base:.3f} to {biased:.3f} on average; predicted to be accepted: {survive:.1f}."
            )
        if step["kind"] == "committed":
            said = f"Accepted: {accepted[step['round']]} of {count}; predicted: {survive:.1f}."
            assert step["sentence"].startswith(said) and step["badges"] == count
