"""Training of the bundled pair: from a folder of plain text to two small models.

In the order to read it: `text/` turns text into tokens, `network` is the model as it trains, `growth` makes a larger
one of a smaller, `optimiser` says how weights move, `storage` and `checkpoints` keep them through any interruption,
`loop` is the one training loop, `objectives` are what target and draft are trained for. `run` is a run of any kind, a
`Trainable`; the kinds are `pair/target`, `pair/draft`, `head/run` and `exits/run`. Then `export` writes the folders
that `models.loading` reads, `evaluation` and `pair/evaluation` measure them, `pair/card` describes them, and
`pair/release` is those steps; `beside` is the same for a head or exits, `foreign` for a draft with another tokenizer.
"""
