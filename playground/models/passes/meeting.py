"""Threads that run one compiled program together: a share for each, and a barrier where they meet.

A thread at the barrier looks for the others for some microseconds, then lets other programs run, then sleeps: on a
machine that others use, threads that only look keep those from running whom they wait for.
"""

from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.extending import intrinsic

from playground.models.passes.vectors import INT, Builder, jit, llvm_function

# A barrier has three lines of a cache: who has come, how often all had, and whether one is lost; see `team.NUMBERS`.
COME, MET, LOST = 0, 8, 16
LOOKS, YIELDS = 4096, 128  # before a thread lets others run, and before it sleeps
NAP_US = 50
YIELD, SLEEP = "sched_yield", "usleep"  # The C library has them; without them a thread looks on.


@jit()
def share(total, unit, index, number):
    """Return where a share of so many begins and ends, in whole units."""
    units = (total + unit - 1) // unit
    return index * units // number * unit, min(total, (index + 1) * units // number * unit)


@jit()
def meet(barrier, number):
    """Wait until all threads are here; none waits for one that was lost."""
    if number == 1:
        return
    before, looks = _read(barrier, MET), 0
    if _add(barrier, COME, 1) == number - 1:
        _add(barrier, COME, -number)
        _add(barrier, MET, 1)
        return
    while _read(barrier, MET) == before and not _read(barrier, LOST):
        looks += 1
        if looks > LOOKS:
            _yield_or_sleep(looks > LOOKS + YIELDS)


def _pointer(context: Any, builder: Builder, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic
def _read(_: Any, barrier: Any, index: Any):
    def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
        return builder.load_atomic(_pointer(context, builder, signature, arguments), "seq_cst", 8)

    return types.int64(barrier, types.int64), generate


@intrinsic
def _add(_: Any, barrier: Any, index: Any, number: Any):
    """Add to a number and return what it was."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
        pointer = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

    return types.int64(barrier, types.int64, types.int64), generate


@intrinsic
def _yield_or_sleep(_: Any, sleeps: Any):
    """Let other programs run, or sleep."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
        with builder.if_else(arguments[0]) as (asleep, awake):
            with asleep:
                _call(builder, SLEEP, [INT(NAP_US)])
            with awake:
                _call(builder, YIELD, [])
        return context.get_dummy_value()

    return types.void(types.boolean), generate


def _call(builder: Builder, name: str, arguments: list[Any]) -> None:
    if llvm.address_of_symbol(name):
        builder.call(llvm_function(builder, name, INT, *(each.type for each in arguments)), arguments)
