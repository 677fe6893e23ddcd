"""On a device that refuses mistakes every run writes the processor's tokens, and the host waits once a model call."""

from dataclasses import replace
from typing import NamedTuple
from unittest import mock

import pytest
import torch

from playground.decoding import record as record_module
from playground.decoding.constrained.constraint import Trie
from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method, methods
from playground.decoding.reader import Reader
from playground.decoding.record import run
from playground.decoding.what_if import Change, branch
from playground.meters.meter import NoMeter
from playground.models import reading
from playground.models.drafters import beside
from playground.models.drafters.early_exit import EarlyExit
from playground.models.drafters.text_model import TextModel
from playground.models.drafters.translated_model import TranslatedModel, Translation
from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.plain_pass import PlainPass
from playground.models.proof import prove, warm_up
from playground.models.sampling import Sampling
from playground.recommender.files import load_shop
from playground.recommender.recommend import load_recommender, method_for, request_for
from playground.trace.events import Committed, Verified
from tests.decoding.runs import request
from tests.models.pretend_device import COUNTS, OnDevice, PretendDevice, on_device
from tests.models.small import Numbers, random_model
from tests.models.test_block import block_of
from tests.models.test_head import head_of

WARPED = Sampling(0.8, 20, 0.95)
PROMPT = (5, 7, 11, 5, 7)
# read-backs of a round beyond one for each model call; these read logits and distributions of the target
MORE_WAITS = {"bild": 1, "mtad": 1, "token_recycling": 1}
UPLOADS = 4  # A model call uploads tokens, positions, mask, and the slots that are kept.


def small(seed, num_layers=1, dtype=torch.float32):
    """A model with the lean pass and few layers."""
    model = random_model("llama", seed).model.to(dtype)
    model.model.layers = model.model.layers[:num_layers]
    model.config.num_hidden_layers = num_layers
    return LanguageModel(model, Numbers(), name=f"small-{seed}", forward_pass=LeanPass(model))


HOST = {name: small(seed) for seed, name in enumerate(("target", "draft", "other", "third"))}
HOST["deep"] = small(4, 3)
HALF_HOST = {name: small(seed, dtype=torch.bfloat16) for seed, name in enumerate(("target", "draft", "other", "third"))}
with PretendDevice():
    DEVICE = {name: on_device(model, LeanPass) for name, model in HOST.items()}
    HALF_DEVICE = {name: on_device(model, LeanPass) for name, model in HALF_HOST.items()}


class Cost(NamedTuple):
    """Of one round: calls of models, read-backs for which the host waits, and uploads."""

    calls: int
    waits: int
    uploads: int


def request_of(models, method, options=None, *, sampling=WARPED, length=8, draft=None, **changes):
    """A request on these models."""
    run_request = request(
        make_method(method, options),
        target=models["target"],
        draft=draft or models["draft"],
        prompt=PROMPT,
        length=length,
        sampling=sampling,
        seed=3,
    )
    return replace(run_request, other_drafts=(models["other"], models["third"]), **changes)


def rounds_of(asked_for, look=lambda item: None):
    """The nodes and tokens of each round, and its cost; `look` is given each round."""
    rounds, costs = [], []
    with mock.patch.object(Reader, "read", autospec=True, side_effect=Reader.read) as read:
        for item in decode(asked_for):
            if isinstance(item, Round):
                rounds.append((item.nodes, [item.tree.tokens[node] for node in item.nodes], item.frontier))
                look(item)
                costs.append(Cost(read.call_count, COUNTS.waits, COUNTS.uploads))
            COUNTS.waits = COUNTS.uploads = 0
            read.reset_mock()
    return rounds, costs


def assert_same(made, host=HOST, device=DEVICE):
    """Asserts equal rounds on both devices.

    Args:
        made: makes the request on the models of either.
        host, device: the same models on each.
    """
    expected, _ = rounds_of(made(host))
    with PretendDevice():
        rounds, costs = rounds_of(made(device))
    assert rounds == expected
    return costs


