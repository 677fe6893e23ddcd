"""A multi-token-prediction (MTP) layer: one more layer of a model, trained to predict the token after the next.

It reads the embedding of a token and the target's last hidden state at the token before, each normalised, through one
matrix, and is a layer like the target's own. Its last norm gives its guess at the next hidden state and, through the
target's output layer, q. Chained, it goes on from its own guess:

    last hidden state of x0      h
    embedding of x1 next to it  e h   -> matrix -> layer -> norm -> h' -> output layer -> q of x2
    the token that was drafted, x2    e h' -> matrix -> layer -> norm -> h'' ...

What differs by family is where its weights are in the files, which of the two comes first, and whether the state of the
target is that after its last norm; see `DESCRIPTIONS`. A wrong state is never seen in a text: it is seen in what is
accepted. The first token of a text has no state before it: the layer does not read it, and no other token sees it. Of
several such layers the first one runs, chained, as in vLLM.

Papers: DeepSeek-AI 2024, DeepSeek-V3, arXiv 2412.19437, section 2.2. Cai et al. 2025, FastMTP, arXiv 2509.18362: one
layer, chained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from playground.errors import PlaygroundError
from playground.models.drafters.feature_drafter import FeatureDrafter
from playground.models.passes.features import Features
from playground.models.passes.plain_pass import GrowingCache, PlainPass
from playground.models.passes.slots import causal_mask
from playground.models.sources.checkpoint import listed
from playground.models.sources.folder import CONFIG, read_object
from playground.models.sources.memory_estimate import tensor_sizes

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.trace.events import Facts

# Families call the parts differently that transformers' MTP layers have; other names belong to the layer inside.
PARTS = {
    "enorm": "enorm", "pre_fc_norm_embedding": "enorm", "token_layernorm": "enorm",
    "hnorm": "hnorm", "pre_fc_norm_hidden": "hnorm", "hidden_layernorm": "hnorm",
    "eh_proj": "eh_proj", "fc": "eh_proj", "input_proj": "eh_proj",
    "shared_head.norm": "post_norm", "norm": "post_norm", "final_layernorm": "post_norm",
    "pre_mlp_layernorm": "mtp_block.post_attention_layernorm",
    "hc_head_fn": "hc_head.hc_fn", "hc_head_base": "hc_head.hc_base", "hc_head_scale": "hc_head.hc_scale",
}  # fmt: skip
SHARED = ("shared_head.head.", "embed_tokens.", "head.", "emb.")  # These are second copies of the target's own.
HALVES = ("e_proj", "h_proj")  # The products of these two, with the embedding and the state, are added.
PROBLEM_LETTERS = 160


class Description(NamedTuple):
    """The form of one family's MTP layer."""

    families: str
    prefix: str  # This expression matches the beginning of its weights' names; {last} is the number of layers.
    is_state_first: bool = False  # The matrix may read the state before the embedding.
    is_normed: bool = True  # The layer reads the target's state after its last norm, or before it.
    layer_type: str = "full_attention"  # The configuration may name another.
    has_streams: bool = False  # States and guesses may be several streams, which are joined for the output layer.


SPECULATORS = Description("speculators", r"(?:model\.)?mtp_layers\.0\.")
DESCRIPTIONS = (
    Description("DeepSeek V3, GLM 4.5 and later, Ling, Sarvam", r"(?:model\.)?layers\.{last}\."),
    Description("MiMo V2", r"model\.mtp\.layers\.0\.", layer_type="sliding_attention"),
    Description("MiMo 7B", r"model\.mtp_layers\.0\.", is_state_first=True, is_normed=False),
    Description("DeepSeek V4", r"mtp\.0\.", is_normed=False, layer_type="sliding_attention", has_streams=True),
    Description("Qwen3-Next, Qwen3.5, Mellum", r"mtp\.(?:layers\.0\.|(?!layers\.|\d))"),
)


