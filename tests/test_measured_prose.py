"""Prose on measurements is held to the files that they were written to."""

import gzip
import json
from pathlib import Path
from statistics import median

import pytest

from playground import exactness, recommender
from playground.decoding.methods import importance_sampling
from playground.decoding.verification import importance
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import visible_distance
from playground.lab.acceptance import flatness
from playground.trace.storage import load
from playground.views.standalone import standalone_html
from tests.tables import (
    ASSETS,
    EVALUATION,
    FOUR,
    RULES_FOR_SEVERAL,
    SEVERAL_DRAFTS,
    SHOP,
    TIMES,
    measured_directions,
)

TRACES = sorted((ASSETS / "traces").glob("*.json.gz"))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def outcomes(claim):
    """Verdicts on one claim, by setting."""
    return {row["setting"]: row["verdict"] for row in measured_directions() if row["claim"] == claim}


def test_what_the_papers_readme_says_of_the_orderings_follows_from_their_numbers():
    """Its paragraph *What came out*, sentence by sentence."""
    single, tree, chains = (outcomes(f"RSD-S above {rival}") for rival in ("speculative sampling", "RSD-C", "SpecTr"))
    held = {setting for setting, verdict in single.items() if verdict == "holds"}
    assert held == {*(f"draft length {length}" for length in (2, 3, 4, 5)), "21 nodes", "30 nodes"}
    assert single["6 nodes"] == "does not hold"
    assert all(single[setting].endswith("within chance") for setting in ("10 nodes", "14 nodes"))
    assert list(tree.values()).count("holds") == 4 and len(tree) == 9 and "does not hold" not in tree.values()
    assert all(verdict.endswith("within chance") for verdict in chains.values())
    assert len({verdict.startswith("holds") for verdict in chains.values()}) == 2
    paper, ours = "Importance sampling", "Importance sampling with our classes"
    beyond = {s: v for s, v in outcomes(f"{paper} above SpecInfer").items() if not v.endswith("within chance")}
    assert beyond == {"K = 4": "holds"}
    beyond = {s: v for s, v in outcomes(f"{paper} above SpecTr").items() if not v.endswith("within chance")}
    assert beyond == {"K = 5": "does not hold"}
    assert set(outcomes(f"{ours} above SpecInfer").values()) == {"holds"}
    assert "does not hold" not in outcomes(f"{ours} above SpecTr").values()
    for claim in {row["claim"] for row in measured_directions() if row["claim"].startswith(("MTAD", "Block"))}:
        assert set(outcomes(claim).values()) == {"holds"}
    for claim in ("likelier text at threshold 0.7 than at 0.9", "more tokens a call at threshold 0.9 than at 0.7"):
        verdicts = list(outcomes(f"DSBD: {claim}").values())
        assert verdicts.count("holds") == 1 and "does not hold" not in verdicts


def test_four_drafts_are_accepted_in_the_order_that_the_docstring_of_importance_sampling_says():
    """And its README: above one draft, below SpecInfer and K-SEQ; with our classes above all, next to the optimum."""
    measured = read(SEVERAL_DRAFTS[0])["schemes"]["4"]
    one, cut, ours, spec_infer, k_seq, best = (measured[rule] for rule in RULES_FOR_SEVERAL)
    assert one < cut < spec_infer < k_seq < ours <= best < ours + 0.005
    flat = flatness(FOUR)["schemes"]
    assert flat["importance_truncated"][0] > flat["speculative"][0]
    assert flat["importance_truncated"][-1] < flat["speculative"][-1]


def test_two_docstrings_say_what_the_test_inside_the_alphabet_accepts_less():
    """The one difference of our rule from the paper's, of two drafts; more tokens weighed only help."""
    measured = read(SEVERAL_DRAFTS[0])
    sizes = list(measured["by_lp_size"].values())
    assert sizes == sorted(sizes) and measured["by_lp_size"]["5"] == measured["schemes"]["2"]["importance_truncated"]
    ours, printed = (f"{each:.3f}"[1:] for each in (measured["by_lp_size"]["5"], measured["tested_inside_alphabet"]))
    assert f"{ours} and {printed} of two drafts" in (importance_sampling.__doc__ or "")
    assert f"{ours} against {printed} of two drafts" in (importance.truncated.__doc__ or "")


def test_under_top_p_the_truncated_rule_is_above_k_seq_with_two_drafts_and_below_it_with_three_and_four():
    claims = {each["num_drafts"]: each for each in read(SEVERAL_DRAFTS[1])["claims"] if each["rival"] == "k_seq"}
    assert claims[2]["low"] > 0 > claims[3]["high"] and claims[4]["high"] < 0


def test_what_a_check_can_see_is_what_the_exactness_readme_says_and_of_the_claim_that_it_names():
    """The sentence whole: of another claim the distances are others."""
    distribution = EXPERIMENTS["target sampling"].distribution(None)

    def seen(num_runs):
        return visible_distance([({text: round(num_runs * p) for text, p in distribution.items()}, distribution)])

    few, many = (f"{seen(num_runs):.2g}".removeprefix("0") for num_runs in (20_000, 1_000_000))
    sentence = (
        "it says from which distance on a deviation would have shown 9 times in 10, whatever its direction (of target "
        f"sampling {few} with 20,000 runs, {many} with a million)"
    )
    assert sentence in " ".join(Path(exactness.__file__).with_name("README.md").read_text(encoding="utf-8").split())


