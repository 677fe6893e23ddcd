"""Whatever value a caller gives an option of a run, the answer is a run or a sentence."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as some

import playground
from playground.errors import PlaygroundError
from playground.run_options import RunOptions
from playground.trace import validate
from tests.properties.inputs import anything

NAMES = ["method", "prompt", "draft_length", "nonsense", *RunOptions.__dataclass_fields__]
ODD = [
    *(10**400, b"x", {1, 2}, object(), print, 5j, iter(["a"]), (), ("\ud800",), ["a"], [5], [None], "(", "{", "1"),
    *(np.float32(0.5), np.int64(2), np.array([1, 2]), torch.tensor(0.7), torch.tensor([1.0]), Path("nowhere")),
    *({5: float("nan")}, {"5": "x"}, {5: -100.0}, [(5, 1)]),
]
values = some.one_of(some.sampled_from(ODD), anything)


@given(some.dictionaries(some.sampled_from(NAMES), values, min_size=1, max_size=2))
@example({"seed": None})
@example({"seed": 1.0})
@example({"seed": 2**63 - 1})
@example({"max_new_tokens": 1.5})
@example({"max_new_tokens": None})
@example({"stop": [5]})
@example({"logit_bias": [(5, 1)]})
@example({"target": ""})
@example({"top_p": 1e-300})
@example({"prompt": None})
@example({"method": 5})
def test_an_option_of_any_value_gives_a_run_or_a_sentence(given_values):
    options = {"method": "speculative_sampling", "prompt": "Tom", "max_new_tokens": 2} | given_values
    try:
        trace = playground.run(**options)
    except PlaygroundError as refused:
        assert str(refused).endswith((".", "?")) and "\n" not in str(refused), str(refused)
        return
    validate(trace)


@pytest.mark.parametrize("prompts", [None, "the cat", 5, [5], ["a", None], [], ["a"] * 9, ["a", ""], b"x"])
def test_a_batch_of_anything_but_prompts_is_a_sentence(prompts):
    with pytest.raises(PlaygroundError):
        playground.run_batch("speculative_sampling", prompts, max_new_tokens=2)


def test_a_seed_keeps_all_its_digits_and_a_path_names_a_model():
    odd = {"seed": 2**53 + 1, "target": Path("a") / "b", "stop": "ab", "allow": (each for each in "xy")}
    options = RunOptions(**odd)
    assert (options.seed, options.target, options.stop) == (2**53 + 1, str(Path("a/b")), ("ab",))
    assert options.allow == ("x", "y")
