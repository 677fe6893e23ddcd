"""A pass for models that no tree mask fits: each path of the tree is a row of a batch, with a state of its own.

A convolution, a recurrence or a bias by distance reads tokens in a line, and each branch of a tree is another line. So
the missing nodes are read along the paths to their leaves, each path from the nearest node whose state is held:

    tree            held    rows that are read
    a - b - c - d   b       c d
          \\ e               e .       shorter rows are padded on the right, where no token of theirs looks

What is held after a call depends on what the proof (`models.proof`) has found the model's state to be:

    cut       attention of any kind, convolutions: a row's state without its last tokens is the state of a node above
    kept      recurrences (Mamba, DeltaNet, RWKV): a state is that of a row's last node and of no other. The state from
              before the call is taken back, and accepted tokens are read again: within the next call, or first in one
              of their own where that is less work
    stepped   the same, where the model reads one token at a time behind a state: one call for each depth
    whole     no state that can be handed back to the model: every path is read from the first token

State is whatever a model returns and also takes by the same name: a cache of transformers, or RWKV's list of tensors.
"""

from __future__ import annotations

import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
import torch
from transformers import DynamicCache

from playground.models.forward import Forward, PathWork
from playground.models.reading import synchronise

if TYPE_CHECKING:
    from playground.tree import TokenTree

StateKind = Literal["cut", "kept", "stepped", "whole"]
KINDS: tuple[StateKind, ...] = ("cut", "kept", "stepped", "whole")  # the cheapest first
# Tokens, over all rows of a call, that it may read beyond once each. With more of them, what was read before and what
# rows have in common is read first, once, in a call of its own, which leaves a state behind it.
MOST_TWICE = 32

T = TypeVar("T")


class State(NamedTuple):
    """State of some rows after a pass."""

    values: dict[str, Any]  # by the names of the model's arguments
    length: int  # tokens that every row has read, padding included

    def num_bytes(self) -> int:
        """Bytes of all rows; tensors that share memory count once."""
        sizes: dict[int, int] = {}
        _with_tensors(self.values, lambda each: sizes.update({each.data_ptr() or id(each): each.nbytes}) or each)
        return sum(sizes.values())

    def forgets(self) -> bool:
        """Return whether it is cut back to the beginning of the pass that made it, and no further."""
        return any(hasattr(layer, "record_past") for layer in self.values["cache"].layers)


class Held(NamedTuple):
    """State of one node: that of a row, which may have read on."""

    state: State
    row: int


class Row(NamedTuple):
    """Nodes to read: from a child of the node whose state is held, or from the first token, down to a leaf."""

    base: int  # the node whose state is held; -1 before the first token
    nodes: list[int]


Group = list[tuple[Row, Held | None]]  # rows, and the state that each is behind
# Reads rows of nodes, all of one length, behind a state of as many rows, or None before the first token; returns logits
# at these columns, (rows, columns, V), and the state behind the rows, or None where the model has none.
Read = Callable[[list[list[int]], State | None, list[int]], tuple[torch.Tensor, State | None]]


