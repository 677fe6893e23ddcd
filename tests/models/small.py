"""Small random models of several architectures, and a vocabulary of their token numbers."""

import torch
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig, OPTConfig, Qwen2Config

from playground.models.language_model import LanguageModel

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


class Numbers:
    """Token 7 reads '7 '."""

    def encode(self, text):
        return [int(word) for word in text.split()]

    def decode(self, tokens):
        return "".join(f"{token} " for token in tokens)

    def piece(self, token):
        return f"{token} "


def random_model(shape: str, seed: int = 0) -> LanguageModel:
    """A model with weights large enough that its distributions are uneven."""
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(SHAPES[shape], dtype=torch.float32)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(6.0)
    model.generation_config.eos_token_id = None
    model.config.eos_token_id = None
    return LanguageModel(model, Numbers(), name=f"{shape}-{seed}")
