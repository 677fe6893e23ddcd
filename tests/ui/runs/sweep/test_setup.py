"""Controls of the Sweep tab become a grid, and a grid becomes controls again."""

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from playground.bench.grid import Grid, count_runs, points
from playground.bench.settings import by_setting
from playground.errors import PlaygroundError
from playground.ui.page.prompt_chooser import FILE, ONE
from playground.ui.runs.sweep import pace as sweep_pace
from playground.ui.runs.sweep.names import distribution_of_texts, labels_in_words, setting_names
from playground.ui.runs.sweep.ready import READY
from playground.ui.runs.sweep.setup import MOST_RUNS, form_of, num_settings, sweep_setup
from playground.ui.runs.sweep.shelf import make_link, read_link
from playground.ui.runs.sweep.values import read_values, read_whole, written
from tests.ui.runs.sweep.sweeps import form


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("4", (4,)),
        ("1, 2,4", (1, 2, 4)),
        ("1..4", (1, 2, 3, 4)),
        ("0 .. 2, 8", (0, 1, 2, 8)),
        ("0.5;1e1", (0.5, 10)),
        ("1…3", (1, 2, 3)),
        (" " * 1_000_000 + "1 ... 3", (1, 2, 3)),  # blanks before a range were searched for it from each of them
        ("-1, .5", (-1, 0.5)),
        ("20240101, 20240102", (20240101, 20240102)),
    ],
)
def test_values_are_read_and_written_in_full_also_where_they_are_as_large_as_dates(text, values):
    assert read_values(text, "Width") == values == read_values(written(values), "Width")


def test_three_numbers_in_a_row_are_written_as_a_range_and_two_are_not():
    assert [written(values) for values in ((1, 2), (1, 2, 3), (1, 2, 4))] == ["1, 2", "1..3", "1, 2, 4"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Width has no value"),
        (None, "Width has no value"),
        (" , ", "Width has no value"),
        ("two", "Width has 'two', which is not a number"),
        ("nan", "which is not a number"),
        ("1e999", "which is not a number"),
        ("1, 2, 1", "Width has 1 twice. Name each value once."),
        ("1, 1.0", "Width has 1 twice"),
        ("8..1", "not a range"),
        ("1..9999", "not a range"),
        (", ".join(map(str, range(99))), "more than 64 values"),
        ("1" * 1_000_000, "which is not a number"),
    ],
)
def test_what_is_no_value_is_refused_in_a_sentence(text, told):
    with pytest.raises(PlaygroundError, match=told):
        read_values(text, "Width")


def test_whole_numbers_have_a_range():
    assert read_whole("1..3", "Seeds", 0, 3) == (1, 2, 3)
    for text in ("1.5", "4", "-1"):
        with pytest.raises(PlaygroundError, match="Choose whole numbers from 0 to 3"):
            read_whole(text, "Seeds", 0, 3)


def test_what_varies_in_all_methods_alike_is_an_axis():
    grid = sweep_setup(form(methods=["rsd_s", "rsd_c"], rsd_s__draft_length="1..3", rsd_c__draft_length="1..3"))
    assert grid.axes == {"draft_length": (1, 2, 3)} and grid.choices == (("rsd_s", {}), ("rsd_c", {}))
    grid = sweep_setup(form(methods=["rsd_s", "rsd_c"], rsd_s__draft_length="1..3", rsd_c__first_branching="4"))
    labels = [*(f"rsd_s draft_length={length}" for length in (1, 2, 3)), "rsd_c"]
    assert grid.axes == {} and [point.label for point in points(grid)] == labels


