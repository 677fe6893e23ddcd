"""The player's panel without a browser: which run comes onto the stage, and what is asked of the server."""

import json

import pytest

from tests.javascript.node import ran

PANEL = """
const { PlayerPanel } = await load("page/run/player_panel.js");
const told = [];
const say = (name) => (...given) => {
  told.push(JSON.parse(JSON.stringify([name, ...given.filter((each) => typeof each !== "function")])));
};
const calls = (...names) => Object.fromEntries(names.map((name) => [name, say(name)]));
const recorded = (run, more) => ({
  run, format: "f", version: 1, live: false, link: { run }, first: 0, chunks: ["[1]"], figures: null, ended: true,
  ...more,
});
const live = (run, first, chunks, more) => (
  { ...recorded(run, { live: true, link: null, ended: false }), first, chunks, ...more }
);
const player = {
  trace: { run: null, rounds: [], steps: [] }, playhead: { live: false, playing: true }, step: 0, kept: null,
  whatIf: { pair() {} }, goto() {}, keep() {},
  ...calls("expect", "append", "begin", "load", "finish", "relent", "setFigures", "error"),
};
let clock = 0;
const page = { explained: () => false, refused: () => false, dropped: () => ["no 'colour'"],
               now: () => clock, afterDrawing: (then) => then(),
               ...calls("pressRun", "reload") };
const server = { took: async (said) => say("took")(said) };
const panel = { props: { value: recorded("first") }, trigger: say("trigger"), server };
const stage = new PlayerPanel(panel, player, page);
const address = { pending: false, ...calls("begin", "turned", "grown", "relent", "refused", "drop") };
stage.begin(address);
stage.show(panel.props.value);
told.length = 0;
const moment = (more) => ({ run: null, setup: null, branch: null, step: null, ...more });
const named = (...names) => told.filter(([name]) => names.includes(name));
"""


def shown(script: str):
    return ran(PANEL + script)


def test_a_round_is_drawn_by_its_own_events_and_a_missed_one_comes_with_the_last_message():
    events = shown("""
        stage.show(live("run", 0, ["[1]"]));
        stage.show(live("run", 0, ["[1]", "[2,3]"]));
        stage.show(live("run", 4, ["[6]"]));
        stage.show(live("run", 0, ["[1]", "[2,3]", "[4]", "[5]", "[6]"], { ended: true }));
        print(named("append", "begin", "finish"));
    """)
    assert events == [["begin"], ["append", [1]], ["append", [2, 3]], ["append", [4, 5, 6]], ["finish", "", None]]


def test_a_slow_page_says_so_once_until_it_has_changed_by_half():
    took = shown("""
        const draw = (number, ms) => {
          page.afterDrawing = (then) => { clock += ms; then(); };
          stage.show(live("run", 0, Array.from({ length: number }, () => "[1]")));
        };
        [100, 200, 300, 500, 100].forEach((ms, i) => draw(i + 1, ms));
        print(named("took").map(([, { run, seconds }]) => [run, seconds]));
    """)
    assert took == [["run", 0.2], ["run", 0.5], ["run", 0.1]]


def test_a_link_to_a_recorded_run_keeps_the_stage_for_it_until_it_is_there():
    told = shown("""
        stage.isSetUp = true;
        stage.open(moment({ run: "other" }));
        stage.show(recorded("between"));
        const before = named("load").length;
        panel.props.value = recorded("other");
        stage.opened();
        print([before, named("load").length, named("trigger", "expect", "relent")]);
    """)
    asked = ["trigger", "open_run", {"type": "open_run", "run": "other"}]
    assert told == [0, 1, [["expect", "opening"], asked, ["relent"]]]


def test_of_two_links_the_second_is_asked_for_once_the_first_is_answered():
    asked = shown("""
        stage.isSetUp = true;
        stage.open(moment({ run: "a" }));
        stage.open(moment({ run: "b" }));
        panel.props.value = recorded("a");
        stage.opened();
        await new Promise((done) => setTimeout(done, 5));
        panel.props.value = recorded("b");
        stage.opened();
        print([named("trigger").map(([, , { run }]) => run), stage.shown.run]);
    """)
    assert asked == [["a", "b"], "b"]


