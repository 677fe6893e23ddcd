"""Losslessness: a method's samples flow in, and their distance from the exact distribution falls, or stays."""

from dataclasses import asdict, fields
from typing import Any

from playground.decoding.method import find_method, make_method, option_facts
from playground.errors import PlaygroundError
from playground.exactness.badges import badge
from playground.exactness.broken_rules import BROKEN, broken_rule
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.live_check import CAUGHT, MOST_SAMPLES, Subject
from playground.exactness.losslessness import fixed_options, reference_distribution
from playground.exactness.next_tokens import MOST_KEPT, MOST_TOKENS, NextTokens
from playground.ui.contract import lab
from playground.ui.contract.lab import Catalogue, Poll, Start, Stop
from playground.ui.lab import live as live_bench
from playground.ui.lab.panel import answers
from playground.ui.live import worker
from playground.ui.page.checks import LARGEST_SEED, PROMPT_LIMIT, refuse_long, whole
from playground.ui.page.controls import method_choices
from playground.ui.page.model_chooser import BUNDLED, chosen_models
from playground.words import word

PROMPT = "Once upon a time"
LEAST_SAMPLES = 100
MOST_SUBJECTS = 2


@answers(Catalogue | Start | Poll | Stop)
def ask(question: Catalogue | Start | Poll | Stop) -> dict[str, Any]:
    """Answers the section's questions: once the choices, then the start, new samples, and the stop."""
    if isinstance(question, Catalogue):
        worker.warm_up()
        return _catalogue()
    if isinstance(question, Start):
        return _start(question)
    bench = live_bench.find(question.id)
    if isinstance(question, Poll):
        return bench.answer(question.seen)
    bench.stop.set()
    return {}


def _catalogue() -> dict[str, Any]:
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
        "prompt": PROMPT,
        "limits": {
            "samples": [LEAST_SAMPLES, MOST_SAMPLES],
            "seed": [0, LARGEST_SEED],
            "num_tokens": [1, MOST_TOKENS],
            "kept": [2, MOST_KEPT],
            "prompt": PROMPT_LIMIT,
        },
    }


def _method(name: str) -> dict[str, Any]:
    method = find_method(name)
    fixed = fixed_options((name, {}))
    return {
        "id": name,
        "title": method.title,
        "badge": asdict(badge(name)),
        "on_pair": reference_distribution(make_method(name)) == "target sampling",
        "options": [each | {"value": fixed.get(each["name"], each["value"])} for each in option_facts(name)],
    }


def _start(question: Start) -> dict[str, Any]:
    if not 1 <= len(question.runs) <= MOST_SUBJECTS:
        raise PlaygroundError(word("lab_error_runs", count=len(question.runs)))
    subjects = [_subject(run) for run in question.runs]
    samples = whole(question.samples, word("lab_error_field_samples"), LEAST_SAMPLES, MOST_SAMPLES)
    seed = whole(question.seed, word("field_seed"), 0, LARGEST_SEED)
    tokens = _next_tokens(question) if question.on == "pair" else None
    bench = live_bench.begin(subjects, samples, seed, tokens)
    return {"id": bench.id, "series": [_about(subject, tokens) for subject in subjects]}


def _subject(run: lab.Subject) -> Subject:
    if run.broken:
        broken_rule(run.name)
        return Subject(run.name, broken=True)
    options, fixed = make_method(run.name, run.options).options, fixed_options((run.name, run.options))
    values = {item.name: getattr(options, item.name) for item in fields(options) if item.name in run.options}
    usual = {item.name: fixed.get(item.name, item.default) for item in fields(options)}
    return Subject(run.name, {option: value for option, value in values.items() if value != usual[option]})


def _next_tokens(question: Start) -> NextTokens:
    refuse_long(question.prompt)
    num_tokens = whole(question.num_tokens, word("lab_error_field_tokens_compared"), 1, MOST_TOKENS)
    num_likeliest = whole(question.num_likeliest, word("lab_error_field_tokens_kept"), 2, MOST_KEPT)
    pair = chosen_models(BUNDLED, None, None).load()
    return NextTokens(pair.target, pair.draft, question.prompt, num_tokens, num_likeliest)


def _about(subject: Subject, tokens: NextTokens | None) -> dict[str, Any]:
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
