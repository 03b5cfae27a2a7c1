"""`rankwise map` on a recorded fabric: the hot link of a transform's transposes gets half of its load."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from profiles import write_traffic
from recorded_fabrics import opened, path_of

from rankwise.__main__ import main
from rankwise.network.routes.walk import link_loads

RANKS, COLUMNS, BLOCK = 128, 8, 65536
HOSTS = [f"t2a{number:06}" for number in range(1, RANKS + 1)]
PARTNERS = (COLUMNS - 1) + (RANKS // COLUMNS - 1)


def pencils() -> NDArray[np.int64]:
    """Pairs of ranks in one row, or in one column, of a grid of ranks: (pairs, 2)."""
    one, other = np.nonzero(~np.eye(RANKS, dtype=bool))
    together = (one // COLUMNS == other // COLUMNS) | (one % COLUMNS == other % COLUMNS)
    return np.stack([one[together], other[together]], axis=1)


def test_the_hot_link_of_a_transform_is_relieved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in docs/placement.md: 44 blocks over one link before; after, no more than a host sends itself."""
    pairs = pencils()
    messages = [(one, other, "in-collective", 1, BLOCK) for one, other in pairs.tolist()]
    profile = write_traffic(tmp_path / "fft.rankwise", HOSTS, messages)
    files = [str(path_of("tsubame-r1-ftree", name)) for name in ("opensm-subnet.lst", "opensm.fdbs")]
    machine = tmp_path / "machine.json"
    made = ["machine", "from-fabric", *files, "--nodes", "t2a[000001-000128]", "-o", str(machine)]
    assert main(made) == 0
    capsys.readouterr()
    words = ["map", str(profile), "--machine", str(machine), "--objective", "bottleneck", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    microseconds = BLOCK / 1000  # 4x SDR: 1,000 MB/s
    assert found["unit"] == "us"
    assert found["present"]["bottleneck"]["load"] == pytest.approx(44 * microseconds)
    assert found["found"]["bottleneck"]["load"] == pytest.approx(PARTNERS * microseconds)
    # The same from the fabric's own tables, by another way to count.
    (subnet,) = opened("tsubame-r1-ftree", "opensm-subnet.lst", "opensm.fdbs").subnets
    port = {host: place for place, host in enumerate(subnet.ports.hosts)}
    for hosts, blocks in ((HOSTS, 44), ([seat["host"] for seat in found["seats"]], PARTNERS)):
        at = np.array([port[host] for host in hosts])
        assert sorted(set(at)) == sorted(port[host] for host in HOSTS)
        loads = link_loads(subnet, at[pairs[:, 0]], at[pairs[:, 1]], np.ones(len(pairs)))
        assert loads.max() == blocks
