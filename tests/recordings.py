"""Record what the tabs show when they are opened: `python -m tests.recordings race FILE`, or another kind.

Most go the page's own way, from its form to what its panel shows. Nothing else should run on the machine meanwhile.
`python -m tests.renew --only recorded` calls this.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

import torch

from playground.bench.prompts import read_kinds
from playground.models.loading import load_pair
from playground.models.machine import machine
from playground.models.sampling import Sampling
from playground.recommender.files import load_shop
from playground.recommender.identifiers import HISTORY
from playground.recommender.recommend import recommend
from playground.recommender.shop import Shop, User
from playground.studies.positions import DRAFTERS, as_data, positions
from playground.ui.page.model_chooser import chosen_models
from playground.ui.race.live import LiveRace
from playground.ui.race.setup import RaceForm, race_setup
from playground.ui.recommend.form import RecommendForm
from playground.ui.recommend.press import pressed, versions_beside
from playground.ui.recommend.tables import beside
from playground.ui.recorded.file import KINDS
from playground.ui.recorded.positions import write_positions
from playground.ui.recorded.race import write_race
from playground.ui.recorded.recommend import write_recommendation
from playground.ui.recorded.sweep import write_sweep
from playground.ui.sweep.live import LiveSweep
from playground.ui.sweep.ready import READY
from playground.ui.sweep.saved_sweep import SavedSweep, new_folder
from playground.ui.sweep.setup import models_of, sweep_setup

# A chain, a tree, and beams with those that they are rated against. Five prompts, as fewer have no interval, and no
# more tokens than a small file holds.
RACE = RaceForm(
    methods=("speculative_sampling", "rsd_s", "beam_sampling:width=2", "dsbd"), prompts=5, tokens=56, repeats=3
)
SWEEP = READY[0].form
POSITIONS = 32  # of each text


def record_race(path: Path, form: RaceForm = RACE) -> None:
    """Race, and keep it."""
    live = LiveRace(race_setup(form))
    for step in live.steps():
        print(f"\r{step.done} of {step.total} runs", end="", file=sys.stderr, flush=True)
    failed = [row["label"] for row in live.rows if "failed" in row]
    assert not failed, f"{failed} failed"
    write_race(path, live.setup, live.rows, live.runs)


def record_sweep(path: Path) -> None:
    """Sweep, and keep it."""
    grid = sweep_setup(SWEEP)
    live = LiveSweep(SavedSweep(new_folder(), {}, grid), partial(chosen_models, *models_of(grid)))
    for step in live.steps():
        print(f"\r{step.done} of {step.total} runs", end="", file=sys.stderr, flush=True)
    write_sweep(path, live.saved_sweep)


def record_positions(path: Path) -> None:
    """A text behind every prompt, and who would have been best in it."""
    options = {"seed": 0, "sampling": Sampling(), "max_new_tokens": POSITIONS}
    texts = positions(load_pair("bundled"), DRAFTERS, read_kinds("bundled"), **options)
    write_positions(path, as_data(texts, DRAFTERS), machine())


def record_recommendation(path: Path) -> None:
    """Recommend to a user, and keep it: one who bought next what is on the list, and where the drafts differ.

    The chosen draft does well there, so that there is something to see; how it does on many users stands below.
    """
    shop = load_shop()
    messages = (user for user in shop.tested() if 6 <= len(user.history) <= HISTORY and _is_hit(shop, user))
    for user in messages:
        form = RecommendForm(history={"items": list(user.history)})
        panel = pressed(form)
        rows = versions_beside(form, panel)
        calls = {row["version"]: row["strict"]["target_calls"] for row in rows}
        if calls[form.version] == min(calls.values()) < max(calls.values()):
            return write_recommendation(path, list(user.history), panel, beside(rows, form.version), machine())
    raise AssertionError("the drafts are alike for every user")


def _is_hit(shop: Shop, user: User) -> bool:
    result = recommend(user.history, top_k=RecommendForm.top_k, verification="none", shop=shop)
    return user.held_out[0] in [each.item.id for each in result.items]


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.recordings", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=[*KINDS, "positions", "recommendation"])
    parser.add_argument("file", type=Path)
    request = parser.parse_args(arguments)
    torch.set_num_threads(1)
    known = {"race": record_race, "sweep": record_sweep, "positions": record_positions}
    known |= {"recommendation": record_recommendation}
    known[request.kind](request.file)


if __name__ == "__main__":
    main()
