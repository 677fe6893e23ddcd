"""The trace: what happened in one run. Written once by the decoding loop, folded by everything downstream.

    RunStarted                                   configuration, prompt, prefill
    ( Drafted*  Scored  Verified  Committed )*   one round: draft, ask the target, verify, commit
    RunFinished                                  reason and totals; missing when the run was interrupted

events.py is the contract, storage.py the file, invariants.py what the events add up to. Reading a file checks the
contract; `validate` checks the invariants.
"""

from playground.trace.events import Trace
from playground.trace.invariants import validate
from playground.trace.storage import event_from_dict, event_to_dict, from_bytes, from_json, load, save, to_json

__all__ = [
    "Trace",
    "event_from_dict",
    "event_to_dict",
    "from_bytes",
    "from_json",
    "load",
    "save",
    "to_json",
    "validate",
]
