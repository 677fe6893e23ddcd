"""A playground for seeing speculative decoding.

The whole pipeline, in the order to read it:

    models       a target and a draft language model; one question: the logits at these nodes of the token tree
    decoding     one loop, one file per method, verification rules as pure functions
    trace        what happened in a run, as events; JSON with a schema
    metrics      numbers folded from a trace
    views        pictures drawn from a trace
    ui           the page

Letters in shape comments: T context tokens, N nodes of the draft tree (root excluded), V vocabulary, L layers, H heads,
D head size, R rounds. The batch is always one and never written. p is the target, q is the draft, everywhere.
"""

__version__ = "0.1.0"
