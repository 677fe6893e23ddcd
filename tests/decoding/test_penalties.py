"""Bias, penalties and min-p: each row by its own path, as `generate` writes, and exactly the penalised target's law."""

from collections import Counter

import numpy as np
import pytest
import torch
from transformers import LogitsProcessor, LogitsProcessorList, MinPLogitsWarper, TopPLogitsWarper

from playground.decoding.decode import Request
from playground.decoding.method import make_method, methods
from playground.decoding.reader import Reader
from playground.errors import PlaygroundError
from playground.models.penalties import read_bias
from playground.models.sampling import Sampling
from playground.tree import TokenTree
from tests.decoding import test_whole_rounds as whole
from tests.decoding.runs import texts_of_runs, tokens
from tests.decoding.test_whole_rounds import enumerable  # noqa: F401  # a fixture
from tests.models.small import LEAN, generated, random_model

PENALTIES = {"repetition_penalty": 1.7, "presence_penalty": 0.4, "frequency_penalty": 0.9}
SETTINGS = {
    "repetition": Sampling(repetition_penalty=2.0),
    "presence": Sampling(presence_penalty=0.8),
    "frequency": Sampling(frequency_penalty=0.7),
    "bias": Sampling(logit_bias="0=1.5, 2=-1"),
    "min-p": Sampling(min_p=0.4),
    "all": Sampling(1.3, 0, 0.97, 0.05, *PENALTIES.values(), "1=0.5"),
}
SLOW = (
    "specinfer, two models twice",
    "specinfer, two laws twice",
    "specinfer, chains",
    "specinfer, chains of two models",
)
ENUMERATED = {name: each for name, each in (whole.METHODS | whole.OTHER_METHODS).items() if name not in SLOW}
CASES = [(name, "all") for name in ENUMERATED] + [("rsd_c", setting) for setting in SETTINGS if setting != "all"]
IN_COURSES = whole.IN_COURSES | {"importance_sampling": {"draft_length": 1, "num_drafts": 2}}
RUNS = [(name, "all") for name in IN_COURSES] + [
    ("block_verification", setting) for setting in SETTINGS if setting != "all"
]


def row_after(text, sampling):
    """The penalised and warped row of the table after a text, in numpy and by the definitions. (V,)"""
    x = np.log(whole.TARGET.row([*whole.PROMPT, *text]))
    for token, bias in read_bias(sampling.logit_bias).items():
        x[token] += bias
    for token in {*whole.PROMPT, *text}:
        x[token] = x[token] * sampling.repetition_penalty if x[token] < 0 else x[token] / sampling.repetition_penalty
    for token, count in Counter(text).items():
        x[token] -= sampling.presence_penalty + sampling.frequency_penalty * count
    p = np.exp(x / sampling.temperature)
    if sampling.top_k:
        p[np.argsort(-p)[sampling.top_k :]] = 0
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before / p.sum() >= sampling.top_p]] = 0
    p[p < sampling.min_p * p.max()] = 0
    return p / p.sum()


def distribution_after(text, length, sampling):
    """Joint distribution of the next tokens after a text. (V,) * length"""
    if length == 0:
        return np.ones(())
    row = row_after(text, sampling)
    return np.stack([row[x] * distribution_after([*text, x], length - 1, sampling) for x in range(len(row))])


@pytest.mark.parametrize(("name", "setting"), CASES)
def test_what_a_round_emits_has_exactly_the_penalised_targets_law(name, setting, enumerable):  # noqa: F811
    """Every draw and every coin of the first round, then the target's own rows."""
    sampling = SETTINGS[setting]
    expected = distribution_after([], whole.LENGTH, sampling)
    distribution = whole.law_of_a_round(
        make_method(*ENUMERATED[name]),
        sampling=sampling,
        distribution_after=lambda text, length: distribution_after(text, length, sampling),
    )
    assert np.abs(distribution - expected).max() < (1e-10 if name == "spectr" else 1e-12)


@pytest.mark.parametrize(("name", "setting"), RUNS)
def test_what_a_run_writes_has_exactly_the_penalised_targets_law(name, setting):
    """Whole runs of several rounds: what one has rejected is in no later count."""
    sampling, method = SETTINGS[setting], make_method(name, IN_COURSES[name])
    models = method, whole.TARGET, "", whole.DRAFT
    distribution = np.zeros((3, 3, 3))
    for text, chance in texts_of_runs(
        Request(*models, sampling, 0, 3, tuple(whole.PROMPT), other_drafts=tuple(whole.OTHERS))
    ).items():
        distribution[text] += chance
    assert np.abs(distribution - distribution_after([], 3, sampling)).max() < 1e-12


class OpenAIPenalties(LogitsProcessor):
    """Presence and frequency penalty, which transformers does not have, as a processor of its own kind."""

    def __init__(self, num_prompt_tokens, presence, frequency):
        self.num_prompt_tokens, self.presence, self.frequency = num_prompt_tokens, presence, frequency

    def __call__(self, input_ids, scores):
        counts = torch.stack(
            [torch.bincount(row, minlength=scores.shape[-1]) for row in input_ids[:, self.num_prompt_tokens :]]
        )
        return scores - self.presence * (counts > 0) - self.frequency * counts


def penalised(model, prompt, length, sampling, **settings):
    """Return the text that transformers writes with these settings."""
    penalties = OpenAIPenalties(len(prompt), sampling.presence_penalty, sampling.frequency_penalty)
    settings["sequence_bias"] = [[[token], value] for token, value in read_bias(sampling.logit_bias).items()] or None
    how = {"repetition_penalty": sampling.repetition_penalty, "logits_processor": LogitsProcessorList([penalties])}
    return generated(model.model, prompt, length, **how, **settings)


