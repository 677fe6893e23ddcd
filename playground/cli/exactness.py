"""`check` and `acceptance`: what can be known exactly, on small tables of probabilities."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from playground.cli.command import Json, Settings, flag, print_json, say_progress
from playground.errors import PlaygroundError

if TYPE_CHECKING:
    from playground.exactness.diagnosis import Diagnosis
    from playground.exactness.enumeration import Text
    from playground.exactness.trial import Trial

NOT_JUDGED = "not judged: the samples are not independent"


def check(
    method_or_all: Annotated[str | None, flag("a method's id, see methods; or all", metavar="METHOD|all")] = None,
    *,
    settings: Settings = (),
    samples: Annotated[
        str, flag("seeded runs per claim; alone, a file of texts to examine", metavar="N|FILE")
    ] = "20000",
    foreign: Annotated[bool, flag("with drafts of another tokenizer; all: every claim of target sampling")] = False,
    warped: Annotated[
        bool, flag("with end tokens, temperature, top-k and top-p; of a rule of yours the rows alone")
    ] = False,
    exact: Annotated[bool, flag("enumerate whole runs instead, with options and drafters that need it")] = False,
    rule: Annotated[
        str | None, flag("a rule of your own instead, see exactness/trial.py", metavar="MODULE:FUNCTION")
    ] = None,
    draft_length: Annotated[int | None, flag("of the chain that your rule tests; 2", metavar="N")] = None,
    num_drafts: Annotated[int | None, flag("several drafts at one position instead", metavar="K")] = None,
    drawn: Annotated[str | None, flag("independent (default), distinct or likeliest drafts", metavar="HOW")] = None,
    tables: Annotated[bool, flag("print the tables that texts in a file are to come from")] = False,
    seed: int = 0,
    workers: Annotated[
        int | None, flag("processes; the result is the same", choices=range(1, 257), metavar="N")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure on exact table models whether a method keeps its claim to be lossless."""
    own = bool(rule) or tables or not _is_number(samples)
    if own and method_or_all:
        raise PlaygroundError(
            f"{method_or_all} is a method of ours, and --rule, --tables and a file of --samples are for yours. "
            "Leave one out."
        )
    if not own and any(each is not None for each in (draft_length, num_drafts, drawn)):
        raise PlaygroundError(
            "--draft-length, --num-drafts and --drawn are for a rule of yours. Say the options of a method by --set."
        )
    if own and (foreign or exact):
        kind = "--foreign" if foreign else "--exact"
        raise PlaygroundError(f"{kind} is for the methods here, not for a rule of yours. Leave one out.")
    kinds = [f"--{kind}" for kind, is_on in {"foreign": foreign, "warped": warped, "exact": exact}.items() if is_on]
    if len(kinds) > 1:
        raise PlaygroundError(f"{' and '.join(kinds)} are different kinds of runs. Leave all but one out.")
    if tables:
        _print_tables(warped=warped, as_json=as_json)
    elif own:
        _check_own(rule, samples, _trial(draft_length, num_drafts, drawn, warped=warped), seed, as_json=as_json)
    elif exact and method_or_all:
        _enumerate(method_or_all, settings, as_json=as_json)
    elif not method_or_all:
        raise PlaygroundError("Nothing is named to be checked. Name a method, all, --rule or a file of --samples.")
    else:
        kind = "foreign" if foreign else "warped" if warped else "plain"
        _check_methods(method_or_all, settings, int(samples), seed, workers, kind, as_json=as_json)


