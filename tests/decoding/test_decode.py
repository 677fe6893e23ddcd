"""What the loop owns: two streams of chance, and texts that end where they end."""

import dataclasses
from itertools import islice

import numpy as np
import pytest

from playground.decoding import verifying
from playground.decoding.decode import decode
from playground.decoding.method import methods
from playground.decoding.verdict import Verdict
from playground.models.table_model import TableModel
from tests.decoding.runs import TARGET, request


class PastTheEnd(methods()["speculative_sampling"]):
    """Closes its rounds by hand, and writes on after an end token."""

    def verify(self, setting, draft):
        reading = verifying.read(setting, draft)
        return Verdict(reading, [], accepted=draft.nodes()[:1], extra=0, extra_probs=np.ones(5))


class BeyondTheBudget(PastTheEnd):
    """Emits a token more than the budget allows."""

    def draft(self, setting):
        return super().draft(dataclasses.replace(setting, tokens_left=setting.tokens_left + 1))


@pytest.mark.parametrize(("method", "refusal"), [(PastTheEnd, "after the text had ended"), (BeyondTheBudget, "left")])
def test_the_loop_refuses_what_no_text_can_hold(method, refusal):
    """Whatever a method hands back: nothing is committed after an end token, or beyond the budget."""
    ends = TableModel(TARGET.table, eos_ids=frozenset(range(5)) if method is PastTheEnd else frozenset())
    with pytest.raises(AssertionError, match=refusal):
        for _ in islice(decode(request(method(), target=ends, length=5)), 50):  # a loop that refuses nothing never ends
            pass
