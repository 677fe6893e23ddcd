"""An enlarged model says what it said; the benchmark on such a pair has every line."""

import pytest
import torch

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.makers.engine.enlarged import Size, enlarge, enlarged_pair
from playground.makers.engine.rivals import PROMPTS
from playground.models.loading import Models
from playground.models.sources.placement import find_placement

TARGET, DRAFT = Size(448, 14, 1027, 14, 7, 4200), Size(256, 3, 900, 8, 4, 4200)


@pytest.fixture(scope="module")
def pairs():
    """The bundled pair, and itself enlarged."""
    pair = Models.named(placement=find_placement("cpu", "float32")).load()
    return pair, enlarged_pair(pair, TARGET, DRAFT)


@torch.inference_mode()
def test_every_logit_is_the_old_one_and_no_added_token_is_ever_drawn(pairs):
    for model, size in zip((pairs[0].target, pairs[0].draft), (TARGET, DRAFT), strict=True):
        ids = torch.tensor([model.vocabulary.encode(PROMPTS[0])])
        expected, result = model.model(ids).logits, enlarge(model.model, size).eval()(ids).logits
        shift = (result[..., :4096] - expected).mean(-1, keepdim=True)  # of all alike, so no distribution sees it
        assert torch.allclose(result[..., :4096] - shift, expected, atol=2e-3)
        assert shift.abs().max() < 0.01
        assert (result[..., 4096:] < expected.min() - 1000).all()


def test_a_run_writes_the_same_text_with_the_same_drafts_accepted(pairs):
    def told(pair):
        method = make_method("speculative_sampling", {"draft_length": 4})
        trace = run(Request(method, pair.target, PROMPTS[1], pair.draft, seed=5, max_new_tokens=24))
        return [(each.text, each.origins) for each in trace.committed]

    assert told(pairs[0]) == told(pairs[1])


def test_it_has_the_size_that_was_asked_for_and_the_weights_are_not_zeros(pairs):
    for model, size in zip((pairs[1].target, pairs[1].draft), (TARGET, DRAFT), strict=True):
        assert len(model.model.model.layers) == size.num_layers
        assert model.model.get_input_embeddings().weight.shape == (size.vocab_size, size.width)
        last = model.model.model.layers[-1].mlp
        assert all((each.weight != 0).float().mean() > 0.9 for each in (last.gate_proj, last.up_proj, last.down_proj))
