"""Tokens of each round: its accepted drafts, and the token that ended it."""

from collections import Counter

from playground.metrics.acceptance import RoundAcceptance
from playground.views.bars import Bars, Chart, Kind, bar_chart
from playground.words import Word, Words, counted, listed, paragraph, word

# origin -> its name, in stacking order
KINDS = {
    "accepted": word("chart_accepted_draft"),
    "correction": word("chart_correction"),
    "bonus": word("chart_bonus"),
    "plain": word("chart_plain"),
}


def rounds_chart(rounds: list[RoundAcceptance]) -> Chart:
    """Chart one bar a round, as high as the tokens it emitted: accepted drafts below, the extra token on top."""
    kinds = [_kind(origin, rounds) for origin in KINDS]
    empty = "" if rounds else word("chart_no_round")
    bars = Bars(
        axis="round",
        x=word("chart_round"),
        y=word("chart_emitted_tokens"),
        places=[each.round for each in rounds],
        kinds=[kind for kind in kinds if kind.at],
        empty=empty,
    )
    header = [word("chart_round"), word("chart_drafted"), word("chart_tested"), word("chart_accepted_drafts")]
    header += [word("chart_last_token"), word("chart_emitted")]
    body = [
        [each.round, each.num_drafted, each.num_tested, each.emitted_drafts, _last_token(each), each.num_emitted]
        for each in rounds
    ]
    return bar_chart("accepted_per_round", word("chart_rounds"), rounds_in_words(rounds), bars, header, body)


def _kind(origin: str, rounds: list[RoundAcceptance]) -> Kind:
    emitted = [each.emitted_drafts if origin == "accepted" else each.extras.count(origin) for each in rounds]
    there = [(each, count) for each, count in zip(rounds, emitted, strict=True) if count]
    said = Words(
        word(
            "chart_said_emitted",
            round=each.round,
            count=count,
            kind=KINDS[origin],
            drafted=each.num_drafted,
            tested=each.num_tested,
        )
        for each, count in there
    )
    return Kind(KINDS[origin], origin, [each.round for each, _ in there], [count for _, count in there], said)


def rounds_in_words(rounds: list[RoundAcceptance]) -> Word:
    """Describe the tokens of all rounds, and what they ended with."""
    if not rounds:
        return word("chart_no_round_yet")
    drafts, emitted = sum(each.emitted_drafts for each in rounds), sum(each.num_emitted for each in rounds)
    counts = {"rounds": counted("rounds", len(rounds)), "tokens": counted("tokens", emitted)}
    if not any(each.num_drafted for each in rounds):
        return paragraph(word("chart_emitted_in", **counts), word("chart_nothing_drafted"))
    ends = Counter(_last_token(each) for each in rounds)
    endings = [
        word("chart_times_many", name=name, count=count) if count > 1 else word("chart_times_one", name=name)
        for name, count in ends.most_common()
    ]
    return paragraph(
        word("chart_emitted_among", **counts, drafts=counted("accepted_drafts", drafts)),
        word("chart_last_tokens", endings=listed(endings)),
    )


def _last_token(each: RoundAcceptance) -> Word:
    """Origin of the round's last token; an accepted draft only where the end of text or budget cut it short."""
    first, *others = [KINDS[origin] for origin in dict.fromkeys(each.extras or ("accepted",))]
    return listed([first, *others]) if others else first
