"""Record what the tabs show when they are opened: `python -m tests.recordings race FILE`, or another kind.

Most go the page's own way, from its form to what its panel shows. Nothing else should run on the machine meanwhile.
`python -m tests.renew --only recorded` calls this.
"""

import argparse
import math
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from playground.bench.rating import PLAIN, PLAIN_BEAMS, carries_beams, rated_against
from playground.decoding.decode import Request
from playground.decoding.method import DecodingMethod, make_method
from playground.decoding.record import record
from playground.decoding.run_spec import rebuild_request
from playground.errors import PlaygroundError
from playground.metrics.interval import least_prompts
from playground.models.loading import LoadedPair, Models
from playground.models.machine import machine
from playground.paths import ASSETS
from playground.recommender.files import load_shop
from playground.recommender.identifiers import HISTORY
from playground.recommender.recommend import recommend
from playground.recommender.shop import Shop, User
from playground.trace.events import Committed, Trace
from playground.trace.storage import load
from playground.ui.live.job import LiveJob
from playground.ui.page.model_chooser import BUNDLED, REAL, chosen_models, models_of
from playground.ui.recommend.form import RecommendForm
from playground.ui.recommend.press import pressed, versions_beside
from playground.ui.recommend.recorded import write_recommendation
from playground.ui.recommend.tables import beside
from playground.ui.recorded import index, kind_of, write
from playground.ui.runs.race.lineup import KIND as LINEUP
from playground.ui.runs.race.lineup import OF_USES
from playground.ui.runs.race.recorded import write_race
from playground.ui.runs.race.result import Result
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceForm, first_form, race_setup
from playground.ui.runs.sweep.ready import READY
from playground.ui.runs.sweep.recorded import write_sweep
from playground.ui.runs.sweep.saved_sweep import SavedSweep, new_folder
from playground.ui.runs.sweep.setup import sweep_setup
from playground.views.plain_beside import plain_clock

TRIED = {  # by pair: chains of several lengths, and each other kind of rule and drafter that needs only the pair
    BUNDLED: (
        *(f"speculative_sampling:draft_length={length}" for length in (2, 3, 4)),
        *(f"block_verification:draft_length={length}" for length in (2, 3, 4)),
        *("greedy_draft", "spectr", "rsd_s", "rsd_s:width=2:draft_length=2", "prompt_lookup", "suffix_decoding"),
    ),
    REAL: (
        *OF_USES,
        *(f"speculative_sampling:draft_length={length}" for length in (2, 3)),
        *("block_verification:draft_length=2", "greedy_draft:draft_length=1", "rsd_s:draft_length=1:width=2"),
        *("sample_and_match:draft_length=1", "prompt_lookup:draft_length=2"),
    ),
}
SWEEP = READY[0].form
COMPARED, TURNS = "beside", 5


def race(form: RaceForm) -> Result:
    """Race to the end, without a failure."""
    result = Result(_made(RaceRuns(race_setup(form))))
    failed = [row["label"] for row in result.rows if "failed" in row]
    assert not failed, f"{failed} failed"
    return result


def race_form(pair: str) -> RaceForm:
    """Return the form of the race that is recorded with a pair: that of its tab, no longer than a small file holds."""
    return replace(first_form(pair), repeats=3)


def record_lineup(path: Path, pair: str) -> None:
    """Race everything that may pay, and keep the speed-up of each over plain decoding."""
    form = replace(race_form(pair), methods=TRIED[pair])
    # Intervals that hold for all entries at once need more prompts; prompts of several kinds need no repeats.
    more = {"repeats": 1} if pair == REAL else {"prompts": least_prompts(len(form.methods))}
    result = race(replace(form, **more))
    entries = dict(zip([entry.label for entry in result.setup.entries[1:]], TRIED[pair], strict=True))
    rated = [row for row in result.rows if row["label"] in entries]
    tried = [{"entry": entries[row["label"]], **rounded(row["speed_up"])} for row in rated]
    tried.sort(key=lambda each: -each["median"])
    write(path, kind_of(LINEUP, pair), {"tried": tried}, machine())
    for each in tried:
        print("{entry}: {median:.2f} ({low:.2f} to {high:.2f})".format(**each), file=sys.stderr)


