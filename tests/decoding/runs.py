"""Runs of toy models, for tests."""

from collections import Counter
from types import SimpleNamespace

from playground.decoding.decode import Request, Round, decode
from playground.decoding.record import record
from playground.decoding.setting import Setting
from playground.decoding.verdict import Beam, Beams
from playground.exactness.enumeration import Stream, courses
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace import Trace
from playground.trace.events import Verified

TARGET = TableModel.random(5, order=2, seed=0)
DRAFT = TableModel.random(5, order=1, seed=1)


def _others(vocab_size):
    """Further drafts."""
    return tuple(TableModel.random(vocab_size, order=1, seed=seed) for seed in (2, 3, 4))


OTHERS = _others(5)


def request(method, *, target=TARGET, draft=DRAFT, seed=0, length=24, sampling=None, prompt=(0, 1)):
    """A request on table models."""
    others = OTHERS if target.vocab_size == TARGET.vocab_size else _others(target.vocab_size)
    return Request(method, target, "", draft, sampling or Sampling(), seed, length, tuple(prompt), others)


def tokens(asked):
    """Only the tokens, without recording."""
    started, *rounds, _ = decode(asked)
    if not rounds:
        return []
    tree = rounds[-1].tree
    return [tree.tokens[node] for node in tree.path(rounds[-1].best, below=started.frontier[0])]


def rounds_of(asked):
    """The rounds of a run, without recording."""
    return [item for item in decode(asked) if isinstance(item, Round)]


def uniforms_of(trace):
    """All random numbers that a run's tests had, in their order."""
    verified = [event for event in trace.events if isinstance(event, Verified)]
    return [uniform for event in verified for uniform in event.uniforms if uniform is not None]


def setting_of(tree, target, **given):
    """The setting of a first round behind a prompt, where no chance is asked for."""
    root = tree.trunk[-1]
    usual = {
        "frontier": [root],
        "tokens_left": 8,
        "draft_models": [],
        "draft_rng": None,
        "verify_rng": None,
        "eos_ids": frozenset(),
        "start_depth": len(tree.trunk) - 1,
        "beams": Beams([Beam(root, 0.0)], [], root),
    }
    return Setting(tree=tree, target=target, **usual | given)


def enumerated(asked, look):
    """P(what `look` makes of the rounds of a run), over every way that its random numbers can fall."""

    def play(course):
        streams = Stream(course), Stream(course)

        def with_streams(number, setting):
            setting.draft_rng, setting.verify_rng = streams
            return asked.method

        return look(item for item in decode(asked, method_of=with_streams) if isinstance(item, Round))

    distribution = Counter()
    for result, chance in courses(play):
        distribution[result] += chance
    return distribution


def texts_of_runs(asked):
    """Enumerate the texts that whole runs write, each with its probability."""
    return enumerated(asked, lambda rounds: tuple(item.tree.tokens[node] for item in rounds for node in item.nodes))


def trace_of(asked, stop=lambda: False):
    """The whole trace."""
    return Trace(tuple(event for events in record(asked, stop) for event in events))


def chosen(pair):
    """Models that are chosen on a page, and are there."""
    return SimpleNamespace(load=lambda tell=None: pair, fetch=lambda tell, stop: None)