def test_the_pretend_device_refuses_what_cuda_refuses():
    with PretendDevice():
        there = torch.tensor([1.0, 2.0], device="cuda")
        assert isinstance(there, OnDevice) and there.device.type == "cuda"
        for mixed in (lambda: there + torch.ones(2), lambda: torch.ones(2)[there.long()]):
            with pytest.raises(RuntimeError, match="same device"):
                mixed()
        with pytest.raises(TypeError, match="can't convert"):
            there.numpy()
        before = COUNTS.waits, COUNTS.uploads
        assert float(there[[1]].sum()) == 2 and (there > 1).tolist() == [False, True]
        assert (COUNTS.waits, COUNTS.uploads) == (before[0] + 2, before[1] + 1)


FEW = ("rsd_s", "speculative_sampling", "beam_search", "dsbd")  # tables, chains, logits, beams of draws


@pytest.mark.parametrize(
    ("method", "sampling"),
    [*((name, WARPED) for name in methods()), *((name, Sampling(0)) for name in (*FEW, *MORE_WAITS, "prompt_lookup"))],
    ids=str,
)
def test_every_method_writes_the_same_tokens_and_waits_once_a_call(method, sampling):
    """The waits and uploads are ceilings: they may only fall. At temperature 0 the kind of reading sets them."""
    for calls, waits, uploads in assert_same(lambda models: request_of(models, method, sampling=sampling)):
        assert waits <= calls + MORE_WAITS.get(method, 0)
        assert uploads <= UPLOADS * calls


@pytest.mark.parametrize("method", FEW)
def test_weights_of_16_bits_write_the_same_tokens(method):
    """numpy has no bfloat16: what leaves the device has 32 bits."""
    assert_same(lambda models: request_of(models, method), HALF_HOST, HALF_DEVICE)


@pytest.mark.parametrize("method", ["rsd_s", "prompt_lookup"])
def test_of_a_large_table_the_walk_transfers_a_row_for_each_step(method, monkeypatch):
    """The ceiling is one wait for each draft call, two for the target's, and one for each step of the walk."""
    monkeypatch.setattr(reading, "LARGEST_TABLE", 0)
    made = list[Round]()
    expected, _ = rounds_of(request_of(HOST, method))
    with PretendDevice():
        rounds, costs = rounds_of(request_of(DEVICE, method), made.append)
    assert rounds == expected
    for (calls, waits, _), each in zip(costs, made, strict=True):
        assert waits <= calls + 1 + len(each.verdict.accepted) + 1


@pytest.mark.parametrize("method", ["rsd_s", "atspeed_strict", "mtad", "prompt_lookup"])
def test_a_constrained_run_is_the_same(method):
    texts = Trie([[1, 2, 3, 4], [1, 2, 9, 4], [1, 7, 3, 6], [8, 2, 3, 4], [8, 5, 5, 5]])
    for calls, waits, _ in assert_same(lambda models: request_of(models, method, constraint=texts)):
        assert waits <= calls + MORE_WAITS.get(method, 0)


@pytest.mark.parametrize(
    ("method", "temperature"), [("rsd_s", 0.8), ("speculative_sampling", 0.0), ("beam_search", 0.8)]
)
def test_a_penalised_run_is_the_same(method, temperature):
    """Bias and penalties are applied where the logits are, which costs no wait."""
    sampling = Sampling(temperature, 20, 0.95, 0.01, 1.3, 0.2, 0.1, "3=1, 7=-2")
    for calls, waits, _ in assert_same(lambda models: request_of(models, method, sampling=sampling)):
        assert waits <= calls + MORE_WAITS.get(method, 0)


def drafters(models):
    """Drafters without a model of their own, on the target of these models."""
    deep, same = models["deep"], [(token,) for token in range(61)]
    yield deep, EarlyExit(deep, 1)
    with mock.patch.object(beside, "lean_passes", lambda model, halved: iter([LeanPass(model)])):
        yield deep, head_of(deep)  # without the graphs, which only CUDA captures
    yield deep, TextModel(deep)
    yield deep, TranslatedModel(models["draft"], Translation([(each, each) for each in range(60)], same), deep)
    with mock.patch.object(beside, "lean_passes", lambda model, halved: iter([LeanPass(model)])):
        yield deep, block_of(deep)


