"""A folder's generation_config.json is obeyed on every row: greedy text is that of `generate`, whatever drafts."""

import pytest
import torch

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.run_spec import rebuild_request
from playground.errors import PlaygroundError
from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.own_settings import left_out_settings
from playground.models.sampling import Sampling
from playground.trace import validate
from playground.trace.events import Drafted
from tests.decoding.runs import trace_of
from tests.models.small import Numbers, random_model

ENDS = {"min_new_tokens": 33, "min_length": 33}  # else one that is not written
PROMPT = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 9)
METHODS = ("autoregressive", "speculative_sampling", "rsd_s", "dynamic_tree", "lookahead")


def asking(end=7, **settings):
    """A model whose folder asks for these, and what `generate` writes without any and with them."""
    model = random_model("llama").model
    model.generation_config.update(pad_token_id=0, eos_token_id=end)
    texts = []
    for own in ({}, settings):
        model.generation_config.update(**own)
        ids = torch.tensor([PROMPT])
        text = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=16, do_sample=False)
        texts.append(text[0, len(PROMPT) :].tolist())
    return LanguageModel(model, Numbers(), name="asking"), *texts


def run(target, name="autoregressive", **settings):
    draft, sampling = random_model("llama", seed=1), Sampling(0, **settings)
    return trace_of(Request(make_method(name), target, "", draft, sampling, max_new_tokens=16, prompt_ids=PROMPT))


def tokens(trace):
    return [token for event in trace.committed for token in event.tokens]


def settings():
    """Each setting, with tokens that the model would write."""
    _, first, _ = asking()
    return {
        "suppress_tokens": first[:2],
        "begin_suppress_tokens": [first[0]],
        "bad_words_ids": [[first[0]], first[1:3]],
        "sequence_bias": [[[first[0]], -9.0], [first[1:3], -9.0]],
        "repetition_penalty": 1.5,
        "no_repeat_ngram_size": 2,
        "min_new_tokens": 12,
        "min_length": 22,
        "forced_eos_token_id": 9,
        "exponential_decay_length_penalty": (2, 1.5),
    }


@pytest.mark.parametrize("name", settings())
def test_greedy_text_is_that_of_generate_whatever_drafts(name):
    target, plain, expected = asking(ENDS.get(name, 7), **{name: settings()[name]})
    assert plain != expected
    for method in METHODS:
        trace = run(target, method)
        validate(trace)
        assert tokens(trace) == expected, method
        assert trace.started.sampling["generation_config"] == name
    left_out = run(target, generation_config="none")
    assert tokens(left_out) == plain
    pair = LoadedPair(target, random_model("llama", seed=1))
    assert tokens(trace_of(rebuild_request(left_out, pair))) == plain
    assert tokens(trace_of(rebuild_request(trace, pair))) == expected


def test_settings_of_the_run_replace_the_files_as_those_of_generate_do():
    penalised, _, expected = asking(repetition_penalty=1.2)
    other, _, _ = asking(repetition_penalty=1.9, suppress_tokens=[60])
    assert tokens(run(other, repetition_penalty=1.2)) == tokens(run(penalised)) == expected


def test_a_sampled_row_is_that_of_the_processors():
    """Of the tokens that are left out p is 0, also below a draft, and the others share what they had."""
    target, _, _ = asking(suppress_tokens=list(range(10, 61)))
    trace = trace_of(
        Request(make_method("rsd_s"), target, "", random_model("llama", seed=1), max_new_tokens=40, prompt_ids=PROMPT)
    )
    assert max(tokens(trace)) < 10
    assert max(token for event in trace.events if isinstance(event, Drafted) for token in event.tokens) < 10
    validate(trace)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"suppress_tokens": list(range(61))}, "gives probability 0 to all"),
        ({"bad_words_ids": [["a"]]}, "has a bad_words_ids that cannot be obeyed: "),
        ({"sequence_bias": [[[99], 1.0]]}, "has a sequence_bias that cannot be obeyed: "),
        ({"no_repeat_ngram_size": "two"}, "has a no_repeat_ngram_size that cannot be obeyed: "),
    ],
)
def test_a_setting_that_no_row_can_obey_is_one_sentence(settings, says):
    target, _, _ = asking()
    for name, value in settings.items():
        setattr(target.model.generation_config, name, value)
    target = LanguageModel(target.model, Numbers(), name="asking")
    with pytest.raises(PlaygroundError, match=says) as refused:
        run(target)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("end", ["</s>", [3, "x"], 1.5])
def test_an_end_token_that_is_no_number_is_one_sentence(end):
    model = random_model("llama").model
    model.generation_config.eos_token_id = end
    with pytest.raises(PlaygroundError, match=r"The eos_token_id of odd is .*\. Give the number of a token"):
        LanguageModel(model, Numbers(), name="odd")


def test_what_is_left_out_is_named():
    config = random_model("llama").model.generation_config
    assert left_out_settings(config) == []
    config.update(typical_p=0.9, guidance_scale=1.5, epsilon_cutoff=0.0, temperature=0.6, top_p=0.9)
    assert left_out_settings(config) == ["guidance_scale", "typical_p"]
