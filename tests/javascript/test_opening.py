"""The first look and the end of a run, by Node.js alone: places of callouts, the text and numbers of the end."""

import pytest

from playground.decoding.method import make_method
from playground.paths import ASSETS
from playground.trace import event_to_dict
from playground.trace.storage import load
from tests.decoding.runs import request, trace_of
from tests.javascript.node import ran, recorded_file

PLACE = """
    const { between, freeBox } = await load("player/tour/placement.js");
    const size = { width: 100, height: 40 };
    const target = { left: 100, top: 100, right: 150, bottom: 130 };
    const room = { width: 400, height: 300 };
    const beside = freeBox(size, target, [target], room, 70);
    const second = freeBox(size, target, [target, beside], room, 70);
    const whole = { left: 0, top: 0, right: 400, bottom: 300 };
    print({
        apart: [between(beside, target), between(second, target), between(second, beside)],
        inside: [beside, second].every((box) => box.left >= 0 && box.top >= 0 && box.right <= 400 && box.bottom <= 300),
        full: freeBox(size, target, [whole], room, 70),
        far: freeBox(size, target, [{ ...whole, right: 290 }], room, 70),
    });
"""


def test_a_callout_stands_beside_what_it_names_covers_nothing_and_is_left_out_where_it_has_no_place():
    found = ran(PLACE)
    first, second, between = found["apart"]
    assert 6 <= first < 70 and 6 <= second < 70 and between >= 6
    assert found["inside"]
    assert found["full"] is None and found["far"] is None


END = """
    const { Ending } = await load("player/tour/ending.js");
    const { folded } = await load("learn/folded.js");
    globalThis.Text = class { constructor(text) { this.textContent = text; } };
    const { trace } = folded(given);
    const player = { root: { classList: { toggle() {} } }, trace, ratio: { over: () => null } };
    const ending = new Ending(player, true);
    const [first, last] = [trace.steps[0], trace.steps.at(-1)];
    ending.show(trace, first);
    const before = ending.root.hidden;
    ending.show(trace, last);
    const texts = (node) => node.children.map((child) => child.textContent);
    print({
        hidden: [before, ending.root.hidden],
        calls: ending.text.children.slice(1).map((call) => call.children.length),
        text: ending.text.children.slice(1).flatMap(texts).join(""),
        numbers: ending.numbers.children.map((row) => row.children[0].textContent),
    });
"""


def test_the_end_shows_every_token_by_its_call_and_the_numbers_of_the_run():
    path = ASSETS / "traces" / "rsd_s.json.gz"
    end, finished = ran(END, recorded_file(path), with_document=True), load(path).finished
    assert end["hidden"] == [True, False]
    assert (len(end["calls"]), sum(end["calls"])) == (finished.target_calls, finished.num_tokens)
    assert end["text"] == finished.text
    assert end["numbers"][:2] == [str(finished.num_tokens), str(finished.target_calls)]
    seconds = finished.draft_s + finished.verify_s + finished.other_s
    assert float(end["numbers"][3]) == pytest.approx(finished.num_tokens / seconds, abs=1)


LEAD = """
    globalThis.getComputedStyle = () => ({});
    const { Lead } = await load("player/tour/lead.js");
    const { Trace } = await load("player/trace/trace.js");
    const said = (events) => {
        const [trace, lead] = [new Trace(), new Lead()];
        for (const event of events) trace.push(event);
        lead.show(trace);
        return lead.said.textContent;
    };
    print(given.map(said));
"""


def test_the_headline_of_a_run_that_goes_on_says_whether_it_will_draft():
    """Prompt lookup drafts nothing in its first rounds, and plain decoding never."""
    runs = []
    for name in ("prompt_lookup", "autoregressive"):
        events = list(map(event_to_dict, trace_of(request(make_method(name), length=6)).events))
        first_draft = next((at for at, event in enumerate(events) if event["event"] == "drafted"), len(events) - 1)
        runs += [events[:first_draft], events]
    lookup, plain = "Guesses without a second model.", "No drafts:"
    for sentence, start in zip(ran(LEAD, runs, with_document=True), (lookup, lookup, plain, plain), strict=True):
        assert sentence.startswith(start)
