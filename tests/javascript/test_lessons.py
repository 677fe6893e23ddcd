"""Lessons, by Node.js alone: every page of every lesson on the recorded runs, with its numbers and its answer."""

import json
import re
from functools import cache
from typing import Any

import pytest

from playground.metrics.counts import count
from playground.paths import ASSETS
from playground.trace import load
from tests.javascript.node import RECORDED, ran, recorded_file

WALK = """
    const { lessons } = await load("learn/lessons.js");
    const { folded } = await load("learn/folded.js");
    const { words } = await load("shared/words.js");
    const traces = Object.fromEntries(Object.entries(given).map(([name, file]) => [name, folded(file).trace]));
    const runs = (name) => traces[name];
    const pageOf = (lesson) => ({ name, run, at, values, question }) => ({
      lesson: lesson.id, name, run, at: at(runs), steps: traces[run].steps.length, values: values ? values(runs) : {},
      call_s: traces[run].steps[at(runs)].round?.call?.seconds ?? null,
      question: question ? {
        choices: question.choices(runs), right: question.right(runs), at: question.at ? question.at(runs) : at(runs),
      } : null,
    });
    const told = lessons.map((each) => ({ ...each, pages: each.pages.map(pageOf(each)) }));
    print({ lessons: told, words });
"""


@cache
def walked() -> dict[str, Any]:
    """Return the values of every page on the runs that are recorded here, and all words."""
    return ran(WALK, {path.name.partition(".")[0]: recorded_file(path) for path in RECORDED})


def pages() -> list[dict[str, Any]]:
    return [page for lesson in walked()["lessons"] for page in lesson["pages"]]


def page(lesson: str, name: str) -> dict[str, Any]:
    return next(each for each in pages() if (each["lesson"], each["name"]) == (lesson, name))


def answer(lesson: str, name: str) -> str:
    question = page(lesson, name)["question"]
    return question["choices"][question["right"]]


def total(run: str) -> Any:
    return count(recorded(run))


def recorded(run: str) -> Any:
    return load(ASSETS / "traces" / f"{run}.json.gz")


def test_every_page_points_into_its_run_and_fills_all_places_of_its_words():
    words = walked()["words"]
    for each in pages():
        assert 0 <= each["at"] < each["steps"], each
        keys = ["title", "text", *(["ask", "told"] if each["question"] else [])]
        for key in keys:
            sentence = words[f"{each['lesson']}_{each['name']}_{key}"]
            missing = set(re.findall(r"\{(\w+)\}", sentence)) - set(each["values"])
            assert not missing, (each["lesson"], each["name"], key, missing)
        for value in each["values"].values():
            assert str(value) not in {"", "NaN", "null", "undefined", "–", "Infinity"}, each


def test_every_lesson_has_words_exercises_that_set_something_up_and_answers_that_are_one_of_several_choices():
    for lesson in walked()["lessons"]:
        keys = ["title", "goal", "wrong", *(name for name, _ in lesson["exercises"])]
        assert all(isinstance(walked()["words"].get(f"{lesson['id']}_{key}"), str) for key in keys), lesson["id"]
        assert all(address.startswith("?") for _, address in lesson["exercises"])
        asked = [each["question"] for each in lesson["pages"] if each["question"]]
        assert asked, lesson["id"]
        for question in asked:
            assert len(question["choices"]) >= 2 and len(set(question["choices"])) == len(question["choices"]), question
            assert 0 <= question["right"] < len(question["choices"]), question


def test_plain_decoding_takes_a_call_for_every_token_and_a_round_writes_one_more_than_it_has_layers():
    assert answer("slow", "count") == str(total("plain_smollm2").num_emitted)
    assert answer("lossless", "greedy") == "0", "at temperature 0 no token differs"
    drafted = page("trees", "path")
    assert answer("trees", "path") == str(int(drafted["values"]["layers"]) + 1)
    assert answer("draft", "emit") == str(int(page("draft", "emit")["values"]["count"]) + 1)


