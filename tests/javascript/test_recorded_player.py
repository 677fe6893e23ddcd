"""The page that needs no server, without a browser: which run an address shows, and what is said of it."""

import pytest

from playground.ui.recorded import opening_of
from tests.javascript.node import ran

OPENING = opening_of("smollm2-135m")
SITE = """
const { RecordedPlayer, runFor } = await load("site/recorded_player.js");
const listed = (id, method) => ({ id, title: id, about: `About ${id}`, method });
const runs = [listed("chain", "speculative_sampling"), listed("tree", "rsd_s")];
const told = [];
const files = {};
const wish = (more) => ({ run: null, setup: null, step: null, ...more });
const page = {
  read: (file) => (files[file] ??= Promise.resolve(file)), say: (text, kind) => told.push(["say", text, kind]),
  chosen: (id) => told.push(["chosen", id]),
};
const player = {
  load: (trace, how) => told.push(["load", trace, how.autoplay]), setFigures: (file) => told.push(["figures", file]),
  playhead: { playing: true },
};
const recorded = new RecordedPlayer(runs, player, page);
recorded.address = {
  turned: ({ run }, wrong) => told.push(["turned", run, wrong.length]), grown: () => told.push(["grown"]),
};
const named = (...names) => told.filter(([name]) => names.includes(name));
"""


@pytest.mark.parametrize(
    ("wish", "shown", "num_wrong"),
    [
        ('{ run: "tree" }', "tree", 0), ('{ run: "gone" }', "chain", 1), ("{}", "chain", 0),
        ('{ setup: "method=rsd_s" }', "tree", 1), ('{ setup: "seed=3" }', "chain", 1),
        ('{ setup: "method=x" }', "chain", 1),
    ],
)  # fmt: skip
def test_the_run_that_is_asked_for_or_the_first_is_shown(wish, shown, num_wrong):
    script = f"const {{ run, wrong }} = runFor(runs, wish({wish})); print([run.id, wrong.length]);"
    assert ran(SITE + script) == [shown, num_wrong]
    opening = f'runs.push({{ id: "{OPENING}", method: "" }}); print(runFor(runs, wish({{}})).run.id);'
    assert ran(SITE + opening) == OPENING, "which is shown where a link names none"


def test_a_run_is_read_shown_and_plays_unless_a_step_is_asked_for():
    script = 'await recorded.open(wish({ run: "tree", step: 4 })); print(named("turned", "load", "figures", "grown"));'
    load, figures = ["load", "traces/tree.json", False], ["figures", "figures/tree.json"]
    assert ran(SITE + script) == [["turned", "tree", 0], load, ["grown"], figures]


def test_of_two_runs_the_one_chosen_last_is_shown_whichever_comes_last():
    told = ran(
        SITE
        + """
        let late;
        files["traces/chain.json"] = new Promise((done) => (late = done));
        const first = recorded.open(wish({ run: "chain" }));
        await recorded.open(wish({ run: "tree" }));
        late("traces/chain.json");
        await first;
        print([named("load"), named("chosen")]);
        """
    )
    assert told == [[["load", "traces/tree.json", True]], [["chosen", "chain"], ["chosen", "tree"]]]


def test_a_run_that_is_shown_already_is_not_read_again_and_one_that_is_on_its_way_is_awaited():
    told = ran(
        SITE
        + """
        const first = recorded.open(wish({ run: "tree" }));
        await recorded.open(wish({ run: "tree", step: 2 }));
        const before = named("grown").length;
        await first;
        await recorded.open(wish({ run: "tree", step: 3 }));
        print([before, named("grown").length, named("load").length]);
        """
    )
    assert told == [0, 2, 1]


def test_a_run_that_cannot_be_read_is_said_and_can_be_asked_for_again():
    told = ran(
        SITE
        + """
        files["traces/tree.json"] = Promise.reject(new Error("not there"));
        await recorded.open(wish({ run: "tree" }));
        const [, text, kind] = told.at(-1);
        files["traces/tree.json"] = undefined;
        await recorded.open(wish({ run: "tree" }));
        print([text, kind, named("load").length]);
        """
    )
    assert "not there" in told[0] and told[1:] == ["error", 1]
