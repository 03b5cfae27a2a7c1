"""Rates and widths of cables: read from every source, kept in files, and slow ones named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_fabrics import assert_same, has, opened

from golden import Golden
from rankwise.__main__ import main
from rankwise.network.fabric.slow_cables import slow_cables, slow_cables_text
from rankwise.network.sources.fabric_json.write import write_fabric
from rankwise.network.sources.open import open_fabric
from rankwise.views.links.sentences import cable_rates

LINKS = [
    (folder, name)
    for folder in ("small-ftree", "dual-ftree")
    for name in (
        "ibdiagnet.lst",
        "opensm-subnet.lst",
        "ibnetdiscover.txt",
        "ibnetdiscover-p.txt",
        "iblinkinfo-l.txt",
    )
    if has(folder, name)
]
FAST, SLOW = (200, 4), (100, 2)


def fabric_json(path: Path, rates: dict[tuple[str, str], list[tuple[float, int]]]) -> str:
    """Write a fabric of leaves, spines and hosts with these cables: Gbit/s and width of each."""
    names = sorted({end for ends in rates for end in ends})
    links = [
        {"ends": list(ends), "gbit": gbit, "width": width}
        for ends, cables in rates.items()
        for gbit, width in cables
    ]
    subnet = {
        "switches": [name for name in names if name[0] in "ls"],
        "hosts": [name for name in names if name[0] == "h"],
        "links": links,
    }
    path.write_text(json.dumps({"format": "rankwise-fabric", "version": 1, "subnets": [subnet]}))
    return str(path)


def of_leaf(uplinks: list[tuple[float, int]], hosts: list[tuple[float, int]] | None = None) -> Any:
    """Leaf l1 with these cables to spine s1 and hosts, and leaf l2 that is in order."""
    cables = {("l1", "s1"): uplinks, ("l2", "s1"): [FAST] * 2, ("h9", "l2"): [FAST]}
    return cables | {(f"h{number}", "l1"): [rate] for number, rate in enumerate(hosts or [FAST] * 4)}


@pytest.mark.parametrize(("folder", "name"), LINKS)
def test_every_source_gives_the_width(folder: str, name: str) -> None:
    for subnet in opened(folder, name, "opensm.fdbs").subnets:
        assert set(subnet.links.widths.tolist()) == {4}
        assert not slow_cables(subnet)


@pytest.mark.parametrize(
    ("uplinks", "hosts", "slow"),
    [
        ([FAST] * 4, None, 0),
        ([SLOW] * 4, None, 0),  # but the spine's other cables: two of six
        ([FAST, FAST, FAST, SLOW], None, 1),
        ([FAST, SLOW], None, 1),  # of as many, the slower ones
        ([FAST] * 4, [FAST, FAST, FAST, SLOW], 1),
        ([FAST] * 4, [FAST, FAST, SLOW, SLOW], 0),  # two kinds of hosts
        ([FAST] * 4, [FAST] * 4, 0),
    ],
)
def test_cables_slower_than_their_parallels(
    tmp_path: Path, uplinks: list[tuple[float, int]], hosts: list[tuple[float, int]] | None, slow: int
) -> None:
    [subnet] = open_fabric([fabric_json(tmp_path / "fabric.json", of_leaf(uplinks, hosts))]).subnets
    found = slow_cables(subnet)
    assert len(found) == slow
    for each in found:
        assert subnet.links.rates[each.link] < subnet.links.rates[each.parallel]
        assert subnet.links.widths[each.link] == SLOW[1]
    assert bool(slow_cables_text(subnet)) == bool(slow)


def test_they_are_named_with_and_without_traffic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    cables = of_leaf([FAST, FAST, SLOW])
    fabric = fabric_json(tmp_path / "fabric.json", cables)
    [subnet] = open_fabric([fabric]).subnets
    phrase = slow_cables_text(subnet)
    golden.says(phrase, "l1 [3] - s1 [3] .. 100 Gbit/s (2x) .. 200 Gbit/s (4x)")
    for more in ([], ["--all-to-all", "1M"], ["--all-to-all", "1M", "--place", "h9,h1"]):
        assert main(["links", "--fabric", fabric, *more]) == 0
        assert f"{phrase}." in " ".join(capsys.readouterr().out.split())
    golden.says(cable_rates(open_fabric([fabric])), "9 of 200 Gbit/s (4x) .. 1 of 100 Gbit/s (2x)")


def test_tables_have_rate_and_width(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    fabric = fabric_json(tmp_path / "fabric.json", of_leaf([SLOW]))
    assert main(["links", "--fabric", fabric, "--all-to-all", "1M", "--by", "link", "--json"]) == 0
    links = json.loads(capsys.readouterr().out)["links"]
    for link in (row["load"] for row in links):
        between = {link["source"], link["destination"]} == {"l1", "s1"}
        assert (link["rate"], link["width"]) == ((12.5e9, 2) if between else (25e9, 4))
        assert link["seconds"] == pytest.approx(link["bytes"] / link["rate"])
    assert main(["links", "--fabric", fabric, "--all-to-all", "1M", "--by", "link"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("l1 [1] -> s1 [1]")]
    [line] = [line for line in lines if "leaf up" in line]
    assert "100 Gbit/s" in line
    assert " 2x " in line


@pytest.mark.parametrize("folder", ["small-ftree", "dual-ftree"])
def test_a_saved_fabric_has_the_same_cables(tmp_path: Path, folder: str) -> None:
    before = opened(folder)
    saved = tmp_path / "fabric.json"
    write_fabric(before, saved, False)
    for subnet, other in zip(before.subnets, open_fabric([str(saved)]).subnets, strict=True):
        assert_same(subnet, other)
        assert subnet.links.widths.all()


def test_mixed_cables_come_back(tmp_path: Path) -> None:
    [first] = open_fabric([fabric_json(tmp_path / "a.json", of_leaf([FAST, SLOW, (100, 4)]))]).subnets
    write_fabric(open_fabric([str(tmp_path / "a.json")]), tmp_path / "b.json", False)
    [second] = open_fabric([str(tmp_path / "b.json")]).subnets
    np.testing.assert_array_equal(first.links.rates, second.links.rates)
    np.testing.assert_array_equal(first.links.widths, second.links.widths)