def rounded(speed_up: dict[str, float]) -> dict[str, float]:
    """Return median, low and high of a speed-up to three places."""
    return {name: round(speed_up[name], 3) for name in ("median", "low", "high")}


def record_race(path: Path, pair: str) -> None:
    """Race what did best in the line-up, and keep it: measured again, as the best of many tries flatters itself."""
    write_race(path, race(race_form(pair)))


def record_beside(path: Path) -> None:
    """Make every recorded run again in turns with its rival, and keep the turn of the median ratio, see `clocks`.

    The ends of a ratio are the least and the most of the turns. A run that today's code makes otherwise is left out.
    """
    pairs: dict[str, LoadedPair] = {}
    runs = {}
    for entry in index():
        kept = load(ASSETS / "traces" / entry["file"])
        if plain_clock(kept.started):
            continue  # An opening run has been timed in its own recording.
        words = shlex.split(entry["run"])
        pair = words[words.index("--pair") + 1] if "--pair" in words else BUNDLED
        try:
            pairs[pair] = pairs.get(pair) or Models.named(pair).load()
            request = rebuild_request(kept, pairs[pair])
        except PlaygroundError as error:
            print(f"{entry['file']}: {error}", file=sys.stderr)
            continue
        rivals = {PLAIN: make_method(PLAIN), **{name: _of_width(name, request.method) for name in PLAIN_BEAMS}}
        rival = rated_against(request.method, rivals)
        if rival is None or rival == kept.started.method:
            continue
        against = replace(request, method=rivals[rival], draft_model=None, other_drafts=())
        turns = [(_clock(against), _clock(request)) for _ in range(1 + TURNS)][1:]  # the first warms up
        if any(len(own) != len(kept.rounds) for _, own in turns):
            print(f"{entry['file']}: other rounds than those kept", file=sys.stderr)
            continue
        tokens = _num_tokens(kept)
        rated = sorted((plain[-1] / len(plain) / (own[-1] / tokens), plain, own) for plain, own in turns)
        ratio, plain, own = rated[TURNS // 2]
        name = entry["file"].partition(".")[0]
        ends = {"median": round(ratio, 3), "low": round(rated[0][0], 3), "high": round(rated[-1][0], 3)}
        runs[name] = {"method": kept.started.method, "plain": _rounded(plain), "again": _rounded(own), **ends}
        print("{name}: {median:.2f} ({low:.2f} to {high:.2f})".format(name=name, **ends), file=sys.stderr)
    write(path, COMPARED, {"runs": runs}, machine())


def _of_width(name: str, method: DecodingMethod) -> DecodingMethod:
    width = getattr(method.options, "width", None)
    return make_method(name, {"width": width} if carries_beams(method) and width else {})


def _clock(request: Request) -> list[float]:
    """Make a run, and return the seconds at the end of each of its rounds."""
    events = [event for batch in record(request, interval_s=math.inf) for event in batch]
    return [event.clock_s for event in events if isinstance(event, Committed)]


def _num_tokens(trace: Trace) -> int:
    assert trace.finished is not None, "a recorded run without an end"
    return trace.finished.num_tokens


def _rounded(clock: list[float]) -> list[float]:
    return [round(seconds, 5) for seconds in clock]


def record_sweep(path: Path) -> None:
    """Sweep, and keep it."""
    write_sweep(path, _made(SavedSweep(new_folder(), {}, sweep_setup(SWEEP))))


def _made(job: Any) -> Any:
    """Return a job with all its runs."""
    for step in LiveJob(job, chosen_models(*models_of(job.grid)).load).steps():
        print(f"\r{step.done} of {step.total} runs", end="", file=sys.stderr, flush=True)
    return job


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
    of_pairs = {kind_of(LINEUP, pair): partial(record_lineup, pair=pair) for pair in TRIED}
    of_pairs |= {kind_of("race", pair): partial(record_race, pair=pair) for pair in TRIED}
    known = of_pairs | {"sweep": record_sweep, "recommendation": record_recommendation, COMPARED: record_beside}
    parser.add_argument("kind", choices=known)
    parser.add_argument("file", type=Path)
    request = parser.parse_args(arguments)
    torch.set_num_threads(1)
    known[request.kind](request.file)


if __name__ == "__main__":
    main()
