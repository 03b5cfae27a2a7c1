"""`rankwise map` on machines without a tree, and with the bottleneck to be small."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from profiles import write_traffic

from golden import Golden
from rankwise.__main__ import main

Messages = list[tuple[int, int, str, int, int]]


def ring(ranks: int) -> Messages:
    """Each rank sends 2 messages of together 1,000 bytes to the next one."""
    return [(rank, (rank + 1) % ranks, "point-to-point", 2, 1000) for rank in range(ranks)]


def machine(path: Path, levels: Sequence[dict[str, object]], **keys: object) -> Path:
    path.write_text(json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels, **keys}))
    return path


def nodes(count: int, slots: int, **keys: object) -> list[dict[str, object]]:
    node = {"name": "node", "count": count, "names": f"n[0-{count - 1}]", **keys}
    return [node, {"name": "core", "count": slots, "cost": {"latency_us": 1, "bandwidth_mb_s": 1000}}]


def mapped(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main(["map", *map(str, words), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_a_ring_goes_around_a_torus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Eight ranks on a ring of as many nodes in the order 0, 3, 6, 1, ...: each message takes three hops."""
    hosts = [f"n{3 * rank % 8}" for rank in range(8)]
    profile = write_traffic(tmp_path / "ring.rankwise", hosts, ring(8))
    given = machine(tmp_path / "torus.json", nodes(8, 1), network={"kind": "torus", "dims": [8]})
    answer = mapped(capsys, profile, "--machine", given)
    assert (answer["present"]["cost"], answer["found"]["cost"]) == (24000, 8000)
    assert answer["unit"] == "byte hops"
    # Three neighbours' messages over each link before, one now.
    assert answer["present"]["bottleneck"]["load"] == 3000
    assert answer["found"]["bottleneck"] == {"where": "router 0 to 1", "load": 1000, "unit": "bytes"}


def test_levels_inside_nodes_count_below_hops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pair in a package costs nothing, in a node 1, between neighbours 1 + 1, between others 1 + 2."""
    levels = [
        {"name": "node", "count": 4, "names": "n[0-3]"},
        {"name": "package", "count": 2},
        {"name": "core", "count": 2},
    ]
    torus = {"kind": "torus", "dims": [4]}
    given = machine(tmp_path / "torus.json", levels, network=torus)
    costs = []
    for partner in ("n0", "n1", "n2", "n3"):
        profile = write_traffic(
            tmp_path / f"{partner}.rankwise", ["n0", partner], [(0, 1, "point-to-point", 1, 10)], ["0", "2"]
        )
        costs.append(mapped(capsys, profile, "--machine", given)["present"]["cost"])
    assert costs == [0, 20, 30, 20]


def test_coordinates_tell_where_nodes_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = write_traffic(
        tmp_path / "pair.rankwise", ["n0", "n1", "n2"], [(0, 1, "point-to-point", 1, 1000)]
    )
    places = {"n0": [0, 0], "n1": [3, 2], "n2": [0, 4]}
    torus = {"kind": "torus", "dims": [6, 5], "coordinates": places}
    given = machine(tmp_path / "torus.json", nodes(3, 1), network=torus)
    answer = mapped(capsys, profile, "--machine", given)
    assert (answer["present"]["cost"], answer["found"]["cost"]) == (5000, 1000)
    assert {answer["bindings"][0]["host"], answer["bindings"][1]["host"]} == {"n0", "n2"}


def test_measured_times_between_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The pair is on the slow two of three nodes: 1 message x 10 us + 1,000 bytes x 0.1 us."""
    slow = [[0, 10, 2], [10, 0, 2], [2, 2, 0]]
    matrix = {
        "kind": "matrix",
        "us_per_byte": [[value / 100 for value in row] for row in slow],
        "latency_us": slow,
    }
    profile = write_traffic(
        tmp_path / "pair.rankwise", ["n0", "n1", "n2"], [(0, 1, "point-to-point", 1, 1000)]
    )
    given = machine(tmp_path / "measured.json", nodes(3, 1), network=matrix)
    answer = mapped(capsys, profile, "--machine", given, "--objective", "time")
    assert answer["unit"] == "us"
    assert answer["present"]["cost"] == pytest.approx(110)
    assert answer["found"]["cost"] == pytest.approx(22)
    hops = mapped(capsys, profile, "--machine", given)
    assert hops["present"]["cost"] == hops["found"]["cost"]  # the tree's levels: all nodes are alike


def test_the_bottleneck_is_made_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pairs of 1,000 bytes, dealt out to nodes of two: 2,000 go over each link, and none need to."""
    messages: Messages = [(rank, rank + 4, "point-to-point", 1, 1000) for rank in range(4)]
    hosts = [f"n{number}" for number in (0, 0, 2, 2, 1, 1, 3, 3)]
    profile = write_traffic(tmp_path / "pairs.rankwise", hosts, messages)
    given = machine(tmp_path / "nodes.json", nodes(4, 2))
    answer = mapped(capsys, profile, "--machine", given, "--objective", "bottleneck")
    assert answer["unit"] == "bytes"
    assert (answer["present"]["cost"], answer["found"]["cost"]) == (2000, 0)
    assert answer["present"]["bottleneck"]["where"] in {"n0", "n1", "n2", "n3"}
    assert answer["found"]["bottleneck"] is None


def test_links_are_as_fast_as_the_machine_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1,000 MB/s are 1,000 bytes a us, and of the slow node 100; a star whose hub must not be there."""
    messages: Messages = [(0, rank, "point-to-point", 1, 1000) for rank in (1, 2)]
    profile = write_traffic(tmp_path / "star.rankwise", ["slow", "n1", "n2"], messages)
    tree = [
        {"level": "node", "name": "slow", "link_mb_s": 100},
        {"level": "node", "names": ["n1", "n2"]},
    ]
    given = machine(tmp_path / "m.json", [{"name": "node", "link_mb_s": 1000}], tree=tree)
    answer = mapped(capsys, profile, "--machine", given, "--objective", "bottleneck")
    assert answer["unit"] == "us"
    assert answer["present"]["cost"] == pytest.approx(20)
    assert answer["found"]["cost"] == pytest.approx(10)
    assert answer["found"]["bottleneck"] == {"where": "slow", "load": pytest.approx(10), "unit": "us"}


