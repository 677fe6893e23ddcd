"""The link that races a run against plain decoding, by Node.js alone: it fills in what the run was made with."""

from dataclasses import asdict
from urllib.parse import parse_qsl

from playground.decoding.method import make_method
from playground.trace import load
from playground.ui.runs.race import lineup
from playground.ui.runs.race.setup import RaceForm
from tests.javascript.node import RECORDED, ran, recorded_file

LINK = """
    const { raceLink } = await load("page/run/race_link.js");
    print(given.map((run) => raceLink(run)).concat(raceLink(given[0], "pair=bundled&drafter=exit4")));
"""

CONFINED = [("grammar", "a|b"), ("stop_strings", ["."]), ("num_allowed", 2)]


def test_every_recorded_run_is_raced_with_its_own_prompt_seed_sampling_and_options():
    files = [path for path in RECORDED if recorded_file(path)["events"][0]["method"] != "autoregressive"]
    *links, by_exit = ran(LINK, [recorded_file(path)["events"][0] for path in files])
    for path, link in zip(files, links, strict=True):
        query, started = dict(parse_qsl(link.removeprefix("?"))), load(path).started
        form = RaceForm(**RaceForm.read_link(query))
        assert not RaceForm.wrong_in_link(query), path.name
        assert (form.source, form.prompt, form.seed) == ("one", started.message or started.prompt, started.seed)
        assert form.chat == bool(started.message)
        assert {name: getattr(form, name) for name in started.sampling} == started.sampling
        [entry] = [each for each in lineup.entries(form.methods) if each.method != "autoregressive"]
        assert (entry.method, entry.options) == (
            started.method,
            asdict(make_method(started.method, started.options).options),
        )
    assert "drafter%3Dexit4" in by_exit and "pair=bundled" in by_exit


def test_a_run_that_a_race_cannot_make_again_is_not_raced():
    plain = {"sampling": {"temperature": 1, "top_k": 0, "top_p": 1}}
    others = [{"sampling": plain["sampling"] | {"min_p": 0.1}}, *({**plain, name: value} for name, value in CONFINED)]
    can = 'const { canRace } = await load("page/run/race_link.js"); print(given.map(canRace));'
    assert ran(can, [plain, *others]) == [True, False, False, False, False]