def _enumerate(method_or_all: str, settings: Sequence[str], *, as_json: bool) -> None:
    from playground.exactness.whole_runs import ROWS, whole_runs

    method = "" if method_or_all == "all" else method_or_all
    known = dict.fromkeys(name for name, *_ in ROWS)
    if settings or (method and method not in known):
        raise PlaygroundError(f"--exact has options of its own, for all, {', '.join(known)}. Name one of these alone.")
    results = list(whole_runs(method))
    if as_json:
        print_json([asdict(result) for result in results])
        return
    for each in results:
        options = "".join(f" {option}={value:g}" for option, value in each.options.items())
        drafter = f" drafter={each.drafter}" if each.drafter else ""
        print(
            f"{each.method}{options}{drafter}: {each.verdict}. Distance from {each.reproduces} {each.tv:.1g}, "
            f"over all {each.num_courses:,} ways that the random numbers of {each.num_tokens} tokens can fall."
        )


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _check_methods(
    method_or_all: str,
    settings: Sequence[str],
    samples: int,
    seed: int,
    workers: int | None,
    kind: Literal["foreign", "warped", "plain"],
    *,
    as_json: bool,
) -> None:
    from playground.bench.entry import read_settings
    from playground.decoding.method import make_method
    from playground.exactness import losslessness
    from playground.exactness.losslessness import CHUNK, KINDS, every_claim, reference_distribution

    all_of_them = method_or_all == "all"
    if all_of_them and settings:
        raise PlaygroundError("--set changes the options of one method. Name it instead of all.")
    choices = every_claim() if all_of_them else [(method_or_all, read_settings(settings))]
    if kind != "plain" and all_of_them:
        methods = [(each, make_method(each[0], dict(each[1]))) for each in choices]
        choices = [each for each, own in methods if own.lossless and reference_distribution(own) in KINDS[kind]]
    enough = min(2, os.cpu_count() or 1) if samples >= 4 * CHUNK else 1  # a process takes seconds to start
    how = {"samples": samples, "seed": seed, "workers": workers or enough, "kind": kind}
    results = losslessness.check(choices, **how)
    if as_json:
        rows = []
        for result in results:
            say_progress(f"{result.method}: {result.verdict}.")
            rows.append(asdict(result))
        print_json(rows if all_of_them else rows[0])
        return
    names = ", ".join(dict.fromkeys(name for name, _ in choices))
    print(f"Running {names}: {samples:,} seeded runs for every claim.", file=sys.stderr)
    for result in results:
        options = "".join(f" {option}={value:g}" for option, value in result.options.items())
        print(f"{result.method}{options}: {result.verdict}. It claims to reproduce: {result.reproduces}.", end="")
        if result.tv is not None:
            print(
                f" Compared: {result.compared}. Distance from {result.law} {result.tv:.5f}, noise floor "
                f"{result.noise_floor:.5f} (1 in 100 above {result.noise_upper:.5f}), p-value {result.p_value:.3g}, "
                f"{result.samples:,} samples.{say_visible(result.visible)}",
                end="",
            )
        print(flush=True)


def say_visible(distance: float | None) -> str:
    """Print the smallest difference that such a check can see; nothing where it is not known."""
    if distance is None:
        return ""
    return f" A distribution {distance:.2g} away, whichever way, would have shown 9 times in 10."


def _trial(draft_length: int | None, num_drafts: int | None, drawn: str | None, *, warped: bool) -> Trial:
    from playground.exactness.trial import Trial

    number = 1 if num_drafts is None else num_drafts
    length = (1 if number > 1 else 2) if draft_length is None else draft_length
    return Trial(length, number, drawn or "independent", warped)  # pyright: ignore[reportArgumentType]  # it is checked


def _check_own(rule: str | None, samples: str, trial: Trial, seed: int, *, as_json: bool) -> None:
    from playground.exactness.broken_rules import BROKEN
    from playground.exactness.diagnosis import diagnose
    from playground.exactness.losslessness import FALSE_ALARM, LOSSLESS
    from playground.exactness.trial import NUM_TOKENS

    texts, no_chance = _samples(rule, samples, trial, seed)
    diagnosis = diagnose(texts, trial)
    verdict = LOSSLESS if diagnosis.lossless else NOT_JUDGED if diagnosis.dependence else "not lossless"
    if as_json:
        print_json({"rule": rule, **asdict(trial), "verdict": verdict, "no_chance": no_chance, **_in_full(diagnosis)})
        return
    if no_chance:
        print("The same drafts always brought the same tokens: it draws nothing, or seeds its generator in every call.")
    if diagnosis.dependence:
        print(f"{rule or samples}: {verdict}. {diagnosis.dependence} Give every text numbers of its own.")
        return
    comparison = diagnosis.comparison
    print(
        f"{rule or samples}: {verdict}. Distance from the target {comparison.tv:.5f}, noise floor "
        f"{comparison.noise_floor:.5f} (1 in 100 above {comparison.noise_upper:.5f}), p-value "
        f"{comparison.p_value:.3g}, {diagnosis.samples:,} texts of {NUM_TOKENS} tokens. A sound rule is called not "
        f"lossless in 1 of {1 / FALSE_ALARM:,.0f} checks.{say_visible(diagnosis.visible)}"
    )
    if diagnosis.lossless:
        return
    if len(set(texts)) == 1:
        print(f"All {diagnosis.samples:,} texts are the same: nothing of them was drawn.")
    if not diagnosis.likenesses:
        print(f"None of the {len(diagnosis.examined)} known mistakes with such drafts gives these frequencies.")
    if diagnosis.likenesses and not diagnosis.named:
        print(
            f"{diagnosis.samples:,} texts are too few to name a mistake: {len(diagnosis.likenesses)} of the "
            f"{len(diagnosis.examined)} known ones fit. Take {diagnosis.texts_to_name:,} or more."
        )
    for index, each in enumerate(diagnosis.named):
        broken = BROKEN[each.name]
        print(
            f"{'Or like' if index else 'It looks like'}: {broken.title} ({each.name}). {broken.mistake} {broken.why} "
            f"Distance from the exact distribution of that {each.tv:.5f}, p-value {each.p_value:.3g}. Seen in: "
            f"{broken.seen_in or 'no public thread that we know of'}."
        )


