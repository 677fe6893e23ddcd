"""A Llama-shaped model of transformers whose matrices stay in their file.

Every module is there, and a matrix is widened to float32 each time that a module multiplies by it: slow, and right. The
pass that runs the model reads the file's blocks once, in its own order (`passes.block_pass`).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from torch.nn import functional

from playground.models.sources.gguf_blocks import FileMatrix

HEAD, EMBEDDING = "lm_head.weight", "model.embed_tokens.weight"
WITNESS_LAYERS, WITNESS_TOKENS = 2, 64  # A model of this size is small enough to be widened.


class FileWeight(torch.nn.Module):
    """A matrix in place of a module's weight."""

    bias: torch.nn.Parameter | None

    def __init__(self, matrix: FileMatrix, before: Any, size: torch.nn.Parameter) -> None:
        super().__init__()
        self.matrix, self.bias = matrix, getattr(before, "bias", None)
        self.out_features, self.in_features = matrix.shape
        self.size = size  # It stands on no device for the weight.

    @property
    def weight(self) -> torch.Tensor:
        """(outputs, inputs) float32, made anew"""
        return torch.from_numpy(self.matrix.widened())


class FileLinear(FileWeight):
    """A linear layer."""

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """(..., inputs) to (..., outputs)"""
        return functional.linear(rows, self.weight, self.bias)


class FileEmbedding(FileWeight):
    """An embedding, which widens the rows that are looked up."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(...) to (..., inputs)"""
        return torch.from_numpy(self.matrix.rows(tokens.ravel().numpy()).widened()).view(*tokens.shape, -1)


def file_model(config: Any, read: Callable[[list[str]], dict[str, FileMatrix] | None]) -> Any | None:
    """Return a model whose matrices stay in their file; None where they cannot.

    Args:
        config: of transformers, of a Llama-shaped family.
        read: returns the matrices of parameters by their names; see `file_matrices` and `folder_matrices`.
    """
    model = _without_weights(config)
    matrices = read([name for name, _ in model.named_parameters()])
    if matrices is None or any(matrices[name].shape != tuple(each.shape) for name, each in _matrices_of(model)):
        return None
    sizes = dict(_matrices_of(model))
    for name, before in list(model.named_modules()):
        weight = f"{name}.weight"
        weight = EMBEDDING if weight == HEAD and HEAD not in matrices else weight
        if isinstance(before, torch.nn.Linear | torch.nn.Embedding):
            kind = FileLinear if isinstance(before, torch.nn.Linear) else FileEmbedding
            model.set_submodule(name, kind(matrices[weight], before, sizes[weight]))
    _fill(model, matrices)
    return model


def witness_of(model: Any) -> tuple[Any, dict[str, FileMatrix]]:
    """Return the first layers of a model that stays in its file, widened, and the matrices that it is made of.

    It has few tokens, so that it is small, and is run by the same code as the whole model.
    """
    config = deepcopy(model.config)
    config.num_hidden_layers = min(WITNESS_LAYERS, config.num_hidden_layers)
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[: config.num_hidden_layers]
    config.vocab_size = min(WITNESS_TOKENS, config.vocab_size)
    config.bos_token_id = config.eos_token_id = config.pad_token_id = None
    witness, matrices = _without_weights(config), matrices_in(model)
    tables = {name: matrices[name] for name in ("lm_head", "model.embed_tokens")}
    # The two tables may be one matrix.
    of_few_tokens = {id(each): each.rows(slice(config.vocab_size)) for each in tables.values()}
    matrices |= {name: of_few_tokens[id(each)] for name, each in tables.items()}
    for name, module in witness.named_modules():
        if isinstance(module, torch.nn.Linear | torch.nn.Embedding):
            module.weight = torch.nn.Parameter(torch.from_numpy(matrices[name].widened()), requires_grad=False)
            matrices[name].forget()
    parameters = dict(model.named_parameters())
    for name, parameter in list(witness.named_parameters()):
        if parameter.is_meta:
            _set(witness, name, parameters[name])
    return witness, matrices


def weight_rows(module: Any, index: Any) -> torch.Tensor:
    """Return some rows of a module's weight, which may stay in a file. (rows, inputs)"""
    matrix = getattr(module, "matrix", None)
    return module.weight.detach()[index] if matrix is None else torch.from_numpy(matrix.rows(index).widened())


def matrices_in(model: Any) -> dict[str, FileMatrix]:
    """Return the matrices that stay in a model's file, by the names of their modules."""
    return {name: each.matrix for name, each in model.named_modules() if isinstance(each, FileWeight)}


def _without_weights(config: Any) -> Any:
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    rotary = model.model.rotary_emb
    model.model.rotary_emb = type(rotary)(config)  # its table of frequencies is made, not read
    return model


def _matrices_of(model: Any) -> list[tuple[str, torch.nn.Parameter]]:
    return [(name, each) for name, each in model.named_parameters() if each.ndim == 2]


def _fill(model: Any, matrices: dict[str, FileMatrix]) -> None:
    """Read norms and biases, which are small."""
    for name, parameter in list(model.named_parameters()):
        if parameter.ndim == 1:
            _set(model, name, torch.from_numpy(matrices[name].widened().copy()).view(parameter.shape))


def _set(model: Any, name: str, values: torch.Tensor) -> None:
    module, _, parameter = name.rpartition(".")
    setattr(model.get_submodule(module), parameter, torch.nn.Parameter(values, requires_grad=False))
