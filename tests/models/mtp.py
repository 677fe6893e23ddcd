"""Checkpoints with an MTP layer as families publish them, and the formula of one in plain torch, without a cache."""

import copy
import json
from functools import partial

import torch
from safetensors.torch import load_file, save_file
from torch.nn.functional import linear
from transformers import AutoConfig, AutoModelForCausalLM

from playground.models.drafters.mtp import MtpFolder
from playground.models.language_model import LanguageModel
from playground.models.passes.features import Recorder
from playground.models.passes.path_pass import PathPass
from playground.models.passes.plain_pass import PlainPass
from playground.models.sources.checkpoint import read_model
from tests.models.small import Numbers, wild

HEADS_OF_STREAMS = {"fn": (2, 64), "base": (2,), "scale": (1,)}
WIDTH, LAYERS, LAST = 32, 2, "model.layers.2."
SIZES = {
    "vocab_size": 61, "hidden_size": WIDTH, "intermediate_size": 48, "num_hidden_layers": LAYERS + 1,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 256,
    "bos_token_id": 0, "eos_token_id": None, "pad_token_id": 0,
}  # fmt: skip
MOE = {"num_experts": 4, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
LINEAR = {f"linear_{name}": value for name, value in {
    "num_key_heads": 2, "num_value_heads": 4, "key_head_dim": 8, "value_head_dim": 8}.items()}  # fmt: skip
HYBRID = SIZES | LINEAR | {"layer_types": ["linear_attention", "full_attention", "full_attention"]}
GROUPS = {"n_group": 1, "topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 1}
LATENT = {
    "kv_lora_rank": 16, "q_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8,
    "num_key_value_heads": 4,
}  # fmt: skip
SLIDING = {
    "layer_types": ["full_attention", "sliding_attention", "sliding_attention"], "sliding_window": 4,
    "mlp_layer_types": ["dense", "sparse", "dense"], "v_head_dim": 8, "num_key_value_heads": 2,
}  # fmt: skip
STREAMS = {
    "num_key_value_heads": 1, "q_lora_rank": 16, "partial_rotary_factor": 0.5, "o_groups": 2, "o_lora_rank": 8,
    "index_n_heads": 2, "index_head_dim": 8, "index_topk": 4, "hc_mult": 2, "hc_sinkhorn_iters": 3, "sliding_window": 8,
    "layer_types": ["heavily_compressed_attention", "sliding_attention", "sliding_attention"],
    "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 8},
    "mlp_layer_types": ["hash_moe", "moe", "moe"],
}  # fmt: skip
QWEN = ("mtp.layers.0.", {"enorm": "mtp.pre_fc_norm_embedding", "hnorm": "mtp.pre_fc_norm_hidden", "eh_proj": "mtp.fc",
                          "norm": "mtp.norm"})  # fmt: skip
DEEPSEEK = (LAST, {name: LAST + name for name in ("enorm", "hnorm", "eh_proj")} | {"norm": f"{LAST}shared_head.norm"})
MIMO = "model.mtp_layers.0."
NAMED = {"enorm": "token_layernorm", "hnorm": "hidden_layernorm", "eh_proj": "input_proj", "norm": "final_layernorm"}
OF_V2 = {"enorm": "enorm", "hnorm": "hnorm", "eh_proj": "eh_proj", "norm": "final_layernorm"}
MIMO_V2 = ("model.mtp.layers.0.", {part: f"model.mtp.layers.0.{name}" for part, name in OF_V2.items()})
V4 = ("mtp.0.", {"enorm": "mtp.0.enorm", "hnorm": "mtp.0.hnorm", "eh_proj": "mtp.0.eh_proj", "norm": "mtp.0.norm"})
# Each has its type, its configuration, and the names of the layer and of its own parts in the files.
FAMILIES = {
    "Qwen3-Next": ("qwen3_next", HYBRID | MOE | {"shared_expert_intermediate_size": 16}, QWEN),
    "Qwen3.5": ("qwen3_5_text", HYBRID, QWEN),
    "DeepSeek V3": ("deepseek_v3", SIZES | MOE | GROUPS | LATENT, DEEPSEEK),
    "GLM 4.5": ("glm4_moe", SIZES | MOE | GROUPS, DEEPSEEK),
    "MiMo 7B": ("qwen2", SIZES, (MIMO, {part: MIMO + name for part, name in NAMED.items()})),
    "MiMo V2": ("mimo_v2_flash", SIZES | MOE | GROUPS | SLIDING, MIMO_V2),
    "DeepSeek V4": ("deepseek_v4", SIZES | MOE | STREAMS, V4),
    "speculators": ("qwen3", SIZES, (MIMO, {part: MIMO + name for part, name in NAMED.items()})),
}  # fmt: skip
KEPT = partial(PathPass, kind="kept")
PASSES = {"Qwen3-Next": KEPT, "Qwen3.5": KEPT, "DeepSeek V4": KEPT}
STATE_FIRST = {"MiMo 7B"}
NOT_NORMED = {"MiMo 7B", "DeepSeek V4"}
SLIDES = {"MiMo V2": "sliding_attention", "DeepSeek V4": "main"}  # Their windows are short; the rotation has this name.


def save_family(name, folder):
    """Write a random model of a family with an MTP layer, which is the last layer of a model that has one more.

    Returns:
        The larger model, and the weights of the layer's own parts.
    """
    kind, sizes, (prefix, places) = FAMILIES[name]
    torch.manual_seed(3)
    larger = wild(AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **sizes), dtype=torch.float32), 0.25)
    larger.save_pretrained(folder)
    draws = torch.Generator().manual_seed(4)
    shapes = {"enorm": (WIDTH,), "hnorm": (WIDTH,), "eh_proj": (WIDTH, 2 * WIDTH), "norm": (WIDTH,)}
    parts = {part: 0.3 * torch.randn(shape, generator=draws) + (len(shape) == 1) for part, shape in shapes.items()}
    saved = load_file(folder / "model.safetensors")
    layer = {place: saved.pop(place) for place in list(saved) if place.startswith(LAST)}
    layer = {prefix + place.removeprefix(LAST): weight for place, weight in layer.items()}
    if name == "MiMo V2":
        layer = {place.replace("post_attention_layernorm", "pre_mlp_layernorm"): each for place, each in layer.items()}
    if name == "DeepSeek V3":  # It has second copies of what it shares.
        layer |= {f"{LAST}shared_head.head.weight": torch.zeros(61, WIDTH)}
    layer |= {f"{places[part]}.weight": weight for part, weight in parts.items()}
    if name == "DeepSeek V4":  # Its matrix is in two halves, and a head joins its streams.
        halves = layer.pop("mtp.0.eh_proj.weight").chunk(2, 1)
        layer |= {f"mtp.0.{kind}_proj.weight": half.contiguous() for kind, half in zip("eh", halves, strict=True)}
        parts |= {f"hc_{kind}": torch.randn(shape, generator=draws) for kind, shape in HEADS_OF_STREAMS.items()}
        layer |= {f"mtp.0.hc_head_{kind}": parts[f"hc_{kind}"] for kind in HEADS_OF_STREAMS}
    about = json.loads((folder / "config.json").read_text())
    about |= {"num_hidden_layers": LAYERS}
    about |= {each: about[each][:LAYERS] for each in ("layer_types", "mlp_layer_types") if about.get(each)}
    (folder / "config.json").write_text(json.dumps(about))
    save_file(saved | ({} if name == "speculators" else layer), folder / "model.safetensors", metadata={"format": "pt"})
    if name == "speculators":
        (folder / "mtp").mkdir()
        own = {"transformer_layer_config": about, "speculators_model_type": "mtp", "speculators_config": {}}
        (folder / "mtp" / "config.json").write_text(json.dumps(own))
        save_file(layer, folder / "mtp" / "model.safetensors")
    return larger, parts