def test_a_token_stands_there_with_p():
    values = page("lossless", "roads")["values"]
    assert float(answer("lossless", "roads")) == float(values["p"])
    assert abs(float(values["least"]) + float(values["rest"]) - float(values["p"])) < 2e-3


def test_the_mean_of_kept_guesses_is_that_of_the_trace():
    kept = total("program").num_accepted / sum(1 for each in recorded("program").rounds if each.drafted)
    assert abs(float(answer("length", "mean")) - kept) < 0.051


def test_the_most_repeated_layer_is_the_one_that_is_asked_about():
    layers = [drafted for each in recorded("specinfer").rounds for drafted in each.drafted]
    repeated = {len(layer.nodes): len(set(layer.nodes)) for layer in layers}
    wasted = sum(len(layer.nodes) - len(set(layer.nodes)) for layer in layers)
    assert page("distinct", "waste")["values"]["wasted"] == wasted > 0
    assert int(answer("distinct", "waste")) <= min(repeated.values())


def test_what_was_refused_at_first_has_nothing_left():
    values = page("distinct", "refused")["values"]
    assert float(answer("distinct", "refused")) == 0 and float(values["p"]) < float(values["q"])
    taken = page("distinct", "taken")["values"]
    assert abs(taken["before"] / (1 - taken["taken"]) - float(answer("distinct", "taken"))) < 2e-3


def test_several_guesses_are_kept_more_often_than_one_and_not_always():
    values = page("best", "several")["values"]
    assert abs(1 - (1 - values["one"]) ** values["draws"] - float(answer("best", "several"))) < 2e-3
    assert abs(float(answer("best", "ceiling")) + page("best", "ceiling")["values"]["distance"] - 1) < 2e-3
    assert page("best", "gain")["values"]["one"] < float(answer("best", "gain")) < 1


def test_a_block_is_kept_as_far_as_its_trace_says():
    kept = [each.verified.outcomes.count("accepted") for each in recorded("block_verification").rounds]
    assert int(answer("joint", "block")) in kept
    found = page("joint", "past")["values"]
    ratios = [float(each) for each in found["ratios"].split(", ")]
    assert int(answer("joint", "past")) == max(i for i, ratio in enumerate(ratios, 1) if ratio > found["tau"])
    assert answer("joint", "ideal") == str(recorded("mtjd").finished.target_calls)


def test_a_drafted_beam_search_calls_less_often():
    end = recorded("atspeed_strict").finished
    assert answer("recommend", "saved") == str(end.target_calls) and end.target_calls < end.num_tokens
    layers = page("recommend", "held")["values"]["layers"]
    assert 0 <= int(answer("recommend", "held")) <= layers


def test_the_work_is_all_that_was_fed_to_the_target():
    trace = recorded("smollm2_tree")
    assert answer("joules", "work") == str(sum(len(each.scored.fed) for each in trace.rounds))
    measured = trace.finished.energy.get("joules") is not None
    assert answer("joules", "counter") == ("joules_measured" if measured else "joules_blank")


def test_the_rule_that_asks_for_q_keeps_more():
    values = page("servers", "less")["values"]
    assert float(values["matched"]) < float(values["overlap"])
    assert answer("servers", "less") == "servers_speculative"


HISTOGRAMS = """
    const { shares, band, WRONG, DRAWS } = await load("learn/histogram.js");
    const rows = given.rows.map(([p, q]) => ({ piece: "", p, q }));
    const ends = [...rows.map(({ p }) => p), 1 - rows.reduce((sum, { p }) => sum + p, 0)].map(band);
    print({ shares: shares({ rows, overlap: given.overlap }), ends, WRONG, DRAWS });
"""


