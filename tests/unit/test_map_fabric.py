"""`rankwise map` on a recorded fabric: the hot link of a transform's transposes gets half of its load."""

from __future__ import annotations

import json
from collections.abc import Callable
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
    rank, other = np.nonzero(~np.eye(RANKS, dtype=bool))
    together = (rank // COLUMNS == other // COLUMNS) | (rank % COLUMNS == other % COLUMNS)
    return np.stack([rank[together], other[together]], axis=1)


def test_the_hot_link_of_a_transform_is_relieved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in docs/explanation/placement.md: 44 blocks over one link before, then what a host sends itself."""
    pairs = pencils()
    messages = [(rank, other, "in-collective", 1, BLOCK) for rank, other in pairs.tolist()]
    profile = write_traffic(tmp_path / "fft.rankwise", HOSTS, messages)
    files = [str(path_of("tsubame-r1-ftree", name)) for name in ("opensm-subnet.lst", "opensm.fdbs")]
    machine = tmp_path / "machine.json"
    made = ["machine", "from-fabric", *files, "--node", "t2a[000001-000128]", "-o", str(machine)]
    assert main(made) == 0
    capsys.readouterr()
    words = ["map", str(profile), "--machine", str(machine), "--objective", "bottleneck", "--json"]
    assert main(words) == 0
    answer = json.loads(capsys.readouterr().out)
    microseconds = BLOCK / 1000  # 4x SDR: 1,000 MB/s
    assert answer["unit"] == "us"
    assert answer["present"]["bottleneck"]["load"] == pytest.approx(44 * microseconds)
    assert answer["found"]["bottleneck"]["load"] == pytest.approx(PARTNERS * microseconds)
    # The same from the fabric's own tables, by another way to count.
    (subnet,) = opened("tsubame-r1-ftree", "opensm-subnet.lst", "opensm.fdbs").subnets
    port = {host: place for place, host in enumerate(subnet.ports.hosts)}
    for hosts, blocks in ((HOSTS, 44), ([seat["host"] for seat in answer["bindings"]], PARTNERS)):
        at = np.array([port[host] for host in hosts])
        assert sorted(set(at)) == sorted(port[host] for host in HOSTS)
        loads = link_loads(subnet, at[pairs[:, 0]], at[pairs[:, 1]], np.ones(len(pairs)))
        assert loads.max() == blocks


def two_rails(folder: Path) -> list[str]:
    """Return a fabric of two unequal rails, in a file each."""
    words = ("fattree:leaf=4x4,spine=2,gbit=8", "torus:4x4,gbit=8,names=node[0001-0016]")
    files = [str(folder / f"rail{number}.json") for number in range(len(words))]
    for file, rail in zip(files, words, strict=True):
        assert main(["links", "save", rail, "-o", file]) == 0
    return files


FABRICS: dict[str, Callable[[Path], list[str]]] = {
    "two ports in one subnet": lambda _: [str(path_of("dual-ftree", "opensm-subnet.lst").parent)],
    "two LIDs": lambda _: [str(path_of("medium-ftree-lmc1", "opensm-subnet.lst").parent)],
    "two rails": two_rails,
    "an even split": lambda _: ["fattree:k=4,routing=even,gbit=8"],
}


@pytest.mark.parametrize("name", FABRICS)
def test_links_shows_what_map_promises(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The most loaded link of the places that were found, by both programs with what they do by default."""
    files = FABRICS[name](tmp_path)
    random = np.random.default_rng(1)
    pairs = [(rank, other) for rank, other in random.integers(0, 16, (100, 2)).tolist() if rank != other]
    messages = [
        (rank, other, "point-to-point", 1, int(random.integers(1, BLOCK))) for rank, other in set(pairs)
    ]
    profile = write_traffic(tmp_path / "p.rankwise", [f"host{rank}" for rank in range(16)], messages)
    machine = str(tmp_path / "machine.json")
    assert main(["machine", "from-fabric", *files, "--node", "node[0001-0016]", "-o", machine]) == 0
    capsys.readouterr()
    words = ["map", "predict", str(profile), "--machine", machine, "--objective", "bottleneck", "--json"]
    assert main([*words, "-o", str(tmp_path / "placement")]) == 0
    promised = json.loads(capsys.readouterr().out)
    places = str(tmp_path / "placement" / "placement.csv")
    assert main(["links", str(profile), "--fabric", *files, "--place", places, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert promised["unit"] == "us"
    slowest = max(link["seconds"] for link in map(shown["bottleneck"].get, ("fabric", "hosts")) if link)
    assert promised["found"]["bottleneck"]["load"] == pytest.approx(1e6 * slowest)
