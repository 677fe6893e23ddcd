"""Settings of torch and NumPy that a caller has made change no number: formats, devices, threads, autocast."""

import contextlib
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import torch

from playground.decoding.constrained.grammar import Grammar
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.models.bundled import BUNDLED
from playground.models.drafters.choice import with_drafter
from playground.models.language_model import LanguageModel
from playground.models.loading import load_beside
from playground.models.modes import full_precision
from playground.models.passes.block_pass import BlockPass
from playground.models.passes.compiled_pass import CompiledPass
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.plain_pass import PlainPass
from playground.models.products import compiled_kernel
from playground.models.sampling import Sampling
from playground.paths import ROOT
from playground.tree import TokenTree
from tests.decoding.runs import trace_of
from tests.models.small import Numbers
from tests.models.test_block_pass import in_blocks
from tests.models.test_compiled_pass import model_of


@contextlib.contextmanager
def setting(change, value, before):
    """One of torch's settings of a whole process, for a block."""
    change(value)
    try:
        yield
    finally:
        change(before)


def flag(owner, name, value):
    """One of torch's settings that is an attribute, for a block."""
    return setting(partial(setattr, owner, name), value, getattr(owner, name))


MODES = {
    **{
        str(dtype): lambda dtype=dtype: setting(torch.set_default_dtype, dtype, torch.float32)
        for dtype in (torch.float64, torch.bfloat16, torch.float16)
    },
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "a default device": lambda: torch.device("meta"),
    "inference mode": torch.inference_mode,
    "deterministic": lambda: setting(torch.use_deterministic_algorithms, True, False),
    **{
        f"float32 products in {name} precision": lambda name=name: setting(
            torch.set_float32_matmul_precision, name, "highest"
        )
        for name in ("high", "medium")
    },
    "TF32": lambda: flag(torch.backends.cuda.matmul, "allow_tf32", True),
    "convolutions rounded": lambda: flag(torch.backends.mkldnn.conv, "fp32_precision", "bf16"),
    "without oneDNN": lambda: flag(torch.backends.mkldnn, "enabled", False),
    "oneDNN deterministic": lambda: flag(torch.backends.mkldnn, "deterministic", True),
    "cuDNN deterministic": lambda: flag(torch.backends.cudnn, "deterministic", True),
    "without small numbers": lambda: setting(torch.set_flush_denormal, True, False),
    "NumPy raises": lambda: np.errstate(all="raise"),
    "two threads": lambda: setting(torch.set_num_threads, 2, 1),
}
PASSES = {
    "transformers": lambda model, _: PlainPass(model),
    "lean": lambda model, _: LeanPass(model),
    "compiled": lambda model, _: CompiledPass(model),
    "compiled, 16 bits": lambda model, _: CompiledPass(model, halved=True),
    "blocks": BlockPass,
    "blocks, rounded": lambda model, blocks: BlockPass(model, blocks).rounding_rows(),
}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def models():
    """A model whose numbers 16 bits hold, and one with those of a file's blocks, with the blocks."""
    return (model_of("llama"), {}), in_blocks(["Q4_1", "Q8_0"])


def _rows(model, blocks, kind):
    """Logits of a prompt, of a small tree below it, and of the text behind that."""
    tree = TokenTree([3, 1, 4, 1, 5])
    known = LanguageModel(model, Numbers(), name=kind, forward_pass=PASSES[kind](model, blocks))
    nodes = [4, tree.add(4, 9), tree.add(4, 2)]
    nodes.append(tree.add(nodes[1], 7))
    rows = [known.logits(tree, [3]), known.logits(tree, nodes)]
    tree.retain(nodes[-1:])
    return torch.cat([*rows, known.logits(tree, nodes[-1:])])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", PASSES)
def test_a_pass_that_is_made_and_run_in_any_mode_gives_the_same_logits(models, kind, mode):
    if kind not in ("transformers", "lean") and not compiled_kernel():
        pytest.skip("without numba there is no such pass")
    model, blocks = models["blocks" in kind]
    expected = _rows(model, blocks, kind)
    with MODES[mode]():
        rows = _rows(model, blocks, kind)
    assert rows.dtype == torch.float32 and torch.equal(rows, expected)


WARPED = Sampling(0.8, top_k=50, top_p=0.9, min_p=0.01, repetition_penalty=1.1, presence_penalty=0.1, logit_bias="5=1")
RUNS = [
    ("speculative_sampling", "draft", Sampling(0.8), ""),
    ("rsd_s", "head", WARPED, "[a-z ,.]*"),
    ("block_verification", "block-markov", Sampling(), ""),
    ("speculative_sampling", "block-confidence", Sampling(), ""),
    ("beam_search", "exit4", Sampling(), ""),
    ("greedy_draft", "suffix", Sampling(0.8), ""),
]


def _texts():
    pair = load_beside.__wrapped__(str(BUNDLED / "target"), str(BUNDLED / "draft"))
    for method, drafter, sampling, grammar in RUNS:
        own = with_drafter(pair, drafter)
        constraint = Grammar(grammar, own.target) if grammar else None
        request = Request(
            make_method(method), own.target, "Once upon a time", own.draft, sampling, 3, 8, constraint=constraint
        )
        yield [event.tokens for event in trace_of(request).committed]


SLOW_MODES = [
    "torch.float64",
    "torch.bfloat16",
    "autocast",
    "a default device",
    "float32 products in medium precision",
    "NumPy raises",
]


@pytest.mark.slow
@pytest.mark.parametrize("mode", SLOW_MODES)
def test_models_that_are_loaded_and_run_in_any_mode_write_the_same_texts(mode):
    expected = list(_texts())
    with MODES[mode]():
        assert list(_texts()) == expected


def test_the_callers_precision_is_given_back_by_the_last_of_several_threads(models):
    model, blocks = models[0]
    with MODES["float32 products in medium precision"]():
        with full_precision:
            _rows(model, blocks, "lean")
            assert torch.backends.mkldnn.matmul.fp32_precision == "ieee"
        assert torch.get_float32_matmul_precision() == "medium"
        with pytest.raises(ZeroDivisionError), full_precision:
            1 / 0  # noqa: B018
        assert torch.get_float32_matmul_precision() == "medium"
    assert not full_precision.is_needed()


FORKED = """
import multiprocessing, playground

def text(seed):
    return playground.run("speculative_sampling", prompt="Tom had", max_new_tokens=8, seed=seed).finished.text

expected = [text(seed) for seed in range(2)]
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(text, range(2)) == expected
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
def test_a_process_that_is_forked_after_a_run_writes_the_same_text():
    """It would wait for torch's threads for ever; the bound is for a machine of any speed."""
    subprocess.run([sys.executable, "-c", FORKED], cwd=ROOT, check=True, timeout=600)
