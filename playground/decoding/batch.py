"""A batch: several runs in lockstep, whose model calls are made together.

    sequence 0    draft draft verify  |  draft draft verify
    sequence 1    draft draft verify  |  draft draft verify        a call reads the tokens of all that wait for it
    sequence 2    draft       verify  |                            shorter drafts wait, ended sequences are idle

Each sequence is the usual loop, in a thread of its own that stops at every model call. One thread runs at a time. Once
all of them wait, the calls to the draft model are made, or where none waits for one those to the target. So every
method can be batched whose models run by the lean or the compiled pass, or that drafts without a model.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from playground.decoding.decode import Request
from playground.decoding.record import record
from playground.errors import PlaygroundError
from playground.meters.reading import MeterReading
from playground.models.passes.batch_pass import Answer, BatchModel, Logits
from playground.models.passes.slots import Part
from playground.trace.events import Event, Trace

LARGEST_BATCH = 8  # sequences
NO_ENERGY = "The sequences of a batch share its energy."


@dataclass(frozen=True, slots=True)
class Call:
    """One model call of a batch, for the sequences that take part in it."""

    model: int  # 0 for the target, from 1 the draft models
    sequences: list[int]  # their indices
    tokens: list[int]  # Each sequence reads so many.
    padding: int  # positions that were computed for nothing, over all sequences
    seconds: float


@dataclass(frozen=True, slots=True)
class Batch:
    """Several runs that were made together."""

    traces: list[Trace]  # a run's clock has the waits for the others in it
    prefill: list[Call]  # These calls read the prompts.
    calls: list[Call]  # These calls decode.
    seconds: float  # from the first round's beginning to the last one's end, over all sequences

    @property
    def steps(self) -> list[Call]:
        """Calls to the target: each is one round of every sequence that has not ended."""
        return [call for call in self.calls if call.model == 0]

    @property
    def num_idle(self) -> int:
        """Steps that sequences sat out after their end, over all sequences."""
        return sum(len(self.traces) - len(call.sequences) for call in self.steps)

    @property
    def num_emitted(self) -> int:
        """Emitted tokens of all sequences."""
        return sum(len(each.committed.tokens) for trace in self.traces for each in trace.rounds)


def run_batch(requests: Sequence[Request], stop: Callable[[], bool] = lambda: False, *, padded: bool = False) -> Batch:
    """Run requests as one batch, and record each as a trace.

    Events are written once all sequences have ended, or, where distributions would fill the memory, between rounds,
    while the other sequences' clocks go on.

    Args:
        requests: with the same models, 1 to `LARGEST_BATCH`.
        stop: see `decode`; called by every sequence.
        padded: whether each sequence's tokens in a call are padded to the length of the longest.

    Raises:
        PlaygroundError: if a model reads one sequence at a time, or a run fails.
    """
    models = _shared_models(requests)
    sequences = [_Sequence(index) for index in range(len(requests))]
    lockstep = _Lockstep(sequences, models, padded=padded)
    events: list[list[Event]] = [[] for _ in requests]

    def recorded(sequence: _Sequence, request: Request) -> None:
        for several in record(request, stop, meter=sequence, interval_s=math.inf):
            events[sequence.index] += several

    for sequence, request in zip(sequences, requests, strict=True):
        own = [model.alone(partial(sequence.ask, index)) for index, model in enumerate(models)]
        drafts = {"draft_model": own[1], "other_drafts": tuple(own[2:])} if own[1:] else {}
        sequence.start(partial(recorded, sequence, replace(request, target=own[0], **drafts)))
    try:
        prefill = lockstep.run_to_next_gate()
        began = time.perf_counter()
        calls = lockstep.run_to_next_gate()
        seconds = time.perf_counter() - began
        lockstep.run_to_next_gate()
    except BaseException:
        lockstep.abandon()
        raise
    return Batch([Trace(tuple(each)) for each in events], prefill, calls, seconds)


class _AbandonedError(Exception):
    """Another sequence has failed, so this one ends, too."""


class _Sequence:
    """One run in a thread of its own, and the meter of its record, which begins and ends with the whole batch."""

    def __init__(self, index: int) -> None:
        self.index = index
        # the model and the tokens that it waits for; None where it is at a gate, or over
        self.waits_for: tuple[int, Part] | None = None
        self.answer: Answer | None = None  # logits, or why there are none
        self.error: BaseException | None = None  # The run ended with it.
        self.is_over = False  # whether the thread has ended
        # locked except while the one side has released it for the other: half as slow as semaphores
        self._resumed, self._paused = threading.Lock(), threading.Lock()
        self._resumed.acquire()
        self._paused.acquire()

    def start(self, run: Callable[[], None]) -> None:
        """Run in a thread of its own, from the next `resume` on."""

        def whole() -> None:
            self._resumed.acquire()
            try:
                run()
            except BaseException as error:  # raised in the thread of the batch
                self.error = error
            self.is_over = True
            self._paused.release()

        threading.Thread(target=whole, name=f"sequence {self.index}", daemon=True).start()

    def resume(self, answer: Answer | None = None) -> None:
        """Let the thread go on until it waits again, or is over."""
        self.answer, self.waits_for = answer, None
        self._resumed.release()
        self._paused.acquire()

    def ask(self, model: int, part: Part) -> Logits:
        """Wait for a model call, and return its logits. (len(part.rows), V)"""
        self.waits_for = (model, part)
        self._wait()
        assert isinstance(self.answer, Logits), "a sequence went on without its logits"
        return self.answer

    def begin(self) -> None:
        """Wait until all sequences have read their prompts."""
        self._wait()

    def end(self) -> MeterReading:
        """Wait until all sequences have ended; their energy cannot be told apart."""
        self._wait()
        return MeterReading(None, None, NO_ENERGY)

    def _wait(self) -> None:
        self._paused.release()
        self._resumed.acquire()
        if isinstance(self.answer, BaseException):
            raise self.answer


class _Lockstep:
    """Sequences decoded in turns, and the models that they share."""

    def __init__(self, sequences: list[_Sequence], models: list[BatchModel], *, padded: bool) -> None:
        self.sequences, self._models, self._padded = sequences, models, padded

    def run_to_next_gate(self) -> list[Call]:
        """Let all sequences go on to where they wait for the whole batch, or are over; return the calls on the way."""
        calls = []
        for sequence in self.sequences:
            sequence.resume()
        while waiting := [each for each in self.sequences if each.waits_for]:
            model = max(each.waits_for[0] for each in waiting if each.waits_for)  # drafts before the target
            calls.append(self._call(model, [each for each in waiting if each.waits_for and each.waits_for[0] == model]))
        for each in self.sequences:
            if each.error:
                raise each.error
        return calls

    def _call(self, model: int, sequences: list[_Sequence]) -> Call:
        parts = [each.waits_for[1] for each in sequences if each.waits_for]
        lengths = [len(part.tokens) for part in parts]
        if self._padded:
            parts = [part.padded(max(lengths)) for part in parts]
        began = time.perf_counter()
        try:
            answers: Sequence[Answer] = self._models[model].run(parts)
        except Exception as error:  # a full memory: each sequence says what it held
            answers = [error] * len(parts)
        call = Call(
            model=model,
            sequences=[each.index for each in sequences],
            tokens=lengths,
            padding=sum(part.padding for part in parts),
            seconds=time.perf_counter() - began,
        )
        for sequence, answer in zip(sequences, answers, strict=True):
            sequence.resume(answer)
        return call

    def abandon(self) -> None:
        """End the threads that still wait."""
        for each in self.sequences:
            if not each.is_over:
                each.resume(_AbandonedError())


def _shared_models(requests: Sequence[Request]) -> list[BatchModel]:
    """Return the models of all requests, the target first.

    Raises:
        PlaygroundError: if there are too many requests or none, their models differ, or one reads one sequence alone.
    """
    if not 1 <= len(requests) <= LARGEST_BATCH:
        raise PlaygroundError(f"A batch of {len(requests)} sequences is out of range. Choose 1 to {LARGEST_BATCH}.")
    models = requests[0].models()
    if any(each.models() != models for each in requests):
        raise PlaygroundError("The sequences of a batch have different models. Give all of them the same ones.")
    return [BatchModel(model) for model in models]
