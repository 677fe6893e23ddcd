"""From rounds to the events of a trace. Runs between rounds or behind them, where the decoding clock is stopped."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from playground.decoding import alternatives
from playground.decoding.alternatives import RoundProbabilities
from playground.decoding.constrained.constraint import Trie
from playground.decoding.constrained.grammar import Grammar
from playground.decoding.decode import Finished, Request, Round, Started, decode
from playground.decoding.drafting.draft import Draft, DraftDepth
from playground.decoding.method import DecodingMethod, method_id
from playground.decoding.printed import BestText, GrowingText, replaced
from playground.decoding.setting import Setting
from playground.decoding.verdict import Judgement
from playground.decoding.workings.layers import layers_of
from playground.errors import PlaygroundError
from playground.meters.meter import Meter, NoMeter
from playground.meters.reading import MeterReading
from playground.models.forward import Forward
from playground.models.language_model import LanguageModel
from playground.models.layer_lens import LayerLens
from playground.models.machine import machine, meter_of, versions
from playground.trace import events
from playground.trace.texts import best_text, written
from playground.words import word

LARGEST_MASK = 128  # fed nodes; a larger mask is not recorded
HELD_BYTES = 2**24  # Distributions that wait to be written take no more.


def record(
    request: Request,
    stop: Callable[[], bool] = lambda: False,
    *,
    meter: Meter | None = None,
    method_of: Callable[[int, Setting], DecodingMethod] | None = None,
    branch: events.Branch | None = None,
    layers: bool = False,
    interval_s: float = 0.0,
) -> Iterator[list[events.Event]]:
    """Run a request and yield its events: the start, then each round's together, then the end.

    A round that is written by itself costs more than it costs among others: the models have just driven out of the
    processor's caches all that writing needs. So a caller that need not see each round at once lets some of them wait.

    Args:
        stop: asked before every round; once it says True the run ends there, with everything so far kept.
        meter: counts the energy from before the first round to after the last; that of the target's device when None.
        branch: what was changed in the run, which then claims no distribution; see what_if/.
        layers: whether to tell what every layer of the target says of the drafted tokens: one pass per layer
            again, between rounds.
        interval_s: how long rounds may wait to be written together. They never outlive the run: its end, a stop and an
            error come after all that happened before.

    Raises:
        PlaygroundError: if the target's layers cannot be read, or only some texts are allowed.
    """
    recorder = _Recorder(request, branch, layers)
    meter = meter or _meter_of(request)
    written_at = time.monotonic()
    try:
        for item in decode(request, stop, method_of):
            match item:
                case Started():
                    recorder.run_started = recorder.started(item)
                    yield [recorder.run_started]
                    meter.begin()
                case Round():
                    recorder.hold(item)
                    if recorder.is_full or time.monotonic() - written_at >= interval_s:
                        yield recorder.write()
                        written_at = time.monotonic()
                case Finished():
                    energy = meter.end()
                    yield [*recorder.write(), recorder.finished(item, energy)]
    except Exception:
        if unwritten := recorder.write():
            yield unwritten
        raise


def run(
    request: Request, stop: Callable[[], bool] = lambda: False, *, meter: Meter | None = None, layers: bool = False
) -> events.Trace:
    """Run a request to its end or until `stop` returns True; return all events. `meter`, `layers`: see `record`."""
    batches = record(request, stop, meter=meter, layers=layers, interval_s=math.inf)
    return events.Trace(tuple(event for batch in batches for event in batch))


def _meter_of(request: Request) -> Meter:
    """Energy counter of the device that the target is on; a counter of one of several would count too little."""
    models = [request.target, *request.draft_models()]
    devices = {device for model in models if isinstance(model, LanguageModel) for device in model.devices}
    if sum(device.type == "cuda" for device in devices) > 1:
        return NoMeter("The models are on several GPUs, and the meter reads one.")
    return meter_of(request.target.device)


class _Recorder:
    """State from round to round: text that waits, pieces that were sent, and the sums for the totals."""

    def __init__(self, request: Request, branch: events.Branch | None, layers: bool) -> None:
        self.request, self.branch = request, branch
        self.held: list[Round] = []
        # Waiting rounds hold so many distributions.
        self.num_rows, self.most_rows = 0, HELD_BYTES // (4 * request.target.vocab_size)
        if layers and request.constraint:
            raise PlaygroundError(word("refused_layers"))
        self.lens = LayerLens(request.target) if layers else None
        self.vocabulary = request.target.vocabulary
        self.run_started: events.RunStarted
        self.sent: set[int] = set()
        self.text, self.best_text = GrowingText(self.vocabulary), BestText(self.vocabulary)
        self.start = 0  # the node decoding started from
        self.rounds: list[events.Committed] = []
        self.num_drafted = self.num_tested = self.num_accepted = 0

    def started(self, item: Started) -> events.RunStarted:
        request = self.request
        method = request.method
        prompt_ids = list(request.prompt_ids)
        self.start = item.frontier[0]
        return events.RunStarted(
            method=method_id(method),
            title=method.title,
            lossless=method.lossless and not self.branch,
            reproduces="none" if self.branch else method.reproduces,
            options=asdict(method.options),
            sampling=request.sampling.as_dict(),
            seed=request.seed,
            max_new_tokens=request.max_new_tokens,
            target=request.target.facts(),
            draft=_draft_facts(request),
            prompt=request.prompt,
            prompt_ids=prompt_ids,
            frontier=item.frontier,
            pieces=self._pieces(prompt_ids),
            prefill_s=item.prefill_s,
            machine=machine(request.target.device),
            versions=versions(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            other_drafts=[model.facts() for model in request.draft_models()[1:]],
            tests=method.tests,
            branch=self.branch,
            num_allowed=len(request.constraint) if isinstance(request.constraint, Trie) else 0,
            grammar=request.constraint.text if isinstance(request.constraint, Grammar) else "",
            stop_strings=list(request.stop_strings),
            message=request.message,
        )

    def hold(self, item: Round) -> None:
        """Let a round wait to be written. Of what it keeps only its distributions count."""
        self.held.append(item)
        # the logits and p at every asked node, q wherever something was drawn
        self.num_rows += 2 * len(item.verdict.reading.nodes) + len(item.draft.draws)

    @property
    def is_full(self) -> bool:
        """True if no more can wait."""
        return self.num_rows >= self.most_rows

    def write(self) -> list[events.Event]:
        """Return the events of the waiting rounds, and empty the waiting list."""
        held, self.held, self.num_rows = self.held, [], 0
        is_changed = self.request.constraint is not None or not self.request.sampling.is_plain
        of_rounds = alternatives.round_probabilities(held, with_raw=is_changed)
        written = [self._round(item, probabilities) for item, probabilities in zip(held, of_rounds, strict=True)]
        return [event for of_round in written for event in of_round]

    def _round(self, item: Round, probabilities: RoundProbabilities) -> list[events.Event]:
        verified = _verified(item)
        if self.lens:
            layer_records = layers_of(item.tree, item.verdict.judgements, self.lens, self.request.sampling)
            verified.workings.extend(each.as_dict() for each in layer_records)
        self.num_drafted += len(verified.nodes)
        self.num_tested += sum(outcome != "not_tested" for outcome in verified.outcomes)
        self.num_accepted += sum(outcome == "accepted" for outcome in verified.outcomes)
        drafted = [self._drafted(item, index) for index in range(len(item.draft.depths))]
        scored = self._scored(item, verified, probabilities)
        committed = self._committed(item, probabilities)
        self.rounds.append(committed)
        return [*drafted, scored, verified, committed]

    def finished(self, item: Finished, energy: MeterReading) -> events.RunFinished:
        events_so_far = events.Trace((self.run_started, *self.rounds))
        log_probs = [word.log_prob for word in best_text(events_so_far)]
        return events.RunFinished(
            finish_reason=item.reason,
            text=written(events_so_far),
            num_tokens=len(log_probs),
            rounds=len(self.rounds),
            target_calls=item.target_calls,
            draft_calls=item.draft_calls,
            num_drafted=self.num_drafted,
            num_tested=self.num_tested,
            num_accepted=self.num_accepted,
            draft_s=sum(committed.draft_s for committed in self.rounds),
            verify_s=sum(committed.verify_s for committed in self.rounds),
            other_s=sum(committed.other_s for committed in self.rounds),
            perplexity=math.exp(-sum(log_probs) / len(log_probs)) if log_probs else None,
            peak_cache_bytes=item.peak_cache_bytes,
            energy=energy.as_dict(),
        )

    def _drafted(self, item: Round, index: int) -> events.Drafted:
        drafted, token_of = item.draft.depths[index], item.tree.tokens
        tokens = [token_of[node] for node in drafted.nodes]
        return events.Drafted(
            round=item.number,
            depth=index + 1,
            parents=list(drafted.parents),
            nodes=list(drafted.nodes),
            tokens=tokens,
            draft_probs=_draft_probs(item.draft, drafted),
            seconds=drafted.seconds,
            pieces=self._pieces(tokens),
            draft_models=list(drafted.model_indices) if self.run_started.other_drafts else [],
        )

    def _scored(self, item: Round, verified: events.Verified, probabilities: RoundProbabilities) -> events.Scored:
        reading = item.verdict.reading
        forward = reading.forward
        return events.Scored(
            round=item.number,
            nodes=list(reading.nodes),
            overlaps=probabilities.overlaps,
            alternatives=probabilities.alternatives,
            fed=list(forward.fed),
            num_cached=forward.num_cached,
            columns=list(forward.columns) if len(forward.fed) <= LARGEST_MASK else [],
            mask=_mask(forward),
            seconds=reading.seconds,
            # workings name tokens, too, and the event that holds them prints none
            pieces=self._pieces(
                [row[0] for rows in (*probabilities.alternatives, *probabilities.raw_probs) for row in rows]
                + [token for working in verified.workings for token in working.get("tokens", [])]
            ),
            raw_probs=probabilities.raw_probs,
            paths=events.Paths(*forward.work) if forward.work else None,
        )

    def _committed(self, item: Round, probabilities: RoundProbabilities) -> events.Committed:
        tokens = [item.tree.tokens[node] for node in item.nodes]
        parents = [item.tree.parents[node] for node in item.nodes]
        beams, (text_offset, text) = item.verdict.beams, self._text(item)
        return events.Committed(
            round=item.number,
            nodes=list(item.nodes),
            tokens=tokens,
            origins=list(item.origins),
            log_probs=probabilities.log_probs,
            extra_prob=probabilities.extra_prob,
            text=text,
            frontier=list(item.frontier),
            draft_s=item.draft_s,
            verify_s=item.verify_s,
            other_s=item.other_s,
            clock_s=item.clock_s,
            pieces=self._pieces(tokens),
            parents=parents,
            frontier_log_probs=[beam.log_prob for beam in beams.live] if beams else [],
            best=item.best if beams else None,
            text_offset=text_offset,
            draft_work=list(item.draft_work),
            draft_cache_bytes=list(item.draft_cache_bytes),
        )

    def _text(self, item: Round) -> tuple[int | None, str]:
        """Return how many characters of the text remain (None for all of them), and the text that follows."""
        tokens, ends = item.tree.tokens, item.finish is not None
        if item.num_characters is not None:  # a stop string may have begun in a round before
            text = self.vocabulary.decode([tokens[node] for node in item.tree.path(item.best, self.start)])
            return replaced(written(events.Trace(tuple(self.rounds))), text[: item.num_characters])
        if item.verdict.beams is None:
            return None, self.text.push(self._spelled(item, item.nodes), last=ends)
        return self.best_text.push(self._spelled(item, item.tree.path(item.best, self.start)), last=ends)

    def _spelled(self, item: Round, nodes: list[int]) -> list[int]:
        """Return the tokens of these nodes, without the end token of a text that has to match a grammar."""
        tokens, constraint = [item.tree.tokens[node] for node in nodes], self.request.constraint
        matches = isinstance(constraint, Grammar) and tokens[-1:] and tokens[-1] in constraint.end_tokens
        return tokens[:-1] if matches else tokens

    def _pieces(self, tokens: Any) -> dict[str, str]:
        """Return the printed pieces of the tokens that no event has printed yet."""
        pieces = {}
        for token in tokens:
            if token not in self.sent:
                self.sent.add(token)
                pieces[str(token)] = self.vocabulary.piece(token)
        return pieces


def _draft_facts(request: Request) -> events.Facts | None:
    """Return the draft model's facts, with its `context` where the text may outgrow it and drafting stops."""
    if not request.method.needs_draft_model or request.draft_model is None:
        return None
    context = request.draft_context()
    return request.draft_model.facts() | ({"context": context} if context is not None else {})


