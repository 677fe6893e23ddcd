"""Losslessness: a method's samples flow in, and their distance from the exact distribution falls, or stays."""

from dataclasses import fields
from typing import Literal

from playground.decoding.method import find_method, make_method, option_facts
from playground.errors import PlaygroundError
from playground.exactness.badges import badge
from playground.exactness.broken_rules import BROKEN, broken_rule
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.live_check import CAUGHT, MOST_SAMPLES, Subject
from playground.exactness.losslessness import fixed_options, reference_distribution
from playground.exactness.next_tokens import MOST_KEPT, MOST_TOKENS, NextTokens
from playground.files import read_json
from playground.paths import ASSETS
from playground.ui.lab import live as live_bench
from playground.ui.lab.greedy import greedy, greedy_recorded
from playground.ui.lab.panel import answers
from playground.ui.live import worker
from playground.ui.page.checks import LARGEST_SEED, PROMPT_LIMIT, refuse_long, whole
from playground.ui.page.controls import method_choices
from playground.ui.page.model_chooser import BUNDLED, chosen_models
from playground.words import word

PROMPT = "Once upon a time"
LEAST_SAMPLES = 100
MAP = ASSETS / "lossy_map.json"
MOST_SUBJECTS = 2


def catalogue() -> dict[str, object]:
    """Return what can be measured."""
    worker.warm_up()
    return {
        "methods": [_method(name) for _, name in method_choices()],
        "broken": [
            {
                "id": name,
                **{part: getattr(rule, part) for part in ("title", "mistake", "why", "seen")},
                "method": rule.method,
                "of": find_method(rule.method).title,
                "options": rule.options,
            }
            for name, rule in BROKEN.items()
        ],
        "caught": CAUGHT,
        "map": read_json(MAP),
        "prompt": PROMPT,
        "limits": {
            "samples": [LEAST_SAMPLES, MOST_SAMPLES],
            "seed": [0, LARGEST_SEED],
            "num_tokens": [1, MOST_TOKENS],
            "kept": [2, MOST_KEPT],
            "prompt": PROMPT_LIMIT,
        },
    }


def _method(name: str) -> dict[str, object]:
    method = find_method(name)
    fixed = fixed_options((name, {}))
    return {
        "id": name,
        "title": method.title,
        "badge": badge(name),
        "on_pair": reference_distribution(make_method(name)) == "target sampling",
        "options": [each | {"value": fixed.get(each["name"], each["value"])} for each in option_facts(name)],
    }


def start(
    runs: list[Subject],
    on: Literal["tables", "pair"],
    prompt: str,
    num_tokens: int,
    num_likeliest: int,
    samples: int,
    seed: int,
) -> dict[str, object]:
    """Begin one check, or two side by side."""
    if not 1 <= len(runs) <= MOST_SUBJECTS:
        raise PlaygroundError(f"{len(runs)} methods side by side do not work. Choose one or two.")
    subjects = [_subject(run) for run in runs]
    samples = whole(samples, word("lab_error_field_samples"), LEAST_SAMPLES, MOST_SAMPLES)
    seed = whole(seed, word("field_seed"), 0, LARGEST_SEED)
    tokens = _next_tokens(prompt, num_tokens, num_likeliest) if on == "pair" else None
    bench = live_bench.begin(subjects, samples, seed, tokens)
    return {"id": bench.id, "series": [_about(subject, tokens) for subject in subjects]}


def poll(id: str, seen: list[int]) -> dict[str, object]:
    """Return how far a check is, beyond the points that the page has of each method."""
    bench = live_bench.find(id)
    assert isinstance(bench, live_bench.LiveBench), "another measurement has no points"
    return bench.answer(seen)


def _subject(run: Subject) -> Subject:
    if run.broken:
        broken_rule(run.name)
        return Subject(run.name, broken=True)
    options, fixed = make_method(run.name, run.options).options, fixed_options((run.name, run.options))
    values = {item.name: getattr(options, item.name) for item in fields(options) if item.name in run.options}
    usual = {item.name: fixed.get(item.name, item.default) for item in fields(options)}
    return Subject(run.name, {option: value for option, value in values.items() if value != usual[option]})


def _next_tokens(prompt: str, num_tokens: int, num_likeliest: int) -> NextTokens:
    refuse_long(prompt)
    whole(num_tokens, word("lab_error_field_tokens_compared"), 1, MOST_TOKENS)
    whole(num_likeliest, word("lab_error_field_tokens_kept"), 2, MOST_KEPT)
    pair = chosen_models(BUNDLED, None, None).load()
    return NextTokens(pair.target, pair.draft, prompt, num_tokens, num_likeliest)


def _about(subject: Subject, tokens: NextTokens | None) -> dict[str, object]:
    """Return the two distributions that are compared, for the sentence above the chart."""
    method, claim_of = subject.method(), subject.reference()
    title = BROKEN[subject.name].title if subject.broken else method.title
    if tokens:
        one = word("lossless_first_token")
        compared = word("lossless_first_tokens", count=tokens.num_tokens) if tokens.num_tokens > 1 else one
        where = word("lossless_on_models", kept=tokens.num_likeliest)
    else:
        experiment = EXPERIMENTS[claim_of]
        compared, where = experiment.compared, word("lossless_on_tables", tokens=experiment.vocab_size)
    claim = method.reproduces if method.reproduces != "none" else None
    return {
        "title": title,
        "law": claim_of,
        "claim": claim,
        "compared": compared,
        "where": where,
        "broken": subject.broken,
    }


ask = answers(
    catalogue=catalogue,
    start=start,
    poll=poll,
    greedy=greedy,
    greedy_recorded=greedy_recorded,
    follow=live_bench.follow,
    stop=live_bench.stop,
)
