"""Runs of toy models, for tests."""

from playground.decoding.decode import Request, Round, decode
from playground.decoding.record import record
from playground.decoding.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace import Trace

TARGET = TableModel.random(5, order=2, seed=0)
DRAFT = TableModel.random(5, order=1, seed=1)


def request(method, *, target=TARGET, draft=DRAFT, seed=0, length=24, sampling=None, prompt=(0, 1)):
    """A request on table models."""
    return Request(method, target, "", draft, sampling or Sampling(), seed, length, tuple(prompt))


def tokens(asked):
    """Only the tokens, without recording."""
    tree_tokens = []
    for item in decode(asked):
        if isinstance(item, Round):
            tree_tokens += [item.tree.tokens[node] for node in item.nodes]
    return tree_tokens


def trace_of(asked, stop=lambda: False):
    """The whole trace."""
    return Trace(tuple(event for events in record(asked, stop) for event in events))