def test_the_histogram_of_the_wrong_rule_alone_leaves_what_chance_allows():
    """At the position that the lesson shows; its draws have a fixed seed."""
    answered = page("convict", "rules")["question"]
    assert answered["choices"][answered["right"]] == "convict_second"
    position = ran(
        """
        const { convict } = await load("learn/lessons/course.js");
        const { folded } = await load("learn/folded.js");
        const { correction, rowsAt } = await load("learn/finding.js");
        const { trace } = folded(given);
        const { round, refused } = correction(trace);
        const rows = rowsAt(round, refused.node.parent).filter(([, , q]) => q !== null).slice(0, 6);
        const overlap = round.call.overlaps[round.rowOf.get(refused.node.parent)];
        print({ rows: rows.map(([, p, q]) => [p, q]), overlap });
        """,
        recorded_file(ASSETS / "traces" / "speculative_sampling.json.gz"),
    )
    drawn = ran(HISTOGRAMS, position)
    outside = [
        sum(not low <= share <= high for share, (low, high) in zip(shares, drawn["ends"], strict=True))
        for shares in drawn["shares"]
    ]
    assert drawn["WRONG"] == 1 and outside[0] == outside[2] == 0 and outside[1] >= 2, outside
    assert all(abs(sum(shares) - 1) < 1e-9 for shares in drawn["shares"])
    wrong = [min(p, q) + (1 - position["overlap"]) * p for p, q in position["rows"]]
    errors = [abs(share - chance) for share, chance in zip(drawn["shares"][1], wrong, strict=False)]
    assert max(errors) < 4 * (0.25 / drawn["DRAWS"]) ** 0.5
    motive = page("convict", "motive")["values"]
    said = float(motive["least"]) + float(motive["again"])
    assert float(answer("convict", "motive")) == pytest.approx(said, abs=1.1e-3) and said > float(motive["p"])


def test_the_answers_of_a_course_follow_from_the_runs():
    """Emitted tokens, accepted copies, and the cheapest of three policies; published prices are those of the table."""
    chain = total("opening")
    assert float(answer("course", "win")) == pytest.approx(chain.num_emitted / chain.target_calls, abs=0.051)
    values = page("course", "win")["values"]
    assert (float(values["emitted"]) > float(values["cost"])) == (values["outcome"] == "course_wins")
    assert int(answer("course", "ngram")) == total("prompt_lookup_fails").num_accepted
    policies = page("course", "requests")["values"]
    cheapest = min(("on", "off", "each"), key=lambda name: int(policies[name]))
    assert answer("course", "requests") == f"course_{cheapest}" == "course_each"
    prices = {row["id"]: row["costs"]["8"] for row in json.loads((ASSETS / "verification_costs.json").read_text())}
    price = page("course", "price")["values"]
    published = [prices[id] for id in ("llama_cpp_mi50", "mlx_4bit")]
    assert [float(price["gpu"]), float(price["matrix"])] == pytest.approx(published, abs=0.0051)
    assert 1 < float(answer("course", "price")) < price["places"], "dearer than one, cheaper than all"


def test_the_answer_sheet_has_every_question_with_its_answer_and_saves_as_markdown():
    written, asked = ran(
        """
        const { lessons } = await load("learn/lessons.js");
        const { folded } = await load("learn/folded.js");
        const { answersOf, asMarkdown } = await load("learn/answers.js");
        const traces = Object.fromEntries(Object.entries(given).map(([name, file]) => [name, folded(file).trace]));
        const answers = lessons.map((lesson) => answersOf(lesson, (name) => traces[name]));
        print([asMarkdown(lessons, answers), answers.flat()]);
        """,
        {path.name.partition(".")[0]: recorded_file(path) for path in RECORDED},
    )
    assert len(asked) == sum(each["question"] is not None for each in pages())
    assert written.count("- [x] ") == len(asked) and written.count("\n## ") == len(walked()["lessons"])
    for each in asked:
        assert f"- [x] {each['choices'][each['right']]}\n" in written and each["answer"] in written
    assert not re.search(r"[{}]|undefined|NaN|course_|convict_", written)


def test_the_time_of_a_call_in_a_lesson_is_the_one_on_its_stage():
    wide, token = page("slow", "wide"), page("slow", "token")
    assert float(wide["values"]["wide"].split()[0]) == pytest.approx(1000 * wide["call_s"], rel=0.05)
    assert token["values"]["ms"] == wide["values"]["one"]
