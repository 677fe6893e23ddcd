"""Models that no tree mask fits read paths as rows: what they write is what `generate` writes, whatever their state."""

import random

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import methods
from playground.decoding.record import run
from playground.models.language_model import LanguageModel
from playground.models.passes import path_pass
from playground.models.passes.path_pass import PathPass
from playground.models.proof import planned_state_bytes, prove
from playground.models.sampling import Sampling
from playground.models.sources.memory_estimate import token_bytes
from playground.trace.invariants import validate
from playground.tree import TokenTree
from tests.decoding.runs import tokens
from tests.models.registry import OftenWrong
from tests.models.small import Numbers, generated

SHAPE = {
    "vocab_size": 40, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512, "bos_token_id": None, "eos_token_id": None,
    "pad_token_id": None,
}  # fmt: skip
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 8}
DELTA = {
    "head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,
    "linear_value_head_dim": 8, "layer_types": ["linear_attention", "full_attention"],
}  # fmt: skip
# type -> its configuration, and the state by which it runs; None where a tree mask fits
KINDS = {
    "llama": ({}, None),
    "mistral": ({"sliding_window": 8}, None),
    "llama4_text": ({"head_dim": 8, "attention_chunk_size": 8, "num_local_experts": 2}, "cut"),
    "bloom": ({"n_layer": 2, "n_head": 4}, "cut"),
    "mpt": ({"d_model": 32, "n_layers": 2, "n_heads": 4}, "cut"),
    "lfm2": ({"layer_types": ["conv", "full_attention"]}, "cut"),
    "mamba": ({"state_size": 4}, "stepped"),
    "mamba2": ({"state_size": 8, "num_heads": 8, "head_dim": 8, "n_groups": 1, "chunk_size": 8}, "kept"),
    "qwen3_5_text": (DELTA, "kept"),
    "rwkv": ({"attention_hidden_size": 32}, "kept"),
    "granitemoehybrid": (
        MAMBA | {"layer_types": ["mamba", "attention"], "num_local_experts": 0, "shared_intermediate_size": 48},
        "kept",
    ),
    "openai-gpt": ({"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512}, "whole"),
}
PROMPT = tuple(random.Random(0).choices(range(40), k=11))


def made(kind):
    """A random model of a type, as wild as three times its first weights."""
    torch.manual_seed(7)
    network = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **SHAPE | KINDS[kind][0])).eval().float()
    with torch.no_grad():
        for weight in network.parameters():
            if weight.dim() > 1:
                weight.mul_(3.0)
    return LanguageModel(network, Numbers(), name=kind)


@pytest.fixture(scope="module")
def model_of():
    """Type -> a model that has been proved."""
    proved: dict[str, LanguageModel] = {}

    def get(kind):
        return proved.get(kind) or proved.setdefault(kind, prove(made(kind)))

    return get


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_text_is_that_of_generate_by_chain_tree_and_text(kind, model_of):
    model, state = model_of(kind), KINDS[kind][1]
    assert getattr(model.forward_pass, "kind", None) == state
    expected, wrong = generated(model.model, PROMPT, 16), OftenWrong(model.by(model.forward_pass))
    for method in ("speculative_sampling", "rsd_s", "prompt_lookup"):
        request = Request(methods()[method](), model, "", wrong, Sampling(0.0), 0, 16, PROMPT)
        assert tokens(request) == expected, method


