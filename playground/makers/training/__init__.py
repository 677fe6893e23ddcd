"""Training of the bundled models: from a folder of plain text to a pair, and drafters for its target.

In the order to read it: `text/` turns text into tokens, `network` is the model as it trains, `optimiser` says how
weights move, `checkpoints` keep them through any interruption, `loop` is the one training loop, `objectives` are what
target and draft are trained for. `run` is a run of any kind; `kinds` lists the kinds, each a `Trainable` made of a
run's settings in `pair/`, `head/`, `block/` and `exits/`. Then `export` writes the folders that `models.loading` reads,
`evaluation` and `pair/evaluation` measure them, `pair/card` describes them, and `pair/release` is those steps; `beside`
is the same for the three drafters of a target.
"""
