"""Which meter a run gets, and what it says where there is none."""

import pytest

from playground.meters.meter import NoMeter, meter_for, while_idle
from playground.meters.nvml import NvmlMeter
from playground.meters.rapl import RaplMeter
from tests.meters.fake_nvml import FakeNvml
from tests.meters.fake_rapl import two_packages


def test_each_device_has_its_own_counter(tmp_path):
    root = two_packages(tmp_path)
    assert isinstance(meter_for("cpu", rapl=root), RaplMeter)
    assert isinstance(meter_for("cuda", nvml=FakeNvml(), rapl=root), NvmlMeter)


def test_a_gpu_is_asked_for_by_its_uuid_where_that_is_known():
    fake = FakeNvml()
    meter_for("cuda:3", gpu_uuid="ab", nvml=fake)
    assert fake.asked == ["GPU-ab"]


@pytest.mark.parametrize(
    ("device", "reason"),
    [
        ("cpu", "no energy counter for this run (no NVIDIA GPU in use, no readable RAPL files)"),
        ("mps", "no energy counter for this run (no NVIDIA GPU in use, no counter is known for the device mps)"),
        ("cuda:5", "no energy counter for this run (NVML says: Invalid Argument)"),
    ],
)
def test_without_a_counter_the_reading_is_blank_and_says_why(tmp_path, device, reason):
    meter = meter_for(device, nvml=FakeNvml(), rapl=tmp_path)
    meter.begin()
    reading = meter.end()
    assert isinstance(meter, NoMeter)
    assert (reading.joules, reading.source, reading.reason, reading.watts) == (None, None, reason, None)


def test_a_slice_of_a_shared_gpu_is_not_measured(monkeypatch):
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    assert "a slice" in meter_for("cuda", nvml=FakeNvml()).end().reason


def test_idle_power_is_energy_over_time(monkeypatch, tmp_path):
    clock = [0.0]
    fake = FakeNvml(watts=35, clock=lambda: clock[0])
    meter = NvmlMeter(nvml=fake)
    monkeypatch.setattr("playground.meters.nvml.time.perf_counter", lambda: clock[0])

    def sleep(seconds):
        clock[0] += seconds

    assert while_idle(meter, seconds=2.0, sleep=sleep).watts == pytest.approx(35)