@pytest.mark.parametrize("kind", ["bloom", "lfm2", "mamba", "mamba2", "rwkv"])
@pytest.mark.parametrize("most_twice", [0, path_pass.MOST_TWICE])
def test_logits_of_any_nodes_in_any_round_are_those_of_their_paths(kind, most_twice, model_of, monkeypatch):
    """Rows and states are only a way to get there: also where beginnings are read first, in calls of their own."""
    monkeypatch.setattr(path_pass, "MOST_TWICE", most_twice)
    model, chance = model_of(kind), random.Random(1)
    alone = model.by(PathPass(model.model, "whole"))
    tree = TokenTree(PROMPT)
    for _ in range(6):
        nodes = [tree.trunk[-1]]
        for _ in range(chance.randrange(1, 9)):
            nodes.append(tree.add(chance.choice(nodes), chance.randrange(40)))
        asked = chance.sample(nodes, chance.randrange(1, len(nodes) + 1))
        expected = torch.cat([alone.logits(TokenTree(tree.context(node)), [tree.depths[node]]) for node in asked])
        torch.testing.assert_close(model.logits(tree, asked), expected, rtol=1e-3, atol=1e-3)
        leaves = chance.sample(nodes[1:], min(len(nodes) - 1, chance.randrange(1, 3)))
        tree.retain(leaves)
        tree.retain(leaves[:1])


def test_a_rejected_draft_is_read_again_where_the_state_cannot_be_cut(model_of):
    """Three of five drafted tokens are accepted: the next call reads them again, or not where the state is cut."""
    for kind, num_again in {"bloom": 0, "lfm2": 0, "mamba": 0, "mamba2": 4}.items():
        model, tree = model_of(kind), TokenTree(PROMPT)
        model.logits(tree, [tree.trunk[-2]])
        chain = [tree.trunk[-1]]
        for token in (1, 2, 3, 4, 5):
            chain.append(tree.add(chain[-1], token))
        first = model.forward(tree, chain)
        tree.retain([tree.add(chain[3], 9)])
        second = model.forward(tree, [tree.trunk[-1]])
        assert first.work and second.work, kind
        assert (first.work.num_again, second.work.num_again) == (0, num_again), kind
        assert second.fed == ([*chain[:4], tree.trunk[-1]] if num_again else [tree.trunk[-1]]), kind
        assert first.work.num_passes == (6 if kind == "mamba" else 1), kind


def test_a_trace_says_what_each_call_read_again(model_of):
    """The draft is wrong at every other depth, so calls read again what was accepted before."""
    model = model_of("mamba2")
    wrong = OftenWrong(model.by(model.forward_pass))
    request = Request(methods()["speculative_sampling"](), model, "1", wrong, Sampling(0.0), 0, 16, PROMPT)
    trace = run(request)
    validate(trace)
    paths = [each.scored.paths for each in trace.rounds]
    assert trace.started.target["state_bytes"] == model.facts()["state_bytes"] > 0
    assert [each.passes for each in paths] == [1] * len(paths) and sum(each.again for each in paths) > 0
    known = set(range(len(PROMPT) - 1))
    for each in trace.rounds:
        assert each.scored.paths.again == len(known.intersection(each.scored.fed))
        known |= set(each.scored.fed)


def test_rows_of_unequal_beginnings_have_their_own_passes(model_of):
    """Each group of rows is behind the state that was held when the call began, also where a pass has replaced it."""
    for kind in ("bloom", "lfm2", "mamba2"):
        model = model_of(kind)
        alone, tree = model.by(PathPass(model.model, "whole")), TokenTree(PROMPT)
        model.logits(tree, [tree.trunk[-2]])
        one, other = tree.add(tree.trunk[-1], 1), tree.add(tree.trunk[-1], 2)
        model.logits(tree, [one])
        nodes = [tree.add(one, 3), other, tree.add(other, 4), tree.add(tree.add(one, 5), 6), tree.trunk[-1]]
        expected = torch.cat([alone.logits(TokenTree(tree.context(node)), [tree.depths[node]]) for node in nodes])
        torch.testing.assert_close(model.logits(tree, nodes), expected, rtol=1e-3, atol=1e-3)


