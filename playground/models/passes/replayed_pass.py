"""The lean pass, replayed: on a GPU a small pass is bound by launching operations, and a graph launches them as one.

A graph is captured once for a number of nodes and of slots, and then does the same on the same memory. So nodes are
padded to a bucket, slots to whole blocks, and everything that changes is written into tensors that stay: tokens,
positions, the slots that are written, and a mask over all slots that are read.

    nodes          a b c        tokens     a b c 0
    slots in use   7            places     7 8 9 spare      after all slots: never read
    bucket         4            mask       a row for each; padding sees the first slot, and is never seen

The first pass of a size runs as ever and is captured behind that: the graph has to come to the same logits, keys and
values. A difference, or an error, and from then on all passes run as ever; `name` says so. The same goes, pass by pass,
for what is too large, and for a tree beside another, as there is one set of slots.
"""

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import torch
from torch.nn.functional import embedding

from playground.models.passes.compiled_pass import CompiledPass, is_compilable
from playground.models.passes.forward_pass import agree
from playground.models.passes.lean_pass import LeanPass, last
from playground.models.passes.slots import BLOCK, Slots
from playground.models.products import SMALL

BUCKETS = (1, 2, 4, 8, 16, 32, 64)  # nodes
CAPACITY = 4 * BLOCK  # slots, held from the beginning: as many as `MemoryEstimate` reckons with
WARM_UP = 3  # passes before a capture, in which libraries choose their kernels and take their memory

Compute = Callable[[], torch.Tensor]
# It returns a pass that computes again on the same memory, into the same answer.
Capture = Callable[[Compute], Compute]


def lean_passes(model: Any, *, halved: bool = False) -> Iterator[LeanPass]:
    """Yield the lean passes of a transformers model for its device, the fastest first.

    Args:
        halved: whether its weights are to be held in 16 bits, which only a compiled pass does.

    Raises:
        ValueError: if a weight takes more than 16 bits.
    """
    if model.device.type == "cuda":
        yield ReplayedPass(model, partial(on_cuda, model.device))
        return
    if is_compilable(model) and (halved or model.num_parameters() <= SMALL):  # a second copy of the weights
        yield CompiledPass(model, halved=halved)
    if not halved:
        yield LeanPass(model)


def on_cuda(device: torch.device, compute: Compute) -> Compute:
    """Return a CUDA graph of a pass.

    Raises:
        RuntimeError: if the pass cannot be captured.
    """
    with torch.cuda.device(device):
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(WARM_UP):
                compute()
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):  # the page's threads go on meanwhile
            answer = compute()

    def replay() -> torch.Tensor:
        graph.replay()
        return answer

    return replay


@dataclass(slots=True)
class _Size:
    """Tensors of a pass of one size."""

    numbers: torch.Tensor  # (3, bucket) tokens, positions and places
    mask: torch.Tensor  # (bucket, slots) to add to the scores
    replay: Compute | None = None  # runs the pass, (bucket, V); None before it is captured

    def fill(self, start: int, tokens: list[int], positions: list[int], mask: torch.Tensor | None) -> None:
        """Put in n tokens behind the first `start` slots; see `ForwardPass.run`."""
        count, end = len(tokens), start + len(tokens)
        padding = [0] * (self.numbers.shape[1] - count)
        indices = [*range(start, end), *(CAPACITY for _ in padding)]
        self.numbers.copy_(torch.tensor([[*tokens, *padding], [*positions, *padding], indices]))
        self.mask.fill_(torch.finfo(self.mask.dtype).min)
        self.mask[:, 0] = 0  # the first token, which all see; a row that saw nothing would be no number
        if mask is None:
            self.mask[:count, :end] = self.mask[:count, :end].triu(start + 1)
        else:
            self.mask[:count, :end] = mask


