"""Runs of toy models, for tests."""

from playground.decoding.decode import Request, decode
from playground.decoding.record import record
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


def trace_of(asked, stop=lambda: False):
    """The whole trace."""
    return Trace(tuple(event for events in record(asked, stop) for event in events))