@pytest.mark.parametrize("number", range(5), ids=["exit", "head", "text", "translated", "block"])
def test_every_drafter_drafts_the_same(number):
    def made(models):
        target, draft = list(drafters(models))[number]
        return request_of(models | {"target": target}, "rsd_s", draft=draft)

    for calls, waits, _ in assert_same(made):
        assert waits <= calls


def test_several_draft_models_and_temperatures_are_the_same():
    """Each temperature beyond a model's first is one transfer more."""
    options = {"draft_models": 2, "temperature_spread": 2.0, "first_draws": 4}
    assert_same(lambda models: request_of(models, "specinfer", options))


def test_by_transformers_own_pass_too():
    method = "spectr"
    plain = {name: LanguageModel(model.model, Numbers(), name=name) for name, model in HOST.items()}
    with PretendDevice():
        there = {name: on_device(model, PlainPass) for name, model in plain.items()}
    expected, _ = rounds_of(request_of(plain, method))
    with PretendDevice():
        assert rounds_of(request_of(there, method))[0] == expected


def recorded(models, method, change=None):
    """Of a recorded run, or of a branch of it: verdicts and texts, the numbers that lenses show, and the waits."""
    made, before = request_of(models, method), COUNTS.waits
    with mock.patch.object(record_module, "meter_of", return_value=NoMeter("")):
        events = (branch(made, change) if change else run(made)).events
    verdicts = [each for each in events if isinstance(each, Verified)]
    exact = [(each.nodes, each.outcomes, each.reasons) for each in verdicts]
    exact += [(each.nodes, each.tokens, each.text) for each in events if isinstance(each, Committed)]
    return exact, list(numbers([each.workings for each in verdicts])), COUNTS.waits - before


def numbers(values):
    """All numbers in these lists and dictionaries."""
    for each in values.values() if isinstance(values, dict) else values:
        if isinstance(each, list | dict):
            yield from numbers(each)
        elif isinstance(each, int | float):
            yield each


@pytest.mark.parametrize("method", ["speculative_sampling", "rsd_s", "dsbd"])
def test_a_recording_reads_the_logits_of_a_round_once_more(method):
    """Lenses and alternatives are computed on the host; nothing of it is read where nobody records."""
    expected, shown, _ = recorded(HOST, method)
    with PretendDevice():
        _, costs = rounds_of(request_of(DEVICE, method))
        events, shown_there, waits = recorded(DEVICE, method)
    assert events == expected
    assert shown_there == pytest.approx(shown, abs=1e-5)
    assert waits <= sum(cost.waits + 1 for cost in costs)


def test_a_branch_is_the_same():
    change = Change(round=2, options={"draft_length": 2})
    expected, *_ = recorded(HOST, "speculative_sampling", change)
    with PretendDevice():
        assert recorded(DEVICE, "speculative_sampling", change)[0] == expected


def test_a_model_is_proven_and_warmed_up_there():
    plain = LanguageModel(HOST["deep"].model, Numbers(), name="plain")
    with PretendDevice():
        warm_up(prove(on_device(plain, PlainPass)))


@pytest.mark.parametrize("verification", ["none", "strict"])
def test_the_recommender_recommends_the_same(verification):
    shop, pair = load_shop(), load_recommender()
    method = method_for(verification, 4, 8)

    def rounds(target, draft):
        return rounds_of(request_for(shop, LoadedPair(target, draft), shop.tested()[0].history, method))

    expected, _ = rounds(pair.target, pair.draft)
    with PretendDevice():
        result, costs = rounds(on_device(pair.target, LeanPass), on_device(pair.draft, LeanPass))
    assert result == expected
    assert all(cost.waits <= cost.calls for cost in costs)