@dataclass(frozen=True, slots=True)
class MtpFolder:
    """An MTP layer in the files of its target, or in a folder of its own, of which no weight is read yet."""

    folder: Path
    title: str  # A trace and messages call it so.
    description: Description
    names: Mapping[str, str]  # The weights' names in the files have these in transformers' MTP layers.
    layers: Any  # The size is estimated by this configuration.

    @classmethod
    def read(cls, folder: Path, title: str) -> MtpFolder:
        """Find the layer in a folder of its own, as the library speculators saves it.

        Raises:
            PlaygroundError: if there is none.
        """
        from transformers import AutoConfig

        about = read_object(folder / CONFIG, title)
        layer = about.get("transformer_layer_config") or {}
        own = {name: value for name, value in layer.items() if not name.endswith("layer_types")}
        names = _names(folder, SPECULATORS.prefix) if own else {}
        if not names:
            raise PlaygroundError(
                f"{title} is an MTP layer in a layout that is not read here: that of speculators is. Most models have "
                "theirs in their own files: name such a model as the target, and choose the drafter mtp."
            )
        try:
            config = AutoConfig.for_model(own.pop("model_type", ""), **own | {"num_hidden_layers": 1})
        except Exception as error:  # transformers raises any kind on values of the file.
            raise _unreadable(title, error) from None
        return cls(folder, title, SPECULATORS, names, config)

    @classmethod
    def find(cls, folder: Path, title: str, config: Any) -> MtpFolder | None:
        """Return the layer in a model's own files; None where they hold none that is read here."""
        for description in DESCRIPTIONS:
            if names := _names(folder, description.prefix.format(last=config.num_hidden_layers)):
                return cls(folder, f"MTP layer of {title}", description, names, config)
        return None

    def taps(self, target: LanguageModel) -> tuple[int, ...]:
        """Return the number of the target's last layer where its state is read as it is; see `Eagle3Head.taps`."""
        return () if self.description.is_normed else (target.config.num_hidden_layers,)

    def set_on(self, target: LanguageModel) -> MtpDrafter:
        """Read the layer, and set it on its target.

        Raises:
            PlaygroundError: if it cannot be read, or does not fit.
        """
        return MtpDrafter(target, self)


