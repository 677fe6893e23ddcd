"""What was loaded stays while there is room, and two pairs that fit are each read once, however they alternate."""

import pytest

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.models import loading, model_files
from playground.models.loading import Models
from playground.models.sources import model_cache
from playground.models.sources.model_cache import ModelCache
from playground.models.sources.placement import Placement, find_placement
from tests.models.test_loading import llama, save_model


def test_what_was_used_longest_ago_makes_way():
    kept, made = ModelCache(), []

    def get(name, size):
        return kept.get(name, size, lambda: made.append(name) or name, budget=10)

    for name, size in (("a", 4), ("b", 4), ("a", 4), ("c", 4), ("a", 4), ("b", 4)):
        assert get(name, size) == name
    assert made == ["a", "b", "c", "b"]
    assert kept.num_bytes() == 8


def test_what_fills_the_budget_stays_and_what_is_larger_is_alone():
    cache = ModelCache()
    cache.get("a", 4, object, budget=10)
    cache.get("c", 6, object, budget=10)
    assert len(cache) == 2
    cache.get("b", 40, object, budget=10)
    assert len(cache) == 1
    assert cache.find("a") is None


def test_what_cannot_be_made_takes_no_room():
    cache = ModelCache()
    with pytest.raises(ZeroDivisionError):
        cache.get("a", 4, lambda: 1 / 0, budget=10)
    assert cache.num_bytes() == 0


@pytest.fixture
def counted(monkeypatch):
    """How often models were read, with nothing kept from before."""
    read, load = [], loading.read_pair
    monkeypatch.setattr(model_cache, "_caches", type(model_cache._caches)(ModelCache))
    monkeypatch.setattr(loading, "read_pair", lambda *arguments: read.append(arguments[0][0].name) or load(*arguments))
    return read


def test_two_visitors_with_two_pairs_read_each_once(tmp_path, counted):
    pairs = [[save_model(tmp_path / name / part, llama()) for part in "td"] for name in ("one", "two")]
    for _ in range(3):
        for target, draft in pairs:
            pair = Models(target, draft, placement=find_placement("cpu")).load()
            trace = run(Request(make_method("speculative_sampling"), pair.target, "a", pair.draft, max_new_tokens=4))
            assert trace.started.target["name"] == target
    assert counted == [target for target, _ in pairs]


def test_without_room_for_both_the_other_is_read_again(tmp_path, counted, monkeypatch):
    names = [save_model(tmp_path / name, llama()) for name in "ab"]
    size = loading.estimate_memory([loading.find_source(names[0])], loading.find_placement("cpu")).memory_bytes()

    def free(_):  # room for one and a half, less what is kept
        return round(1.5 * size / model_cache.SHARE) - round(model_cache._caches["cpu"].num_bytes() / model_cache.SHARE)

    monkeypatch.setattr(Placement, "free_bytes", free)
    for name in (names[0], names[1], names[1], names[0]):
        Models(name, placement=find_placement("cpu")).load()
    assert counted == [names[0], names[1], names[0]]


def test_a_device_that_is_not_there(tmp_path):
    with pytest.raises(PlaygroundError, match=r"no device 'cuda:7'. Choose one of auto, .*cpu"):
        Models(save_model(tmp_path / "m", llama()), placement=find_placement("cuda:7")).load()


def test_loading_says_what_it_takes_and_how_far_it_is(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(model_files, "TELL_S", 0.0)
    Models(save_model(tmp_path / "m", llama()), placement=find_placement("cpu")).load(said.append)
    assert said[0].startswith("Nothing to download; 22 kB of memory")  # matrices twice: as they are, and packed
    assert said[0].count("on cpu") == 1
    read = [line for line in said if line.startswith("Reading ")]
    whole = read[-1].split(" of ")[-1]
    assert read[-1].endswith(f": {whole.removesuffix(' ...')} of {whole}")
