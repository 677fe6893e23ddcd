"""NVML's counter, against a stand-in for the driver."""

import sys

import pytest

from playground.meters import nvml as module
from playground.meters.agreement import counter_against_samples, integrate
from playground.meters.nvml import NvmlMeter
from playground.meters.reading import NoSensorError
from tests.meters.fake_nvml import FakeNvml


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_counter_is_read_in_millijoules_over_the_window_only():
    clock = Clock()
    meter = NvmlMeter(nvml=FakeNvml(watts=250, clock=clock))
    clock.now = 3.0
    meter.begin()
    clock.now = 5.0
    reading = meter.end()
    assert reading.joules == 500 and reading.reason is None
    assert reading.source == "NVML energy counter (Test GPU, whole board, idle power included)"


def test_a_name_in_bytes_is_read_as_text():
    assert "Test GPU" in NvmlMeter(nvml=FakeNvml(name=b"Test GPU")).source


@pytest.mark.parametrize(
    ("device", "asked"), [(0, 0), ("8f-1", "GPU-8f-1"), ("GPU-8f-1", "GPU-8f-1"), ("MIG-2", "MIG-2")]
)
def test_a_gpu_is_found_by_number_or_uuid(device, asked):
    fake = FakeNvml()
    NvmlMeter(device, nvml=fake)
    assert fake.asked == [asked]


def test_a_counter_that_stands_still_measures_nothing():
    meter = NvmlMeter(nvml=FakeNvml())
    meter.begin()
    reading = meter.end()
    assert reading.joules is None and "did not move" in reading.reason


def test_a_counter_that_fails_during_a_run_leaves_it_blank():
    fake = FakeNvml()
    meter = NvmlMeter(nvml=fake)
    meter.begin()
    fake.counter = False
    assert meter.end().reason == "NVML says: Not Supported"
    meter.begin()
    fake.counter = True
    assert meter.end().reason == "the counter could not be read at the start"


@pytest.mark.parametrize(("fake", "device"), [(FakeNvml(counter=False), 0), (FakeNvml(), 7)])
def test_a_gpu_without_a_counter_says_what_the_driver_says(fake, device):
    with pytest.raises(NoSensorError, match="NVML says: "):
        NvmlMeter(device, nvml=fake)


def test_a_broken_library_is_no_counter(monkeypatch):
    """Importing may raise anything: a missing shared library has come as a KeyError."""

    class Broken:
        def find_spec(self, name, *_):
            if name == "pynvml":
                raise KeyError("libnvidia-ml.so")

    module._nvml.cache_clear()
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(NoSensorError, match="cannot be imported: KeyError"):
        NvmlMeter()
    module._nvml.cache_clear()


def test_power_samples_are_integrated_by_the_trapezoid_rule():
    assert integrate([]) == integrate([(1.0, 50.0)]) == 0
    assert integrate([(0.0, 0.0), (1.0, 100.0), (3.0, 100.0), (3.5, 0.0)]) == 50 + 200 + 25


def test_counter_and_samples_of_a_board_at_constant_power_agree():
    """The stand-in's counter runs on the same clock as the samples, so they differ by their windows' edges only."""
    from time import perf_counter

    fake = FakeNvml(watts=120, clock=perf_counter)
    total = 0

    def work():
        nonlocal total
        until = perf_counter() + 0.3
        while perf_counter() < until:
            total += 1

    result = counter_against_samples(NvmlMeter(nvml=fake), work)
    assert result.num_samples >= 2 and result.seconds >= 0.3
    assert result.sampled_j == pytest.approx(result.counter_j, rel=0.5)  # a stall at an edge must not fail it
    assert result.sampled_j >= result.counter_j * 0.99  # its window lies around the counter's
