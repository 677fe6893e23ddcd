"""What the loop owns: two streams of chance, and texts that end where they end."""

import dataclasses
from functools import partial
from itertools import islice

import numpy as np
import pytest

from playground.decoding import verifying
from playground.decoding.decode import Request, decode
from playground.decoding.method import make_method, methods
from playground.decoding.verdict import Verdict
from playground.errors import PlaygroundError
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from tests.decoding.runs import TARGET, request, trace_of
from tests.models.small import random_model


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


@pytest.mark.parametrize("name", ["autoregressive", "speculative_sampling", "lookahead", "rsd_s", "beam_search"])
@pytest.mark.parametrize("length", [1, 3])
def test_a_text_may_be_one_token_longer_than_the_target_can_read(name, length):
    """The last token is written and never read."""
    target, draft = random_model("llama"), random_model("llama", seed=1)
    prompt = tuple(index % 60 for index in range(target.max_positions + 1 - length))
    asked = partial(Request, make_method(name), target, "", draft, Sampling(0), prompt_ids=prompt)
    assert trace_of(asked(max_new_tokens=length)).finished.num_tokens == length
    with pytest.raises(PlaygroundError, match="exceed the 256 that the target can read"):
        asked(max_new_tokens=length + 1)