class MtpDrafter(FeatureDrafter):
    """A model as decoding needs one: see `Model`. It has the embedding and the output layer of its target."""

    def __init__(self, target: LanguageModel, mtp: MtpFolder) -> None:
        """Read an MTP layer, and set it on its target.

        Args:
            target: whose passes keep, or whose recorder records, what the layer reads.

        Raises:
            PlaygroundError: if it cannot be read, or does not fit.
        """
        super().__init__(target, mtp.title)
        self._is_normed, self._tokens, self._bits, self._reads = mtp.description.is_normed, None, None, {}
        try:
            self._layer = _read_layer(target, mtp)
            self._pass: Any = (_StreamsPass if mtp.description.has_streams else _MtpPass)(self._layer)
            self._feature_width = self._pass.width
            with torch.inference_mode():
                self._pass.measure()
        except PlaygroundError:
            raise
        except Exception as error:  # transformers and the architecture's own code raise any kind.
            raise _unreadable(mtp.title, error) from error
        shared = {*target.model.get_input_embeddings().parameters(), *self._layer.shared_head.parameters()}
        self.num_parameters = sum(weight.numel() for weight in {*self._layer.layers.parameters(), *shared})

    def facts(self) -> Facts:
        """Return name and size, as the trace records them."""
        return super().facts() | {"forward_pass": PlainPass.name}

    def _embedded(self, tokens: list[int]) -> torch.Tensor:
        return self._layer.embed_tokens(torch.tensor(tokens, device=self.device))

    def _features(self, read: Features, nodes: list[int]) -> torch.Tensor:
        if self._is_normed:
            return read.normed(nodes)
        last = self.target.taps.index(self.target.config.num_hidden_layers)
        return read.tapped(nodes).unflatten(1, (len(self.target.taps), -1))[:, last]

    def _joined(self, embedded: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        return torch.cat([embedded, before], 1)


class _MtpSlots(GrowingCache):
    """Keys and values of an MTP layer, and its guesses at the features."""

    def __init__(self, config: Any, features: torch.Tensor, bytes_per_token: int) -> None:
        super().__init__(config)
        self.features, self._bytes_per_token = features, bytes_per_token

    def keep(self, prefix: int, tail: list[int]) -> None:
        """Keep the first `prefix` slots, and move these up after them."""
        super().keep(prefix, tail)
        self.features = torch.cat([self.features[:prefix], self.features[tail]])

    def bytes_per_token(self) -> int:
        """Bytes of a slot, as measured."""
        return self._bytes_per_token


class _MtpPass:
    """The pass of an MTP layer. It runs from pairs, and no token sees the first one."""

    num_layers = 1

    def __init__(self, layer: Any) -> None:
        self._layer = layer
        self.width = layer.config.hidden_size  # A state has so many numbers.
        self._like = next(layer.layers.parameters())
        self._bytes_per_token = 0

    def slots(self) -> _MtpSlots:
        """Room for the keys and values of one tree."""
        return _MtpSlots(self._layer.config, self._like.new_empty(0, self.width), self._bytes_per_token)

    def measure(self) -> None:
        """Read two tokens, which shows that the layer runs, and how many bytes it keeps of each."""
        slots = self.slots()
        self.run_from(slots, self._like.new_zeros(2, self._layer.config.hidden_size + self.width), [0, 1], None, [1])
        self._bytes_per_token = GrowingCache.bytes_per_token(slots)

    def run_from(
        self, slots: _MtpSlots, stream: torch.Tensor, positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens; see `LeanPass.run_from`. (n, embedding and state) to (len(rows), V)"""
        start, count = len(slots.positions), len(positions)
        seen = causal_mask(start, count, stream) if mask is None else mask.clone()
        seen[0 if start else 1 :, 0] = torch.finfo(seen.dtype).min
        slots.positions += positions
        if slots.windows.hide(slots.positions):
            masks, _ = slots.windows.of(seen, positions, slots.positions)
        else:
            masks = seen[None, None]
        embedded, before = stream.split([self._layer.config.hidden_size, self.width], 1)  # (n, ...) each
        ids = torch.tensor([positions], device=stream.device)
        slots.features = torch.cat([slots.features, self._states(embedded, before, masks, ids, slots.cache)])
        return self._logits(slots.features[[start + row for row in rows]])

    def _states(self, embedded: torch.Tensor, before: torch.Tensor, mask: Any, ids: Any, cache: Any) -> torch.Tensor:
        """Return what the layer guesses, after its last norm. (n, width)"""
        layer_type = {"layer_type": self._layer.config.layer_types[0]} if self._layer.has_per_layer_rope else {}
        turns = self._layer.rotary_emb(embedded[None], position_ids=ids, **layer_type)
        return self._run(embedded[None], before[None], mask, ids, turns, cache)

    def _run(
        self, embedded: torch.Tensor, before: torch.Tensor, mask: Any, ids: Any, turns: Any, cache: Any
    ) -> torch.Tensor:
        first = self._layer.layers[0]
        arguments = {"attention_mask": mask, "position_ids": ids, "cache": cache}
        return first(embedded, before, position_embeddings=turns, **arguments)[0]

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        return self._layer._project_to_logits(states)


class _StreamsPass(_MtpPass):
    """The pass of an MTP layer between which and its target several streams go, each joined with the embedding."""

    def __init__(self, layer: Any) -> None:
        super().__init__(layer)
        self._num_streams = layer.config.hc_mult
        self.width *= self._num_streams

    def _states(self, embedded: torch.Tensor, before: torch.Tensor, mask: Any, ids: Any, cache: Any) -> torch.Tensor:
        streams = before.unflatten(1, (self._num_streams, -1))  # (n, streams, hidden)
        turns = {"main": self._layer.rotary_emb(embedded[None], position_ids=ids, layer_type="main")}
        return self._run(
            embedded[None, :, None].expand_as(streams[None]), streams[None], mask, ids, turns, cache
        ).flatten(1)

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        first = self._layer.layers[0]
        joined = first.hc_head(states.unflatten(1, (self._num_streams, -1))[None])
        return super()._logits(first.post_norm(joined)[0])


def load_mtp(target: LanguageModel) -> MtpDrafter:
    """Return the MTP layer that a target's own files hold.

    Raises:
        PlaygroundError: if they hold none, or it cannot be read.
    """
    if target.mtp is None:
        raise PlaygroundError(
            f"{target.name} has no MTP layer in its files that can be read here. Choose another drafter."
        )
    return target.mtp.set_on(target)


def _names(folder: Path, prefix: str) -> dict[str, str]:
    """Return the weights of an MTP layer in a folder's files, each with its name in transformers' MTP layers."""
    own = {name: re.sub(rf"^{prefix}", "", name) for name in tensor_sizes(folder) if re.match(prefix, name)}
    names = {name: f"layers.0.{_part(inner)}" for name, inner in own.items() if not inner.startswith(SHARED)}
    return names if any(re.search(r"\.eh?_proj\.", each) for each in names.values()) else {}


def _part(name: str) -> str:
    module, _, kind = name.rpartition(".")
    if module in HALVES:
        return name
    return PARTS.get(name) or (f"{PARTS[module]}.{kind}" if module in PARTS else f"mtp_block.{name}")


def _read_layer(target: LanguageModel, mtp: MtpFolder) -> Any:
    """Return transformers' model of an MTP layer, with the embedding and the output layer of its target.

    Raises:
        ValueError: if a weight is missing, or of another shape.
    """
    from transformers.conversion_mapping import get_model_conversion_mapping
    from transformers.core_model_loading import convert_and_load_state_dict_in_model
    from transformers.initialization import no_init_weights
    from transformers.modeling_layers import MtpModel
    from transformers.modeling_utils import LoadStateDictConfig

    model, config = target.model, target.config
    with _described(config, mtp), torch.device("meta"), no_init_weights():
        layer = MtpModel(model, 1)
        if mtp.description.has_streams:
            first: Any = layer.layers[0]
            first.hc_head, first.use_post_norm = type(model.model.hc_head)(config), False
    conversions: Any = getattr(model, "_weight_conversions", None) or get_model_conversion_mapping(model)
    loading, _ = convert_and_load_state_dict_in_model(
        model=layer,
        state_dict=_weights(mtp),
        load_config=LoadStateDictConfig(
            weight_mapping=conversions, device_map={"": target.device}, dtype=target.dtype, ignore_mismatched_sizes=True
        ),
    )
    missing = sorted(name for name in loading.missing_keys if name.startswith("layers."))
    if missing or loading.mismatched_keys:
        wrong = missing or sorted(name for name, *_ in loading.mismatched_keys)
        raise ValueError(f"{'missing' if missing else 'of another shape'}: {listed(wrong)}")
    layer.tie_with_main_model(model)
    return layer.eval()


@contextmanager
def _described(config: Any, mtp: MtpFolder) -> Iterator[None]:
    """Describe the MTP layer in the configuration of its target, as transformers reads it, while it is made."""
    is_sparse = any(".mlp.experts." in name for name in mtp.names)
    own = {
        "num_mtp_layers": 1,
        "mtp_layer_types": (getattr(config, "mtp_layer_types", None) or [mtp.description.layer_type])[:1],
        "mtp_mlp_layer_types": ["sparse" if is_sparse else "dense"],
        "mtp_hidden_states_first": mtp.description.is_state_first,
        "mlp_only_layers": [] if is_sparse else [0],
    }
    before = {name: getattr(config, name) for name in own if hasattr(config, name)}
    try:
        for name, value in own.items():
            setattr(config, name, value)
        yield
    finally:
        for name in own:
            if name in before:
                setattr(config, name, before[name])
            else:
                delattr(config, name)


def _weights(mtp: MtpFolder) -> dict[str, torch.Tensor]:
    from safetensors import safe_open

    weights: dict[str, torch.Tensor] = {}
    for file in sorted(mtp.folder.glob("*.safetensors")):
        with safe_open(file, framework="pt") as opened:
            weights |= {mtp.names[name]: opened.get_tensor(name) for name in opened.keys() & mtp.names.keys()}
    halves = [weights.pop(f"layers.0.{name}.weight") for name in HALVES if f"layers.0.{name}.weight" in weights]
    return weights | ({"layers.0.eh_proj.weight": torch.cat(halves, 1)} if halves else {})


def _unreadable(title: str, error: Exception) -> PlaygroundError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")[:PROBLEM_LETTERS]
    return PlaygroundError(f"{title} cannot be read: {reason}. Choose another drafter.")
