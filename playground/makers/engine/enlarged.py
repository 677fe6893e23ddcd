"""Models at the size of larger ones that compute what they computed: times of a real size, acceptance of a real pair.

Time depends on sizes, acceptance on what two models say. Where no large pair can be had, the bundled one is grown to
the sizes of one, with its function kept (Net2Net, Chen et al., arXiv:1511.05641, section 2.2):

    stream        the old widths, one constant, and zeros; each norm's weights make up for the longer mean
    heads         the old ones; what others read is multiplied by zeros
    neurons       the old ones; the others in pairs with opposite outputs
    layers        the old ones; the others add such pairs alone
    vocabulary    the old tokens; the others have logits below any that is drawn, by the constant

The added weights are random, not zeros: products of zeros take less power, and on some devices less time.
"""

import copy
import math
from dataclasses import dataclass
from typing import Any

import torch

from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.proof import check_tree_mask, try_fast_pass, warm_up

CONSTANT = 0.03  # in the stream; its square is less than what the norms add to a mean of squares, so it is taken off it
UNSAID = -1e7  # the factor of the constant in the logits of the added tokens


@dataclass(frozen=True, slots=True)
class Size:
    """Widths and depths of a Llama-shaped model with heads of 64.

    Attributes:
        width: of the stream.
        num_layers: L.
        inner: neurons of a layer's gated network.
        heads: of the queries.
        groups: of keys and values.
        vocab_size: V.
    """

    width: int
    num_layers: int
    inner: int
    heads: int
    groups: int
    vocab_size: int


SIZES = {  # widths, depths and vocabulary of Qwen2.5, with heads of 64 and more of keys and values
    "1.5B": Size(1536, 28, 8960, 24, 8, 151_936),
    "0.5B": Size(896, 24, 4864, 14, 7, 151_936),
    "0.2B": Size(896, 2, 4864, 14, 7, 151_936),  # the same but for its depth, as drafters are that share a target
}


def enlarged_pair(pair: LoadedPair, target: Size, draft: Size) -> LoadedPair:
    """Return a pair at these sizes that computes what this one computes, by the fastest pass that is right."""
    assert isinstance(pair.draft, LanguageModel), "a draft model is enlarged, not another drafter"
    return LoadedPair(_loaded(pair.target, target), _loaded(pair.draft, draft))


def _loaded(model: LanguageModel, size: Size) -> LanguageModel:
    plain = LanguageModel(
        enlarge(model.model, size), model.vocabulary, name=f"{model.name}, enlarged", vocab_size=size.vocab_size
    )
    loaded = try_fast_pass(check_tree_mask(plain))
    warm_up(loaded)
    return loaded


@torch.no_grad()
def enlarge(model: Any, size: Size, seed: int = 0) -> Any:
    """Make a transformers model of this size whose logits of the old tokens are unchanged, up to rounding.

    Args:
        model: Llama-shaped, embedding and output one matrix.
        size: in everything at least the model's.
        seed: of the weights that are added.
    """
    from transformers import AutoModelForCausalLM

    old, torch_device = model.config, model.device
    config = copy.deepcopy(old)
    config.hidden_size, config.intermediate_size, config.num_hidden_layers = size.width, size.inner, size.num_layers
    config.num_attention_heads, config.num_key_value_heads = size.heads, size.groups
    config.vocab_size = size.vocab_size
    # the mean of squares is over more numbers, of which one is CONSTANT: eps makes up for both, exactly
    config.rms_norm_eps = (old.rms_norm_eps * old.hidden_size - CONSTANT**2) / size.width
    assert config.rms_norm_eps > 0 and old.tie_word_embeddings, "a model that cannot be enlarged"
    torch.manual_seed(seed)
    with torch.device(torch_device):
        large = AutoModelForCausalLM.from_config(config, dtype=model.dtype).eval()
    width, trunk = old.hidden_size, large.model
    for number, layer in enumerate(trunk.layers):
        _add_nothing(layer)
        if number < old.num_hidden_layers:
            _fill(layer, model.model.layers[number], width, size)
    _fill_norm(trunk.norm, model.model.norm)
    trunk.norm.weight[width] = 1.0  # the only norm that reads the constant
    table = trunk.embed_tokens.weight
    table[: old.vocab_size] = 0
    table[: old.vocab_size, :width] = model.model.embed_tokens.weight
    table[: old.vocab_size, width] = CONSTANT
    table[old.vocab_size :, width] = UNSAID
    return large


def _add_nothing(layer: Any) -> None:
    """Make a random layer add 0: no head is read, and half of the neurons subtract what the other half adds."""
    layer.self_attn.o_proj.weight.zero_()
    _pair_neurons(layer.mlp, 0)


def _pair_neurons(network: Any, begin: int) -> None:
    """Pairs all neurons from here on; one that is left over adds nothing."""
    half = (network.down_proj.weight.shape[1] - begin) // 2
    first, second = slice(begin, begin + half), slice(begin + half, begin + 2 * half)
    for projection in (network.gate_proj, network.up_proj):
        projection.weight[second] = projection.weight[first]
    network.down_proj.weight[:, second] = -network.down_proj.weight[:, first]
    network.down_proj.weight[:, begin + 2 * half :] = 0


def _fill(layer: Any, old: Any, width: int, size: Size) -> None:
    """Put an old layer's function into a layer that adds nothing."""
    attention, from_ = layer.self_attn, old.self_attn
    head, num_heads = from_.head_dim, from_.k_proj.out_features // from_.head_dim
    shared, old_shared = size.heads // size.groups, from_.q_proj.out_features // from_.k_proj.out_features
    for number in range(num_heads):
        rows = slice(number * head, (number + 1) * head)
        for name in ("k_proj", "v_proj"):
            getattr(attention, name).weight[rows, :width] = getattr(from_, name).weight[rows]
        for query in range(old_shared):  # the queries of one head of keys stay together
            there, here = (number * shared + query) * head, (number * old_shared + query) * head
            attention.q_proj.weight[there : there + head, :width] = from_.q_proj.weight[here : here + head]
            attention.o_proj.weight[:width, there : there + head] = from_.o_proj.weight[:, here : here + head]
    inner = old.mlp.gate_proj.out_features
    for name in ("gate_proj", "up_proj"):
        getattr(layer.mlp, name).weight[:inner, :width] = getattr(old.mlp, name).weight
    layer.mlp.down_proj.weight[:, :inner] = 0
    layer.mlp.down_proj.weight[:width, :inner] = old.mlp.down_proj.weight
    _pair_neurons(layer.mlp, inner)
    for name in ("input_layernorm", "post_attention_layernorm"):
        _fill_norm(getattr(layer, name), getattr(old, name))


def _fill_norm(norm: Any, old: Any) -> None:
    """Scale the old norm's numbers for a mean over more of them."""
    width = len(old.weight)
    norm.weight.zero_()
    norm.weight[:width] = old.weight * math.sqrt(width / len(norm.weight))