def test_sampling_varies_too():
    grid = sweep_setup(form(temperature="0, 1", tokens="8, 16", top_p="0.9", seeds="3..5"))
    assert grid.axes == {"temperature": (0, 1), "max_new_tokens": (8, 16)}
    assert grid.sampling.top_p == 0.9 and grid.seeds == (3, 4, 5) and count_runs(grid) == 12


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"methods": []}, "Choose one or more methods to sweep"),
        ({"methods": ["rsd_s", "rsd_s"]}, "A method is listed twice"),
        ({"methods": ["rsdS"]}, "Unknown method 'rsdS'"),
        ({"rsd_s__width": "17"}, "RSD-S: beam width has 17. Choose 1 to 16."),
        ({"rsd_s__width": "1.5"}, "RSD-S: beam width has 1.5. Choose whole numbers."),
        ({"rsd_s__width": "2, 2"}, "RSD-S: beam width has 2 twice"),
        ({"rsd_s__width": ""}, "RSD-S: beam width has no value"),
        ({"temperature": "99"}, "out of range"),
        ({"top_p": "1.5"}, "out of range"),
        ({"tokens": "0"}, "New tokens has 0"),
        ({"seeds": "-1"}, "Seeds has -1"),
        ({"pair": "none"}, "Unknown pair 'none'"),
        ({"pair": "other"}, "The target model is missing"),
        ({"source": ONE, "prompt": " "}, "The prompt is empty"),
        ({"source": FILE}, "Choose a file"),
        ({"options": {"rsd_s": 7}}, "The options could not be read"),
        ({"options": "rsd_s"}, "The options could not be read"),
        ({"rsd_s__width": "1..16", "rsd_s__draft_length": "1..16", "prompts": 2}, "512 runs .256 settings × 2 prompts"),
        ({"rsd_s__width": "1..16", "rsd_s__draft_length": "1..16", "seeds": "0..20"}, "up to 20 seeds"),
        ({"drafter": "exitt4"}, "Unknown drafter"),
        ({"drafter": "suffix, suffix"}, "is listed twice"),
        ({"drafter": " , "}, "No drafter is named"),
        ({"drafter": "suffix", "methods": ["prompt_lookup"]}, "None of these methods has a draft model"),
    ],
)
def test_what_cannot_be_swept_is_refused_in_a_sentence(changes, told):
    with pytest.raises(PlaygroundError, match=told):
        sweep_setup(form(**changes))


def test_a_grid_of_millions_is_refused_before_it_is_made():
    wide = {f"importance_sampling__{name}": "1..6" for name in ("draft_length", "lp_size", "num_classes", "alphabet")}
    wide |= {"importance_sampling__num_drafts": "2..6", "importance_sampling__draft_temperature_factor": "1..4"}
    with pytest.raises(PlaygroundError, match=f"up to {MOST_RUNS}"):
        sweep_setup(form(methods=["importance_sampling"], **wide))


def test_as_many_settings_as_the_page_takes_are_made(monkeypatch):
    several = form(methods=["autoregressive", "rsd_s"], rsd_s__width="1..2")
    monkeypatch.setattr("playground.ui.runs.sweep.setup.MOST_RUNS", 3)
    assert num_settings(sweep_setup(several)) == 3
    monkeypatch.setattr("playground.ui.runs.sweep.setup.MOST_RUNS", 2)
    with pytest.raises(PlaygroundError, match="more than 2 settings"):
        sweep_setup(several)


@pytest.mark.parametrize("ready", READY, ids=lambda ready: ready.title)
def test_ready_made_grids_are_small_and_come_back_from_the_controls_and_from_a_link(ready):
    """At most 48 runs of 64 tokens: 77 s where a token takes 25 ms, three times what two slow cores need."""
    grid, query = sweep_setup(ready.form), dict(parse_qsl(make_link(ready.form)[1:]))
    assert count_runs(grid) * grid.max_new_tokens * 0.025 < 120 and num_settings(grid) >= 9
    assert query["tab"] == "sweep" and sweep_setup(form_of(grid)) == sweep_setup(read_link(query)) == grid


def test_controls_of_a_grid_that_they_cannot_hold_are_refused():
    crossed = (("rsd_s", {"width": 1, "draft_length": 2}), ("rsd_s", {"width": 2, "draft_length": 1}))
    with pytest.raises(PlaygroundError, match="cannot hold its grid"):
        form_of(Grid(crossed, axes={}, prompts=("ab",)))


def test_messages_stay_messages_in_controls_and_in_a_link():
    grid = sweep_setup(replace(READY[0].form, source="one", prompt="Hi", chat=True))
    assert grid.chat and form_of(grid).chat and sweep_setup(form_of(grid)) == grid


