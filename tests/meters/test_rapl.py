"""The RAPL files: what is counted, the counter that starts anew, and files that may not be read."""

import pytest

from playground.meters import rapl
from playground.meters.rapl import RaplMeter
from playground.meters.reading import NoSensorError
from tests.meters.fake_rapl import two_packages, write_zone


def advance(root, folder, by):
    file = root / folder / "energy_uj"
    file.write_text(str(int(file.read_text()) + by))


def test_packages_and_memory_are_counted_and_nothing_twice(tmp_path):
    meter = RaplMeter(two_packages(tmp_path))
    meter.begin()
    for folder in ("intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:1", "intel-rapl:2"):
        advance(tmp_path, folder, 1_000_000)
    reading = meter.end()
    assert reading.joules == 3.0 and reading.reason is None  # two packages and one memory
    assert "package-0, dram, package-1" in reading.source and reading.window_s > 0


def test_only_what_happened_between_begin_and_end_counts(tmp_path):
    meter = RaplMeter(two_packages(tmp_path))
    advance(tmp_path, "intel-rapl:1", 40_000_000)
    meter.begin()
    advance(tmp_path, "intel-rapl:1", 2_500_000)
    assert meter.end().joules == 2.5
    meter.begin()
    advance(tmp_path, "intel-rapl:1", 500_000)
    assert meter.end().joules == 0.5


def test_a_counter_that_started_anew_is_carried_on(tmp_path):
    write_zone(tmp_path, "intel-rapl:0", "package-0", 9_900_000, range_uj=10_000_000_000)
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("9999000000")
    meter = RaplMeter(tmp_path)
    meter.begin()
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("2000000")
    assert meter.end().joules == pytest.approx(3.0)  # 1 J to the end of the range, 2 J after it


def test_a_counter_that_stands_still_measures_nothing(tmp_path):
    meter = RaplMeter(two_packages(tmp_path))
    meter.begin()
    reading = meter.end()
    assert reading.joules is None and reading.reason == "the counters did not move"


def test_files_that_go_away_during_a_run_leave_it_blank(tmp_path):
    meter = RaplMeter(two_packages(tmp_path))
    meter.begin()
    (tmp_path / "intel-rapl:1" / "energy_uj").unlink()
    reading = meter.end()
    assert reading.joules is None and "cannot be read" in reading.reason


def test_files_that_only_root_may_read_say_how_to_allow_it(tmp_path, monkeypatch):
    """Tests may run as root, who may read everything, so the refusal itself is made here."""
    two_packages(tmp_path)

    def refuse(self, *_, **__):
        if self.name == "energy_uj":
            raise PermissionError(13, "Permission denied")
        return read(self)

    read = rapl.Path.read_text
    monkeypatch.setattr(rapl.Path, "read_text", refuse)
    with pytest.raises(NoSensorError, match=r"only root may read; to allow it: sudo chmod a\+r .*energy_uj"):
        RaplMeter(tmp_path)


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        ([], "no readable RAPL files"),
        (None, "no readable RAPL files"),
        ([("intel-rapl:0", "psys", 1)], "no RAPL files of a processor package"),
        ([("intel-rapl:0", "package-0", "none")], "not a number"),
    ],
)
def test_what_is_no_counter_is_refused_with_the_reason(tmp_path, zones, message):
    for zone in zones or ():
        write_zone(tmp_path, *zone)
    with pytest.raises(NoSensorError, match=message):
        RaplMeter(tmp_path if zones is not None else tmp_path / "nowhere")


def test_a_window_in_which_a_counter_may_have_started_anew_twice_is_blank_and_one_just_short_of_it_is_measured(
    tmp_path, monkeypatch
):
    write_zone(tmp_path, "intel-rapl:0", "package-0", 0, range_uj=10_000_000_000)  # 10 kJ: 10 s at the most power
    write_zone(tmp_path, "intel-rapl:1", "package-1", 0, range_uj=20_000_000_000)
    for seconds, measured in ((9.9, True), (10.1, False)):
        clock = iter([0.0, seconds])
        meter = RaplMeter(tmp_path)
        monkeypatch.setattr(rapl.time, "perf_counter", lambda: next(clock))  # noqa: B023  called before the next one
        meter.begin()
        advance(tmp_path, "intel-rapl:0", 5)
        reading = meter.end()
        assert (reading.joules is not None) == measured and reading.window_s == seconds
        assert measured or "more than once" in reading.reason
