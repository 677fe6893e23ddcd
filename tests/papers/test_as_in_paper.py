"""Directions are compared, numbers are not; what was not run is said. On rows made by hand."""

import json

import pytest

from playground.papers.as_in_paper import _middle, reproduce
from playground.papers.presets import find_preset, presets
from playground.papers.printed import Value
from playground.papers.reproduction import at_equal_perplexity
from tests.views.rows import failed, row, spread

LEVELS = (0.2, 1, 5, 0.4, 0.8, 1.2)  # The numbers of six prompts differ by more than methods do.


def rows_of(preset_id, *, value=lambda method, options: {}, prompts=lambda middle, options: [middle] * len(LEVELS)):
    """A row per entry; `value` gives the fields that are not as in every other row, `prompts` what they are on each."""
    rows = []
    for entry in find_preset(preset_id).entries():
        given = value(entry.method, entry.options)
        by_prompt = {
            name: {str(index): each for index, each in enumerate(prompts(middle, entry.options))}
            for name, middle in given.items()
        }
        about = {"label": entry.label, "options": entry.options, "runs": 10_000, "by_prompt": by_prompt}
        rows.append(row(entry.method, 1.0, **about, **{name: spread(each) for name, each in given.items()}))
    return rows


def faster_with_beams(method, options):
    return {"tokens_per_s": 100 + 2 * options.get("beam_width", 0)}


def speed_said(rows):
    [said] = [each for each in found("mtad-table7", rows)["says"] if each["text"].startswith("Tokens/s")]
    return said["kind"], said["text"]


def found(preset_id, rows, **changed):
    preset = find_preset(preset_id)
    return json.loads(json.dumps(reproduce(preset, rows, preset.conditions() | changed), allow_nan=False))


def kinds(result, start):
    return [each["kind"] for each in result["says"] if each["text"].startswith(start)]


@pytest.mark.parametrize("preset", presets().values(), ids=presets())
def test_every_preset_has_panels_with_and_without_rows(preset):
    empty = found(preset.id, [])
    assert empty["missing"] and not any(
        row["cells"].count(None) < len(row["cells"]) for p in empty["panels"] for row in p["measured"]
    )
    full = found(preset.id, rows_of(preset.id))
    assert full["missing"] == [] and full["says"]
    drawn = [panel for panel in full["panels"] if panel["measured"]]
    assert len(drawn) >= len(preset.y)
    for panel in full["panels"]:
        for line in [*panel["measured"], *(line for group in panel["reported"] for line in group["rows"])]:
            assert len(line["cells"]) == len(panel["heads"])


def test_measures_are_drawn_as_points_and_options_as_curves():
    forms = {name: found(name, rows_of(name))["panels"][0]["form"] for name in ("dsbd-figure7", "dsbd-figure9")}
    assert forms == {"dsbd-figure7": "points", "dsbd-figure9": "curves"}


def test_a_direction_is_the_papers_or_differs():
    rising = rows_of("mtad-table7", value=lambda _, options: {"tokens_per_s": 100 + 50 * options.get("beam_width", 0)})
    falling = rows_of("mtad-table7", value=lambda _, options: {"tokens_per_s": 900 - 50 * options.get("beam_width", 0)})
    assert kinds(found("mtad-table7", rising), "Tokens/s") == ["same"]
    assert kinds(found("mtad-table7", falling), "Tokens/s") == ["differs"]


@pytest.mark.parametrize("preset", presets().values(), ids=presets())
def test_one_row_alone_has_no_direction(preset):
    for each_row in rows_of(preset.id):
        says = found(preset.id, [each_row])["says"]
        assert not [each["text"] for each in says if "Here along" in each["text"]]


def test_a_difference_that_prompts_contradict_may_be_chance():
    """Wider is faster on three prompts and slower on the others; the mean rises."""

    def prompts(middle, options):
        return [middle + (-1) ** index * 9 * options.get("beam_width", 0) for index in range(6)]

    rows = rows_of("mtad-table7", value=faster_with_beams, prompts=prompts)
    kind, text = speed_said(rows)
    assert kind == "same" and text.endswith("so this may be chance.")


