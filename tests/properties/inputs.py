"""Inputs that anybody could send: JSON of any shape, distributions, and sound traces with a wound."""

import json

from hypothesis import strategies as some

from playground.trace import to_json
from tests.trace.example import autoregressive_trace, speculative_trace

NASTY = ["", "\x00", "\ud800", "../..", "<script>", "1e999", "-0", "ⅷ", "a" * 500, "None", "nan"]

numbers = some.one_of(
    some.integers(-5, 5),
    some.integers(-(2**70), 2**70),
    some.floats(allow_nan=True, allow_infinity=True),
    some.booleans(),
)
texts = some.one_of(some.sampled_from(NASTY), some.text(max_size=20))
scalars = some.one_of(some.none(), numbers, texts)
anything = some.recursive(
    scalars,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@some.composite
def distributions(draw, size):
    """A row of so many probabilities, zeros among them."""
    weights = draw(
        some.lists(some.one_of(some.just(0.0), some.floats(1e-6, 1.0)), min_size=size, max_size=size).filter(any)
    )
    total = sum(weights)
    return [weight / total for weight in weights]


@some.composite
def wounded_traces(draw):
    """The data of a sound trace file with some of its values replaced, left out, doubled or moved."""
    sound = draw(some.sampled_from([speculative_trace, autoregressive_trace]))
    data = json.loads(to_json(sound()))
    for _ in range(draw(some.integers(1, 3))):
        _wound(draw, data)
    return data


def _wound(draw, data):
    here, path = data, draw(some.lists(some.integers(0, 30), min_size=1, max_size=5))
    for step in path:
        names = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not names:
            return
        name = names[step % len(names)]
        if step != path[-1] and isinstance(here[name], dict | list):
            here = here[name]
            continue
        match draw(some.sampled_from(["replace", "drop", "double", "add"])):
            case "replace":
                here[name] = draw(anything)
            case "drop":
                del here[name]
            case "double" if isinstance(here, list):
                here.insert(name, here[name])
            case "add" if isinstance(here, dict):
                here[draw(texts)] = draw(scalars)
        return
