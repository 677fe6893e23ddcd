"""An EAGLE-3 head as others publish it: a folder that is given as the draft, next to the target it was trained for.

Its feature of a node is what three layers of the target made of it, a low, a middle and a high one: their hidden states
side by side, through one matrix. Its first layer reads queries, keys and values from the embedding of a token next to
the feature of the token before, each normalised. What comes out of its last layer is its guess at the feature of the
token, and, through its last norm and its own output layer, q over a draft vocabulary; `d2t` says how far the number of
each of those tokens is from the target's, or that number where `t2d` shows it, and q is 0 for every other.

    hidden states of x0, layers 2, 6 and 9    h h h
    fc                                         f
    embedding of x1 next to it               e f   -> layer -> g -> norm -> lm_head -> q of x2
    the token that was drafted, x2           e g   -> layer -> g' ...

The first token of a text has no token before it: the head does not read it, and no other token sees it.

Two layouts are read: that of the authors' own repository (`midlayer`), and that of the library speculators (`layers.0`,
the configuration of the layer in `transformer_layer_config`), whose three variants of norms run, too.

Paper: Li et al. 2025, EAGLE-3, arXiv 2503.01840.
Differs from the paper: nothing in what it computes; any method drafts with it, not a dynamic tree alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import embedding

from playground.errors import PlaygroundError
from playground.models.drafters.feature_drafter import FeatureDrafter
from playground.models.passes.features import Features
from playground.models.passes.lean_pass import LeanPass, Norm, is_llama_shaped, last
from playground.models.passes.slots import Slots, causal_mask
from playground.models.products import FAMILIES, Product
from playground.models.sources.checkpoint import check_weights, listed
from playground.models.sources.folder import CONFIG, read_object

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel

LAYERS = "eagle_aux_hidden_state_layer_ids"
FEWEST = 7  # layers of a target that has a low, a middle and a high one by the paper's numbers
PREFIX = re.compile(r"model\.|midlayer(?=\.)")
UNUSED = re.compile(r".*rotary_emb\.inv_freq|verifier_.*")


@dataclass(frozen=True, slots=True)
class HeadFolder:
    """A head's folder, of which no weight is read yet."""

    folder: Path  # with `config.json` and the weights
    title: str  # A trace and messages call it so.
    about: dict[str, Any]  # `config.json` says it.
    layers: Any  # The configuration of its own layers is an object of transformers.

    @classmethod
    def read(cls, folder: Path, title: str) -> HeadFolder:
        """Read the configuration.

        Raises:
            PlaygroundError: if it is not that of Llama-shaped layers.
        """
        from transformers import AutoConfig

        about = read_object(folder / CONFIG, title)
        own = dict(about.get("transformer_layer_config") or about)
        family = own.pop("model_type", "llama")
        if family not in FAMILIES:
            raise _unreadable(title, f"its layers are of the type {family}")
        try:
            layers = AutoConfig.for_model(family, **{"num_hidden_layers": 1} | own | {"tie_word_embeddings": False})
        except Exception as error:  # transformers raises many kinds of errors on values of the file.
            raise _unreadable(title, str(error).strip().partition("\n")[0]) from None
        return cls(folder, title, about, layers)

    def taps(self, target: LanguageModel) -> tuple[int, ...]:
        """Return the numbers of the target's layers after which the head reads the hidden states.

        `config.json` names them as vLLM counts, or within `eagle_config` as SGLang counts, from the layer before; else
        they are the paper's.

        Raises:
            PlaygroundError: if the target has no such layers.
        """
        num_layers, nested = target.config.num_hidden_layers, self.about.get("eagle_config") or {}
        named = self.about.get(LAYERS) or [depth + 1 for depth in nested.get(LAYERS) or ()]
        if not named and num_layers < FEWEST:
            raise PlaygroundError(
                f"{self.title} does not say which layers of its target it reads, and the {num_layers} of {target.name} "
                f"are too few for a low, a middle and a high one. Name them as {LAYERS} in its {CONFIG}."
            )
        taps = tuple(named or (2, num_layers // 2, num_layers - 3))
        if not all(0 <= depth <= num_layers for depth in taps):
            read = ", ".join(map(str, taps))
            raise self.of_another_target(f"it reads layers {read}, and {target.name} has {num_layers}")
        return taps

    def set_on(self, target: LanguageModel) -> Eagle3Head:
        """Read the head, and set it on its target; see `Eagle3Head`."""
        return Eagle3Head(target, self)

    def weights(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the weights by the names that speculators gives them, those of other use left out.

        Raises:
            PlaygroundError: if there are none.
        """
        from safetensors.torch import load_file

        files = sorted(self.folder.glob("*.safetensors")) or sorted(self.folder.glob("pytorch_model*.bin"))
        if not files:
            raise _unreadable(self.title, "its folder holds no weights")
        for file in files:
            try:
                own = load_file(file) if file.suffix == ".safetensors" else torch.load(file, weights_only=True)
            except Exception as error:  # Two libraries raise errors on whatever the file holds.
                raise _unreadable(self.title, f"{file.name}: {str(error).partition(chr(10))[0]}") from None
            for name, weight in own.items():
                name = PREFIX.sub(lambda match: "layers.0" if match[0] == "midlayer" else "", name, count=1)
                if not UNUSED.fullmatch(name):
                    yield name, weight

    def of_another_target(self, fact: str) -> PlaygroundError:
        """Return the refusal of a target for a reason."""
        verifier = (self.about.get("speculators_config") or {}).get("verifier") or {}
        own = str(verifier.get("name_or_path") or "the target that it was trained for")[:100]
        return PlaygroundError(f"{self.title} is a head for another target: {fact}. Choose {own}.")

    def unreadable(self, reason: str) -> PlaygroundError:
        """Return the refusal of its files for a reason."""
        return _unreadable(self.title, reason)


class Eagle3Head(FeatureDrafter):
    """A model as decoding needs one: see `Model`."""

    def __init__(self, target: LanguageModel, head: HeadFolder) -> None:
        """Read a head, and set it on its target.

        Args:
            target: a model whose pass, or whose recorder, taps at least the layers of `head.taps`.

        Raises:
            PlaygroundError: if a weight is missing or of another shape, or the head is another target's.
        """
        super().__init__(target, head.title)
        taps, model = head.taps(target), target.model
        self._columns = [target.taps.index(depth) for depth in taps]
        weights = {name: each.to(target.device) for name, each in head.weights()}
        self._tokens = _draft_vocabulary(head, weights, target)
        weights = {name: each.to(target.dtype) for name, each in weights.items()}
        table = weights.pop("embed_tokens.weight", model.get_input_embeddings().weight.detach())
        weights.setdefault("lm_head.weight", model.get_output_embeddings().weight.detach())
        width, read = head.layers.hidden_size, len(taps) * target.config.hidden_size
        if table.shape[1] != width:
            fact = f"the embeddings of {target.name} have {table.shape[1]} numbers, and it reads {width}"
            raise head.of_another_target(fact)
        fuse = weights.pop("fc.weight", torch.empty(0, 0))
        if fuse.shape != (width, read):
            fact = f"it reads {fuse.shape[1]} numbers of states, and {len(taps)} layers of {target.name} make {read}"
            raise head.of_another_target(fact)
        norms = [weights.pop(name) for name in list(weights) if name.startswith(("input_norm.", "fc_norm."))]
        eps, self._fuse = head.layers.rms_norm_eps, Product(fuse, None)
        self._norms = [Norm(each, eps) for each in norms]
        self._pass = _EaglePass(_layers(head, weights, table), weights, head.about)
        self._embedding, self._bits, self._reads = table, None, {}
        self.num_parameters = sum(each.numel() for each in [*weights.values(), *norms, fuse, table])

    def _embedded(self, tokens: list[int]) -> torch.Tensor:
        return embedding(torch.tensor(tokens, device=self.device), self._embedding)

    def _features(self, read: Features, nodes: list[int]) -> torch.Tensor:
        width = self.target.config.hidden_size
        states = read.tapped(nodes).unflatten(1, (-1, width))[:, self._columns]  # (n, taps, width)
        return self._fuse.of(self._normalised(states.flatten(1), width))

    def _normalised(self, states: torch.Tensor, width: int) -> torch.Tensor:
        """Return hidden states side by side, all in one norm, in one norm each, or as they are."""
        if len(self._norms) <= 1:
            return self._norms[0].of(states) if self._norms else states
        return torch.cat([norm.of(each) for norm, each in zip(self._norms, states.split(width, 1), strict=True)], 1)

    def _joined(self, embedded: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        return torch.cat([embedded, before], 1)


class _PairNorm(Norm):
    """The norms of an embedding and of the hidden state next to it: (n, 2 width) to (n, 2 width)."""

    def __init__(self, token_norm: Norm, state_norm: Norm) -> None:
        self._token_norm, self._state_norm = token_norm, state_norm

    def of(self, stream: torch.Tensor) -> torch.Tensor:
        """Return both, each normalised."""
        token, state = stream.chunk(2, 1)
        return torch.cat([self._token_norm.of(token), self._state_norm.of(state)], 1)


class _PairOutput(Product):
    """A product that is added to the second half of a pair, as it is or normalised."""

    def __init__(self, product: Product, norm: Norm | None) -> None:
        self._product, self._norm = product, norm

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Add the product of `rows` (n, inputs) to half of `stream` (n, 2 outputs)."""
        state = stream.chunk(2, 1)[1]
        return self._product.added(state if self._norm is None else self._norm.of(state), rows)


class _EaglePass(LeanPass):
    """The pass of a head's layers. It runs from pairs, and no token sees the first one."""

    def __init__(self, model: Any, weights: dict[str, torch.Tensor], about: dict[str, Any]) -> None:
        super().__init__(model)
        first, self._guesses_are_normalised = self._layers[0], bool(about.get("norm_output"))
        state_norm = Norm(weights["layers.0.hidden_norm.weight"], self._eps)
        residual_norm = state_norm if about.get("norm_before_residual") else None
        self._layers[0] = replace(
            first,
            attention_norm=_PairNorm(first.attention_norm, state_norm),
            out=_PairOutput(first.out, residual_norm),
        )

    def run_from(
        self, slots: Slots, stream: torch.Tensor, positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens; see `LeanPass.run_from`. (n, 2 width) to (len(rows), K)"""
        start, end = slots.length, slots.length + len(positions)
        stream = last(self.through(slots, start, stream, positions, mask, self.num_layers))
        slots.length = end
        features = self._norm.of(stream)
        slots.features[start:end] = features if self._guesses_are_normalised else stream
        return self._head.of(features if len(rows) == len(positions) else features[rows])

    def through(
        self,
        slots: Slots,
        start: int,
        stream: torch.Tensor,
        positions: list[int],
        mask: torch.Tensor | None,
        depth: int,
    ) -> Iterator[torch.Tensor]:
        """Return the hidden states after these layers; see `LeanPass.through`."""
        count = len(positions)
        end, turns = start + count, self._turn(positions)
        slots.make_room(end)
        if mask is None:
            mask = causal_mask(start, count, stream)
        if start:
            filled = slots.filled[:depth, :, 1:]
            return self.layers(stream, turns, filled, slice(start - 1, end - 1), end - 1, mask[:, 1:])
        mask = mask.clone()
        mask[1:, 0] = torch.finfo(stream.dtype).min
        return self.layers(stream, turns, slots.filled[:depth], slice(0, end), end, mask)


def _draft_vocabulary(head: HeadFolder, weights: dict[str, torch.Tensor], target: LanguageModel) -> torch.Tensor | None:
    """Take the mapping out of the weights, and return the target's tokens that the head drafts; None for all. (K,)"""
    offsets, known, output = weights.pop("d2t", None), weights.pop("t2d", None), weights.get("lm_head.weight")
    if output is None:
        return None
    if offsets is None and len(output) < target.vocab_size:
        fact = f"its output layer has {len(output)} tokens where {target.name} has {target.vocab_size}"
        raise head.unreadable(f"{fact}, and d2t, which says the number of each, is not in its files")
    if offsets is None:
        return None
    if offsets.shape != output.shape[:1]:
        raise head.unreadable(f"d2t is for {offsets.numel()} tokens, and its output layer has {len(output)}")
    tokens = torch.arange(len(offsets), device=offsets.device) + offsets.long()
    if known is not None:  # true for each of the target's tokens that it drafts
        listed_tokens = known.flatten().nonzero().flatten()
        if not torch.equal(tokens.sort().values, listed_tokens):
            tokens = offsets.long()  # some write the tokens themselves
        if not torch.equal(tokens.sort().values, listed_tokens):
            raise head.unreadable("d2t and t2d name different tokens of the target")
    if not 0 <= int(tokens.min()) <= int(tokens.max()) < target.vocab_size:
        fact = f"it drafts tokens {int(tokens.min())} to {int(tokens.max())}, and {target.name} has {target.vocab_size}"
        raise head.of_another_target(fact)
    if len(tokens.unique()) < len(tokens):
        raise head.unreadable("d2t gives two of its tokens the same number")
    return tokens


def _layers(head: HeadFolder, weights: dict[str, torch.Tensor], table: torch.Tensor) -> Any:
    """Return a model of the head's layers, the first of which reads pairs."""
    from transformers import AutoModelForCausalLM

    config, width = head.layers, head.layers.hidden_size
    config.vocab_size = 1
    with torch.device("meta"):  # no memory before the shapes are known to be right
        model = AutoModelForCausalLM.from_config(config, dtype=table.dtype)
        attention = model.model.layers[0].self_attn
        for name in ("q_proj", "k_proj", "v_proj"):
            before = getattr(attention, name)
            pairs = torch.nn.Linear(2 * width, before.out_features, bias=before.bias is not None, dtype=table.dtype)
            setattr(attention, name, pairs)
    shapes = {name.removeprefix("model."): each.shape for name, each in model.state_dict().items()}
    shapes |= {"layers.0.hidden_norm.weight": (width,), "lm_head.weight": (len(weights["lm_head.weight"]), width)}
    shapes.pop("embed_tokens.weight")
    try:
        check_weights(weights, shapes)
        if unknown := sorted(weights.keys() - shapes.keys()):
            raise ValueError(f"it has weights that no EAGLE-3 head has: {listed(unknown)}.")
    except ValueError as error:
        raise head.unreadable(str(error).rstrip(".")) from None
    own = {f"model.{name}": each for name, each in weights.items() if name.startswith(("layers.", "norm."))}
    own.pop("model.layers.0.hidden_norm.weight")
    model.model.embed_tokens, model.lm_head = _module(table), _module(weights["lm_head.weight"])
    model.load_state_dict(own, assign=True, strict=False)
    model.model.rotary_emb = type(model.model.rotary_emb)(config).to(table.device)
    if not is_llama_shaped(model):
        raise head.unreadable("its layers have a sliding window, or another activation or rotation than Llama's")
    return model.eval()


def _module(weight: torch.Tensor) -> torch.nn.Linear:
    """Return a module of one matrix."""
    module = torch.nn.Linear(1, 1, bias=False, device="meta")
    module.weight = torch.nn.Parameter(weight, requires_grad=False)
    return module


def _unreadable(title: str, reason: str) -> PlaygroundError:
    return PlaygroundError(
        f"{title} cannot be read as an EAGLE-3 head: {reason}. Choose another head, or another drafter."
    )