def test_a_difference_on_every_prompt_is_none_of_chance_however_far_prompts_are_apart():
    """Middle halves of the runs overlap nearly whole; paired over prompts the difference is always there."""
    rows = rows_of(
        "mtad-table7", value=faster_with_beams, prompts=lambda middle, _: [middle * level for level in LEVELS]
    )
    assert all(each["tokens_per_s"]["low"] < 110 < each["tokens_per_s"]["high"] for each in rows[1:])
    assert speed_said(rows) == ("same", "Tokens/s: as in the paper, it rises with the number of beams.")


def test_a_race_that_says_nothing_of_its_prompts_has_no_direction_beyond_chance():
    rows = [{**each, "by_prompt": {}} for each in rows_of("mtad-table7", value=faster_with_beams)]
    kind, text = speed_said(rows)
    assert kind == "same" and text.endswith("Too few prompts ran on both sides to tell it from chance.")


def test_methods_are_ranked_as_the_paper_ranks_them_or_not():
    """In Table 4 MTAD is faster than speculative sampling under every condition; BiLD's own standing is mixed."""
    speeds = {"mtad": 300, "speculative_sampling": 200, "spectr": 400}
    rows = rows_of("mtad-table4", value=lambda method, _: {"tokens_per_s": speeds.get(method, 250)})
    said = {each["kind"]: each["text"] for each in found("mtad-table4", rows)["says"] if "Tokens/s" in each["text"]}
    assert "MTAD is better than Speculative sampling" in said["same"] and "SpecTr" not in said["same"]
    assert "in the paper MTAD is better than SpecTr (K-SEQ), here it is worse than it" in said["differs"]


def test_smaller_is_better_for_perplexity():
    values = {"mtad": 4.0}
    rows = rows_of("mtad-table4", value=lambda method, _: {"perplexity": values.get(method, 9.0)})
    assert kinds(found("mtad-table4", rows), "Perplexity") == ["same"]


def test_of_a_printed_range_the_middle_counts():
    """1 to 9 lies above 3 to 5, although its lower end does not."""
    ranges = [{"low": 1.0, "high": 9.0}, {"low": 3.0, "high": 5.0}, {"value": 4.0}]
    assert [_middle(Value(method="a", **each)) for each in ranges] == [5, 4, 4]


def test_a_ratio_is_taken_at_the_same_width():
    speeds = {"beam_search": 100.0, "atspeed_strict": 150.0, "atspeed_relaxed": 50.0}
    rows = rows_of(
        "atspeed-table1",
        value=lambda method, options: {"tokens_per_s": speeds.get(method, 100.0) / options.get("width", 1)},
    )
    result = found("atspeed-table1", rows)
    over = result["panels"][0]
    cells = {line["method"]: [cell and cell["value"] for cell in line["cells"]] for line in over["measured"]}
    assert over["heads"] == ["1", "3", "5", "10", "20"], "the paper's list of 20 is a column without a measurement"
    assert cells == {"atspeed_strict": [1.5] * 4 + [None], "atspeed_relaxed": [0.5] * 4 + [None]}
    assert kinds(result, "AtSpeed (strict)") == ["same"] and kinds(result, "AtSpeed (relaxed)") == ["differs"]


def test_a_ratio_beside_a_paper_is_that_of_the_lane():
    """Medians of tokens/s say 1.5, paired runs 1.27: the page has one number, the paired one with its interval."""
    rows = rows_of("atspeed-table1", value=lambda method, _: {"tokens_per_s": 150.0 if "at" in method else 100.0})
    beams = {row["options"]["width"]: row["label"] for row in rows if row["method"] == "beam_search"}
    for each in rows:
        if each["method"] == "atspeed_strict":
            paired = {"median": 1.27, "low": 1.2, "high": 1.3, "pairs": 15}
            each |= {"against": beams[each["options"]["width"]], "speed_up": paired}
    measured = found("atspeed-table1", rows)["panels"][0]["measured"]
    [line] = [each for each in measured if each["method"] == "atspeed_strict"]
    cells = [(cell["value"], cell["low"], cell["high"]) for cell in line["cells"] if cell]
    assert cells == [(1.27, 1.2, 1.3)] * 4


