"""A row of logits that says nothing of the next token ends the run in a sentence, and never becomes a text."""

import math

import pytest
import torch

from playground.decoding.constrained.constraint import Trie
from playground.decoding.decode import Request
from playground.decoding.method import methods
from playground.errors import PlaygroundError
from playground.models.forward import check_logits
from playground.models.loading import Models
from playground.models.passes.forward_pass import agree
from playground.models.sampling import Sampling
from playground.models.sources.placement import find_placement
from playground.models.table_model import TableModel
from playground.tree import TokenTree
from tests.decoding.runs import OTHERS, TARGET, tokens
from tests.models.sources.test_checkpoint import saved

PROMPT = (0, 1)
KINDS = {math.nan: "NaN", math.inf: "infinite", -math.inf: "-infinity for every token"}


class Overflowing(TableModel):
    """Of its rows behind the third token of the text one number is not one; or none is, where it is -inf."""

    value = math.nan

    def forward(self, tree, nodes):
        answer = super().forward(tree, nodes)
        for row, node in zip(answer.logits, nodes, strict=True):
            if tree.depths[node] >= 2:
                row[slice(None) if self.value == -math.inf else 3] = self.value
        return answer


def overflowing(value, order, seed):
    model = Overflowing(TableModel.random(5, order=order, seed=seed).table, name="overflown")
    model.value = value
    return model


def sentence(value):
    return rf"overflown computes no probabilities in float64: .* token \d+ of the text .* are {KINDS[value]}\. Choose"


@pytest.mark.parametrize("value", KINDS, ids=KINDS.values())
@pytest.mark.parametrize("name", sorted(methods()))
def test_no_method_goes_on_with_numbers_that_are_none(name, value):
    method = methods()[name]()
    broken, whole = overflowing(value, 2, 0), TableModel.random(5, order=1, seed=1)
    others = OTHERS if method.num_draft_models > 1 else ()
    for temperature in (0.0, 0.7):
        for target, draft in ((broken, whole), (TARGET, broken))[: 1 + bool(method.num_draft_models)]:
            with pytest.raises(PlaygroundError, match=sentence(value)):
                tokens(Request(method, target, "", draft, Sampling(temperature), 0, 24, PROMPT, others))


@pytest.mark.parametrize("value", KINDS, ids=KINDS.values())
def test_nor_does_a_run_that_may_write_some_texts_alone(value):
    method = methods()["speculative_sampling"]()
    allowed = Trie([[2, 3, 4], [2, 4, 1], [3, 3, 1]])
    for target, draft in ((overflowing(value, 2, 0), TARGET), (TARGET, overflowing(value, 2, 0))):
        request = Request(method, target, "", draft, Sampling(), 0, 24, PROMPT, (), allowed)
        with pytest.raises(PlaygroundError, match=sentence(value)):
            tokens(request)


def test_tokens_that_are_masked_are_no_error():
    tree = TokenTree(list(PROMPT))
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        rows = torch.tensor([[60000.0, -math.inf, 1.0], [60000.0, torch.finfo(dtype).min, -math.inf]], dtype=dtype)
        check_logits(TARGET, tree, [0, 1], rows)


def test_a_row_masked_by_the_lowest_number_throughout_says_nothing():
    tree, lowest = TokenTree(list(PROMPT)), torch.full((2, 3), torch.finfo(torch.float32).min)
    lowest[0] = 0
    with pytest.raises(PlaygroundError, match=r"behind 'b', token 2 of the text \(node 1\), are -infinity"):
        check_logits(TARGET, tree, [0, 1], lowest)


def test_passes_that_mask_a_token_agree_on_the_others_or_not_at_all():
    lowest = torch.finfo(torch.float32).min
    row = torch.tensor([[1.0, 2.0, lowest, -math.inf]])
    assert agree(row.clone(), row)
    assert not agree(torch.tensor([[1.0, 2.5, lowest, -math.inf]]), row)
    assert not agree(torch.tensor([[1.0, 2.0, 0.0, -math.inf]]), row)


def test_a_model_that_overflows_in_a_number_format_is_refused_before_it_runs(tmp_path):
    def enlarged(weights):
        return weights | {"lm_head.weight": weights["lm_head.weight"] * 1e7}

    name = saved(tmp_path / "m", enlarged)
    assert Models(name, placement=find_placement("cpu")).load()
    with pytest.raises(PlaygroundError, match=r"computes no probabilities in float16: .* Choose another number format"):
        Models(name, placement=find_placement("cpu", "float16")).load()


@pytest.mark.parametrize("role", ["target", "draft"])
def test_a_token_that_was_never_trained_is_named_when_a_text_holds_it(tmp_path, role):
    def without_last(weights):
        weights["model.embed_tokens.weight"][-1] = math.nan
        return weights

    whole, broken = saved(tmp_path / "whole"), saved(tmp_path / "broken", without_last)
    target, draft = (broken, whole) if role == "target" else (whole, broken)
    pair = Models(target, draft, placement=find_placement("cpu")).load()
    for prompt in ((0, 7), (7, 0, 0)):
        asked = Request(methods()["speculative_sampling"](), pair.target, "", pair.draft, Sampling(), 0, 8, prompt)
        where = f"token {len(prompt)} of the text"
        with pytest.raises(PlaygroundError, match=rf"broken computes no probabilities in .*float32: .*, {where}"):
            tokens(asked)
