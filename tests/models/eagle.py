"""An EAGLE-3 head in plain torch, without cache, tree or pass; and folders of such heads as others publish them."""

import json

import torch
from safetensors.torch import save_file
from torch.nn.functional import linear, scaled_dot_product_attention, silu

WIDTH, HEADS, GROUPS, FEED_FORWARD, EPS, THETA = 32, 4, 2, 24, 1e-5, 10_000.0
LAYER = {
    "hidden_size": WIDTH, "intermediate_size": FEED_FORWARD, "num_attention_heads": HEADS,
    "num_key_value_heads": GROUPS, "rms_norm_eps": EPS, "rope_theta": THETA, "vocab_size": 61, "hidden_act": "silu",
    "max_position_embeddings": 256, "model_type": "llama", "num_hidden_layers": 1,
}  # fmt: skip
ORIGINAL = {"architectures": ["LlamaForCausalLMEagle3"], "draft_vocab_size": 20}
SPECULATORS = {"architectures": ["Eagle3Speculator"], "speculators_model_type": "eagle3", "draft_vocab_size": 20}


def random_weights(tokens=None, *, vocab=61, num_taps=3, seed=3, **changes):
    """Return weights by the names of speculators, for a draft vocabulary if one is given."""
    draws = torch.Generator().manual_seed(seed)
    size = WIDTH // HEADS
    shapes = {
        "fc.weight": (WIDTH, num_taps * WIDTH),
        "layers.0.self_attn.q_proj.weight": (HEADS * size, 2 * WIDTH),
        "layers.0.self_attn.k_proj.weight": (GROUPS * size, 2 * WIDTH),
        "layers.0.self_attn.v_proj.weight": (GROUPS * size, 2 * WIDTH),
        "layers.0.self_attn.o_proj.weight": (WIDTH, WIDTH),
        "layers.0.mlp.gate_proj.weight": (FEED_FORWARD, WIDTH),
        "layers.0.mlp.up_proj.weight": (FEED_FORWARD, WIDTH),
        "layers.0.mlp.down_proj.weight": (WIDTH, FEED_FORWARD),
        "lm_head.weight": (len(tokens or range(vocab)), WIDTH),
    }
    norms = ("layers.0.input_layernorm", "layers.0.hidden_norm", "layers.0.post_attention_layernorm", "norm")
    shapes |= {f"{name}.weight": (WIDTH,) for name in norms} | changes
    weights = {name: 0.4 * torch.randn(shape, generator=draws) + (len(shape) == 1) for name, shape in shapes.items()}
    if tokens:
        known = torch.zeros(vocab, dtype=torch.bool)
        known[tokens] = True
        weights |= {"d2t": torch.tensor(tokens) - torch.arange(len(tokens)), "t2d": known}
    return weights


def save_original(folder, weights, **about):
    """Write the layout of the authors' repository: one flat configuration, `midlayer`, weights of the old format."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(LAYER | ORIGINAL | about))
    torch.save({name.replace("layers.0.", "midlayer."): each for name, each in weights.items()}, folder / BIN)
    return folder


BIN = "pytorch_model.bin"


def save_speculators(folder, weights, **about):
    """Write the layout of speculators."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"transformer_layer_config": LAYER} | SPECULATORS | about))
    save_file({name: each.contiguous() for name, each in weights.items()}, folder / "model.safetensors")
    return folder


def hidden_states(model, text):
    """Return the hidden states of a transformers model: its embeddings, then each layer's output. (L + 1, T, width)"""
    states = [model.model.embed_tokens(torch.tensor(text))]
    hooks = [
        layer.register_forward_hook(lambda *given: states.append(given[-1][0] if given[-1].ndim == 3 else given[-1]))
        for layer in model.model.layers
    ]
    model(torch.tensor([text]))
    for hook in hooks:
        hook.remove()
    return torch.stack(states)


def normalised(rows, weight):
    return rows * torch.rsqrt(rows.square().mean(-1, keepdim=True) + EPS) * weight


def turned(heads, positions):
    """(n, H, D)"""
    size = heads.shape[-1]
    angles = positions[:, None] * THETA ** (-torch.arange(0, size, 2) / size)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    first, second = heads.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def one_step(weights, about, embedded, before):
    """Logits over the draft vocabulary and guesses after some tokens from the second on, of the features before each.

    Args:
        embedded, before: (n, width)
    """
    layer = {name.removeprefix("layers.0."): each for name, each in weights.items()}
    state = normalised(before, layer["hidden_norm.weight"])
    pairs = torch.cat([normalised(embedded, layer["input_layernorm.weight"]), state], 1)
    count, positions = len(pairs), torch.arange(len(pairs))
    q, k, v = (linear(pairs, layer[f"self_attn.{name}_proj.weight"]).view(count, -1, WIDTH // HEADS) for name in "qkv")
    q, k = turned(q, positions), turned(k, positions)
    k, v = (each.repeat_interleave(HEADS // GROUPS, 1) for each in (k, v))
    q, k, v = (each.transpose(0, 1) for each in (q, k, v))
    mixed = scaled_dot_product_attention(q, k, v, is_causal=True).transpose(0, 1).reshape(count, -1)
    stream = (state if about.get("norm_before_residual") else before) + linear(mixed, layer["self_attn.o_proj.weight"])
    inner = normalised(stream, layer["post_attention_layernorm.weight"])
    gated = silu(linear(inner, layer["mlp.gate_proj.weight"])) * linear(inner, layer["mlp.up_proj.weight"])
    stream = stream + linear(gated, layer["mlp.down_proj.weight"])
    last = normalised(stream, weights["norm.weight"])
    return linear(last, weights["lm_head.weight"]), last if about.get("norm_output") else stream


@torch.inference_mode()
def says(model, weights, about, taps, text, num_read):
    """Logits over the target's vocabulary after a text whose first `num_read` tokens the target has read. (V,)"""
    states = torch.cat([*hidden_states(model, text)[taps]], 1)
    if about.get("norm_before_fc"):
        states = normalised(states, weights["input_norm.weight"])
    if about.get("fc_norm"):
        parts = enumerate(states.split(WIDTH, 1))
        states = torch.cat([normalised(part, weights[f"fc_norm.{number}.weight"]) for number, part in parts], 1)
    features = list(linear(states, weights["fc.weight"])[:num_read])
    table = weights.get("embed_tokens.weight", model.model.embed_tokens.weight)
    embedded = table[torch.tensor(text)]
    for last in range(min(num_read, len(text) - 1), len(text)):
        logits, guesses = one_step(weights, about, embedded[1 : last + 1], torch.stack(features[:last]))
        features[last:] = [guesses[-1]]
    return over_vocabulary(logits[-1], weights, model.config.vocab_size)


def over_vocabulary(logits, weights, vocab):
    """(K,) to (V,)"""
    if "d2t" not in weights:
        return logits
    wide = torch.full((vocab,), -torch.inf)
    wide[torch.arange(len(logits)) + weights["d2t"]] = logits
    return wide