def test_a_link_waits_for_the_page_to_be_set_up_and_presses_run_where_a_moment_is_asked_for():
    steps = shown("""
        stage.open(moment({ setup: "method=rsd_c", step: 3 }));
        const before = named("pressRun").length;
        stage.setUp();
        stage.show(recorded("of the method"));
        stage.show(live("made", 0, ["[1]"]));
        print([before, named("pressRun").length, stage.shown.run, ...named("drop")]);
    """)
    assert steps == [0, 1, "made", ["drop", ["no 'colour'"]]], (
        "what was left out of the link is said once the run is there"
    )


def test_a_run_is_in_the_address_once_it_is_lined_up_and_that_address_makes_it_again():
    calls = shown("""
        address.asks = say("asks");
        stage.asked({ setup: "method=rsd_s&seed=7" });
        stage.asked(null);
        stage.open(moment({ setup: "method=rsd_s&seed=7", run: "now" }));
        stage.setUp();
        print(named("asks", "pressRun", "trigger"));
    """)
    assert calls == [["asks", {"setup": "method=rsd_s&seed=7"}], ["pressRun"]], "a link too long for an address is none"


def test_without_a_network_a_run_says_so_and_is_asked_for_again_once_it_is_back():
    steps = shown("""
        player.waiting = { expected: false, tell: say("tell") };
        stage.connected(false);
        stage.connected(true);
        const before = told.length;
        player.waiting.expected = true;
        stage.connected(false);
        const { kind } = stage.message;
        stage.connected(true);
        print([before, kind, named("tell", "reload")]);
    """)
    assert steps == [0, "error", [["tell", "offline"], ["reload"]]]


@pytest.mark.parametrize("refused", [False, True])
def test_a_link_without_a_moment_or_a_refused_one_makes_no_run(refused):
    calls = shown(f"""
        page.refused = () => {json.dumps(refused)};
        stage.open(moment({{ setup: "method=rsd_c", step: {"3" if refused else "null"} }}));
        stage.setUp();
        print(named("pressRun", "relent"));
    """)
    assert calls and all(name == "relent" for name, *_ in calls)


def test_while_a_run_goes_on_a_link_to_another_is_refused_in_words():
    message = shown("""
        player.playhead.live = true;
        stage.open(moment({ run: "other" }));
        print([stage.message, named("expect", "trigger")]);
    """)
    assert message[0]["kind"] == "error" and message[1] == []


def test_a_run_that_is_missing_is_told_beside_the_one_that_is_shown():
    turned = shown("""
        stage.isSetUp = true;
        stage.open(moment({ run: "gone" }));
        panel.props.value = recorded("another");
        stage.opened();
        print(named("turned"));
    """)
    [[_, found, [sentence]]] = turned
    assert found == {"run": "another"} and "gone" in sentence


def test_another_run_takes_the_explanation_of_the_one_before_off_the_page():
    told = shown("""
        page.explained = () => true;
        stage.show(recorded("second"));
        print(named("trigger"));
    """)
    assert told == [["trigger", "turned", {"type": "turned"}]]


def test_a_branch_and_its_run_are_flipped_and_another_link_begins_with_the_run():
    runs = shown("""
        player.trace = { run: { branch: { round: 2, options: { width: 3 } } }, rounds: [], steps: [] };
        player.step = { index: 0 };
        const states = [];
        const flipped = (value) => { stage.value = value; stage.shown.run = value.run; states.push(value.run); };
        stage.show = flipped;
        stage.twin = recorded("first");
        stage.value = recorded("branch", { branch_of: "first" });
        const same = { round: 2, options: { width: 3 } };
        print([stage.isBesides(same), stage.isBesides({ ...same, round: 3 }), stage.isBesides(null),
               (stage.flip(), states), panel.props.value.made_here]);
    """)
    assert runs == [False, True, True, ["first"], False]