def test_a_fully_accepted_draft_is_never_read_again(model_of):
    model, tree = model_of("mamba2"), TokenTree(PROMPT)
    model.logits(tree, [tree.trunk[-2]])
    for token in range(8):
        chain = [tree.trunk[-1], tree.add(tree.trunk[-1], token)]
        work = model.forward(tree, chain).work
        assert work == (1, 1, 2, 0, 0.0)
        tree.retain([tree.add(chain[-1], 9)])


def test_what_was_read_is_read_again_by_itself_once_it_is_long(model_of, monkeypatch):
    """So a text whose drafts are all rejected costs no more per round, however long it is."""
    monkeypatch.setattr(path_pass, "MOST_TWICE", 3)
    model, tree, again = model_of("mamba2"), TokenTree(PROMPT), []
    model.logits(tree, [tree.trunk[-2]])
    for _ in range(12):
        work = model.forward(tree, [tree.trunk[-1], tree.add(tree.trunk[-1], 1)]).work
        again.append((work.num_passes, work.num_again))
        tree.retain([tree.add(tree.trunk[-1], 2)])
    assert again == [(1, 0), (1, 1), (1, 2), (1, 3), (2, 4), *[(1, 1), (1, 2), (1, 3), (2, 4)] * 2][:12]


def test_a_recurrent_state_stays_as_large_however_long_the_text(model_of):
    model, sizes = model_of("mamba2"), set()
    tree = TokenTree(PROMPT)
    for _ in range(40):
        model.logits(tree, [tree.trunk[-1]])
        sizes.add(model.cache_bytes(tree))
        tree.retain([tree.add(tree.trunk[-1], 1)])
    state = model.facts()["state_bytes"]
    assert sizes == {state, 2 * state}  # and the one before, until it is known that it is not taken back


@pytest.mark.parametrize("kind", ["qwen3_5_text", "granitemoehybrid", "lfm2", "mamba2", "llama"])
def test_the_size_of_a_state_is_known_before_any_weight_is_read(kind, model_of):
    model = model_of(kind)
    assert token_bytes(model.config, 4) == model.bytes_per_token
    assert planned_state_bytes(model.config, 4) == model.facts().get("state_bytes", 0)


def test_only_the_states_of_living_nodes_are_held(model_of):
    for kind in ("bloom", "granitemoehybrid"):
        model, tree = model_of(kind), TokenTree(PROMPT)
        for _ in range(4):
            nodes = [tree.trunk[-1]]
            for token in (1, 2, 3):
                nodes += [tree.add(node, token) for node in nodes[-1:]] + [tree.add(nodes[0], 10 + token)]
                model.logits(tree, nodes)
            tree.retain([nodes[3]])
        facts = model.facts()
        model.logits(tree, [tree.add(tree.trunk[-1], 5)])
        tree.retain([tree.tail[-1]] if tree.tail else [tree.trunk[-1]])
        model.logits(tree, [tree.add(tree.trunk[-1], 6)])
        row = facts["state_bytes"] + len(tree.tokens) * facts["kv_bytes_per_token"]
        assert model.cache_bytes(tree) <= 3 * row, kind


@pytest.mark.parametrize("name", ["speculative_sampling", "rsd_s", "specinfer"])
@torch.inference_mode()
def test_p_of_every_tested_draft_of_a_sampled_run_is_that_of_its_text_read_alone(name, model_of):
    model = model_of("granitemoehybrid")
    draft, tested = OftenWrong(model.by(model.forward_pass)), 0
    request = Request(methods()[name](), model, "1", draft, Sampling(0.8), 3, 16, PROMPT)
    for item in (each for each in decode(request) if isinstance(each, Round)):
        tree = item.tree
        for judgement in item.verdict.judgements:
            if judgement.target_prob is not None and judgement.outcome != "not_tested":
                *text, token = tree.context(judgement.node)
                alone = model.model(torch.tensor([text])).logits[0, -1].div(0.8).softmax(-1)
                assert judgement.target_prob == pytest.approx(float(alone[token]), rel=1e-3, abs=1e-6)
                tested += 1
    assert tested > 8
