"""A drafting head as it trains: one decoder layer over the token that came and what the target made of the one before.

A *feature* is what the target's last norm hands to its output layer. The head reads, at every place t, the embedding of
token t and the feature of place t - 1, and answers with a guess at the feature of place t; the target's own output
layer makes that into the distribution of token t + 1. Drafting on, the head takes its own guess for the feature that
the target has not made yet. So it is trained as it is used: in step 0 every feature is the target's, in step j the last
j of them are the head's guesses of the steps before, and a query sees the keys of the step that each token had.

          target's features   f0   f1   f2   f3
          tokens                   x1   x2   x3   x4
    step 0 at 4:  (x4, f3) -> g4           sees keys of step 0 up to 4
    step 1 at 4:  (x4, g3) -> g4'          g3 from step 0; sees keys of step 0 up to 3, and its own

Papers: Li et al. 2024, EAGLE, arXiv 2401.15077: features and the shifted token. Zhang et al. 2024, HASS, arXiv
2408.15766: training on the head's own guesses, step by step. Li et al. 2025, EAGLE-3, arXiv 2503.01840: the same, and
its objective, the distributions that follow from the guesses and not the features themselves. Zhao et al. 2025,
FR-Spec, arXiv 2502.14856: the draft vocabulary.
Differs from the papers: a norm before each of the two inputs (EAGLE-3 has it, EAGLE has none) and one behind the layer,
which begins as the target's last norm.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from playground.makers.training.beside import TEXTS, Beside, Weights
from playground.makers.training.evaluation import agreement
from playground.makers.training.features import Features, features_of
from playground.makers.training.loop import Trainable
from playground.makers.training.network import NORM_EPS, Layer, Network, Shape, rotate, rotation
from playground.makers.training.pair.card import acceptance_table
from playground.makers.training.pair.runs import samples_folder
from playground.makers.training.run import CONTEXTS, Kind, Run
from playground.makers.training.text.corpus import even_windows
from playground.makers.training.text.sampled_text import read_samples
from playground.models.bundled import HEAD as NAME
from playground.models.drafters.head import CONFIG, VOCABULARY, WEIGHTS

SHAPE = {"layers": 1, "feed_forward": 224}  # the rest is the target's
OWN = ("heads", "feed_forward", "rope_theta")  # The rest of its shape is the target's.
STREAM = 30  # a real target's last layer writes to a stream so many times as large as the one that begins here
LATER = 0.8  # weight of a step relative to the one before
MEASURED = 4  # tokens drafted behind one another, whose acceptance is measured
HELD_OUT = 0.05  # So much of the samples is held out.

GOAL = "KL divergence from the target's distribution, over {steps} steps of the head's own guesses"
DRAFT = """
The pair's [draft model](../draft/README.md), which has {size:,} parameters, its own embedding among them, is accepted
{held:.3f} of the time there, and on text written by the target {own:.3f}.
"""

Keys = tuple[torch.Tensor, torch.Tensor]  # keys and values of one step, (n, H, T, D) each


class HeadNetwork(Beside):
    """Features and tokens to guessed features. The target's embedding is given, not trained, and not kept."""

    name, files = NAME, (CONFIG, WEIGHTS)
    draft_vocabulary: torch.Tensor  # (K,) tokens that it drafts; none where it drafts all

    def __init__(
        self, shape: Shape, *, seed: int = 0, norm: torch.Tensor | None = None, tokens: torch.Tensor | None = None
    ) -> None:
        """Begin a head.

        Args:
            norm: of the target's last norm, (width,), with which the head's own begins.
            tokens: (K,) its draft vocabulary; None: all tokens.
        """
        super().__init__()
        self.shape = shape
        width = shape.width
        self.token_norm = nn.RMSNorm(width, NORM_EPS)
        self.feature_norm = nn.RMSNorm(width, NORM_EPS)
        self.fuse = nn.Linear(2 * width, width, bias=False)
        self.layer = Layer(shape, _Attention(shape))
        self.norm = nn.RMSNorm(width, NORM_EPS)
        self.initialise(seed, ("o_proj.weight", "down_proj.weight"))
        with torch.no_grad():
            if norm is not None:
                self.norm.weight.copy_(norm)
        if tokens is not None:
            self.register_buffer(VOCABULARY, tokens.int())

    @torch.no_grad()
    def begin_as(self, layer: Any) -> None:
        """Copy a layer of the target, its keys and values repeated for each query head."""
        sharing = layer.self_attn.sharing
        weights = {name: each.clone() for name, each in layer.state_dict().items()}
        for name in ("self_attn.k_proj.weight", "self_attn.v_proj.weight"):
            groups = weights[name].unflatten(0, (self.shape.heads // sharing, -1))  # (G, D, width)
            weights[name] = groups.repeat_interleave(sharing, 0).flatten(0, 1)
        for name in ("self_attn.o_proj.weight", "mlp.down_proj.weight"):
            weights[name] /= STREAM
        self.layer.load_state_dict(weights)

    def rows(self, output: torch.Tensor) -> torch.Tensor:
        """Return the rows of the target's output layer for the tokens that it drafts. (V, width) to (K, width)"""
        return output[self.draft_vocabulary.long()] if hasattr(self, VOCABULARY) else output

    def forward(self, embedded: torch.Tensor, features: torch.Tensor, steps: int) -> list[torch.Tensor]:
        """Return the guesses of every step.

        Args:
            embedded: (n, T, width), the tokens' embeddings.
            features: (n, T, width), the target's at the same places.
            steps: how many; step j says nothing at the first j places.

        Returns:
            `steps` tensors (n, T, width).
        """
        length = embedded.shape[1]
        cos, sin = rotation(length, self.shape.width // self.shape.heads, self.shape.rope_theta)
        tokens, guesses = self.token_norm(embedded), []
        caches: list[Keys] = []
        for _ in range(steps):
            before = _later(guesses[-1] if guesses else features, 2, 1)  # A place reads the feature of the one before.
            stream = self.fuse(torch.cat([tokens, self.feature_norm(before)], -1))
            stream = self.layer(stream, cos.to(stream.dtype), sin.to(stream.dtype), caches)
            guesses.append(self.norm(stream))
        return guesses

    def logits(self, target: Network, guess: torch.Tensor) -> torch.Tensor:
        """Logits of a guess, -inf outside the draft vocabulary. (n, T, width) to (n, T, V)"""
        logits = functional.linear(guess, self.rows(target.lm_head.weight)).float()
        if not hasattr(self, VOCABULARY):
            return logits
        whole = logits.new_full((*logits.shape[:-1], target.shape.vocab), -torch.inf)
        return whole.index_copy_(-1, self.draft_vocabulary.long(), logits)

    @classmethod
    def of_config(cls, config: dict[str, Any], target: Network, weights: Weights) -> HeadNetwork:
        """Return a head for the weights in a file."""
        own = {name: config[name] for name in OWN}
        return cls(replace(target.shape, layers=1, groups=None, **own), tokens=weights.get(VOCABULARY))

    @staticmethod
    def config_of(state: dict[str, Any]) -> dict[str, Any]:
        """Return what the file says."""
        return {name: state["shape"][name] for name in OWN} | {"norm_eps": NORM_EPS}

    def measure(self, target: Network, *texts: torch.Tensor) -> dict[str, Any]:
        """Return the agreement with the target on each text, and the acceptance by step on the first."""

        def draft(tokens: torch.Tensor) -> torch.Tensor:
            (guess,) = self(target.model.embed_tokens(tokens), target.model(tokens), 1)
            return self.logits(target, guess)

        agreements = {name: agreement(target, draft, text) for name, text in zip(TEXTS, texts, strict=True)}
        return agreements | {"accepted_by_step": accepted_by_step(target, self, texts[0], MEASURED)}

    @staticmethod
    def figures(run: dict[str, Any], numbers: dict[str, Any], evaluation: dict[str, Any]) -> dict[str, Any]:
        """Return what only a head's card says."""
        draft = ""
        if "draft" in evaluation:  # else the pair was not measured
            held, own = (evaluation[text]["acceptance_1.0"] for text in TEXTS)
            draft = DRAFT.format(size=evaluation["draft"]["parameters"], held=held, own=own)
        return {
            "goal": GOAL.format(**run["about"]),
            "acceptance": acceptance_table(*(numbers[text] for text in TEXTS)),
            "by_step": ", ".join(f"{each:.3f}" for each in numbers["accepted_by_step"]),
            "draft": draft,
        }


class _Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(shape.width, shape.width, bias=False) for _ in range(4)
        )

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, caches: list[Keys]) -> torch.Tensor:
        """Attend as a token does whose last few ancestors were read in the steps of `caches`; add its own keys."""
        windows, length, width = x.shape
        q, k, v = (
            project(x).view(windows, length, self.heads, -1).transpose(1, 2)  # (n, H, T, D)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = rotate(q * q.shape[-1] ** -0.5, cos, sin), rotate(k, cos, sin)
        caches.append((k, v))
        step = len(caches) - 1
        unseen = torch.full((length, length), -torch.inf, dtype=x.dtype).triu(1 - step)
        scores = [q @ caches[0][0].transpose(-1, -2) + unseen]  # (n, H, T, T): all that the target had read
        own = range(1, step + 1)
        scores += [(q * _later(caches[j][0], 2, step - j)).sum(-1, keepdim=True) for j in own]
        shares = torch.softmax(torch.cat(scores, -1), -1)
        mixed = shares[..., :length] @ caches[0][1]
        for j in own:
            mixed = mixed + shares[..., length + j - 1, None] * _later(caches[j][1], 2, step - j)
        return self.o_proj(mixed.transpose(1, 2).reshape(windows, length, width))


def _later(x: torch.Tensor, from_end: int, steps: int) -> torch.Tensor:
    """Return the values this many steps before, along the axis `from_end`th from the end; zeros at the start."""
    if not steps:
        return x
    length = x.shape[-from_end]
    return functional.pad(x.narrow(-from_end, 0, length - steps), [0, 0] * (from_end - 1) + [steps, 0])


def divergence(teacher: Network, read: Features, steps: int, head: HeadNetwork, numbers: torch.Tensor) -> torch.Tensor:
    """KL(p || q) in nats over the tokens that the head drafts, averaged over the places of each step."""
    features = read.of(numbers)
    embedded = teacher.model.embed_tokens(read.tokens[numbers, :-1]).detach()
    weight = head.rows(teacher.lm_head.weight.detach())  # (K, width)
    with torch.no_grad():
        target_probs = torch.softmax(functional.linear(features, weight).float(), -1)  # (n, T, K)
        entropies = torch.special.entr(target_probs).sum(-1)  # (n, T)
    total, weights = torch.zeros(()), 0.0
    for step, guess in enumerate(head(embedded, features, steps)):
        logits = functional.linear(guess[:, step:], weight).float()
        # the divergence by way of the cross-entropy, whose gradient is the same and takes less time
        crossed = functional.cross_entropy(logits.flatten(0, 1), target_probs[:, step:].flatten(0, 1))
        total = total + LATER**step * (crossed - entropies[:, step:].mean())
        weights += LATER**step
    return total / weights


def _make(run: Run) -> Trainable[HeadNetwork]:
    """Return a head.

    Its settings: `steps` of its own guesses are trained on; `source` is the corpus or samples, text that the target
    wrote, of which the last part is held out; `num_tokens` of it have their features read again and again; it drafts
    the `draft_vocabulary` most frequent tokens of it, or all where that is 0.
    """
    about, target = run.about, run.teacher()
    if about["source"] == "corpus":
        text, held_out = run.corpus().train, run.corpus().held_out
    else:
        samples = read_samples(samples_folder(run.work, about["teacher"]), target)
        text, held_out = np.split(samples, [len(samples) - round(HELD_OUT * len(samples))])
    features = features_of(run, target, text)
    shape = run.shape(replace(target.shape, groups=None, **SHAPE))
    count, contexts = int(about["draft_vocabulary"]), even_windows(held_out, *CONTEXTS)

    def begin(seed: int) -> HeadNetwork:
        """Make an untrained head; with a draft vocabulary it starts as the target's last layer, if it is as wide."""
        tokens = most_frequent(text, count) if count else None
        head = HeadNetwork(shape, seed=seed, norm=target.model.norm.weight, tokens=tokens)
        if count and shape.feed_forward == target.shape.feed_forward:
            head.begin_as(target.model.layers[-1])
        return head

    def measure(head: HeadNetwork) -> dict[str, float]:
        rates = accepted_by_step(target, head, contexts, MEASURED)
        return {f"accepted_{step}": rate for step, rate in enumerate(rates, 1)}

    return Trainable(
        about,
        network=begin,
        read=lambda plan: partial(features.order, seed=plan.seed),
        objective=partial(divergence, target, features, int(about["steps"])),
        measure=measure,
        plan=features.plan,
    )


HEAD = Kind(
    "head",
    {
        "teacher": "target",
        "objective": "divergence",
        "steps": "3",
        "source": "corpus",
        "num_tokens": "262144",
        "draft_vocabulary": "0",
    },
    _make,
    {"source": ("corpus", "samples")},
)


def most_frequent(text: np.ndarray, count: int) -> torch.Tensor:
    """Return the most frequent tokens of a text, in the order of the vocabulary. (at most count,)"""
    ids, counts = np.unique(text, return_counts=True)
    return torch.from_numpy(np.sort(ids[np.argsort(-counts, kind="stable")[:count]]).astype(np.int32))


@torch.inference_mode()
def accepted_by_step(teacher: Network, head: HeadNetwork, tokens: torch.Tensor, steps: int) -> list[float]:
    """Return acceptance of the first drafted token, the second, ... by speculative sampling on (n, T) tokens.

    The mean of sum min(p, q) at temperature 1, the tokens before being the text's.
    """
    sums = [0.0] * steps
    for window in tokens.split(4):
        features = teacher.model(window)
        target_probs = torch.softmax(teacher.lm_head(features).float(), -1)  # (n, T, V)
        for step, guess in enumerate(head(teacher.model.embed_tokens(window), features, steps)):
            draft_probs = torch.softmax(head.logits(teacher, guess), -1)
            # Every step is measured at the same places.
            overlap = torch.minimum(target_probs, draft_probs).sum(-1)[:, steps:]
            sums[step] += overlap.sum().item()
    return [each / (len(tokens) * (tokens.shape[1] - steps)) for each in sums]
