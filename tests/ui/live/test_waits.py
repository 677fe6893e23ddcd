"""The wait that is told, against the wait that comes: a class on a clock of its own."""

import math
import random
from heapq import heapify, heappop, heappush
from types import SimpleNamespace

import pytest

from playground.ui.live import device as device_module
from playground.ui.live import turns, waits
from playground.ui.live.turns import WaitingEvent
from playground.ui.page.progress import asking
from playground.ui.watch.form import WatchForm
from playground.ui.watch.turn import ask, rehearse

PUPILS, ASIDES = 40, 6
SHORT_S = 5.0  # a wait of less is not rated
FACTOR = 2.0
KINDS = {"a": 0.02, "b": 0.03, "c": 0.06, "d": 0.09}  # seconds a token, on an idle machine


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Stand still until it is set."""
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    for module in (turns, waits, device_module):
        monkeypatch.setattr(module, "time", clock)
    return clock


class Class:
    """A hundred pupils press Run within a quarter of a minute, of four kinds, some of them the very same run.

    The machine is `load(seconds since the first)` times as slow as when it is idle, and every run has its own luck. An
    event comes to the line a while after it was asked for, some of a second, some of seconds. Questions stand between.
    """

    def __init__(self, clock, seed, load, kinds=tuple(KINDS)):
        self.clock, self.chance, self.load, self.kinds = clock, random.Random(seed), load, kinds
        self.line, self.made, self.told, self.began = [], set(), [], {}
        self.asked = {}

    def events(self):
        return list(self.line)

    def run(self):
        """(told, true rest) of all that was told."""
        self._alone()
        self.start = start = self.clock.now
        chance = self.chance
        comings = [(start + chance.uniform(0, 15), number) for number in range(PUPILS)]
        events: list = [(at, "ask", f"pupil{number}") for at, number in comings]
        events += [(at + 0.2 + chance.expovariate(1.0), "come", f"pupil{number}") for at, number in comings]
        events += [(start + chance.uniform(5, 60), "come", "") for _ in range(ASIDES)]
        heapify(events)
        free_at, ending = start, None
        while events or self.line or ending:
            if ending is None and self.line and (not events or events[0][0] > max(self.clock.now, free_at)):
                self.clock.now = max(self.clock.now, free_at)
                free_at, ending = self._begin(self.line.pop(0))
                continue
            if ending and (not events or events[0][0] >= free_at):
                self.clock.now = free_at
                ending()
                ending = None
                continue
            at, what, who = heappop(events)
            self.clock.now = at
            if what == "come":
                self.line.append(WaitingEvent(who, bool(who)))
                continue
            if what == "ask":
                self._ask(who)
            seconds, ahead = turns.wait_s(who), turns.ahead(who)
            if seconds is not None:
                self.told.append((who, at, seconds))
            if ahead is not None:
                heappush(events, (at + asking(ahead, seconds).value, "look", who))
        rests = [(seconds, self.began[who] - at) for who, at, seconds in self.told]
        return [each for each in rests if each[1] > SHORT_S]

    def _alone(self):
        for kind in self.kinds[:2]:  # the others are unknown when the class comes
            self.clock.now += 60
            waits.learn(kind, 48, 48 * KINDS[kind] * waits.ALONE, 48 * KINDS[kind])

    def _ask(self, who):
        kind, tokens = self.chance.choice(self.kinds), self.chance.choice([24, 48, 64])
        same = f"{kind}{tokens}" if self.chance.random() < 0.2 else who
        self.asked[who] = (kind, tokens, same)
        turns.ask(
            who,
            expected_s=lambda: 0.0 if same in self.made else waits.expected_s(kind, tokens),
            same=same,
        )

    def _begin(self, place):
        if not place.is_run:
            seconds = self.chance.uniform(0.5, 2.0)
            return self.clock.now + seconds, lambda: waits.learn_aside(seconds)
        kind, tokens, same = self.asked[place.session]
        turn = turns.next_turn(place.session)
        turns.begin(turn)
        self.began[place.session] = self.clock.now
        load = self.load(self.clock.now - self.start) * self.chance.lognormvariate(0, 0.2)
        part = self.chance.uniform(0.3, 1) if self.chance.random() < 0.2 else 1  # some texts come to their end
        worked_s = KINDS[kind] * tokens * part
        seconds = 0.05 if same in self.made else worked_s * load

        def end():
            turns.forget(place.session, turn)
            if same not in self.made:
                waits.learn(kind, tokens, turn.taken_s, worked_s, turns.num_waiting())
            self.made.add(same)

        return self.clock.now + seconds, end


LOADS = {  # seconds since the first of the class -> times as slow as an idle machine
    "always alike": lambda after_s: 1.0,
    "slow while the others come": lambda after_s: 1.2 + 2.5 * math.exp(-max(0.0, after_s - 15) / 15),
    "slow from then on": lambda after_s: 3.0,
    # what is measured first is measured while all of them come
    "a server just started": lambda after_s: 4.0 if after_s < 15 else 1.5,
}


@pytest.mark.parametrize("load", LOADS)
def test_what_a_class_is_told_is_right_within_a_factor_of_two(clock, monkeypatch, load):
    """All that is told while they wait; who cannot know yet is told no time. Seeded, so that it fails for a reason."""
    is_new = load == "a server just started"
    pupils = Class(clock, int(is_new), LOADS[load])
    monkeypatch.setattr(turns, "waiting_events", pupils.events)
    if is_new:
        monkeypatch.setattr(pupils, "_alone", lambda: None)
    rated = pupils.run()
    assert len(pupils.began) == PUPILS and len(rated) > (5 if is_new else 10) * PUPILS
    right = [1 / FACTOR <= message / rest <= FACTOR for message, rest in rated]
    assert sum(right) > 0.8 * len(right)


def test_who_stands_far_behind_is_told_a_time_once_a_run_was_measured_in_the_crowd(clock):
    waits.learn_kind("a", 48, 1.0)
    assert waits.is_measured(waits.FEW) and not waits.is_measured(3)
    waits.learn("a", 48, 1.0, 1.0)
    assert not waits.is_measured(40)
    clock.now += 600
    waits.learn("a", 48, 3.0, 1.0, num_waiting=39)
    assert waits.is_measured(40) and waits.is_measured(80) and not waits.is_measured(81)
    clock.now += waits.FRESH_S
    assert not waits.is_measured(40)


def test_a_run_is_expected_to_take_its_work_times_the_load(clock):
    for seconds, worked_s in ((1.0, 0.0), (0.0, 1.0)):
        waits.learn("a", 48, seconds, worked_s)
    assert waits.expected_s("a", 48) is None, "a run that took no time teaches nothing"
    waits.learn_kind("a", 48, 2.0)
    assert waits.expected_s("a", 24) == pytest.approx(waits.ALONE)
    for _ in range(20):
        waits.learn("b", 48, 0.4, 0.1)
    assert waits.expected_s("a", 24) == pytest.approx(4.0, rel=0.01), "what others did slows this kind, too"
    clock.now += 600
    before = waits.expected_s("a", 24)
    assert before < 1.5, "the load of the moment has passed"
    waits.learn("a", 24, 0.5, 0.05)
    assert waits.expected_s("a", 24) < 1.25 * before, "one that ended early says little of the load"


def test_a_run_will_take_as_long_as_those_of_its_kind_did():
    for kind, seconds in [("fast", 1.0), ("slow", 10.0)]:
        waits.learn(kind, 100, seconds * waits.ALONE, seconds)
    assert waits.expected_s("fast", 50) == pytest.approx(0.5 * waits.ALONE)
    assert waits.expected_s("unknown", 100) == pytest.approx(5.5 * waits.ALONE)
    for number in range(2 * waits.MOST_KINDS):
        waits.learn(number, 1, 1.0, 1.0)
    assert len(waits._known.usual) == waits.MOST_KINDS


def test_the_far_end_of_a_line_is_counted_at_the_lasting_load(clock):
    for _ in range(200):
        waits.learn("a", 10, 1.0, 1.0)
    waits.learn("a", 10, 9.0, 1.0, num_waiting=40)
    a_run = waits.expected_s("a", 10)
    assert 4.0 < a_run < 5.5 and waits.at_lasting_load(a_run) == pytest.approx(a_run, rel=0.2)
    assert 1.1 < waits.at_lasting_load(100 * a_run) / 100 < 1.6, "a hundred take 100 s at the usual load"
    assert waits.expected_s("unknown", 10) == pytest.approx(a_run), "the load is that of all kinds"


def test_a_load_that_stays_once_nobody_comes_any_more_is_the_lasting_one(clock):
    waits.learn("a", 10, 1.0, 1.0)
    for waiting in (*range(20), *range(20, 0, -1)):
        waits.learn("a", 10, 5.0, 1.0, num_waiting=waiting)
        if waiting == 20:
            grown = waits.at_lasting_load(100.0)
    assert grown < 0.7 * waits.at_lasting_load(100.0) < 70.0


def test_what_is_expected_at_a_load_that_goes_is_what_adding_up_gives(clock):
    seconds, now, lasting = 60.0, 9.0, 1.5
    waits._known.now, waits._known.lasting, waits._known.learnt_at = now, lasting, clock.now
    done, at, step = 0.0, 0.0, 0.01
    while done < seconds:
        done += step * now / (lasting + (now - lasting) * math.exp(-at / waits.PASSES_S))
        at += step
    assert waits.at_lasting_load(seconds) == pytest.approx(at, rel=1e-3)


def test_who_comes_later_to_the_line_has_the_device_later_and_questions_take_their_time(monkeypatch):
    for session in "abc":
        turns.ask(session, expected_s=lambda: 4.0)
    waits.learn_aside(1.5)
    there = [WaitingEvent("c", True), WaitingEvent("x", False), WaitingEvent("b", True)]
    monkeypatch.setattr(turns, "waiting_events", lambda: there)
    assert turns.ahead("c") == 0 and turns.wait_s("c") == 0.0
    assert turns.ahead("b") == 1 and turns.wait_s("b") == pytest.approx(5.5)
    assert turns.ahead("a") == 2, "it is on its way, behind those who are there"


def test_the_very_same_run_is_waited_for_once():
    for session in "abc":
        turns.ask(session, expected_s=lambda: 4.0, same="form")
    assert turns.wait_s("c") == 4.0 and turns.ahead("c") == 2


def test_once_the_server_has_rehearsed_how_long_the_very_first_will_wait_is_known():
    """By the run that the page offers, which is of the same kind as theirs."""
    for known in (False, True):
        if known:
            rehearse(WatchForm())
        for number, session in enumerate(("one", "other")):
            ask(SimpleNamespace(session_hash=session), WatchForm(seed=number))
        assert (turns.wait_s("other") is not None) == known
        for session in ("one", "other"):
            turns.leave(session)
    assert not turns.others_are_there(""), "a rehearsal is nobody's run"
