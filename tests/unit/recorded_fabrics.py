"""The recorded fabrics of tests/fabrics, opened from one source or another."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.sources.open import open_fabric

FABRICS = Path(__file__).parents[1] / "fabrics"
FOLDERS = (
    "small-ftree",
    "small-ftree-lmc1",
    "dual-ftree",
    "medium-ftree",
    "medium-ftree-lmc1",
    "tsubame-r1-ftree",
)

SOURCES = {
    "ibdiagnet": ("ibdiagnet.lst", "ibdiagnet.fdbs"),
    "opensm": ("opensm-subnet.lst", "opensm.fdbs"),
    "opensm, tables to load": ("opensm-subnet.lst", "opensm-lfts.dump"),
    "infiniband-diags": ("ibnetdiscover.txt", "dump_lfts.txt"),
}


def opened(folder: str, *names: str) -> Fabric:
    """Open files of a folder, each gzipped or not; all of it without names."""
    if not names:
        return open_fabric([str(FABRICS / folder)])
    return open_fabric([str(path_of(folder, name)) for name in names])


def path_of(folder: str, name: str) -> Path:
    """Return the path of a file that may be gzipped."""
    plain = FABRICS / folder / name
    return plain if plain.exists() else plain.with_name(f"{name}.gz")


def has(folder: str, *names: str) -> bool:
    """Return whether a folder has the files, gzipped or not."""
    return all(path_of(folder, name).exists() for name in names)


def assert_same(subnet: Subnet, other: Subnet) -> None:
    """Assert that all of two subnets is the same: names, arrays, rates, tables, routing."""
    assert subnet.name == other.name
    assert subnet.routing == other.routing
    np.testing.assert_array_equal(subnet.forward, other.forward)
    for part in ("switches", "ports", "links"):
        a, b = vars(getattr(subnet, part)), vars(getattr(other, part))
        for field, value in a.items():
            np.testing.assert_array_equal(value, b[field], err_msg=f"{part}.{field}")