def test_a_gain_is_what_is_above_the_rival_in_percent():
    speeds = {"autoregressive": 50.0, "speculative_sampling": 100.0, "importance_sampling": 120.0}
    rows = rows_of("importance-table2", value=lambda method, _: {"tokens_per_s": speeds[method]})
    panels = [each for each in found("importance-table2", rows)["panels"] if each["column"]["id"] == "gain"]
    cells = [cell["value"] for panel in panels for line in panel["measured"] for cell in line["cells"] if cell]
    assert len(cells) == 4 + 3 and cells == pytest.approx([20.0] * len(cells))


def test_dsbd_is_compared_at_a_perplexity_no_higher():
    """The fastest DSBD of width 2 runs at 90, with a perplexity that only beam sampling of width 2 does not beat."""

    def value(method, options):
        if method == "beam_sampling":
            return {"tokens_per_s": 60, "perplexity": 8 - options["width"]}
        speed, perplexity = (90, 6) if options.get("width") == 2 else (120, 7)
        return {"tokens_per_s": speed, "perplexity": perplexity}

    panels = found("dsbd-figure4", rows_of("dsbd-figure4", value=value))["panels"]
    [line] = [panel for panel in panels if panel["column"]["id"] == "speed_at_equal_perplexity"]
    assert [cell["value"] for cell in line["measured"][0]["cells"]] == [1.5, 1.5]
    assert line["reported"][0]["rows"][0]["cells"] == ["1.5", "1.9"]


def test_the_best_rival_counts_whichever_way_is_better():
    """Beam sampling of width 2 has 60 tokens/s and 4 J at perplexity 6. The last DSBD has a perplexity above it."""
    beams = row("beam_sampling", 1.0, options={"width": 2}, perplexity=spread(6.0), tokens_per_s=spread(60.0))
    rivals = [
        row("dsbd", 1.0, perplexity=spread(at), tokens_per_s=spread(rate), estimated_joules_per_token=spread(joules))
        for at, rate, joules in ((5.0, 120.0, 2.0), (6.0, 90.0, 1.0), (6.1, 240.0, 0.5))
    ]
    rows = [beams | {"estimated_joules_per_token": spread(4.0)}, *rivals]
    assert at_equal_perplexity(rows, "tokens_per_s") == [2.0]
    assert at_equal_perplexity(rows, "estimated_joules_per_token") == [4.0]


def test_words_of_a_paper_are_checked_where_it_prints_no_numbers():
    ahead = rows_of("rsd-figure4", value=lambda method, _: {"block_efficiency": 5.0 if method == "rsd_s" else 2.0})
    behind = rows_of("rsd-figure4", value=lambda method, _: {"block_efficiency": 1.5 if method == "rsd_s" else 2.0})
    assert kinds(found("rsd-figure4", ahead), "The paper says") == ["same"]
    result = found("rsd-figure4", behind)
    assert kinds(result, "The paper says") == ["differs"] and "at 0 of 4" in result["says"][0]["text"]
    assert found("importance-figure3", rows_of("importance-figure3"))["says"][0]["kind"] == "open"


def test_what_is_missing_is_said():
    rows = rows_of("mtad-table7")
    rows[1] = failed("mtad", "ZeroDivisionError: no") | {"label": rows[1]["label"], "options": rows[1]["options"]}
    rows[2]["runs"] = 7
    said = found("mtad-table7", rows[:-1], **{"top-p": 1.0})["missing"]
    assert said[0] == "1 of its 5 entries were not in the race: mtad beam_width=8."
    assert said[1] == "mtad beam_width=2 failed: ZeroDivisionError: no."
    assert said[2].startswith("Only 47 of 60 runs") and said[-1] == "Changed: top-p 1 in place of 0.9."


def test_entries_of_other_methods_stay_out():
    rows = [*rows_of("mtad-table7"), row("bild", 2.0)]
    lines = found("mtad-table7", rows)["panels"][0]["measured"]
    assert {line["method"] for line in lines} == {"autoregressive", "mtad"}
