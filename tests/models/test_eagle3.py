"""An EAGLE-3 head of others: it says what the paper's formulas say, in any tree, and drafts for its target alone."""

import copy
from functools import partial

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import record
from playground.errors import PlaygroundError
from playground.metrics.acceptance import acceptance_by_depth
from playground.models.drafters.choice import HEAD, with_drafter
from playground.models.drafters.eagle3 import LAYERS, Eagle3Head, HeadFolder
from playground.models.loading import Models
from playground.models.passes.features import Recorder
from playground.models.passes.path_pass import PathPass
from playground.models.passes.plain_pass import PlainPass
from playground.models.passes.replayed_pass import lean_passes
from playground.models.sampling import Sampling
from playground.models.sources.placement import find_placement
from playground.trace import Trace
from playground.tree import TokenTree
from tests.decoding.runs import tokens
from tests.models.eagle import LAYER, hidden_states, random_weights, save_original, save_speculators, says
from tests.models.small import generated, random_model
from tests.models.test_head import assert_says_in_any_tree
from tests.models.test_loading import save_model
from tests.models.test_replayed_pass import replayed

CHOSEN = sorted({3, 1, 4, 5, 60, *range(20, 35)})
NORMS = {"norm_before_residual": True, "norm_before_fc": True, "norm_output": True}
LAYOUTS = {
    "original": (save_original, random_weights(CHOSEN), {LAYERS: [0, 1, 2]}),
    "original, counted from the layer before": (save_original, random_weights(), {"eagle_config": {LAYERS: [0, 1, 0]}}),
    "speculators": (save_speculators, random_weights(CHOSEN), {LAYERS: [2, 0, 1]}),
    "speculators, all norms": (
        save_speculators,
        random_weights(CHOSEN, **{"input_norm.weight": (96,), "embed_tokens.weight": (61, 32)}),
        NORMS | {LAYERS: [0, 1, 2]},
    ),
    "speculators, a norm for each layer": (
        save_speculators,
        random_weights(CHOSEN, num_taps=2, **{f"fc_norm.{number}.weight": (32,) for number in (0, 1)}),
        {"fc_norm": True, LAYERS: [0, 2]},
    ),
}


def head_of(target, folder):
    """Return a head on its target, whose pass keeps from here on what the head reads."""
    head = HeadFolder.read(folder, "it")
    target.forward_pass = target.forward_pass.tapping(tuple(sorted(head.taps(target))))
    return Eagle3Head(target, head)