SHAPES = {  # method and options, for chains and trees of several shapes
    name: {} for name, each in methods().items() if each.reproduces == "target sampling"
} | {
    "specinfer wide": {"draft_length": 3, "first_draws": 3, "later_draws": 2},
    "rsd_s narrow": {"draft_length": 6, "width": 2},
    "speculative_sampling long": {"draft_length": 9},
    "dynamic_tree small": {"depth": 3, "total_tokens": 5},
}
FEW = ("autoregressive", "specinfer wide", "rsd_s narrow")
GREEDY = {
    "repetition": Sampling(0, repetition_penalty=1.4),
    "all": Sampling(0, 0, 1.0, 0.0, *PENALTIES.values(), "3=2, 7=-4"),
}


@pytest.fixture(scope="module")
def models():
    """A target and a draft of each architecture."""
    return {shape: [random_model(shape, n, lean=shape in LEAN) for n in (0, 1)] for shape in ("llama", "gpt2", "qwen2")}


@pytest.mark.parametrize("setting", GREEDY)
@pytest.mark.parametrize("shape", ["llama", "gpt2", "qwen2"])
def test_greedy_equals_transformers_generate(models, shape, setting):
    """By every lossless method and shape of tree on one architecture; without a penalty models repeat themselves."""
    (target, draft), prompt = models[shape], (1, 2, 3, 4, 5, 3)
    expected = penalised(target, prompt, 20, GREEDY[setting])
    assert expected != penalised(target, prompt, 20, Sampling(0)), "the settings change nothing here"
    for name in SHAPES if (shape, setting) == ("llama", "all") else FEW:
        method = make_method(name.partition(" ")[0], SHAPES[name])
        request = Request(method, target, "", draft, GREEDY[setting], 0, 20, prompt)
        assert tokens(request) == expected, name


@pytest.mark.parametrize("name", [name for name, each in methods().items() if each.reproduces == "beam search"])
def test_beam_search_penalises_rows_as_transformers_renormalised(models, name):
    """All but repetition, which transformers applies to log-probabilities there."""
    (target, draft), prompt = models["llama"], (1, 2, 3, 4, 5, 3)
    sampling = Sampling(1.0, presence_penalty=0.9, frequency_penalty=0.6, logit_bias="3=1, 7=-2")
    request = Request(make_method(name, {"width": 3}), target, "", draft, sampling, 0, 20, prompt)
    assert tokens(request) == penalised(target, prompt, 20, sampling, num_beams=3, renormalize_logits=True)


def test_a_row_in_a_tree_is_the_row_of_its_path_alone(models):
    """Siblings, cousins and cut branches change no bit of it; nor does a text that grows."""
    target, _ = models["llama"]
    sampling = Sampling(0.8, 0, 0.9, 0.02, *PENALTIES.values(), "5=1")
    tree = TokenTree([1, 2, 3])
    reader = Reader(target, sampling, tree)
    one, other = tree.add(2, 9), tree.add(2, 3)
    leaves = [tree.add(one, 9), tree.add(one, 2), tree.add(other, 9), tree.add(other, 3)]
    for _ in range(2):
        rows = reader.read([one, other, *leaves]).probs
        for node, row in zip([one, other, *leaves], rows, strict=True):
            alone = TokenTree(tree.context(node))
            [expected] = Reader(target, sampling, alone, num_prompt_tokens=3).read([alone.trunk[-1]]).probs
            assert np.allclose(row, expected, atol=1e-5)
        tree.retain([leaves[0]])  # the text is 9 9 now
        assert tree.trunk[-2:] == [one, leaves[0]]
        one, other = tree.add(leaves[0], 9), tree.add(leaves[0], 4)
        leaves = [tree.add(one, 9), tree.add(other, 4)]


@pytest.mark.parametrize("top_p", [1.0, 0.6])
@pytest.mark.parametrize("min_p", [0.0, 0.05, 0.5, 1.0])
def test_min_p_comes_after_top_p_as_in_transformers(min_p, top_p):
    logits = torch.randn(6, 40, generator=torch.Generator().manual_seed(1)).double() * 2
    warped = TopPLogitsWarper(top_p)(None, logits) if top_p < 1 else logits
    expected = torch.softmax(MinPLogitsWarper(min_p)(None, warped), -1)
    assert torch.allclose(Sampling(top_p=top_p, min_p=min_p).probs(logits), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"logit_bias": "x"}, "Write it as 198=-5"),
        ({"logit_bias": "3=nan"}, "out of range"),
        ({"logit_bias": "3=1, 3=2"}, "Name each token once"),
        ({"min_p": 1.5}, "Min-p 1.5 is out of range"),
        ({"repetition_penalty": 0}, "Repetition penalty 0.0 is out of range"),
        ({"presence_penalty": float("nan")}, "Presence penalty must be a number, not nan"),
        ({"frequency_penalty": True}, "must be a number"),
    ],
)
def test_settings_out_of_range_are_refused_in_a_sentence(values, says):
    with pytest.raises(PlaygroundError, match=says):
        Sampling(**values)
    assert read_bias("3=1000, 4=-1000") == {3: 1000, 4: -1000}, "the ends are in range"


def test_settings_that_are_off_are_in_no_file():
    """So a run without them is saved as ever, and one with them says so."""
    assert Sampling(0.5).as_dict() == {"temperature": 0.5, "top_k": 0, "top_p": 1.0}
    sampling = SETTINGS["all"]
    assert Sampling.read(sampling.as_dict()) == sampling
    with pytest.raises(PlaygroundError, match="samples without 'typical_p'"):
        Sampling.read({"typical_p": 0.5})
