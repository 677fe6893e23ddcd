"""How the bundled pair is made: from a folder of plain text to two small models.

In the order to read it: `tokenizer` and `corpus` turn text into tokens, `network` is the model as it trains, `growth`
makes a larger one of a smaller, `optimiser` says how weights move, `storage` and `checkpoints` keep them through any
interruption, `loop` is the one training loop, `objectives` are what the target and the draft are trained for,
`sampled_text` is what the target writes for its draft. `pipeline` has the steps of `python -m playground train` so far.
Then `export` writes the folders that `models.loading` reads, `evaluation` and `pair` measure them, `card` describes
them, and `release` is those steps. `head/` is the same for what drafts from a target's features.
"""
