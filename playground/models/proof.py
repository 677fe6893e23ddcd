"""Checks of the passes of a model: over a tree by a mask, over its paths, and faster ones that compute the same."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, DynamicCache

from playground.errors import PlaygroundError
from playground.models.forward import check_logits
from playground.models.language_model import LanguageModel
from playground.models.passes.block_pass import BlockPass, Product
from playground.models.passes.compiled_pass import CompiledPass, is_compilable
from playground.models.passes.forward_pass import agree
from playground.models.passes.lean_pass import LeanPass, is_llama_shaped
from playground.models.passes.path_pass import KINDS, PathPass
from playground.models.passes.replayed_pass import ReplayedPass, lean_passes
from playground.models.passes.windows import narrowed, shortest_window
from playground.models.sources.file_model import matrices_in, witness_of
from playground.models.sources.memory_estimate import token_bytes
from playground.models.sources.number_formats import name_of
from playground.models.sources.placement import is_out_of_memory
from playground.tree import TokenTree

COMPARED = 64  # outputs of each matrix
PLANNED = 4  # A model without memory reads so many tokens.
NARROW = 4  # tokens, as wide as windows are for the proof: the longest ones see 4,096


def prove(model: LanguageModel) -> LanguageModel:
    """Return the model by a pass whose logits in small trees equal those along their paths.

    The pass over a tree is tried first, then those over paths by what the model's state may be.

    Raises:
        PlaygroundError: if no pass gives them.
    """
    refusal = _refusal(model, _check_in_trees)
    if refusal is None:
        return model
    texts: dict[tuple[int, ...], torch.Tensor] = {}
    for is_batched, kind in sorted(itertools.product((True, False), KINDS), key=lambda each: each[1] == "whole"):
        by_paths = model.by(PathPass(model.model, kind, is_batched=is_batched))
        if _refusal(by_paths, partial(_check_along_paths, texts)) is None:
            return by_paths
    raise refusal


def _refusal(model: LanguageModel, check: Callable[[LanguageModel], None]) -> PlaygroundError | None:
    """Return why a pass of a model fails a check; None where it passes."""
    try:
        check(model)
    except PlaygroundError as error:
        return error
    except Exception as error:  # An architecture's own code may not know what is asked of it.
        if is_out_of_memory(error):
            raise
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        of_bits = f" in {model.bits} bits" if model.bits else ""
        choice = "others, or none" if model.bits else "another model"
        return PlaygroundError(
            f"{model.name} ({model.config.model_type}) does not run{of_bits} on {model.device}: {first_line}. Choose "
            f"{choice}."
        )
    return None


@torch.inference_mode()
def try_fast_pass(model: LanguageModel, *, halved: bool = False) -> LanguageModel:
    """Model with the lean pass, where that gives the same logits as transformers' own; else as it is.

    Args:
        halved: whether its weights are to be held in 16 bits.

    Raises:
        PlaygroundError: if they are and cannot be.
    """
    lean = _lean(model, halved=halved)
    if lean is not None:
        return lean
    if halved:
        raise PlaygroundError(
            f"{model.name} is not compiled here, and only a compiled pass holds weights in 16 bits. Leave the bits out."
        )
    return model


@torch.inference_mode()
def try_block_pass(model: LanguageModel, *, rounded: bool) -> LanguageModel | None:
    """Model whose matrices stay in a file, by a pass over the file's blocks; None where that computes something else.

    Its first layers are widened and compared with transformers' pass in trees. Every product of the whole model is then
    compared by itself with the numbers that the package gguf makes of the file.

    Args:
        rounded: whether rows are rounded to 8 bits where they meet the blocks; not where one is then another product.

    Raises:
        PlaygroundError: if transformers' pass does not run it.
    """
    witness, blocks = witness_of(model.model)
    plain = prove(LanguageModel(witness, model.vocabulary, name=model.name))
    if not is_compilable(witness) or _right(plain, BlockPass(witness, blocks)) is None:
        return None
    del witness, plain
    exact = BlockPass(model.model, matrices_in(model.model))
    for block_pass in (exact.rounding_rows(), exact) if rounded and not exact.is_halved else (exact,):
        if all(_multiplies(model, *each, rounded=block_pass.rounds) for each in block_pass.products()):
            return model.by(block_pass)
    return None


def _lean(model: LanguageModel, *, halved: bool) -> LanguageModel | None:
    if not is_llama_shaped(model.model):
        return None
    _leave_files(model.model)
    try:
        return next((lean for each in lean_passes(model.model, halved=halved) if (lean := _right(model, each))), None)
    except ValueError:
        raise PlaygroundError(f"{model.name} has weights that float16 does not hold. Leave the bits out.") from None


def _right(model: LanguageModel, lean_pass: LeanPass) -> LanguageModel | None:
    """Return the model with this pass; None where its logits are others than those of transformers' pass."""
    lean = model.by(lean_pass)
    tree, frontier = TokenTree([1, 2, 3]), 2
    for width in (4, 7, 17):  # the prompt, then what was cut off is cut out of both caches
        nodes = [frontier, tree.add(frontier, 4), tree.add(frontier, 5)]
        while len(nodes) < width:  # two branches
            nodes.append(tree.add(nodes[-2], 1 + len(nodes) % 5))
        if not _same(model, lean.logits(tree, nodes), model.logits(tree, nodes)):
            return None
        frontier = nodes[-1]
        tree.retain([frontier])
    return lean


