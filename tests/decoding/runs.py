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


def texts_of_runs(asked):
    """What whole runs write, every way that their coins can fall, each text with its probability."""

    def written(course):
        streams = Stream(course), Stream(course)

        def with_streams(number, setting):
            setting.draft_rng, setting.verify_rng = streams
            return asked.method

        rounds = [item for item in decode(asked, method_of=with_streams) if isinstance(item, Round)]
        return tuple(item.tree.tokens[node] for item in rounds for node in item.nodes)

    distribution = Counter()
    for text, chance in courses(written):
        distribution[text] += chance
    return distribution


def trace_of(asked, stop=lambda: False):
    """The whole trace."""
    return Trace(tuple(event for events in record(asked, stop) for event in events))


def chosen(pair):
    """Models that are chosen on a page, and are there."""
    return SimpleNamespace(load=lambda tell=None: pair, fetch=lambda tell, stop: None)
