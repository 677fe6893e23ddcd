"""The trace: what happened in one run. Written once by the decoding loop, folded by everything downstream.

    RunStarted                                   configuration, prompt, prefill
    ( Drafted*  Scored  Judged  Committed )*     one round: draft the layers, ask the target, judge, commit
    RunFinished                                  reason and totals; missing when the run was interrupted

events.py is the vocabulary, storage.py the file (schema.py its shape), laws.py what the events add up to. Reading
a file checks its shape; `validate` checks its laws.
"""

from playground.trace.events import (
    Committed,
    Drafted,
    Event,
    FinishReason,
    Judged,
    Origin,
    Outcome,
    Round,
    RunFinished,
    RunStarted,
    Scored,
    Trace,
)
from playground.trace.laws import broken_laws, validate
from playground.trace.storage import (
    event_from_dict,
    event_name,
    event_to_dict,
    from_bytes,
    from_json,
    load,
    save,
    to_json,
)

__all__ = [
    "Committed",
    "Drafted",
    "Event",
    "FinishReason",
    "Judged",
    "Origin",
    "Outcome",
    "Round",
    "RunFinished",
    "RunStarted",
    "Scored",
    "Trace",
    "broken_laws",
    "event_from_dict",
    "event_name",
    "event_to_dict",
    "from_bytes",
    "from_json",
    "load",
    "save",
    "to_json",
    "validate",
]
