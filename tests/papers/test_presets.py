"""Presets ask what the papers asked: the same methods, options in range, budgets that are spent exactly."""

import pytest

from playground.bench.entry import enter
from playground.bench.grid import Grid
from playground.bench.race import race
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.loading import LoadedPair
from playground.models.table_model import TableModel
from playground.papers.as_in_paper import reproduce
from playground.papers.preset import budget
from playground.papers.presets import find_preset, presets, read_preset
from playground.papers.printed import find_paper
from playground.trace.events import Drafted
from tests.decoding.runs import DRAFT, OTHERS, TARGET, request, trace_of

RSD_BUDGETS = find_preset("rsd-figure5")
BUDGETS = (6, 10, 14, 21, 30)  # nodes of a round
COMPARED_WITH = {"autoregressive", "speculative_sampling", "beam_search", "beam_sampling"}  # at no place of an axis

# even rows over all letters: no method runs out of tokens to draft
WIDE_TARGET, WIDE_DRAFT = (TableModel.random(26, order=1, seed=seed, sharpness=0.2) for seed in (1, 2))


def raced(preset):
    """Rows of a race on table models, one prompt each."""
    choices = (("autoregressive", {}), *preset.choices)
    return race(
        Grid(choices, {}, ("ab",), sampling=preset.sampling, max_new_tokens=8),
        pair=LoadedPair(TARGET, DRAFT, OTHERS),
    )


@pytest.mark.parametrize("preset", presets().values(), ids=presets())
def test_every_preset_can_enter_a_race_and_names_a_paper(preset):
    entries = enter(preset.choices)
    assert len({entry.label for entry in entries}) == len(preset.choices)
    paper = find_paper(preset.paper)
    assert preset.reported() or {each.place for each in paper.left_out} >= set(preset.places)
    assert preset.reduced.endswith((".", ". ")) and "in place of" in preset.reduced


@pytest.mark.parametrize("preset", presets().values(), ids=presets())
def test_every_preset_runs_to_its_end_and_has_its_numbers(preset):
    rows = raced(preset)
    assert not any("failed" in row for row in rows)
    placed = {row["label"] for row in rows for axis in preset.axes if axis.of(row) is not None}
    if preset.axes:
        assert {row["label"] for row in rows} - placed <= COMPARED_WITH
    for row in rows[1:]:
        for field in set(preset.y) - {"over", "gain"}:
            assert row[field] is not None or field.startswith("estimated"), (row["label"], field)


def test_plain_decoding_has_no_place_along_an_option():
    row = {"label": "autoregressive", "method": "autoregressive", "options": {}, "perplexity": {"median": 8.0}}
    assert find_preset("mtad-figure3").axes[0].of(row) is None and RSD_BUDGETS.axes[0].of(row) is None
    assert find_preset("dsbd-figure4").axes[0].of(row) == 8.0
    with pytest.raises(PlaygroundError, match="Did you mean 'rsd-figure5'"):
        find_preset("rsd-figure-5")


def test_every_entry_of_figure_5_drafts_its_budget():
    """Counted in the first round of a real run, where there is room for the whole tree."""
    spent = {}
    for entry in enter(RSD_BUDGETS.choices):
        method = make_method(entry.method, entry.options)
        trace = trace_of(request(method, target=WIDE_TARGET, draft=WIDE_DRAFT, length=40))
        first = [event for event in trace.events if isinstance(event, Drafted) and event.round == 1]
        spent.setdefault(entry.method, []).append(sum(len(event.nodes) for event in first))
    budgets = {name: sorted(count) for name, count in spent.items()}
    twice = sorted([*BUDGETS, *BUDGETS])
    assert budgets["speculative_sampling"] == list(BUDGETS)
    assert budgets["spectr"] == budgets["specinfer"] == budgets["rsd_s"] == budgets["rsd_c"] == twice


def test_specinfer_drafts_chains_in_every_preset_but_those_that_say_a_tree():
    """Papers that run it beside SpecTr give both the same sequences; DSBD cites its tree, and says no shape."""
    for preset in presets().values():
        runs = [entry.options["chains"] for entry in preset.entries() if entry.method == "specinfer"]
        if runs:
            assert all(runs) != ("SpecInfer's tree" in preset.reduced), preset.id
            assert all(runs) == any(runs)


