"""The one decoding loop. It owns stop rules, seeds and timing; a method only drafts and verifies.

It yields one `Round` after the other. The decoding clock runs inside rounds only, so whatever the consumer does between
two of them (recording, sending, drawing) is in no measured time.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from playground.decoding.constrained.constraint import Trie
from playground.decoding.constrained.grammar import Grammar
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import DecodingMethod
from playground.decoding.reader import Reader
from playground.decoding.setting import Setting
from playground.decoding.stop_strings import Cut, check_stop_strings, cut_at_stop
from playground.decoding.verdict import Beam, Beams, Verdict
from playground.decoding.workings.block_draft import block_draft
from playground.errors import PlaygroundError
from playground.models.forward import Model, Vocabulary
from playground.models.own_settings import NONE, OwnSettings
from playground.models.penalties import read_bias
from playground.models.reading import synchronise
from playground.models.sampling import Sampling
from playground.run_options import MAX_NEW_TOKENS
from playground.trace.events import FinishReason, Origin, Timed
from playground.tree import TokenTree
from playground.words import word


@dataclass(frozen=True, slots=True)
class Request:
    """One run, fully determined: the same request gives the same tokens.

    Raises:
        PlaygroundError: if a value is out of range, or the models cannot run it.
    """

    method: DecodingMethod
    target: Model
    prompt: str
    draft_model: Model | None = None
    sampling: Sampling = field(default_factory=Sampling)
    seed: int = 0
    max_new_tokens: int = 128
    prompt_ids: tuple[int, ...] = ()  # filled from the prompt when empty
    other_drafts: tuple[Model, ...] = ()  # further draft models, for methods that take several
    constraint: Trie | Grammar | None = None  # Only allowed texts are written; None allows any.
    stop_strings: tuple[str, ...] = ()  # see stop_strings.py
    message: str = ""  # the text of which the target's chat template made the prompt; empty where none did

    def __post_init__(self) -> None:
        if not self.prompt_ids:
            check_prompt(self.prompt)
            object.__setattr__(self, "prompt_ids", tuple(self.target.vocabulary.encode(self.prompt)))
        if not 1 <= self.max_new_tokens <= MAX_NEW_TOKENS:
            raise PlaygroundError(word("refused_new_tokens", count=self.max_new_tokens, most=MAX_NEW_TOKENS))
        check_stop_strings(self.stop_strings)
        if not 0 <= self.seed < 2**63:
            raise PlaygroundError(word("refused_seed", seed=self.seed))
        if self.method.needs_draft_model and self.draft_model is None:
            raise PlaygroundError(word("refused_needs_draft", method=self.method.title))
        num_drafts = 1 + len(self.other_drafts)
        if (wanted := self.method.num_draft_models) > num_drafts:
            raise PlaygroundError(word("refused_few_drafts", method=self.method.title, count=wanted, have=num_drafts))
        limit = self.target.max_positions
        if len(self.prompt_ids) + self.max_new_tokens - 1 > limit:  # the last one is written and not read
            raise PlaygroundError(
                word("refused_context", prompt=len(self.prompt_ids), more=self.max_new_tokens, most=limit)
            )
        size = min(model.vocab_size for model in self.models())
        unknown = [token for token in self.prompt_ids if not 0 <= token < size]
        if unknown:  # on a GPU it would be the last call of the process
            raise PlaygroundError(
                word("refused_unknown_token", token=_named(self.target.vocabulary, unknown[0]), last=f"{size - 1:,}")
            )
        if biased := [token for token in read_bias(self.sampling.logit_bias) if token >= size]:
            raise PlaygroundError(word("refused_bias_token", token=f"{biased[0]:,}", last=f"{size - 1:,}"))
        if isinstance(self.constraint, Trie):
            self._refuse_unwritable(self.constraint)
        own = getattr(self.target, "own_settings", {})
        if own and self.sampling.generation_config != NONE:
            object.__setattr__(self, "sampling", replace(self.sampling, generation_config=", ".join(own)))

    def own_settings(self) -> OwnSettings | None:
        """Return what the target's own file asks of every row; None where that is nothing, or left out.

        Raises:
            PlaygroundError: if transformers refuses it.
        """
        if not self.sampling.obeys:
            return None
        sampling = self.sampling
        of_run = {"repetition_penalty": sampling.repetition_penalty != 1, "sequence_bias": sampling.logit_bias}
        replaced = [name for name, is_set in of_run.items() if is_set]  # `generate` replaces these, too
        return OwnSettings(self.target, self.prompt_ids, self.max_new_tokens, replaced)

    def _refuse_unwritable(self, constraint: Trie) -> None:
        """Refuse sequences that these models cannot write, or not in so few tokens."""
        size = min(model.vocab_size for model in self.models())
        if unknown := [token for token in constraint.tokens if not 0 <= token < size]:
            raise PlaygroundError(word("refused_allowed_token", token=min(unknown), last=f"{size - 1:,}"))
        if self.target.eos_ids & constraint.inner:
            raise PlaygroundError(word("refused_inner_end"))
        if constraint.longest > self.max_new_tokens:
            raise PlaygroundError(word("refused_longest_allowed", count=constraint.longest, most=self.max_new_tokens))

    def models(self) -> list[Model]:
        """Return the target, and the draft models that the method uses."""
        return [self.target, *self.draft_models()]

    def draft_models(self) -> list[Model]:
        """Return the draft models that the method uses, in the order of their turns."""
        number = self.method.num_draft_models
        return [self.draft_model, *self.other_drafts[: number - 1]] if number and self.draft_model else []

    def draft_context(self) -> int | None:
        """Return how many tokens all draft models read, where the run may become longer and goes on without drafts."""
        context = min((model.max_positions for model in self.draft_models()), default=self.target.max_positions)
        return context if context < len(self.prompt_ids) + self.max_new_tokens - 1 else None


def _named(vocabulary: Vocabulary, token: int) -> str:
    """Name a token by its number, and by its text where its tokenizer has one."""
    is_spelled = 0 <= token < getattr(vocabulary, "size", 0)
    return f"{token:,} ({vocabulary.piece(token).strip()!r})" if is_spelled else f"{token:,}"


def check_prompt(prompt: str) -> None:
    """Refuse a prompt that no tokenizer reads.

    Raises:
        PlaygroundError: if the prompt is no text, empty, or holds half a character.
    """
    if not isinstance(prompt, str):
        raise PlaygroundError(word("refused_prompt_kind", value=f"{prompt!r:.40}"))
    if not prompt.strip():
        raise PlaygroundError(word("notice_no_prompt"))
    if not prompt.isascii() and any("\ud800" <= letter <= "\udfff" for letter in prompt):
        raise PlaygroundError(word("refused_half_character"))


@dataclass(frozen=True, slots=True)
class Started:
    """Event: the prompt has been read, and decoding begins."""

    request: Request
    frontier: list[int]
    prefill_s: float


@dataclass(frozen=True, slots=True)
class Round(Timed):
    """Event: one round, with its draft, its verdict, and the time it took."""

    number: int
    draft: Draft
    verdict: Verdict
    tree: TokenTree
    nodes: list[int]  # emitted in this round; with beams, all nodes added to them, parents before children
    origins: list[Origin]
    frontier: list[int]
    best: int  # last node of the text: the frontier's, or with beams that of the best one
    draft_s: float
    verify_s: float
    other_s: float
    clock_s: float  # decoding clock when the round ended
    finish: FinishReason | None  # set on the last round
    num_characters: int | None  # A stop string ends the text there.
    draft_work: list[int]  # for each draft model its passes, tokens fed and tokens read: see Reader.work
    draft_cache_bytes: list[int]  # Each draft model has an entry, read after its last pass.


@dataclass(frozen=True, slots=True)
class Finished:
    """Event: the run has ended, for this reason; with the counters of the models."""

    reason: FinishReason
    target_calls: int
    draft_calls: int
    peak_cache_bytes: int


def decode(
    request: Request,
    stop: Callable[[], bool] = lambda: False,
    method_of: Callable[[int, Setting], DecodingMethod] | None = None,
) -> Iterator[Started | Round | Finished]:
    """Run a request, round by round.

    Args:
        stop: called before every round; once it returns True the run ends there, and keeps everything so far.
        method_of: called before every round with its number, and returns the method that makes it; it may replace the
            setting's random streams. The request's method makes all rounds when None. See what_if/.

    Yields:
        `Started`, then each `Round`, then `Finished`.
    """
    tree = TokenTree(request.prompt_ids)
    constraint = request.constraint.on(tree) if request.constraint else None
    own = request.own_settings()
    target = Reader(request.target, request.sampling, tree, constraint, own)
    draft_models = [Reader(model, request.sampling, tree, constraint, own) for model in request.draft_models()]
    draft_rng, verify_rng = (
        np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(request.seed).spawn(2)
    )
    setting = Setting(
        tree=tree,
        frontier=[tree.trunk[-1]],
        tokens_left=request.max_new_tokens,
        target=target,
        draft_models=draft_models,
        draft_rng=draft_rng,
        verify_rng=verify_rng,
        eos_ids=request.target.eos_ids,
        start_depth=tree.depths[tree.trunk[-1]],
        beams=Beams(live=[Beam(tree.trunk[-1], 0.0)], ended=[], best=tree.trunk[-1]),
        constraint=constraint,
    )
    yield Started(request, list(setting.frontier), _prefill(request, tree))

    clock_s, number = 0.0, 0
    last = setting.start_depth + request.max_new_tokens  # the depth at which the budget is used up
    reason: FinishReason | None = None
    while reason is None:
        setting.tokens_left = last - tree.depths[setting.frontier[0]]
        if stop():
            reason = "stopped"
        else:
            number += 1
            method = method_of(number, setting) if method_of else request.method
            record = _round(method, setting, number, clock_s, request.stop_strings)
            clock_s = record.clock_s
            reason = record.finish
            yield record
    yield Finished(
        reason=reason,
        target_calls=target.num_calls,
        draft_calls=sum(reader.num_calls for reader in draft_models),
        peak_cache_bytes=sum(reader.peak_cache_bytes for reader in [target, *draft_models]),
    )


def _round(
    method: DecodingMethod, setting: Setting, number: int, clock_s: float, stop_strings: tuple[str, ...]
) -> Round:
    started = time.perf_counter()
    tree, target, draft_models = setting.tree, setting.target, setting.draft_models
    verify_before, draft_before = target.seconds, _seconds(draft_models)
    work_before, calls_before = _work(draft_models), sum(reader.num_calls for reader in draft_models)

    draft = method.draft(setting)
    block = block_draft(setting, draft, calls_before)  # for a lens, where a block drafter made the draft
    verdict = method.verify(setting, draft)
    if block:
        verdict.workings.append(block)
    depth = tree.depths[setting.frontier[0]]
    nodes, origins, best, cut = _commit(setting, verdict, stop_strings)
    if not verdict.beams or verdict.beams.live:  # Where all texts have ended, the best may be one cut off long ago.
        tree.retain(setting.frontier)
    grown = tree.depths[setting.frontier[0]] - depth
    finish = "stop_string" if cut else _finish(setting, verdict, best, grown)
    draft_work = [after - before for after, before in zip(_work(draft_models), work_before, strict=True)]

    synchronise(target.model.device)
    seconds = time.perf_counter() - started
    verify_s = target.seconds - verify_before
    draft_s = _seconds(draft_models) - draft_before
    return Round(
        number=number,
        draft=draft,
        verdict=verdict,
        tree=tree,
        nodes=nodes,
        origins=origins,
        frontier=list(setting.frontier),
        best=best,
        draft_s=draft_s,
        verify_s=verify_s,
        other_s=seconds - draft_s - verify_s,
        clock_s=clock_s + seconds,
        finish=finish,
        num_characters=cut.num_characters if cut else None,
        draft_work=draft_work,
        draft_cache_bytes=[reader.cache_bytes for reader in draft_models],
    )


def _finish(setting: Setting, verdict: Verdict, best: int, grown: int) -> FinishReason | None:
    """Reason why the run is over with this round, which added `grown` tokens to the text; None where it goes on."""
    ended = setting.ends(best)
    if verdict.beams and (verdict.beams.over or not verdict.beams.live):
        return "eos"
    if grown == setting.tokens_left:
        return "eos" if ended else "length"
    return "eos" if ended and not verdict.beams else None


def _seconds(readers: list[Reader]) -> float:
    return sum(reader.seconds for reader in readers)


def _work(readers: list[Reader]) -> list[int]:
    """`Reader.work` of each model, one after the other; three zeros where there is no model."""
    return [number for reader in readers for number in reader.work()] or [0, 0, 0]


def _commit(
    setting: Setting, verdict: Verdict, stop_strings: tuple[str, ...]
) -> tuple[list[int], list[Origin], int, Cut | None]:
    """Move the frontier to the end of the verdict's text, or to the token that completes a stop string.

    Returns:
        The new nodes, their origins, the last node of the best text, and its cut at a stop string.
    """
    tree, best, vocabulary = setting.tree, None, setting.target.model.vocabulary
    if beams := verdict.beams:
        assert len({tree.depths[beam.node] for beam in beams.live}) <= 1, f"beams of unequal length: {beams.live}"
        nodes, origins, best = list(beams.origins), list(beams.origins.values()), beams.best
        setting.beams = beams
        setting.frontier = [beam.node for beam in beams.live] or [best]
        text = tree.context(best)[setting.start_depth + 1 :] if stop_strings else []
        cut = cut_at_stop([], text, stop_strings, vocabulary)
    else:
        nodes = list(verdict.accepted)
        origins: list[Origin] = ["accepted"] * len(nodes)
        if verdict.extra is not None:
            nodes.append(tree.add(nodes[-1] if nodes else setting.frontier[0], verdict.extra))
            origins.append(verdict.origin)
        assert 1 <= len(nodes) <= setting.tokens_left, (
            f"{len(nodes)} tokens were emitted with {setting.tokens_left} left"
        )
        before = tree.context(setting.frontier[0])[setting.start_depth + 1 :] if stop_strings else []
        if cut := cut_at_stop(before, [tree.tokens[node] for node in nodes], stop_strings, vocabulary):
            nodes, origins = nodes[: cut.num_tokens], origins[: cut.num_tokens]
        setting.frontier = [nodes[-1]]
    new = set(nodes)
    late = [node for node in nodes if tree.parents[node] in new and setting.ends(tree.parents[node])]
    assert not late, f"tokens were emitted after the text had ended: {[tree.tokens[node] for node in late]}"
    return nodes, origins, nodes[-1] if best is None else best, cut


def _prefill(request: Request, tree: TokenTree) -> float:
    """Feed the models the prompt without its last token, which belongs to the first round; returns the seconds."""
    started = time.perf_counter()
    if len(tree.trunk) > 1:
        for model in request.models():
            if len(tree.trunk) > model.max_positions + 1:
                continue  # a draft model that will not be asked
            model.forward(tree, [tree.trunk[-2]])
            synchronise(model.device)
    return time.perf_counter() - started
