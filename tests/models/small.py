"""Small random models of several architectures, and a vocabulary of their token numbers."""

import copy

import torch
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    LlamaConfig,
    MistralConfig,
    OPTConfig,
    Qwen2Config,
    Qwen3Config,
)

from playground.models.language_model import LanguageModel
from playground.models.passes.lean_pass import LeanPass

SHAPES = {
    "llama": LlamaConfig(
        vocab_size=61, hidden_size=32, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=256,
    ),
    "gpt2": GPT2Config(vocab_size=61, n_embd=32, n_layer=3, n_head=4, n_positions=256),
    "opt": OPTConfig(
        vocab_size=61, hidden_size=32, ffn_dim=64, num_hidden_layers=3, num_attention_heads=4, word_embed_proj_dim=32,
        max_position_embeddings=256,
    ),
    "qwen2": Qwen2Config(
        vocab_size=61, hidden_size=32, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=256,
    ),
}  # fmt: skip
LEAN = {
    "llama": SHAPES["llama"],
    "tied llama with biases": LlamaConfig(
        vocab_size=61, hidden_size=32, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=512, tie_word_embeddings=True, attention_bias=True,
        mlp_bias=True,
    ),
    "llama 3": LlamaConfig(
        vocab_size=61, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=512, rope_parameters={
            "rope_type": "llama3", "rope_theta": 10_000.0, "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
        },
    ),
    "mistral": MistralConfig(
        vocab_size=61, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=512, sliding_window=None,
    ),
    "qwen2": SHAPES["qwen2"],
    "qwen3": Qwen3Config(
        vocab_size=61, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, head_dim=16,
        num_key_value_heads=2, max_position_embeddings=512,
    ),
}  # fmt: skip


class Numbers:
    """Token 7 reads '7 '."""

    def encode(self, text):
        return [int(word) for word in text.split()]

    def decode(self, tokens):
        return "".join(f"{token} " for token in tokens)

    def piece(self, token):
        return f"{token} "


def wild(network, size):
    """The network with weights of which none is as it began."""
    draws = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn(weight.shape, generator=draws) * size)
    return network.eval()


def random_model(shape: str, seed: int = 0, *, lean: bool = False, context: int | None = None) -> LanguageModel:
    """A random model of one of the shapes, with the lean pass or transformers' own."""
    config = copy.deepcopy((LEAN if lean else SHAPES)[shape])
    if context is not None:
        config.max_position_embeddings = context
    return random_of(config, seed, f"{shape}-{seed}", LeanPass if lean else None)


def random_of(config, seed: int = 0, name: str = "random", make_pass=None) -> LanguageModel:
    """A model of a configuration, with weights large enough that its distributions are uneven, and without an end."""
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(6.0)
            else:  # biases begin as 0 and norms as 1: any value that is left out must show
                parameter.add_(torch.randn_like(parameter) * 0.2)
    model.generation_config.eos_token_id = model.config.eos_token_id = None
    return LanguageModel(model, Numbers(), name=name, forward_pass=make_pass(model) if make_pass else None)


def generated(model, prompt, num_tokens: int, **settings) -> list[int]:
    """Return what transformers' `generate` writes after a prompt: greedily, unless the settings say otherwise.

    Args:
        model: of transformers.
    """
    ids = torch.tensor([[*prompt]])
    usual = {"max_new_tokens": num_tokens, "do_sample": False, "pad_token_id": 0}
    return model.generate(ids, attention_mask=torch.ones_like(ids), **usual | settings)[0, len(prompt) :].tolist()