def _samples(rule: str | None, samples: str, trial: Trial, seed: int) -> tuple[list[Text], bool]:
    """Texts that the rule writes or the file holds; and whether the rule was seen to draw nothing."""
    from playground.exactness.foreign_rule import sample
    from playground.exactness.losslessness import MAX_SAMPLES
    from playground.exactness.trial import LONGEST_LINE, read_samples

    if not rule:
        try:
            with Path(samples).open(encoding="utf-8") as lines:
                return read_samples(iter(partial(lines.readline, LONGEST_LINE + 1), "")), False
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise PlaygroundError(f"--samples {samples} cannot be read: {why}. Give a number or a file.") from None
    if not _is_number(samples):
        raise PlaygroundError("--rule and a file of --samples are two things to check. Leave one out.")
    count = int(samples)
    if not 100 <= count <= MAX_SAMPLES:
        raise PlaygroundError(f"{count} samples is out of range. Choose 100 to {MAX_SAMPLES}.")
    if not 0 <= seed < 2**63:
        raise PlaygroundError(f"Seed {seed} is out of range. Choose a whole number from 0.")
    say_progress(f"Trying {rule}: {count:,} texts.")
    return sample(rule, trial, samples=count, seed=seed)


def _in_full(diagnosis: Diagnosis) -> dict[str, object]:
    """Return a diagnosis as plain values."""
    from playground.exactness.broken_rules import BROKEN

    likenesses = [
        {**asdict(each), "title": BROKEN[each.name].title, "seen_in": BROKEN[each.name].seen_in}
        for each in diagnosis.likenesses
    ]
    names = ("samples", "dependence", "lossless", "examined", "visible", "texts_to_name")
    others = {"likenesses": likenesses, **{name: getattr(diagnosis, name) for name in names}}
    return {**others, **asdict(diagnosis.comparison)}


def _print_tables(*, warped: bool, as_json: bool) -> None:
    from playground.exactness.trial import NUM_TOKENS, PROMPT, Trial

    target, draft = (each.table.tolist() for each in Trial(warped=warped).tables)
    if as_json:
        print_json({"prompt": PROMPT, "num_tokens": NUM_TOKENS, "target": target, "draft": draft})
        return
    print(f"The prompt is token {PROMPT[0]}; a text is the {NUM_TOKENS} tokens after it.", end=" ")
    print("Rows: what follows each token.")
    for name, rows in (("target", target), ("draft", draft)):
        print(name, *(" ".join(f"{p:.17g}" for p in row) for row in rows), sep="\n")


def acceptance(
    *,
    target: Annotated[str, flag("the target's row", metavar="P1,P2,..")],
    draft: Annotated[str, flag("the draft's row", metavar="Q1,Q2,..")],
    num_drafts: Annotated[int, flag("drafts at the position", metavar="K")],
    draft_length: Annotated[
        int | None,
        flag(
            "also the accepted drafts of a chain with these rows after every prefix, by token and block verification",
            choices=range(1, 7),
            metavar="N",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Exact acceptance of K drafts at one position, by every scheme."""
    import numpy as np

    from playground.lab.acceptance import chain_of
    from playground.lab.one_position import NO_VALUE, acceptance_by_scheme

    rows = _row(target, "--target"), _row(draft, "--draft")
    by_scheme = acceptance_by_scheme(*rows, num_drafts)
    if draft_length:
        p, q = (np.array(row) / sum(row) for row in rows)
        chain = chain_of(p, q, draft_length)
        by_scheme |= {"accepted_by_token": chain["by_token"], "accepted_by_block": chain["by_block"]}
    if as_json:
        print_json(by_scheme)
        return
    if by_scheme.pop("normalised"):
        print("A row did not sum to 1 and was normalised.", file=sys.stderr)
    for scheme, value in by_scheme.items():
        print(f"{scheme:<28}{NO_VALUE[scheme] if value is None else format(value, '.6f')}")


def _row(text: str, flag: str) -> list[float]:
    try:
        return [float(entry) for entry in text.split(",")]
    except ValueError:
        raise PlaygroundError(f"{flag} {text} is not a row of numbers. Write it as {flag} 0.2,0.3,0.5.") from None
