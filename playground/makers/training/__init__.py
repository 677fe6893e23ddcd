"""Training of the bundled models: from a folder of plain text to a pair, and drafters for its target.

In the order to read it: `text/` turns text into tokens, `network` is the model as it trains, `optimiser` says how
weights move, `checkpoints` keep them through any interruption, `loop` is the one training loop over a `Trainable`.
`run` is a run of any kind, and `kinds` lists the kinds: target and draft in `pair/runs`; `head` and `block`,
each a drafter of a target as `beside` says, the first two on `features`. Then `export` writes the folders that
`models.loading` reads, `evaluation` and `pair/evaluation` measure them, `pair/card` describes them, and `pair/release`
is those steps.
"""
