"""A folder that looks like /sys/class/powercap."""


def write_zone(root, folder, name, energy_uj, range_uj=262_143_328_850):
    zone = root / folder
    zone.mkdir(parents=True, exist_ok=True)
    (zone / "name").write_text(f"{name}\n")
    (zone / "energy_uj").write_text(f"{energy_uj}\n")
    (zone / "max_energy_range_uj").write_text(f"{range_uj}\n")
    return zone


def two_packages(root):
    """Two packages with cores, one with memory, beside the zones that must not be counted."""
    write_zone(root, "intel-rapl:0", "package-0", 1_000_000)
    write_zone(root, "intel-rapl:0:0", "core", 500_000)
    write_zone(root, "intel-rapl:0:1", "dram", 200_000)
    write_zone(root, "intel-rapl:1", "package-1", 7_000_000)
    write_zone(root, "intel-rapl:2", "psys", 9_000_000)
    write_zone(root, "intel-rapl-mmio:0", "package-0", 1_000_000)
    (root / "intel-rapl").mkdir()
    return root