def _multiplies(model: LanguageModel, names: list[str], group: int, product: Product, *, rounded: bool) -> bool:
    """Return whether a product is that of the weights of these modules, a part of which is widened.

    Products are compared, and not the logits of a whole pass: a last bit that tips one rounding tips others behind it,
    and the logits of two right passes come to differ as much as rounding itself changes them.

    Args:
        names, group, product: see `BlockPass.products`.
        rounded: whether rows are rounded to 8 bits.
    """
    matrices, start = [model.model.get_submodule(name).matrix for name in names], 0
    rows = torch.randn(2, matrices[0].shape[1], generator=torch.Generator().manual_seed(0), dtype=torch.float32)
    output, given = product(rows), in_8_bits(rows, group) if rounded and group else rows
    for matrix in matrices:
        outputs = matrix.shape[0]
        chosen = np.unique(np.linspace(0, outputs - 1, COMPARED).astype(int))
        weight = torch.from_numpy(matrix.rows(chosen).widened())
        if not agree(output[:, start + torch.from_numpy(chosen)], given @ weight.T):
            return False
        start += outputs
        matrix.forget()
    return True


def in_8_bits(rows: torch.Tensor, group: int) -> torch.Tensor:
    """Round rows to whole multiples, up to 127, of a unit that a group of inputs shares."""
    grouped = rows.unflatten(1, (-1, group))
    unit = grouped.abs().amax(-1, keepdim=True) / 127
    return (torch.round(grouped * torch.where(unit > 0, 1 / unit, 0.0)) * unit).flatten(1)


def _leave_files(model: Any) -> None:
    """Copy weights that are mapped from their file: a fused matrix replaces several, whose pages would stay."""
    if model.device.type == "cpu":
        with torch.inference_mode(mode=False):  # the clones stay ordinary tensors
            for weight in model.parameters():
                weight.data = weight.data.clone()


def warm_up(model: LanguageModel) -> None:
    """Make the slow first passes of a process before its first run."""
    if isinstance(model.forward_pass, ReplayedPass):
        model.forward_pass.prepare()
    if isinstance(model.forward_pass, CompiledPass):
        model.forward_pass.tune()
    tree = TokenTree([1, 2])
    for width in (1, 2, 5, 1):
        for _ in range(2):
            nodes = [tree.trunk[-1]]
            while len(nodes) < width:
                nodes.append(tree.add(nodes[-1], 3))
            model.forward(tree, nodes)
            tree.retain([tree.add(nodes[-1], 4)])


def _check_in_trees(model: LanguageModel) -> None:
    """Check two trees: a small one, and one that is longer than the model's windows and chunks."""
    _check_tree(model, [1, 2])
    with narrowed(model.model, NARROW):
        _check_tree(model, [1 + index % 2 for index in range((shortest_window(model.config) or 2 * NARROW) + 1)])


@torch.inference_mode()
def _check_tree(model: LanguageModel, trunk: list[int]) -> None:
    tree = TokenTree(trunk)
    model.logits(tree, tree.trunk[-2:-1])  # the rest is read behind a cache
    branches = [tree.add(tree.trunk[-1], token) for token in (3, 4)]
    leaves = [tree.add(branches[0], 5), tree.add(branches[1], 5)]
    for _ in range(2):
        in_tree = model.logits(tree, leaves)
        check_logits(model, tree, leaves, in_tree)
        alone = torch.cat([model.logits(TokenTree(text), [len(text) - 1]) for text in map(tree.context, leaves)])
        _refuse_difference(model, in_tree, alone)
        tree.retain(leaves[-1:])  # and what is cut off is out of the cache
        leaves = [tree.add(leaves[-1], 3)]