def times(name):
    """Target calls, draft efficiency, tokens/s and speed-up of each row of a table of times."""
    lines = (ASSETS / name).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]
    return [(int(row[1]), float(row[5] or "nan"), *(float(row[at].split()[0]) for at in (7, 8))) for row in rows]


def test_what_the_first_readme_says_below_its_table_of_times_follows_from_it():
    """In 32 bits, too, and with 32 drafts."""
    halves, wholes = (times(name) for name in TIMES)
    many = halves[-1]
    assert many[1] < 0.5, "most are thrown away"
    assert all(half[2] > whole[2] for half, whole in zip(halves, wholes, strict=True)), "32 bits are slower"
    assert all(half[3] < whole[3] for half, whole in zip(halves[1:], wholes[1:], strict=True)), "and gain more"
    assert many[3] < 1 and wholes[-1][3] < 1, "slower than plain decoding"


def test_sizes_of_files_are_as_the_docstrings_and_readmes_say():
    """Gzip: three to eight times smaller. A trace: .1 to .5 KB per token. An exported page: 0.8 MB."""
    ratios = [len(gzip.decompress(path.read_bytes())) / path.stat().st_size for path in TRACES]
    assert 3 < min(ratios) < median(ratios) < max(ratios) < 8.5
    per_token = [path.stat().st_size / load(path).events[-1].num_tokens for path in TRACES]
    assert 50 < min(per_token) < max(per_token) < 500
    longest = load(max(TRACES, key=lambda path: path.stat().st_size))
    assert len(standalone_html(longest).encode()) == pytest.approx(800_000, rel=0.15)


def test_what_the_recommenders_readme_says_of_the_papers_versions_follows_from_its_tables():
    """Its list *What the paper leads one to expect*, item by item."""
    rows = read(SHOP)["rows"]

    def column(rule, k, name="as"):
        return {row["version"]: row[name]["mean"] for row in rows if (row["verification"], row["k"]) == (rule, k)}

    def ranked(rule, k, name="as"):
        return sorted(column(rule, k, name), key=lambda version: -column(rule, k, name)[version])

    lengths = (1, 3, 5, 10, 20)
    for version in column("strict", 1):
        strict, relaxed = ([column(rule, k)[version] for k in lengths] for rule in ("strict", "relaxed"))
        assert strict == sorted(strict, reverse=True) and relaxed[0] - relaxed[-1] < strict[0] - strict[-1]
    bounds = {k: [row["as"] for row in rows if (row["verification"], row["k"]) == ("strict", k)] for k in lengths}
    assert all(max(each["low"] for each in bounds[k]) <= min(each["high"] for each in bounds[k]) for k in (1, 3, 5))
    assert ranked("strict", 10)[-1] == ranked("strict", 20)[-1] == "atspeed_s"
    assert (ranked("strict", 10)[0], ranked("strict", 20)[0]) == ("sequence_kd", "word_kd")
    assert all(column("relaxed", k)["atspeed_r"] == min(column("relaxed", k).values()) for k in (1, 3))
    assert all(ranked("relaxed", k)[:2] == ["atspeed_s", "atspeed_r"] for k in (5, 10))
    assert ranked("relaxed", 20)[0] == "atspeed_s"
    assert all(ranked("relaxed", k, "recall")[-1] == "atspeed_s" for k in (3, 5, 10, 20))
    assert all(row["ws"]["median"] < 1 for row in rows if row["verification"] in ("strict", "relaxed")), "not faster"
    assert all(each["ratio"]["median"] > 2 for each in read(SHOP)["tree_attention"])


def test_the_calls_of_strict_verification_are_those_that_recommender_check_counted():
    """500 users, list by list, in the sentence of the README."""
    first, *others = read(SHOP.parent / "strict.json")
    assert all(row["same"] == row["users"] == 500 and not row["unknown"] for row in (first, *others))
    calls = ", ".join(f"{row['strict_calls']:,} at {row['k']}" for row in others)
    instead = f"target calls instead of {first['beam_search_calls']:,} at K = {first['k']}"
    sentence = f"with {first['strict_calls']:,} {instead}, {calls}"
    readme = Path(recommender.__file__).with_name("README.md")
    assert sentence in " ".join(readme.read_text(encoding="utf-8").split())


def test_what_two_readmes_say_of_early_exits_and_of_the_targets_own_text_follows_from_measurements():
    """Four drafts of an exit of eight layers cost over two calls; a trained exit accepts more at every depth."""
    drafters = {row["label"]: row for row in read(ASSETS / "drafters.json")["rows"] if row["kind"] == "all"}
    exit8 = next(row for label, row in drafters.items() if "exit8" in label)
    assert exit8["draft_cost"] > 2
    measured = read(EVALUATION)
    for text in measured["exits"]["on_held_out_text"], measured["exits"]["on_text_of_the_target"]:
        untrained, trained = text["untrained"], text["trained"]
        assert all(trained[depth]["acceptance_1.0"] > untrained[depth]["acceptance_1.0"] for depth in untrained)
    assert measured["on_text_of_the_target"]["acceptance_1.0"] > measured["on_held_out_text"]["acceptance_1.0"]