def target_of(name, folder):
    """Return the model of a folder, whose features are recorded, and its MTP layer."""
    model, _ = read_model(AutoModelForCausalLM, folder, "it", dtype=torch.float32)
    model.generation_config.eos_token_id = None
    target = LanguageModel(model, Numbers(), name="it", forward_pass=PASSES.get(name, PlainPass)(model))
    own = MtpFolder.read(folder / "mtp", "it") if name == "speculators" else MtpFolder.find(folder, "it", target.config)
    target.recorder = Recorder(model, own.taps(target))
    target.mtp = own
    return target, own.set_on(target)


@torch.inference_mode()
def says(name, larger, parts, target, text, num_read):
    """Logits after a text whose first `num_read` tokens the target has read, by the formula of its family. (V,)"""
    model, ids = target.model, torch.tensor([text])
    given = []
    hooks = [
        each.register_forward_hook(lambda _, before, after: given.append(after[0].flatten(1)))
        for each in (model.model.layers[-1], model.model.norm)
    ]
    model(ids, use_cache=False)
    for hook in hooks:
        hook.remove()
    states = given[name not in NOT_NORMED]
    embedded = model.model.embed_tokens(ids[0])
    features = list(states[:num_read])
    for last in range(min(num_read, len(text) - 1), len(text)):
        guesses = _step(name, larger, parts, embedded[1 : last + 1], torch.stack(features[:last]))
        features[last:] = [guesses[-1]]
    return model.lm_head(_of_streams(larger, parts, guesses[-1:])[0] if name == "DeepSeek V4" else guesses[-1])