@pytest.mark.parametrize("shape", ["llama", "qwen3"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_says_in_any_tree_what_the_formulas_say(layout, shape, tmp_path):
    save, weights, about = LAYOUTS[layout]
    target = random_model(shape, lean=True)
    model = copy.deepcopy(target.model)
    taps = about.get(LAYERS) or [1, 2, 1]
    head = head_of(target, save(tmp_path, weights, **about))
    assert_says_in_any_tree(target, head, lambda _, text, num_read: says(model, weights, about, taps, text, num_read))


@pytest.mark.parametrize("taps", [(0,), (1, 3), (3, 0, 2)])
@pytest.mark.parametrize("kind", ["lean", "fastest", "replayed"])
def test_a_pass_keeps_the_hidden_states_that_are_tapped(kind, taps):
    """Also of what is read twice at once, in a branch, and behind slots that moved up."""
    target = random_model("llama", lean=True)
    model = copy.deepcopy(target.model)
    if kind == "replayed":
        target = replayed()[0]
    elif kind == "fastest":
        target = target.by(next(lean_passes(target.model)))
    target = target.by(target.forward_pass.tapping(taps))
    tree = TokenTree([3, 1, 4, 1, 5])
    for _ in range(3):
        branch = [tree.add(tree.trunk[-1], 7), tree.add(tree.trunk[-1], 9)]
        leaves = [tree.add(branch[0], 2), tree.add(branch[1], 6)]
        target.logits(tree, leaves)
        tree.retain([leaves[1]])
        cache = target.cache_of(tree)
        with torch.inference_mode():
            cache.prune(tree)
            kept = cache.keys_values.tapped[[cache.slot_of[node] for node in tree.trunk]]
            expected = torch.cat([*hidden_states(model, tree.context(leaves[1]))[list(taps)]], 1)
        assert torch.allclose(kept, expected, atol=1e-4)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A target of eight layers, and a head in each layout, which names no layers: the paper's are read."""
    folder = tmp_path_factory.mktemp("pair")
    config = LlamaConfig(**LAYER | {"num_hidden_layers": 8, "vocab_size": 8, "eos_token_id": None})
    target = save_model(folder / "target", config)
    weights = random_weights([0, 2, 3, 5, 7], vocab=8)
    return target, [str(save(folder / save.__name__, weights)) for save in (save_original, save_speculators)]


@pytest.mark.parametrize("method", ["dynamic_tree", "block_verification"])
def test_given_as_the_draft_it_drafts_and_the_text_is_that_of_generate(method, pair):
    folder, heads = pair
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    expected = generated(model, (1, 2, 3), 24)
    for head in heads:
        loaded = Models(folder, head, placement=find_placement("cpu")).load()
        assert isinstance(loaded.draft, Eagle3Head) and loaded.target.forward_pass.taps == (2, 4, 5)
        assert loaded.draft.name == head and loaded.draft.facts()["draft_vocabulary"] == 5
        assert with_drafter(loaded, HEAD) is loaded
        request = Request(make_method(method, {}), loaded.target, "", loaded.draft, Sampling(0.0), 0, 24, (1, 2, 3))
        assert tokens(request) == expected


@torch.inference_mode()
def test_its_overlap_with_the_target_is_measured_at_each_tested_token(pair):
    weights, folder = random_weights([0, 2, 3, 5, 7], vocab=8), pair[0]
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    loaded = Models(folder, pair[1][0], placement=find_placement("cpu")).load()
    method = make_method("speculative_sampling", {"draft_length": 1})
    request = Request(method, loaded.target, "", loaded.draft, Sampling(), 0, 12, (1, 2, 3))
    trace = Trace([event for events in record(request) for event in events])
    text, overlaps = [1, 2, 3], []
    for each in trace.rounds:  # before each the target has read all but the last token
        p = model(torch.tensor([text])).logits[0, -1].softmax(0)
        q = says(model, weights, {}, [2, 4, 5], text, len(text) - 1).softmax(0)
        overlaps.append(float(torch.minimum(p, q).sum()))
        text += each.committed.tokens
    drafted = [overlap for overlap, each in zip(overlaps, trace.rounds, strict=True) if each.verified.nodes]
    assert acceptance_by_depth(trace)[0].exact == pytest.approx(np.mean(drafted), abs=1e-5)


def test_memory_is_said_before_a_weight_is_read(pair):
    folder, heads = pair
    alone, together = (Models(folder, draft, placement=find_placement("cpu")).memory() for draft in (None, heads[1]))
    assert together.weights_bytes > alone.weights_bytes
    assert together.token_bytes - alone.token_bytes == 2 * 2 * 8 * 4  # keys and values, groups, their size, bytes


REFUSED = {
    "no layer of it is the target's": ({}, {LAYERS: [2, 9, 5]}, "it reads layers 2, 9, 5, and .* has 8"),
    "hidden size": ({"fc.weight": (32, 3 * 48)}, {}, "another target: it reads 144 numbers .* 3 layers of .* make 96"),
    "embedding": ({"embed_tokens.weight": (8, 48)}, {}, "embeddings .* have 48 numbers, and it reads 32"),
    "a weight": ({"layers.0.hidden_norm.weight": (31,)}, {}, "hidden_norm.weight is 31 and should be 32"),
    "queries of one input": (
        {"layers.0.self_attn.q_proj.weight": (32, 32)}, {}, "q_proj.weight is 32 x 32 and should be 32 x 64"
    ),
    "unknown weights": ({"fc.bias": (32,)}, {}, "weights that no EAGLE-3 head has: fc.bias"),
    "a window": ({}, {"transformer_layer_config": LAYER | {"model_type": "mistral", "sliding_window": 4}}, "window"),
    "a window of another key": ({}, {"transformer_layer_config": LAYER | {"sliding_window": 4}}, "window"),
    "a family": ({}, {"transformer_layer_config": LAYER | {"model_type": "gpt2"}}, "layers are of the type gpt2"),
}  # fmt: skip


@pytest.mark.parametrize("reason", REFUSED)
def test_a_head_that_does_not_fit_is_refused_in_a_sentence(reason, pair, tmp_path):
    changes, about, sentence = REFUSED[reason]
    head = save_speculators(tmp_path / "head", random_weights([0, 2], vocab=8, **changes), **about)
    with pytest.raises(PlaygroundError, match=sentence):
        Models(pair[0], str(head), placement=find_placement("cpu")).load()


def test_a_draft_vocabulary_must_be_the_targets(pair, tmp_path):
    for tokens_, without, sentence in (
        ([0, 2], ["d2t"], "its output layer has 2 tokens where .* has 8, and d2t"),
        ([0, 9], [], "it drafts tokens 0 to 9, and .* has 8"),
        ([2, 2], ["t2d"], "two of its tokens the same number"),
        ([2, 2], [], "d2t and t2d name different tokens"),
    ):
        weights = random_weights(tokens_, vocab=16)
        head = save_speculators(tmp_path / "head", {name: weights[name] for name in weights if name not in without})
        with pytest.raises(PlaygroundError, match=sentence):
            Models(pair[0], str(head), placement=find_placement("cpu")).load()


@pytest.mark.parametrize("with_t2d", [True, False])
def test_a_draft_vocabulary_may_be_written_as_tokens_where_t2d_shows_it(pair, tmp_path, with_t2d):
    """The head drafts tokens 1, 4 and 6; as differences the same numbers are tokens 1, 5 and 8."""
    weights = random_weights([1, 4, 6], vocab=8)
    columns = []
    for name, d2t in (("differences", weights["d2t"]), ("tokens", torch.tensor([1, 4, 6]))):
        own = {key: each for key, each in weights.items() if with_t2d or key != "t2d"} | {"d2t": d2t}
        models = Models(pair[0], str(save_speculators(tmp_path / name, own)), placement=find_placement("cpu"))
        if name == "tokens" and not with_t2d:
            with pytest.raises(PlaygroundError, match="it drafts tokens 1 to 8, and"):
                models.load()
            return
        draft = models.load().draft
        columns.append(draft.forward(TokenTree([1, 2, 3]), [2]).logits)
    assert torch.equal(*columns) and torch.isfinite(columns[0])[0].nonzero().flatten().tolist() == [1, 4, 6]


def test_a_target_of_few_layers_or_of_another_shape_is_refused(tmp_path):
    head = save_original(tmp_path, random_weights())
    with pytest.raises(PlaygroundError, match="the 3 of llama-0 are too few"):
        HeadFolder.read(head, "it").taps(random_model("llama", lean=True))
    with pytest.raises(PlaygroundError, match="of the type gpt2 has no hidden states that a head can read"):
        Recorder(random_model("gpt2").model, [1])


@pytest.mark.parametrize("make_pass", [PlainPass, partial(PathPass, kind="cut")])
def test_the_states_of_a_target_that_transformers_runs_are_recorded(make_pass, tmp_path):
    """By a mask of the tree, or along paths as rows."""
    weights, taps = random_weights(CHOSEN), [0, 1, 2]
    target = random_model("llama")
    target = target.by(make_pass(target.model))
    folder = HeadFolder.read(save_original(tmp_path, weights, **{LAYERS: taps}), "it")
    target.recorder = Recorder(target.model, folder.taps(target))
    model = copy.deepcopy(target.model)
    head = Eagle3Head(target, folder)
    assert_says_in_any_tree(target, head, lambda _, text, num_read: says(model, weights, {}, taps, text, num_read))
