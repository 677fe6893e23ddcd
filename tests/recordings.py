"""Record what the tabs show when they are opened: `python -m tests.recordings race FILE`, or another kind.

Most go the page's own way, from its form to what its panel shows. Nothing else should run on the machine meanwhile.
`python -m tests.renew --only recorded` calls this.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from playground.bench.prompts import read_kinds
from playground.makers.studies.positions import DRAFTERS, as_data, positions
from playground.models.loading import Models
from playground.models.machine import machine
from playground.models.sampling import Sampling
from playground.recommender.files import load_shop
from playground.recommender.identifiers import HISTORY
from playground.recommender.recommend import recommend
from playground.recommender.shop import Shop, User
from playground.ui.live.job import LiveJob
from playground.ui.page.model_chooser import chosen_models, models_of
from playground.ui.race.result import Result
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceForm, race_setup
from playground.ui.recommend.form import RecommendForm
from playground.ui.recommend.press import pressed, versions_beside
from playground.ui.recommend.tables import beside
from playground.ui.recorded.file import KINDS, tried, write
from playground.ui.recorded.lineup import KIND as LINEUP
from playground.ui.recorded.lineup import paying_entries
from playground.ui.recorded.positions import write_positions
from playground.ui.recorded.race import write_race
from playground.ui.recorded.recommend import write_recommendation
from playground.ui.recorded.sweep import write_sweep
from playground.ui.sweep.ready import READY
from playground.ui.sweep.saved_sweep import SavedSweep, new_folder
from playground.ui.sweep.setup import sweep_setup

TRIED = (  # chains of several lengths, and each other kind of rule and drafter that needs only the bundled pair
    *(f"speculative_sampling:draft_length={length}" for length in (2, 3, 4)),
    *(f"block_verification:draft_length={length}" for length in (2, 3, 4)),
    *("greedy_draft", "spectr", "rsd_s", "rsd_s:width=2:draft_length=2", "prompt_lookup", "suffix_decoding"),
)
# Five prompts, as fewer have no interval, and no more tokens than a small file holds.
RACE = RaceForm(prompts=5, tokens=56, repeats=3)
SWEEP = READY[0].form
POSITIONS = 32  # of each text


def race(form: RaceForm) -> Result:
    """Race to the end, without a failure."""
    result = Result(_made(RaceRuns(race_setup(form))))
    failed = [row["label"] for row in result.rows if "failed" in row]
    assert not failed, f"{failed} failed"
    return result


def record_lineup(path: Path) -> None:
    """Race everything that may pay, and keep the speed-up of each over plain decoding."""
    result = race(replace(RACE, methods=TRIED))
    entries = dict(zip([entry.label for entry in result.setup.entries[1:]], TRIED, strict=True))
    rated = [row for row in result.rows if row["label"] in entries]
    tried = [{"entry": entries[row["label"]], **rounded(row["speed_up"])} for row in rated]
    tried.sort(key=lambda each: -each["median"])
    write(path, LINEUP, {"tried": tried}, machine())
    for each in tried:
        print("{entry}: {median:.2f} ({low:.2f} to {high:.2f})".format(**each), file=sys.stderr)


def rounded(speed_up: dict[str, float]) -> dict[str, float]:
    """Return median, low and high of a speed-up to three places."""
    return {name: round(speed_up[name], 3) for name in ("median", "low", "high")}


def record_race(path: Path) -> None:
    """Race what paid in the line-up, and keep it: measured once more, as the best of many tries flatters itself."""
    write_race(path, race(replace(RACE, methods=paying_entries(tried(LINEUP)))))


def record_sweep(path: Path) -> None:
    """Sweep, and keep it."""
    write_sweep(path, _made(SavedSweep(new_folder(), {}, sweep_setup(SWEEP))))


def _made(job: Any) -> Any:
    """Return a job with all its runs."""
    for step in LiveJob(job, chosen_models(*models_of(job.grid)).load).steps():
        print(f"\r{step.done} of {step.total} runs", end="", file=sys.stderr, flush=True)
    return job


def record_positions(path: Path) -> None:
    """A text behind every prompt, and who would have been best in it."""
    options = {"seed": 0, "sampling": Sampling(), "max_new_tokens": POSITIONS}
    texts = positions(Models.named().load(), DRAFTERS, read_kinds("bundled"), **options)
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
    parser.add_argument("kind", choices=[*KINDS, LINEUP, "positions", "recommendation"])
    parser.add_argument("file", type=Path)
    request = parser.parse_args(arguments)
    torch.set_num_threads(1)
    known = {"race": record_race, "sweep": record_sweep, "positions": record_positions}
    known |= {"recommendation": record_recommendation, LINEUP: record_lineup}
    known[request.kind](request.file)


if __name__ == "__main__":
    main()