def _step(name, larger, parts, embedded, before):
    config, count = larger.config, len(embedded)
    if name == "DeepSeek V4":
        embedded, before = embedded[:, None].expand(-1, 2, -1), before.unflatten(1, (2, -1))
    token, state = _normalised(larger, embedded, parts["enorm"]), _normalised(larger, before, parts["hnorm"])
    stream = linear(torch.cat([state, token] if name in STATE_FIRST else [token, state], -1), parts["eh_proj"])[None]
    ids = torch.arange(1, count + 1)[None]
    rotation = {"layer_type": SLIDES[name]} if name in SLIDES else {}
    turns = larger.model.rotary_emb(stream, position_ids=ids, **rotation)
    distance = ids[0][:, None] - ids[0]
    hidden = (distance < 0) | (distance >= (config.sliding_window if name in SLIDES else count))
    mask = torch.zeros(count, count).masked_fill(hidden, torch.finfo(torch.float32).min)[None, None]
    turns = {"main": turns} if name == "DeepSeek V4" else turns
    given = {"attention_mask": mask, "position_ids": ids, "position_embeddings": turns}
    output = larger.model.layers[LAYERS](stream, **given)
    return output[0].flatten(1) if name == "DeepSeek V4" else _normalised(larger, output[0], parts["norm"])


def _of_streams(larger, parts, guesses):
    """Return the guesses' streams as one, after the last norm. (n, width)"""
    streams, eps = guesses.unflatten(1, (2, -1)), larger.config.rms_norm_eps  # (n, 2, width)
    flat = guesses * torch.rsqrt(guesses.square().mean(-1, keepdim=True) + eps)
    weights = torch.sigmoid(linear(flat, parts["hc_fn"]) * parts["hc_scale"] + parts["hc_base"]) + larger.config.hc_eps
    return _normalised(larger, (weights[..., None] * streams).sum(1), parts["norm"])


def _normalised(larger, rows, weight):
    """Return rows after a norm of the model's own kind, some of which count their weight from 1."""
    norm = copy.deepcopy(larger.model.norm)
    norm.weight.copy_(weight)
    return norm(rows)
