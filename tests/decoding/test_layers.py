"""What every layer of the target says of drafted tokens: the last one says p, and each what an exit there would."""

from dataclasses import replace

import pytest
import torch

from playground.decoding.constrained.constraint import Trie
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.models.drafters.early_exit import EarlyExit
from playground.models.layer_lens import LayerLens
from playground.models.sampling import Sampling
from playground.trace import from_json, to_json, validate
from playground.tree import TokenTree
from tests.decoding.runs import request
from tests.models.small import random_model


@pytest.mark.parametrize("shape", ["llama", "qwen3"])
def test_each_layer_says_what_an_exit_behind_it_says(shape):
    model, text = random_model(shape, lean=True), [3, 1, 4, 1, 5, 9]
    read = LayerLens(model).read(text, [2, 5])
    num_layers = model.forward_pass.num_layers
    assert read.shape == (2, num_layers, 61)
    for depth in range(1, num_layers):
        assert torch.allclose(
            EarlyExit(model, depth).forward(TokenTree(text), [2, 5]).logits,
            torch.from_numpy(read[:, depth - 1]),
            atol=2e-4,
        )
    with torch.inference_mode():
        assert torch.allclose(
            model.model(torch.tensor([text])).logits[0, [2, 5]], torch.from_numpy(read[:, -1]), atol=2e-4
        )


@pytest.mark.parametrize("method", ["speculative_sampling", "rsd_s", "dynamic_tree", "suffix_decoding"])
def test_the_last_layer_says_p_of_every_tested_token(method):
    target, draft = random_model("llama", 1, lean=True), random_model("llama", 2)
    options = {"target": target, "draft": draft, "prompt": [5, 7, 11, 5, 7], "length": 20, "sampling": Sampling(0.7)}
    plain, trace = (
        run(request(make_method(method), **options)),
        run(request(make_method(method), **options), layers=True),
    )
    assert plain.finished.text == trace.finished.text  # Looking changes nothing.
    validate(from_json(to_json(trace)))
    for each in trace.rounds:
        results = {working["node"]: working for working in each.verified.workings if working["kind"] == "layers"}
        verdicts = zip(each.verified.nodes, each.verified.outcomes, each.verified.target_probs, strict=True)
        tested = {node: p for node, outcome, p in verdicts if outcome != "not_tested"}
        assert results.keys() == tested.keys()
        for node, working in results.items():
            assert len(working["tokens"]) == len(working["best"]) == len(working["drafted"]) == 3
            assert working["drafted"][-1] == pytest.approx(tested[node], abs=1e-4)
            assert all(drafted <= best for drafted, best in zip(working["drafted"], working["best"], strict=True))
    assert not [w for each in plain.rounds for w in each.verified.workings if w["kind"] == "layers"]


def test_with_allowed_texts_the_layers_are_not_read():
    target = random_model("llama", 1, lean=True)
    run_request = request(make_method("autoregressive"), target=target, prompt=[5, 7])
    with pytest.raises(PlaygroundError, match=r"Leave out one or the other\."):
        run(replace(run_request, constraint=Trie([[1, 2]])), layers=True)


def test_what_an_exit_drafts_has_the_q_that_its_last_layer_says():
    target = random_model("llama", 1, lean=True)
    options = {"target": target, "draft": EarlyExit(target, 2), "prompt": [5, 7, 11], "length": 20}
    trace = run(request(make_method("speculative_sampling"), **options), layers=True)
    assert trace.started.draft["exit"] == 2
    for each in trace.rounds:
        q = dict(zip(each.verified.nodes, each.verified.draft_probs, strict=True))
        for working in each.verified.workings:
            if working["kind"] == "layers":
                assert working["drafted"][1] == pytest.approx(q[working["node"]], abs=1e-4)


def test_layers_that_cannot_be_read_are_said():
    with pytest.raises(PlaygroundError, match="Llama-shaped"):
        run(request(make_method("autoregressive"), target=random_model("gpt2")), layers=True)