def test_the_settings_that_the_papers_name_are_kept():
    options = {choice[0]: choice[1] for choice in find_preset("mtad-table4").choices}
    assert options["bild"] == {"draft_length": 10, "fallback": 0.9, "rollback": 2}
    assert options["mtad"] == {"draft_length": 4, "beam_width": 8, "tau": 0.1}
    assert (find_preset("mtad-table4").sampling.top_k, find_preset("mtad-table4").sampling.top_p) == (20, 0.9)
    assert (find_preset("dsbd-table1").sampling.top_k, find_preset("dsbd-table1").sampling.top_p) == (10, 0.8)
    drafts = [choice[1].get("num_drafts") for choice in find_preset("importance-table1").choices]
    assert drafts[:5] == [2, 3, 4, 5, 6]


def test_at_an_equal_budget_all_who_have_a_choice_have_the_same_number_of_shapes_and_each_spends_it():
    """The better of three beats the better of two by chance alone."""
    indices = [budget(entry.method, entry.options) for entry in RSD_BUDGETS.entries()[1:]]
    assert set(indices) == set(BUDGETS)
    assert all(indices.count(index) == 9 for index in BUDGETS)  # 1 + 4 x 2 shapes


def test_khistis_comparisons_run_the_papers_rule_under_its_name_and_ours_under_another():
    for preset in ("importance-table1", "importance-figure3", "importance-figure4"):
        entries = [entry for entry in find_preset(preset).entries() if entry.method == "importance_sampling"]
        names = [make_method(entry.method, entry.options).title for entry in entries]
        assert names.count("Importance sampling (Khisti et al.)") == len(names) // 2, preset
        assert ["our" in name for name in names] == [bool(entry.options["num_classes"]) for entry in entries]


MINE = """
title = "MTAD, Table 7: two widths of mine"
paper = "mtad"
places = ["Table 7"]
reduced = "Two widths, in place of four."
own = ["mtad"]
y = ["tokens_per_s"]
methods = ["mtad:beam_width=2", "mtad:beam_width=6"]
sampling = { top_k = 20 }

[[axes]]
title = "number of beams"
names = ["beam_width"]
"""


def write(folder, text):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_adds_a_preset_that_runs_and_is_drawn(tmp_path):
    write(tmp_path, MINE)
    mine = presets(tmp_path)["mine"]
    assert mine.choices == (("mtad", {"beam_width": 2}), ("mtad", {"beam_width": 6})) and mine.sampling.top_k == 20
    panel, *printed_only = reproduce(mine, raced(mine), mine.conditions())["panels"]
    assert printed_only and not any(each["measured"] for each in printed_only)
    [row] = [each for each in panel["measured"] if each["method"] == "mtad"]
    assert [point["x"] for point in row["points"]] == [2, 6]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('paper = "mtad"', 'paper = "mtadd"', "Did you mean 'mtad'"),
        ('"Table 7"', '"Table 70"', "places has 'Table 70'. Did you mean 'Table 7'"),
        ('["tokens_per_s"]', '"tokens_per_s"', "Expected `array`, got `str` - at `$.y`"),
        ('["tokens_per_s"]', '["token_per_s"]', "Did you mean 'tokens_per_s'"),
        ('["tokens_per_s"]', '["gain"]', 'Name it: over = "beam_search"'),
        ("mtad:beam_width=6", "mtadd", "Unknown method 'mtadd'"),
        ("mtad:beam_width=6", "mtad:beams=6", "MTAD has no option 'beams'"),
        ("mtad:beam_width=6", "mtad:beam_width", "Write it as draft_length=4"),
        ('own = ["mtad"]\n', "", "Object missing required field `own`"),
        ("names =", "name =", "unknown field `name` - at `$.axes[0]`"),
        ("[[axes]]", "[axes]", "Expected `array`, got `object` - at `$.axes`"),
        ("top_k = 20", 'top_k = "20"', "Expected `int`, got `str` - at `$.sampling.top_k`"),
        ("top_k = 20", "top_p = 2", "Top-p 2.0 is out of range"),
        ("methods =", "runs =", "It names no methods"),
        ('reduced = "', "reduced = ", "line 5"),
    ],
)
def test_a_broken_file_is_named_and_what_is_wrong_with_it(tmp_path, old, new, sentence):
    assert old in MINE
    path = write(tmp_path, MINE.replace(old, new))
    with pytest.raises(PlaygroundError) as refusal:
        read_preset(path)
    assert str(refusal.value).startswith("The preset mine.toml cannot be used: ") and sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