def _verified(item: Round) -> events.Verified:
    judgements = item.verdict.judgements
    return events.Verified(
        round=item.number,
        nodes=[judgement.node for judgement in judgements],
        outcomes=[judgement.outcome for judgement in judgements],
        target_probs=[judgement.target_prob for judgement in judgements],
        draft_probs=[judgement.draft_prob for judgement in judgements],
        accept_probs=[judgement.accept_prob for judgement in judgements],
        uniforms=[judgement.uniform for judgement in judgements],
        reasons=[judgement.reason.code for judgement in judgements],
        reason_values=_reason_values(judgements),
        workings=[workings().as_dict() for workings in item.verdict.workings],
    )


def _reason_values(judgements: Sequence[Judgement]) -> list[dict[str, float]]:
    """Return the numbers of each reason; none at all where no reason has any."""
    values = [dict(judgement.reason.values) for judgement in judgements]
    return values if any(values) else []


def _draft_probs(draft: Draft, drafted: DraftDepth) -> list[float]:
    """q of each draw at a depth, in draw order."""
    q = {parent: iter(draft.draws[parent].probs()) for parent in dict.fromkeys(drafted.parents)}
    return [next(q[parent]) for parent in drafted.parents]


def _mask(forward: Forward) -> list[str] | None:
    """Return the mask of the pass, a row of letters per fed node; in a plain causal pass each sees what precedes it."""
    num_fed, num_columns = len(forward.fed), len(forward.columns)
    if num_fed > LARGEST_MASK or not num_columns:  # a table model attends to nothing
        return None
    if forward.visible is None:
        first = num_columns - num_fed + 1
        return ["1" * (first + row) + "0" * (num_fed - 1 - row) for row in range(num_fed)]
    return ["".join("1" if seen else "0" for seen in row) for row in forward.visible.tolist()]