class PathPass:
    """The pass of one model.

    Attributes:
        name: what a trace calls it.
        kind: what its state is.
        is_batched: whether one call reads several rows; some models mix up the rows of a batch.
        state_bytes: bytes of one row's state without what grows with the text; `proof` measures it.
        bytes_per_token: bytes that each token adds to it; `proof` measures it.
    """

    def __init__(self, model: Any, kind: StateKind, *, is_batched: bool = True) -> None:
        self._model, self.kind, self.is_batched = model, kind, is_batched
        state = "read whole" if kind == "whole" else f"state {kind}"
        self.name = f"transformers, paths as {'rows' if is_batched else 'single rows'}, {state}"
        self._takes = inspect.signature(model.forward).parameters
        self.state_bytes = self.bytes_per_token = 0

    def slots(self) -> PathCache:
        """Room for the states of one tree."""
        return PathCache(self)

    def run(self, rows: list[list[int]], before: State | None, columns: list[int]) -> tuple[torch.Tensor, State | None]:
        """Read rows of tokens, see `Read`; the state before them is used up."""
        device, start = self._model.device, before.length if before else 0
        length = start + len(rows[0])
        arguments: dict[str, object] = {
            "input_ids": torch.tensor(rows, device=device),
            "position_ids": torch.arange(start, length, device=device).expand(len(rows), -1),  # Bamba takes 0 for none
            "use_cache": self.kind != "whole",
            "logits_to_keep": torch.tensor(columns, device=device),
        }
        if before is not None:
            arguments |= before.values
        elif self.kind == "cut":
            arguments["cache"] = DynamicCache(config=self._model.config.get_text_config(decoder=True))
            arguments["cache"].activate_past_recording()
        output = self._model(**{name: value for name, value in arguments.items() if name in self._takes})
        logits = output.logits if output.logits.shape[1] == len(columns) else output.logits[:, columns]
        if self.kind == "whole":
            return logits, None
        values = {name: output[name] for name in output if name != "logits" and name in self._takes}
        return logits, State(values, length)

    def rows_of(self, held: Sequence[Held], length: int) -> State:
        """Return one state of several rows, cut to their first tokens; what they were taken from stays as it is."""
        state = held[0].state
        assert all(each.state is state for each in held), "rows of one pass come from one state"
        rows = torch.tensor([each.row for each in held], device=self._model.device)

        def chosen(tensor: torch.Tensor) -> torch.Tensor:
            if not tensor.dim():
                return tensor
            # A state that is cut is never written in place, so rows may share it.
            if self.kind == "cut" and len(tensor) == 1:
                return tensor.expand(len(rows), *tensor.shape[1:])
            return tensor.index_select(0, rows.to(tensor.device))

        values = _with_tensors(state.values, chosen)
        if self.kind == "cut":
            values["cache"].crop(length - state.length)
        return State(values, length)


