"""The name of the processor that stands beside a measured time."""

import pytest

from playground.models import machine

CPUINFO = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nstepping\t: 1\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (CPUINFO, "AMD EPYC (family 25, model 17)"),
        (CPUINFO + CPUINFO, "AMD EPYC (family 25, model 17)"),
        ("model name\t: ARMv8 Processor rev 1\nCPU part\t: 0xd0c\n", "ARMv8 Processor rev 1"),
    ],
)
def test_a_processor_whose_name_hides_which_it_is_is_told_by_family_and_model(text, name, monkeypatch, tmp_path):
    (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(machine, "Path", lambda _: tmp_path / "cpuinfo")
    assert machine.processor.__wrapped__() == name
