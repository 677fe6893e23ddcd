"""A race as text: literal rows, and a method that failed."""

from playground.views.race.tables import COLUMNS, TIMES, conditions, markdown, plain_text
from tests.trace.example import replace, speculative_trace

STARTED = replace(speculative_trace().events[0], versions={"torch": "2.0", "transformers": "5.0"})
SPREAD = {"median": 2.5, "low": 2.25, "high": 3.0}
ROW = (
    {"label": "toy width=2"}
    | {field: SPREAD for field, _, _ in COLUMNS}
    | {
        "tokens_per_s": {"median": 101.6, "low": 90.2, "high": 110.0},
        "speed_up": {"median": 1.234, "low": 1.1, "high": 1.3},
    }
)


def table(*rows, started=STARTED):
    return markdown(rows, started, num_prompts=4, repeats=3).splitlines()


def test_a_row_is_its_medians_with_their_spread():
    title, rule, row, empty, conditions = table(ROW)
    assert title.startswith("| method | target calls |") and title.endswith(f"| {' | '.join(TIMES)} |")
    assert title.count("|") == rule.count("|") == row.count("|") and empty == ""
    assert row == "| `toy width=2` | 2 | 2 | 2.50 | 2.50 | 2.50 | 2.50 | 102, 90 to 110 | 1.23 (1.10 to 1.30) |"
    assert "12 runs, 3 on each of 4 prompts" in conditions


def test_what_does_not_exist_is_blank():
    missing = ROW | {"draft_calls": None, "acceptance_per_position": None, "tokens_per_s": None, "speed_up": None}
    assert table(missing)[2] == "| `toy width=2` | 2 |  |  | 2.50 | 2.50 | 2.50 |  |  |"
    few = ROW | {"speed_up": {"median": 1.5, "low": None, "high": None}}
    assert table(few)[2].endswith("| 1.50 |")
    failed = table({"label": "toy", "failed": "No room."})[2]
    assert failed.startswith("| `toy` | failed: No room. |") and failed.count("|") == table(ROW)[2].count("|")
    aligned = plain_text([few | {"perplexity": {"median": 20.04}}]).splitlines()[1]
    assert aligned == "toy width=2      102                 1.50       2.50       2.50       20.0"


def test_the_plain_table_is_aligned_with_a_dash_for_what_does_not_exist():
    row = ROW | {"perplexity": None}
    failed = {"label": "toy", "failed": "No room."}
    none = row | {"tokens_per_s": None, "speed_up": None}
    head, *lines = plain_text([row, failed, none]).splitlines()
    assert head == "method      tokens/s      speed-up (95 %) block eff.   per pos. perplexity"
    assert lines[0] == "toy width=2      102     1.23 (1.10-1.30)       2.50       2.50          -"
    assert lines[1] == "toy         failed: No room."
    assert lines[2] == "toy width=2        -                    -       2.50       2.50          -"


def test_beams_say_what_they_are_rated_against():
    rated = ROW | {"label": "dsbd", "against": "beam_sampling"}
    lone = ROW | {"label": "strict", "against": None, "unrated": "beam search of width 4", "speed_up": None}
    unrated = "strict is not rated: beam search of width 4 is not in this race."
    assert table(ROW, rated, lone)[6:8] == ["The speed-up of dsbd is over beam_sampling.", unrated]
    assert table(ROW | {"against": None}, ROW | {"against": "autoregressive"})[5].startswith("*Measured:*")


def test_the_conditions_in_full():
    started = replace(
        STARTED,
        target=STARTED.target | {"parameters": 12_340_000, "dtype": "float32"},
        draft=STARTED.draft | {"parameters": 1_260_000, "dtype": "bfloat16"},
        machine={"processor": "a processor", "gpu": None, "threads": 1},
        sampling={"temperature": 0.7, "top_k": 0, "top_p": 1.0},
    )
    assert conditions(started, num_prompts=4, repeats=3) == (
        "*Measured:* medians of 12 runs, 3 on each of 4 prompts, with seeds from 7; behind the tokens/s the middle "
        "half of the runs; in brackets a 95 % bootstrap interval over prompts, of all rows together, of the speed-up, "
        "taken run by run. Prefill is excluded. Models: target toy-target, 12.3 M parameters in float32; draft "
        "toy-draft, 1.3 M in bfloat16; on cpu, 1 thread, a processor, 2025-01-01; torch 2.0, transformers 5.0; "
        "temperature 0.7, top-k 0, top-p 1, 5 tokens."
    )
    assert "draft" not in table(ROW, started=replace(STARTED, draft=None))[-1]
    faster = replace(started, machine={"processor": "a processor", "gpu": "a GPU", "threads": 8})
    assert "on cpu, 8 threads, a GPU, 2025-01-01; torch" in conditions(faster, num_prompts=4, repeats=3)


def test_runs_that_shared_the_machine_say_so():
    said = [markdown([ROW], STARTED, num_prompts=4, repeats=3, workers=workers) for workers in (1, 2)]
    assert ["2 runs at a time: their times compare only among themselves." in each for each in said] == [False, True]