class PathCache:
    """States of one tree by node, and the logits of living nodes that may be asked about again."""

    def __init__(self, path_pass: PathPass) -> None:
        self.known: dict[int, torch.Tensor] = {}
        self._pass = path_pass
        self._held: dict[int, Held] = {}
        self._was_read: set[int] = set()  # living nodes that a call has read
        self._num_prunes = 0

    def num_bytes(self) -> int:
        """Bytes of all states that are held."""
        states = {id(each.state): each.state for each in self._held.values()}
        return sum(state.num_bytes() for state in states.values())

    def prune(self, tree: TokenTree) -> None:
        """Drop the states of nodes that the tree has cut off, and those of its trunk but for the last."""
        if self._num_prunes == tree.num_prunes:
            return
        self._num_prunes = tree.num_prunes
        self.known = {node: row for node, row in self.known.items() if node >= tree.trunk[-1] and tree.is_alive(node)}
        self._was_read = {node for node in self._was_read if tree.is_alive(node)}
        living = {node: held for node, held in self._held.items() if tree.is_alive(node)}
        on_trunk = living.keys() & set(tree.trunk)
        last = max(on_trunk, default=-1)
        self._held = {node: held for node, held in living.items() if node == last or node not in on_trunk}

    def forward(self, tree: TokenTree, nodes: list[int], read: Read) -> Forward:
        """Return the logits at these living nodes, in any order, in as few passes as the states allow."""
        rows, fed, work = self._rows(tree, nodes), set[int](), PathWork()
        cached = min((tree.depths[row.base] + 1 if row.base >= 0 else 0 for row in rows), default=0)
        if first := self._beginnings(rows):
            for group in self._groups(tree, self._rows(tree, first), of_one_length=True):
                work = self._read(tree, group, nodes, read, fed, work)
            rows = self._rows(tree, nodes)
        while rows:
            for group in self._groups(tree, rows):
                work = self._read(tree, group, nodes, read, fed, work)
            rows = self._rows(tree, nodes)
        self._was_read |= fed
        order, logits = sorted(fed), torch.stack([self.known[node] for node in nodes])
        return Forward(logits, order, cached, order, _visible(tree, order), work if fed else None)

    def _rows(self, tree: TokenTree, nodes: Iterable[int]) -> list[Row]:
        """Return the paths to those of these nodes whose logits are unknown, each from the nearest state above it."""
        rows, passed = [], set[int]()
        for node in sorted(set(nodes) - self.known.keys(), reverse=True):  # children before parents
            if node in passed:
                continue
            path = [node]
            while (above := tree.parents[path[-1]]) >= 0 and above not in self._held:
                path.append(above)
            passed.update(path)
            rows.append(Row(above, path[::-1]))
        if self._pass.kind == "stepped":
            behind = dict.fromkeys((row.base, row.nodes[0]) for row in rows if row.base >= 0)
            rows = [row for row in rows if row.base < 0] + [Row(base, [node]) for base, node in behind]
        return rows[::-1]

    def _beginnings(self, rows: list[Row]) -> set[int]:
        """Return the nodes to read first: the last that was read before, or that all rows from one state share."""
        news = {node for row in rows for node in row.nodes} - self._was_read
        num_twice = sum(len(row.nodes) for row in rows) - len(news)
        if self._pass.kind not in ("cut", "kept") or num_twice <= MOST_TWICE:
            return set()
        first, rows_behind = set[int](), defaultdict[int, list[Row]](list)
        for row in rows:
            rows_behind[row.base].append(row)
        for group in rows_behind.values():
            levels = zip(*(row.nodes for row in group), strict=False)
            shared = _count_leading(len(set(level)) == 1 and len(group) > 1 for level in levels)
            for row in group:
                if count := max(shared, _count_leading(node in self._was_read for node in row.nodes)):
                    first.add(row.nodes[count - 1])
        return first

    def _groups(self, tree: TokenTree, rows: list[Row], *, of_one_length: bool = False) -> list[Group]:
        """Return rows that one pass reads: behind one state, at one depth."""
        groups = defaultdict[Any, Group](list)
        for row in rows:
            held = self._held.get(row.base)
            own = -1 if self._pass.is_batched else row.nodes[-1]
            behind = (id(held.state), tree.depths[row.base]) if held else None
            groups[behind, of_one_length and len(row.nodes), own].append((row, held))
        return list(groups.values())

    def _read(
        self, tree: TokenTree, group: Group, nodes: Iterable[int], read: Read, fed: set[int], work: PathWork
    ) -> PathWork:
        """Read rows behind one state, and keep their states and the logits that were asked for."""
        rows, held = [row for row, _ in group], [each for _, each in group if each]
        longest, wanted = max(len(row.nodes) for row in rows), set(nodes) - self.known.keys()
        before = self._pass.rows_of(held, tree.depths[rows[0].base] + 1) if held else None
        columns = sorted({column for row in rows for column, node in enumerate(row.nodes) if node in wanted})
        columns = columns or [longest - 1]
        num_again = sum(node in self._was_read for row in rows for node in row.nodes)
        is_again = num_again == sum(len(row.nodes) for row in rows)
        started = time.perf_counter()
        padded = [row.nodes + row.nodes[-1:] * (longest - len(row.nodes)) for row in rows]
        logits, state = read(padded, before, columns)
        if is_again:
            synchronise(logits.device)
        seconds = time.perf_counter() - started if is_again else 0.0
        for row, of_row in zip(rows, logits, strict=True):
            of_columns = zip(columns, of_row, strict=True)
            own = {row.nodes[column]: each for column, each in of_columns if column < len(row.nodes)}
            self.known |= {node: each for node, each in own.items() if node in wanted}
            fed.update(row.nodes)
        if state is not None:
            self._hold(tree, rows, state, longest)
        return work.with_pass(len(rows), len(rows) * longest, num_again, seconds)

    def _hold(self, tree: TokenTree, rows: list[Row], state: State, longest: int) -> None:
        """Keep the states of nodes that these rows hold; what is above them needs its older state no more."""
        for index, row in enumerate(rows):
            held = Held(state, index)
            if self._pass.kind == "cut":
                self._held |= dict.fromkeys(row.nodes, held)
                node = row.base
                while node in self._held:
                    self._held[node] = held
                    node = -1 if state.forgets() else tree.parents[node]
            elif len(row.nodes) == longest:
                self._held[row.nodes[-1]] = held


def _count_leading(values: Iterable[bool]) -> int:
    """Count the values before the first False."""
    count = 0
    for value in values:
        if not value:
            break
        count += 1
    return count


def _visible(tree: TokenTree, fed: list[int]) -> np.ndarray | None:
    """Return which of these nodes each of them sees: its ancestors and itself; None where they are one path."""
    if all(tree.parents[node] == above for above, node in pairwise(fed)):
        return None
    index, visible = {node: row for row, node in enumerate(fed)}, np.eye(len(fed), dtype=bool)
    for row, node in enumerate(fed):
        if (above := index.get(tree.parents[node])) is not None:
            visible[row] |= visible[above]
    return visible


def _with_tensors(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Return a copy of a state with each of its tensors changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {name: _with_tensors(each, change) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_with_tensors(each, change) for each in value)
    if not hasattr(value, "__dict__") or isinstance(value, type | torch.nn.Module):
        return value
    changed = copy(value)
    vars(changed).update(_with_tensors(vars(value), change))
    return changed
