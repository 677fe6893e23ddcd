"""The pass over a GGUF file's blocks computes what the package gguf makes of them, a row the same whatever is next."""

import numpy as np
import pytest
import torch

from playground.models import proof
from playground.models.language_model import LanguageModel
from playground.models.passes.block_pass import BlockPass
from playground.models.passes.compiled_pass import CompiledPass
from playground.models.passes.records import joined_records, widened_rows
from playground.models.products import compiled_kernel
from playground.models.sources.gguf_blocks import NESTED, PLAIN, FileMatrix, stacked
from playground.tree import TokenTree
from tests.models.small import Numbers
from tests.models.test_compiled_pass import model_of

gguf = pytest.importorskip("gguf")
quants = pytest.importorskip("gguf.quants")
compiled_only = pytest.mark.skipif(not compiled_kernel(), reason="without numba there is no such pass")


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


MATRICES = (*(f"self_attn.{name}_proj" for name in "qkvo"), *(f"mlp.{name}_proj" for name in ("gate", "up", "down")))
TWO = ["Q4_1", "Q8_0"]  # with and without lows; of one mixture the kernels are compiled once


def saved(name, shape, seed=0):
    """A matrix of this type as a file has it: the package quantises the plain types, and only reads the others."""
    rng, kind = np.random.default_rng(seed), gguf.GGMLQuantizationType[name]
    if name in PLAIN:
        data = quants.quantize(rng.standard_normal(shape).astype(np.float32), kind)
        return FileMatrix(data, kind, shape[1])
    size = gguf.GGML_QUANT_SIZES[kind][1]
    data = rng.integers(0, 256, (shape[0], shape[1] // 256, size), dtype=np.uint8)
    scales = (rng.random((*data.shape[:2], 2)) / 100).astype(np.float16).view(np.uint8)
    data[..., slice(size - 2, size) if name == "Q6_K" else slice(0, 4)] = scales[..., : 2 if name == "Q6_K" else 4]
    return FileMatrix(data.reshape(shape[0], -1), kind, shape[1])


def widened(matrix):
    weights = (matrix.codes.astype(np.float32) - matrix.zero) * np.repeat(matrix.scales, matrix.group, 1)
    return weights if matrix.lows is None else weights + np.repeat(matrix.lows, matrix.group, 1)


@pytest.mark.parametrize("name", [*PLAIN, *NESTED])
def test_codes_scales_and_lows_are_the_numbers_of_the_package(name):
    matrix = saved(name, (6, 512))
    assert np.array_equal(widened(matrix.blocks()), quants.dequantize(matrix.data, matrix.kind))


@compiled_only
@pytest.mark.parametrize("name", [*PLAIN, *NESTED])
def test_rows_of_records_are_the_numbers_of_the_package(name):
    """Of two matrices, of which the second has its rows in another order."""
    first, second = saved(name, (16, 512), 1), saved(name, (18, 512), 2).rows([*range(17, 1, -1)])
    expected = np.concatenate([first.widened(), second.widened()])
    assert np.array_equal(widened_rows(*joined_records([first, second]), range(32)), expected)


def test_matrices_of_different_types_are_stacked_without_a_change():
    parts = [saved(name, (4, 256), seed).blocks() for seed, name in enumerate(("Q8_0", "Q4_K", "Q6_K"))]
    np.testing.assert_allclose(widened(stacked(parts)), np.concatenate([*map(widened, parts)]), rtol=0, atol=0)


def in_blocks(kinds):
    """A model of transformers with the numbers of blocks of these types, one after the other, and its blocks."""
    model = model_of("llama")
    names = [f"model.layers.{layer}.{name}" for layer in range(3) for name in MATRICES] + ["lm_head"]
    blocks = {}
    with torch.no_grad():
        for index, name in enumerate(names):
            weight = model.get_submodule(name).weight
            blocks[name] = saved(kinds[index % len(kinds)], tuple(weight.shape), index).blocks()
            blocks[name].scales[:] /= 8
            if blocks[name].lows is not None:
                blocks[name].lows[:] /= 8
            weight.copy_(torch.from_numpy(widened(blocks[name])))
    return model, blocks


@compiled_only
@pytest.mark.parametrize("rounded", [False, True])
def test_a_row_does_not_depend_on_the_others(rounded):
    """10 rows are more than a group of any processor."""
    model, blocks = in_blocks(TWO)
    exact = BlockPass(model, blocks)
    fast = LanguageModel(model, Numbers(), name="it", forward_pass=exact.rounding_rows() if rounded else exact)
    tree = TokenTree([3, 1, 4, 1, 5])
    nodes = [4, *(tree.add(4, token) for token in (9, 2, 6, 5, 3, 8, 1, 7, 4))]
    for node, row in zip(nodes, fast.logits(tree, nodes), strict=True):
        text = tree.context(node)
        assert torch.equal(row, fast.logits(TokenTree(text), [len(text) - 1])[0])


@compiled_only
def test_its_logits_are_those_of_the_widened_weights():
    model, blocks = in_blocks(TWO)
    fast = LanguageModel(model, Numbers(), name="it", forward_pass=BlockPass(model, blocks))
    plain = LanguageModel(model, Numbers(), name="it", forward_pass=CompiledPass(model))
    row, expected = (each.logits(TokenTree([3, 1, 4, 1, 5]), [4])[0] for each in (fast, plain))
    assert float((row - expected).abs().max()) <= 1e-4 * float(expected.abs().max())
    assert fast.facts()["forward_pass"] == BlockPass.name


@compiled_only
@pytest.mark.parametrize("kinds", [["Q4_1"], ["Q4_0", "Q8_0"], ["Q5_1"]])
@torch.no_grad()
def test_rounded_rows_meet_the_widened_weights_as_they_are(kinds):
    """Whole numbers add up without an error: what is left is the rounding of float32 in scales and between groups."""
    model, blocks = in_blocks(kinds)
    for names, group, product in BlockPass(model, blocks).rounding_rows().products():
        weight = torch.cat([model.get_submodule(name).weight for name in names])
        rows = torch.randn(9, weight.shape[1], generator=torch.Generator().manual_seed(1))
        expected = proof.in_8_bits(rows, group) @ weight.T
        got = product(rows)[:, : len(weight)]
        assert float((got - expected).abs().max()) <= 1e-5 * float(expected.abs().max())
        assert float((got - rows @ weight.T).abs().max()) > 1e-4 * float(expected.abs().max())