def test_controls_hold_prompts_of_a_file_and_models_by_name(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("one\ntwo\nthree\n")
    names = {"pair": "other", "target": "some/target", "draft": "some/draft"}
    grid = sweep_setup(form(source=FILE, file=str(file), prompts=9, **names))
    held = form_of(grid)
    assert held.source == FILE and {name: getattr(held, name) for name in names} == names
    assert sweep_setup(held) == grid
    one = sweep_setup(form(source=ONE, prompt="Hello"))
    assert form_of(one).prompt == "Hello" and points(sweep_setup(form_of(one)))


def test_a_link_holds_what_is_chosen_and_nonsense_in_one_is_refused():
    assert make_link(form(rsd_s__width="2", rsd_c__first_branching="4")).endswith("&rsd_s.width=2")
    assert read_link({}) is None and read_link({"tab": "compare"}) is None
    for query in ({"methods": "nothing"}, {"methods": ""}, {"methods": "rsd_s", "rsd_s.width": "99"}, {"no": "1"}):
        with pytest.raises(PlaygroundError):
            read_link({"tab": "sweep"} | query)
    with pytest.raises(PlaygroundError, match="A link holds no file"):
        make_link(form(source=FILE, file=__file__, prompts=1))


def test_the_time_is_told_from_what_is_known_and_not_made_up(monkeypatch):
    monkeypatch.setattr(sweep_pace, "_seconds", type(sweep_pace._seconds)(sweep_pace._seconds.default_factory))
    monkeypatch.setattr(sweep_pace, "_measure", lambda pair: None)
    grid = sweep_setup(form(tokens="100", seeds="0..9"))
    assert sweep_pace.roughly(grid) == ""
    row = {"method": "autoregressive", "num_tokens": 100, "seconds": 1.9, "prefill_s": 0.1}
    sweep_pace.learn("bundled", row)
    assert sweep_pace.roughly(grid) == "About 20 s if each token takes as long as in plain decoding here (50 tokens/s)."
    alone = sweep_pace.roughly(sweep_setup(form(tokens="100")))
    assert alone.startswith("About 2 s"), "its warm-up is of a few tokens"
    sweep_pace.learn("bundled", row | {"method": "rsd_s", "seconds": 39.9})
    assert sweep_pace.roughly(grid) == "About 7 minutes at these methods' speed here so far."
    alone = sweep_pace.roughly(sweep_setup(form(tokens="1")))
    assert alone.startswith("About 1 s"), "0.4 s, and as long for a warm-up of no more tokens than the run"
    sweep_pace.learn("bundled", {"method": "rsd_s", "failed": "no"})
    assert "is estimated after the first runs" in sweep_pace.roughly(Grid((("rsd_s", {}),), {}, ("a",), pair="smollm2"))


def test_the_first_tokens_of_a_session_do_not_count(monkeypatch):
    """They compile and fill caches: here they take a hundred times as long as those that follow."""
    seconds = iter([0.2, 0.002, 0.002, 0.002])
    monkeypatch.setattr(sweep_pace, "_seconds", type(sweep_pace._seconds)(sweep_pace._seconds.default_factory))
    monkeypatch.setattr(sweep_pace, "plain_step_s", lambda _: next(seconds))
    assert "(500 tokens/s)" in sweep_pace.roughly(sweep_setup(form()))


def test_settings_share_a_law_where_they_claim_one_at_the_same_sampling():
    """Only those are equally good by proof; a lossy setting and beams of chosen widths stand for themselves."""

    def law(method, label="it", temperature=1.0, **options):
        sampling = {"temperature": temperature, "top_k": 0, "top_p": 1.0, "max_new_tokens": 16}
        return distribution_of_texts({"label": label, "method": method, "options": options, **sampling})

    assert law("rsd_s", width=2) == law("autoregressive") != law("autoregressive", temperature=0.5)
    assert law("beam_search", width=2) == law("atspeed_strict", width=2) != law("beam_search", width=3)
    assert law("mtad", label="one") != law("mtad", label="other") and law("dsbd", label="a") != law("dsbd", label="b")


def test_drafters_are_swept_and_come_back():
    filled = form(methods=["speculative_sampling", "autoregressive"], drafter="draft, exit4,suffix")
    grid = sweep_setup(filled)
    rows, method = [point.as_dict() for point in points(grid)], "speculative_sampling"
    labels = [method, f"{method} drafter=exit4", f"{method} drafter=suffix", "autoregressive"]
    assert [row["label"] for row in rows[: num_settings(grid)]] == labels
    assert form_of(grid).drafter == "draft, exit4, suffix"
    assert [row.get("drafter") for row in rows[:4]] == [None, "exit4", "suffix", None]
    named = by_setting([row | {"failed": "not run"} for row in rows])
    assert setting_names(named[1])["title"] == "Speculative sampling (first 4 layers of the target)"
    assert labels_in_words(named) == "The numbers are the drafter."