def _refuse_difference(model: LanguageModel, logits: torch.Tensor, alone: torch.Tensor) -> None:
    if _same(model, logits, alone):
        return
    title = f"{model.name} ({model.config.model_type})"
    if model.dtype in (torch.float16, torch.bfloat16):  # Rounding may be all of the difference there.
        raise PlaygroundError(
            f"{title} computes other logits in a tree than along its paths in {name_of(model.dtype)}, where rounding "
            "may be all of it. Choose float32."
        )
    raise PlaygroundError(
        f"{title} computes other logits for a token where it reads others beside it, by a mask or in rows of a batch. "
        "Choose another model."
    )


@torch.inference_mode()
def _check_along_paths(texts: dict[tuple[int, ...], torch.Tensor], model: LanguageModel) -> None:
    """Check rounds of drafts, verified at once and made depth by depth, accepted in part, longer than windows.

    Args:
        texts: logits after texts that have been read as `generate` reads them; more are added.
    """
    assert isinstance(model.forward_pass, PathPass), "paths are read by their own pass"
    with narrowed(model.model, NARROW):
        tree = TokenTree([1, 2, 1, 3, 2])
        model.logits(tree, tree.trunk[-2:-1])
        for number in range(4):
            chain = [tree.trunk[-1]]
            for token in (3, 5, 4, 1, 2)[: 3 + number % 2]:
                chain.append(tree.add(chain[-1], token))
            nodes = [*chain, tree.add(chain[0], 4), tree.add(chain[1], 2)]
            for depth in sorted({tree.depths[node] for node in nodes}) if number % 2 else ():
                model.logits(tree, [node for node in nodes if tree.depths[node] == depth])
            logits = model.logits(tree, nodes)
            check_logits(model, tree, nodes, logits)
            for node in nodes:
                _step(model, tree.context(node), texts)
            _refuse_difference(model, logits, torch.stack([texts[tuple(tree.context(node))] for node in nodes]))
            tree.retain([tree.add(chain[2], 5) if number < 3 else chain[-1]])  # accepted in part, or as a whole
    _measure_state(model, model.forward_pass)


def _step(model: LanguageModel, text: list[int], texts: dict[tuple[int, ...], torch.Tensor]) -> None:
    """Read a text as `generate` does: its first tokens in one call, then token by token."""
    if tuple(text) in texts:
        return
    plain, start = PathPass(model.model, "kept"), 4
    logits, state = plain.run([text[:start]], None, [start - 1])
    for end in range(start + 1, len(text) + 1):
        if state and state.values:
            logits, state = plain.run([[text[end - 1]]], state, [0])
        else:
            logits, _ = plain.run([text[:end]], None, [end - 1])
        texts[tuple(text[:end])] = logits[0, 0]


def _measure_state(model: LanguageModel, path_pass: PathPass) -> None:
    """Measure what each token adds to the bytes of a state, and what is there without any."""
    if path_pass.kind == "whole":
        return
    plain = PathPass(model.model, "kept")  # A state that is to be cut also records what its last pass has replaced.
    short, long = (plain.run([[1, 2] * length], None, [0])[1] for length in (2, 4))
    if short and long:
        model.bytes_per_token = path_pass.bytes_per_token = (long.num_bytes() - short.num_bytes()) // 4
        path_pass.state_bytes = short.num_bytes() - 4 * path_pass.bytes_per_token


def planned_state_bytes(config: Any, item_bytes: float) -> int:
    """Bytes of one path's state without what grows with the text; 0 of a model without recurrences and convolutions.

    What a state holds differs by architecture: a model that takes no memory reads a few tokens, and is measured.
    """
    if not any(DynamicCache(config=config).is_linear):
        return 0
    dtype = torch.float32 if item_bytes > 2 else torch.bfloat16
    try:
        with torch.device("meta"), torch.inference_mode():
            model = AutoModelForCausalLM.from_config(config, dtype=dtype).eval()
            _, state = PathPass(model, "kept").run([[1] * PLANNED], None, [0])
    except Exception:  # The architecture's own code may look at numbers that are not there.
        return 0
    return max(0, state.num_bytes() - PLANNED * token_bytes(config, item_bytes)) if state else 0


def _same(model: LanguageModel, logits: torch.Tensor, expected: torch.Tensor) -> bool:
    return agree(logits, expected, roughly=model.bits in (8, 4))
