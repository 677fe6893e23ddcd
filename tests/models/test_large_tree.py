"""A tree of 500 nodes behind 1,000 tokens runs, is right, and takes the memory that was foretold."""

import random

import pytest
import torch
from transformers import AutoModelForCausalLM, Gemma4TextConfig, LlamaConfig

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.models.language_model import LanguageModel
from playground.models.passes.lean_pass import LeanPass
from playground.models.products import is_held_twice
from playground.models.sources.memory_estimate import token_bytes, weights_in
from playground.models.sources.placement import find_placement
from playground.trace import validate
from playground.tree import TokenTree
from tests.models.small import Numbers

CONTEXT, NODES = 1_000, 500
CONFIG = LlamaConfig(
    vocab_size=512,
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=2_048,
)


def made(*, lean):
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(CONFIG, dtype=torch.float32)
    return LanguageModel(model, Numbers(), name="made", forward_pass=LeanPass(model) if lean else None)


def large_tree():
    """(tree, its drafted nodes): each hangs from one of the twenty before it."""
    rng = random.Random(0)
    tree = TokenTree([rng.randrange(512) for _ in range(CONTEXT)])
    nodes = [CONTEXT - 1]
    while len(nodes) <= NODES:
        node = tree.add(rng.choice(nodes[-20:]), rng.randrange(512))
        if node not in nodes:
            nodes.append(node)
    return tree, nodes[1:]


def held_bytes(slots):
    """What the slots' tensors take, spare room included."""
    if hasattr(slots, "filled"):
        return slots.filled.nbytes
    return sum(keys.nbytes + values.nbytes for _, keys, values in slots._layers())


@pytest.mark.parametrize("lean", [True, False])
def test_a_large_tree_runs_and_its_keys_and_values_take_what_was_foretold(lean):
    model, (tree, nodes) = made(lean=lean), large_tree()
    model.forward(tree, [CONTEXT - 2])
    logits = model.logits(tree, nodes)
    for row in (0, 1, 100, 250, NODES - 1):
        with torch.inference_mode():
            alone = model.model(torch.tensor([tree.context(nodes[row])])).logits[0, -1]
        assert float((logits[row] - alone).abs().max()) < 1e-4 * float(alone.abs().max()) + 1e-4
    foretold = (CONTEXT + NODES) * token_bytes(CONFIG, 4)
    assert model.cache_bytes(tree) == foretold
    cache = model._caches[tree].keys_values
    assert foretold <= held_bytes(cache) <= 1.1 * foretold, "within 10 %, blocks that are half full included"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_weights_take_what_the_files_foretell(dtype, tmp_path):
    """Saved in one format and read in another; a second copy is foretold, and held in the compiled pass."""
    made(lean=False).model.save_pretrained(tmp_path)
    placement = find_placement("cpu", dtype)
    model = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=placement.dtype)
    taken = sum(parameter.nbytes for parameter in model.parameters())
    foretold = weights_in(tmp_path).bytes_at(placement, CONFIG)
    copied = taken - model.get_input_embeddings().weight.nbytes  # a table is looked up where it is
    assert foretold == taken + (copied if is_held_twice(placement.device, model.dtype, model.num_parameters()) else 0)


def test_a_run_that_drafts_500_nodes_a_round_behind_1000_tokens():
    """Drafted, judged, recorded and lawful; the peak is that of the whole tree in the target, and in the draft of all
    layers but the last, which it never reads."""
    rng, options = (
        random.Random(1),
        {"draft_length": 6, "first_branching": 8, "second_branching": 2, "later_branching": 2},
    )
    method = make_method("rsd_c", options)
    prompt = tuple(rng.randrange(512) for _ in range(CONTEXT))
    trace = run(Request(method, made(lean=True), "", made(lean=True), max_new_tokens=16, prompt_ids=prompt))
    validate(trace)
    most = max(sum(len(layer.nodes) for layer in each.drafted) for each in trace.rounds)
    assert most == 504
    foretold = (2 * (CONTEXT + 16) + 504 + 248) * token_bytes(CONFIG, 4)
    assert trace.finished.peak_cache_bytes == pytest.approx(foretold, rel=0.1)


def test_layers_of_several_sizes_are_counted_each():
    sliding, full = 25 * 4 * 256, 5 * 4 * 512  # layers, groups, size of a head
    assert token_bytes(Gemma4TextConfig(), 2) == 2 * 2 * (sliding + full)
