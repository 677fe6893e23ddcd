"""Draws on their tokens, by Node.js alone: cards, the marker of u, and the other outcome."""

from playground.paths import ASSETS
from playground.trace.storage import load
from tests.javascript.node import ran, recorded_file

TRACES = ASSETS / "traces"

DRAWN = """
    const { drawingOf } = await load("player/lenses/draw/draw.js");
    const { folded } = await load("learn/folded.js");
    const cards = [];
    for (const file of given) {
        for (const step of folded(file).trace.steps) {
            const card = drawingOf(step);
            const isTest = step.kind === "verified" && step.verdict.coin !== null && step.verdict.accept !== null;
            if (!card && !isTest) continue;
            if (!isTest) {
                const says = card.parts.at(-1).textContent.includes(card.node.piece.trim());
                cards.push(["correction", card.node.origin, says]);
                continue;
            }
            if (!card.marker) {
                cards.push(["settled", step.verdict.outcome, card.parts.at(-1).textContent]);
                continue;
            }
            const [reach, u] = card.parts[1].children.map((part) => parseFloat(part.style.width ?? part.style.left));
            cards.push(["test", step.verdict.outcome, u < reach, Math.abs(u - reach)]);
        }
    }
    print(cards);
"""


def test_a_random_number_stops_in_the_kept_part_where_its_test_accepts_and_beyond_it_else():
    names = ("speculative_sampling", "rsd_s", "spectr", "importance_sampling", "dsbd", "greedy")
    cards = ran(DRAWN, [recorded_file(TRACES / f"{name}.json.gz") for name in names], with_document=True)
    tests = [card for card in cards if card[0] == "test" and card[3] > 0.2]  # It is out of 100, drawn to a tenth.
    assert {outcome for _, outcome, *_ in tests} == {"accepted", "rejected"}
    assert all(inside == (outcome == "accepted") for _, outcome, inside, _ in tests)
    settled = {tuple(card[1:]) for card in cards if card[0] == "settled"}
    assert settled == {
        ("accepted", "The target writes it, too."),
        ("rejected", "The target does not write it."),
    }, "no number decides at temperature 0"
    drawn = [card for card in cards if card[0] == "correction"]
    assert drawn and all(card == ["correction", "correction", True] for card in drawn)


MARKER = """
    const { Marker } = await load("player/lenses/draw/marker.js");
    const { Future } = await load("player/lenses/draw/future.js");
    const { folded } = await load("learn/folded.js");
    const { trace } = folded(given.run);
    const step = trace.steps.find(({ verdict }) => verdict?.outcome === "rejected" && verdict.accept > 0);
    const marker = new Marker(step.verdict, "");
    const moves = [];
    marker.moved = () => moves.push([marker.u, marker.outcome, marker.isOver]);
    const press = (key) => marker.root.send("keydown", { key, stopPropagation() {} });
    for (const key of ["ArrowLeft", "Home", "End", "Home", "Escape"]) press(key);
    const requests = [];
    const whatIf = { maker: null };
    const tree = { markOther: (keys) => (tree.marked = keys.size) };
    const player = { trace, whatIf, tree, playhead: { still: { matches: true } } };
    const future = new Future(player);
    const words = () => [future.sentence.textContent, future.text.hidden];
    future.show(step.round, step.verdict);
    const alone = words();
    future.hide();
    whatIf.maker = { beside: (change, answer) => requests.push([change, answer]) };
    future.show(step.round, step.verdict);
    future.hide();
    future.show(step.round, step.verdict);
    const pending = future.text.textContent;
    const turned = [];
    requests[0][1]({ file: given.other, turn: () => turned.push(1) });
    future.turn.onclick();
    print({
        accept: step.verdict.accept, u: step.verdict.coin, moves, role: marker.root.attributes.role, alone, pending,
        requests: requests.map(([change]) => change), turned,
        other: future.text.children.map((token) => token.textContent).join(""),
        counts: future.counts.textContent, node: step.verdict.node.id, round: step.round.number,
        certain: new Marker({ ...step.verdict, accept: 1, outcome: "accepted" }, "").root.attributes.role ?? null,
    });
"""


def test_the_marker_of_a_random_number_is_moved_by_keys_and_over_the_edge_the_other_run_is_asked_for_once():
    files = {name: recorded_file(TRACES / f"{run}.json.gz") for name, run in (("run", "rsd_s"), ("other", "specinfer"))}
    found = ran(MARKER, files, with_document=True)
    assert found["role"] == "slider" and found["certain"] is None, "no u changes what is certain"
    assert [(over, outcome) for _, outcome, over in found["moves"]] == [
        (False, "rejected"),
        (True, "accepted"),
        (False, "rejected"),
        (True, "accepted"),
        (False, "rejected"),
    ]
    assert found["moves"][-1][0] == found["u"], "Escape puts it back"
    sentence, is_hidden = found["alone"]
    assert is_hidden and sentence.startswith(f"With u below {found['accept']:.3f}"), (
        "a page without models has a sentence"
    )
    assert found["requests"] == [{"round": found["round"], "node": found["node"], "outcome": "accepted"}]
    other = load(TRACES / "specinfer.json.gz").finished
    assert "made again" in found["pending"] and found["other"][:20] in other.text.replace(" ", "·").replace("\n", "⏎")
    assert f"{other.num_tokens} tokens in {other.target_calls} target calls" in found["counts"]
    assert found["turned"] == [1]
