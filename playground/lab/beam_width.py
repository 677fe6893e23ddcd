"""The beam lab: DSBD's choice of a depth's width, exactly, and what its rule then does, by simulation.

The exact part is the recursion P(m, k) of theory/beam_width.py on the two rows of the lab. The simulation asks the
rules themselves: one depth over and over, and whole rounds of the method `dsbd` on models that have these rows after
every text. All coins are seeded, and every frequency has its noise.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.decoding.verification import depth as depth_rule
from playground.lab.one_position import check_range, few_rows
from playground.models.table_model import TableModel
from playground.theory import beam_width as theory

Row = NDArray[np.float64]  # (V,)

MAX_DRAWS = 12
MAX_DEPTHS = 6
NUM_DEPTH_RUNS = 2000  # of the rule on one depth
NUM_ROUNDS = 150  # of the whole method


def chosen_width(
    target: Sequence[float],
    draft: Sequence[float],
    *,
    num_draws: int,
    threshold: float,
    min_width: int,
    num_layers: int,
) -> dict[str, Any]:
    """Return the width of a depth, and every number it is chosen by.

    Args:
        target: (V,) p over the continuations of the beams; normalised here.
        draft: (V,) q, likewise.
        num_draws: m, the drafts that are offered.
        threshold: t.
        min_width: W_min.
        num_layers: depths drafted per round, for the theorem.

    Returns:
        rates: alpha_1 .. alpha_m; left: (m, V) what is left of p before each of those tests.
        exactly, at_least: P(m, k), and that k or more are accepted.
        reached, width: W~(t), and max(W_min, W~(t)).
        layer: min(t, beta), of one depth, and layers: the depths per target call that follow by Theorem 3.2.
        full: the chance that a depth of the chosen width is accepted, and full_layers: the same formula with it.

    Raises:
        PlaygroundError: on rows that are no distributions, or sizes beyond the lab's.
    """
    p, q, normalised = few_rows(target, draft)
    check_range("num_draws", num_draws, 1, MAX_DRAWS)
    check_range("num_layers", num_layers, 1, MAX_DEPTHS)
    check_range("threshold", threshold, 0, 1)
    check_range("min_width", min_width, 1, num_draws)
    rates = theory.acceptance_rates(p, q, num_draws)
    exactly = theory.accepted_probabilities(rates)
    at_least = theory.at_least(exactly)
    reached = theory.reached_width(exactly, threshold) if threshold > 0 else 0
    width = max(min_width, reached)
    depth_acceptance = theory.depth_acceptance(exactly, threshold, min_width)
    return {
        "target": p.tolist(),
        "draft": q.tolist(),
        "normalised": normalised,
        "num_draws": num_draws,
        "rates": rates,
        "left": [left.tolist() for left in theory.residuals(p, q, num_draws)],
        "exactly": exactly.tolist(),
        "at_least": at_least.tolist(),
        "reached": reached,
        "width": width,
        "threshold": threshold,
        "min_width": min_width,
        "num_layers": num_layers,
        "layer": depth_acceptance,
        "layers": theory.expected_depths(depth_acceptance, num_layers),
        "full": float(at_least[width]),
        "full_layers": theory.expected_depths(min(1.0, float(at_least[width])), num_layers),
    }


# Simulation


def simulated_counts(
    target: Sequence[float], draft: Sequence[float], *, num_draws: int, seed: int, runs: int = NUM_DEPTH_RUNS
) -> dict[str, Any]:
    """P(m, k): distribution of the number of accepted drafts of m, when one output is wanted per draft.

    Returns:
        shares: (m + 1,) of the runs in which k were accepted.
        noise: (m + 1,) two standard errors of each share, if P(m, k) is its true chance.
        runs: how many there were.
    """
    p, q, _ = few_rows(target, draft)
    check_range("num_draws", num_draws, 1, MAX_DRAWS)
    rng = np.random.default_rng([seed, num_draws])
    draws = rng.choice(len(q), size=(runs, num_draws), p=q).tolist()
    counts = np.zeros(num_draws + 1)
    for each in draws:
        counts[len(depth_rule.judge(p, q, each, num_draws, rng).accepted)] += 1
    exactly = theory.accepted_probabilities(theory.acceptance_rates(p, q, num_draws))
    noise = 2 * np.sqrt(np.clip(exactly * (1 - exactly), 0, None) / runs)
    return {"shares": (counts / runs).tolist(), "noise": noise.tolist(), "runs": runs}


def simulated_rounds(
    target: Sequence[float],
    draft: Sequence[float],
    *,
    num_draws: int,
    threshold: float,
    min_width: int,
    num_layers: int,
    seed: int,
    runs: int = NUM_ROUNDS,
) -> dict[str, Any]:
    """First rounds of `dsbd` on models with these rows after every text, depth by depth.

    Returns:
        layers: for each depth, the share of rounds that came so far and their number, the mean number of drafts below
            accepted beams, the shares of the widths asked for, and the share of those rounds that accepted that many.
            Only the first depth is sure of all its drafts: below it, those of rejected beams are lost.
        steps, steps_noise: mean steps of beam sampling per round, and two standard errors of it.
        runs: rounds simulated.
    """
    p, q, _ = few_rows(target, draft)
    check_range("num_draws", num_draws, 1, MAX_DRAWS)
    check_range("num_layers", num_layers, 1, MAX_DEPTHS)
    check_range("min_width", min_width, 1, num_draws)
    options = {"draft_length": num_layers, "num_draws": num_draws, "width": min_width, "threshold": threshold}
    method = make_method("dsbd", options)
    models = TableModel(p, name="p"), TableModel(q, name="q")
    rounds: list[list[dict[str, Any]]] = []
    for run in range(runs):
        request = Request(
            method, models[0], "a", models[1], seed=seed * 100_000 + run, max_new_tokens=num_layers + 1, prompt_ids=(0,)
        )
        first = next(item for item in decode(request) if isinstance(item, Round))
        rounds.append([workings().as_dict() for workings in first.verdict.workings])
    steps = np.array([1 + sum(record["accepted"] >= record["width"] for record in each) for each in rounds], float)
    return {
        "layers": [_at_depth(rounds, depth) for depth in range(1, num_layers + 1)],
        "steps": float(steps.mean()),
        "steps_noise": float(2 * steps.std(ddof=1) / math.sqrt(runs)),
        "runs": runs,
    }


def _at_depth(rounds: list[list[dict[str, Any]]], depth: int) -> dict[str, Any]:
    here = [records[depth - 1] for records in rounds if len(records) >= depth]
    if not here:
        return {"share": 0.0, "reached": 0, "num_draws": None, "widths": [], "accepted": None, "noise": None}
    accepted = np.array([record["accepted"] >= record["width"] for record in here], float)
    widths = sorted({record["width"] for record in here})
    return {
        "share": len(here) / len(rounds),
        "reached": len(here),
        "num_draws": float(np.mean([record["num_draws"] for record in here])),
        "widths": [[width, float(np.mean([record["width"] == width for record in here]))] for width in widths],
        "accepted": float(accepted.mean()),
        "noise": _noise(float(accepted.mean()), len(here)),
    }


def _noise(share: float, runs: int) -> float:
    """Return two standard errors of a share by Agresti and Coull: with two successes and two failures added."""
    share = (share * runs + 2) / (runs + 4)
    return 2 * math.sqrt(share * (1 - share) / (runs + 4))