def test_both_are_made_small(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    """Pairs fill nodes, so byte hops are equal anywhere; the pair that sends least goes to the slow one."""
    outside = [5000, 5000, 1000, 1000]  # of each pair to the next one
    messages: Messages = [(2 * pair, 2 * pair + 1, "point-to-point", 1, 100_000) for pair in range(4)]
    messages += [(2 * pair, (2 * pair + 2) % 8, "point-to-point", 1, outside[pair]) for pair in range(4)]
    hosts = [host for host in ("slow", "n1", "n2", "n3") for _ in range(2)]
    profile = write_traffic(tmp_path / "pairs.rankwise", hosts, messages)
    cores = [{"level": "core", "count": 2}]
    tree = [
        {"level": "node", "name": "slow", "link_mb_s": 100, "children": cores},
        {"level": "node", "names": ["n1", "n2", "n3"], "children": cores},
    ]
    levels: list[dict[str, object]] = [{"name": "node", "link_mb_s": 1000}, {"name": "core"}]
    given = machine(tmp_path / "m.json", levels, tree=tree)
    words = (profile, "--machine", given, "--objective", "both")
    answer = mapped(capsys, *words)
    assert (answer["unit"], answer["extra_percent"]) == ("byte hops", 5)
    assert answer["present"]["cost"] == answer["found"]["cost"] == sum(outside)
    assert answer["present"]["bottleneck"] == {"where": "slow", "load": pytest.approx(60), "unit": "us"}
    assert answer["found"]["bottleneck"] == {"where": "slow", "load": pytest.approx(20), "unit": "us"}
    assert answer["gains"]
    assert {seat["host"] for seat in answer["bindings"][-2:]} == {"slow"}
    assert mapped(capsys, *words, "--extra", "0%")["extra_percent"] == 0
    assert mapped(capsys, profile, "--machine", given)["extra_percent"] is None
    assert main(["map", *map(str, words)]) == 0
    paragraphs = capsys.readouterr().out.split("\n\n")
    golden.says(next(text for text in paragraphs if "The cost" in text), "66.7")


def test_what_is_printed_names_the_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hosts = [f"n{3 * rank % 8}" for rank in range(8)]
    profile = write_traffic(tmp_path / "ring.rankwise", hosts, ring(8))
    given = machine(tmp_path / "torus.json", nodes(8, 1), network={"kind": "torus", "dims": [2, 4]})
    assert main(["map", str(profile), "--machine", str(given)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert any(row[:4] == ["most", "loaded", "link", "router"] for row in rows)


def test_a_torus_written_as_forwarding_tables_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A ring of eight: forward up to four links, or else back."""
    hosts = [f"n{3 * rank % 8}" for rank in range(8)]
    profile = write_traffic(tmp_path / "ring.rankwise", hosts, ring(8))

    def link(at: int, to: int) -> int | None:
        ahead = (to - at) % 8
        return None if ahead == 0 else at if ahead <= 4 else (at - 1) % 8

    routes: dict[str, object] = {
        "kind": "routes",
        "routers": [f"r{number}" for number in range(8)],
        "at": {f"n{number}": f"r{number}" for number in range(8)},
        "links": [[f"r{number}", f"r{(number + 1) % 8}"] for number in range(8)],
        "tables": [{"next": [[link(at, to) for to in range(8)] for at in range(8)]}],
    }
    torus = machine(tmp_path / "torus.json", nodes(8, 1), network={"kind": "torus", "dims": [8]})
    tables = machine(tmp_path / "routes.json", nodes(8, 1), network=routes)
    computed, tabulated = (mapped(capsys, profile, "--machine", path) for path in (torus, tables))
    for side in ("present", "found"):
        assert tabulated[side]["cost"] == computed[side]["cost"]
        assert tabulated[side]["bottleneck"]["load"] == computed[side]["bottleneck"]["load"]
    assert tabulated["unit"] == "byte hops"
    # With bandwidths: 3,000 bytes on each link before, of which the slow one has 10 MB/s.
    slow = machine(tmp_path / "slow.json", nodes(8, 1), network=routes | {"mb_s": [100] * 7 + [10]})
    answer = mapped(capsys, profile, "--machine", slow, "--objective", "bottleneck")
    assert answer["present"]["bottleneck"] == {"where": "r7 to r0", "load": 300, "unit": "us"}
    assert answer["found"]["bottleneck"]["load"] <= 100
    assert main(["map", str(profile), "--machine", str(slow), "--objective", "bottleneck"]) == 0
    said = capsys.readouterr().out
    rows = [" ".join(line.split()) for line in said.splitlines()]
    assert "r7 to r0" in said
    assert any(row.startswith("cost 300 us ") for row in rows)
    assert any(row.startswith("load of it 300 us ") for row in rows)
    assert any(row.endswith("KiB stay off node.") for row in rows)
