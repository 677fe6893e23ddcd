"""On a CUDA device: the processor's tokens, graphs that are replayed, few waits, joules, a memory that is full.

Every test here needs one, and says so where there is none:

    python -m pytest tests/models/test_cuda.py
"""

import copy
import importlib.util
import time
from dataclasses import replace

import pytest
import torch

from playground.bench.prompts import read_prompts
from playground.decoding.decode import Request
from playground.decoding.method import make_method, methods
from playground.decoding.record import run
from playground.decoding.what_if import Change, branch
from playground.errors import PlaygroundError
from playground.meters.meter import NoMeter
from playground.models.language_model import LanguageModel, LoadedPair
from playground.models.loading import Models
from playground.models.machine import meter_of
from playground.models.passes.plain_pass import PlainPass
from playground.models.passes.replayed_pass import ReplayedPass, lean_passes
from playground.models.sampling import Sampling
from playground.models.sources.placement import find_placement
from playground.recommender.files import load_shop
from playground.recommender.recommend import load_recommender, method_for, request_for
from playground.trace.events import Verified
from tests.decoding.test_pretend_device import HOST, MORE_WAITS, WARPED, drafters, request_of, rounds_of

PROMPT = read_prompts("quick")[0]

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")

OF_BUNDLED = ("speculative_sampling", "rsd_s", "sequoia", "dsbd", "beam_search", "spectr", "traversal_verification")


def there(model, pass_of=lambda model: next(lean_passes(model))):
    """A language model's weights on the device, and how they run."""
    moved = copy.deepcopy(model.model).to("cuda")
    return LanguageModel(
        moved, model.vocabulary, name=model.name, vocab_size=model.vocab_size, forward_pass=pass_of(moved)
    )


@pytest.fixture(scope="module")
def small():
    """The random models of the pretend device, on this one."""
    return {name: there(model) for name, model in HOST.items()}


@pytest.fixture(scope="module")
def bundled():
    """The bundled pair in float32, on the processor and on the device."""
    return [Models.named(placement=find_placement(name, "float32")).load() for name in ("cpu", "cuda")]


def request_on(pair, method, *, length=24, prompt=PROMPT, **changes):
    """Return a request on the bundled pair."""
    return replace(
        Request(make_method(method), pair.target, prompt, pair.draft, Sampling(), 7, length, other_drafts=pair.others),
        **changes,
    )


@pytest.mark.parametrize("sampling", [WARPED, Sampling(0)], ids=["sampled", "greedy"])
@pytest.mark.parametrize("method", methods())
def test_every_method_writes_the_processors_tokens(small, method, sampling):
    expected, _ = rounds_of(request_of(HOST, method, sampling=sampling))
    assert rounds_of(request_of(small, method, sampling=sampling))[0] == expected


@pytest.mark.parametrize("number", range(4), ids=["exit", "head", "text", "translated"])
def test_every_drafter_drafts_the_same(small, number):
    def rounds(models):
        target, draft = list(drafters(models))[number]
        return rounds_of(request_of(models | {"target": target}, "rsd_s", draft=draft))[0]

    assert rounds(small) == rounds(HOST)


@pytest.mark.parametrize("method", ["speculative_sampling", "spectr"])
def test_by_transformers_own_pass_too(method):
    plain = {name: LanguageModel(model.model, model.vocabulary, name=name) for name, model in HOST.items()}
    expected, _ = rounds_of(request_of(plain, method))
    assert rounds_of(request_of({name: there(each, PlainPass) for name, each in plain.items()}, method))[0] == expected


@pytest.mark.parametrize("method", OF_BUNDLED)
def test_the_bundled_pair_writes_the_same_text(bundled, method):
    def told(pair):
        trace = run(request_on(pair, method), meter=NoMeter(""))
        return [(each.text, each.origins) for each in trace.committed]

    here, over_there = map(told, bundled)
    assert over_there == here


def test_a_branch_is_the_same(bundled):
    change = Change(round=2, options={"draft_length": 2})
    branches = [branch(request_on(pair, "speculative_sampling"), change) for pair in bundled]
    texts = [[each.text for each in made.committed] for made in branches]
    assert texts[0] == texts[1]


def test_passes_are_replayed_and_every_size_was_captured_at_loading(bundled):
    for model in (bundled[1].target, bundled[1].draft):
        assert model.forward_pass.name == ReplayedPass.name
        assert len(model.forward_pass._sizes) == 28
        assert all(size.replay is not None for size in model.forward_pass._sizes.values())


@pytest.mark.parametrize("method", ["autoregressive", "speculative_sampling", "rsd_s", "mtad", "dsbd"])
def test_the_host_waits_once_a_model_call(bundled, method):
    """Copies to the host, as the profiler counts them: those of the pretend device."""
    request = request_on(bundled[1], method)
    rounds_of(request)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        _, costs = rounds_of(request)
    copies = sum("Memcpy DtoH" in event.name for event in profile.events())
    calls = sum(cost.calls + MORE_WAITS.get(method, 0) for cost in costs)
    print(f"{method}: {len(costs)} rounds, {calls} calls, {copies} copies to the host")
    assert copies <= calls


def test_the_counter_counts_joules(bundled):
    request, meter = request_on(bundled[1], "autoregressive", length=64), meter_of(torch.device("cuda"))
    until = time.perf_counter() + 2
    meter.begin()
    while time.perf_counter() < until:
        rounds_of(request)
    reading = meter.end()
    print(reading)
    assert reading.reason is None and 20 < reading.watts < 1500


def test_a_full_memory_is_said_in_a_sentence_and_free_again(bundled):
    pair = Models.named(placement=find_placement("cuda", "bfloat16")).load()
    long, short = (request_on(pair, "rsd_s", prompt=PROMPT * times, length=4) for times in (60, 1))
    expected, _ = rounds_of(short)
    torch.cuda.empty_cache()  # else the long text goes into what shorter ones gave back
    held = torch.cuda.memory_reserved()
    total = torch.cuda.get_device_properties(0).total_memory
    try:
        torch.cuda.set_per_process_memory_fraction(held / total)
        with pytest.raises(PlaygroundError, match=r"memory of cuda.* is full"):
            rounds_of(long)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert rounds_of(short)[0] == expected
    assert len(rounds_of(long)[0]) > 0


@pytest.mark.skipif(not importlib.util.find_spec("bitsandbytes"), reason="bitsandbytes is not installed")
@pytest.mark.parametrize("bits", [8, 4])
def test_weights_in_few_bits(bits):
    before = torch.cuda.memory_allocated()
    placement = find_placement("cuda", "bfloat16", bits=bits)
    pair = Models.named(placement=placement).load()
    trace = run(request_on(pair, "speculative_sampling", length=64))
    outcomes = [outcome for each in trace.events if isinstance(each, Verified) for outcome in each.outcomes]
    print(
        f"{bits} bits: {torch.cuda.memory_allocated() - before} bytes, {outcomes.count('accepted')} of {len(outcomes)}"
    )
    assert pair.target.bits == bits and outcomes.count("accepted") > 10


def test_the_recommender_recommends_the_same():
    shop, pair = load_shop(), load_recommender()
    method = method_for("strict", 4, 8)
    rounds = [
        rounds_of(request_for(shop, each, shop.tested()[0].history, method))[0]
        for each in (pair, LoadedPair(there(pair.target), there(pair.draft)))
    ]
    assert rounds[0] == rounds[1]