class ReplayedPass(LeanPass):
    """The pass of one model.

    Attributes:
        name: what a trace calls it, with the reason where nothing is replayed.
    """

    name = "lean, in CUDA graphs"

    def __init__(self, model: Any, capture: Capture) -> None:
        """Take the memory of all graphs; each is captured when it is first needed."""
        super().__init__(model)
        like = self._embedding
        self._capture: Capture | None = capture
        self._filled = like.new_zeros(self.num_layers, 2 * self._groups, CAPACITY + 1, self._size)
        self._features = like.new_zeros(CAPACITY + 1, like.shape[1])
        self._tapped = like.new_zeros(CAPACITY + 1, 0)
        self._held_turns = self._turn_table(CAPACITY)  # `_turns` moves when it grows
        self._sizes: dict[tuple[int, int], _Size] = {}  # by nodes and slots
        self._tenant: Callable[[], Slots | None] = lambda: None

    def slots(self) -> Slots:
        """Return the slots of the graphs, or slots of its own where a living tree has those."""
        slots = super().slots()
        if self._capture and self._tenant() is None:
            # unseen slots count 0 times what they hold, which must be a number: a text before may have left none
            self._filled.zero_()
            slots.filled, slots.features = self._filled[:, :, :CAPACITY], self._features[:CAPACITY]
            slots.tapped = self._tapped[:CAPACITY]
            self._tenant = weakref.ref(slots)
        return slots

    def tapping(self, taps: tuple[int, ...]) -> Self:
        """Return the pass that keeps hidden states, with memory and graphs of its own."""
        tapping = super().tapping(taps)
        tapping._filled, tapping._features = torch.zeros_like(self._filled), torch.zeros_like(self._features)
        tapping._tapped = self._features.new_zeros(len(self._features), len(taps) * self._features.shape[1])
        tapping._sizes, tapping._tenant = {}, lambda: None
        return tapping

    @torch.inference_mode()
    def prepare(self) -> None:
        """Capture every size now, so that no run has to; on any numbers, for both passes read the same."""
        slots = self.slots()
        slots.filled.normal_()
        for width in range(BLOCK, CAPACITY + 1, BLOCK):
            for bucket in BUCKETS:
                slots.length = width - bucket
                self.run(slots, [0] * bucket, list(range(slots.length, width)), None, list(range(bucket)))

    def run(
        self, slots: Slots, tokens: list[int], positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens; see `ForwardPass.run`."""
        start, count = slots.length, len(tokens)
        key = self._key(slots, count)
        if key is None:
            return super().run(slots, tokens, positions, mask, rows)
        size = self._sizes.get(key)
        if size is None or size.replay is None:
            answer = super().run(slots, tokens, positions, mask, rows)
            size = self._sizes[key] = self._new_size(*key)
            size.fill(start, tokens, positions, mask)
            self._prove(size, slots, start, answer, rows)
            return answer
        size.fill(start, tokens, positions, mask)
        answer, slots.length = size.replay(), start + count
        return answer[:count].clone() if len(rows) == count else answer[rows]  # the next replay writes over it

    def _key(self, slots: Slots, count: int) -> tuple[int, int] | None:
        """Return the bucket of this many nodes, and the slots that it reads; None where none is that large."""
        end = slots.length + count
        is_held = slots is self._tenant() and slots.filled.data_ptr() == self._filled.data_ptr()  # it may have grown
        if not (self._capture and is_held and count <= BUCKETS[-1] and end <= CAPACITY):
            return None
        return next(bucket for bucket in BUCKETS if bucket >= count), -(-end // BLOCK) * BLOCK

    def _new_size(self, bucket: int, width: int) -> _Size:
        numbers = torch.zeros(3, bucket, dtype=torch.long, device=self._embedding.device)
        return _Size(numbers, self._embedding.new_zeros(bucket, width))

    def _compute(self, size: _Size) -> torch.Tensor:
        """Return the captured pass: it reads and writes tensors that stay where they are, and nothing of the host."""
        tokens, positions, indices = size.numbers.unbind()
        stream, turns = embedding(tokens, self._embedding), self._held_turns[:, positions]
        streams = self.layers(stream, turns, self._filled, indices, size.mask.shape[1], size.mask)
        if self.taps:
            streams = [stream, *streams]
            self._tapped[indices] = torch.cat([streams[depth] for depth in self.taps], 1)
        stream = last(streams)
        self._features[indices] = features = self._norm.of(stream)
        return self._head.of(features)  # (bucket, V)

    def _prove(self, size: _Size, slots: Slots, start: int, answer: torch.Tensor, rows: list[int]) -> None:
        """Capture a pass that has just run; where the graph does not do the same, no graph is replayed any more."""
        assert self._capture is not None, "a pass that replays nothing was to be captured"
        indices = slice(start, slots.length)
        held = [slots.filled[:, :, indices], slots.features[indices], *([slots.tapped[indices]] if self.taps else [])]
        right = [each.clone() for each in held]
        try:
            size.replay = self._capture(partial(self._compute, size))
            pairs = zip([size.replay()[rows], *held], [answer, *right], strict=True)
            reason = "" if all(agree(one, other) for one, other in pairs) else "they compute something else"
        except Exception as error:  # libraries and drivers differ in what they refuse, and in how
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if reason:
            for each, before in zip(held, right, strict=True):
                each.copy_(before)
            self._sizes.clear()
            nothing = self._features.new_empty(0)  # trees keep theirs
            self._filled = self._features = self._tapped = nothing
            self._capture, self.name = None, f"{LeanPass.name}, not in CUDA graphs: {reason}"
