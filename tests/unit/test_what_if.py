"""`rankwise map` on machines that the run was not on: figures known by construction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from profiles import write_traffic
from test_map import INSIDE, USER, by_level, machine, mapped, refusal, ring

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.what_if.outlook import most_loaded


@pytest.fixture
def dealt_out(tmp_path: Path) -> Path:
    """A ring of 8 ranks, dealt out in turns to 4 nodes: no neighbours are together."""
    return write_traffic(tmp_path / "ring.rankwise", [f"n{rank % 4}" for rank in range(8)], ring(8))


def compared(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main(["map", "predict", *map(str, words), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def off_node(outlook: dict[str, Any]) -> tuple[int, int, int]:
    return outlook["nodes"], outlook["bytes_off_node"], outlook["messages_off_node"]


def test_a_ring_on_shapes(dealt_out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a ring in order on k > 1 nodes, k pairs meet outside of them: 1,000 bytes in 2 messages each."""
    shown = compared(capsys, dealt_out, "--shape", "4x2,2x2x2", "--shape", "2x4", "--shape", "3x8,8x1")
    assert [each["name"] for each in shown["machines"]] == ["4x2", "2x2x2", "2x4", "3x8", "8x1"]
    assert [each["shape"] for each in shown["machines"]][:2] == [
        "4 nodes x 2 slots",
        "2 switches x 2 nodes x 2 slots",
    ]
    assert (shown["unit"], shown["ranks"], shown["bytes"]) == ("byte hops off node", 8, 8000)
    assert (*off_node(shown["present"]), shown["present"]["cost"]) == (4, 8000, 16, 8000)
    for which in ("natural", "found"):
        outlooks = [each[which] for each in shown["machines"]]
        assert [off_node(each) for each in outlooks] == [
            (4, 4000, 8), (4, 4000, 8), (2, 2000, 4), (1, 0, 0), (8, 8000, 16),
        ]  # fmt: skip
        # Between the switches 2 pairs meet, which go up one level more.
        assert [each["cost"] for each in outlooks] == [4000, 6000, 2000, 0, 8000]
        assert [level["bytes"] for level in outlooks[1]["outer"]] == [2000, 2000]
        assert [each["most_loaded"]["bytes"] for each in outlooks] == [2000, 2000, 2000, 0, 2000]
        assert [each["most_loaded"]["imbalance"] for each in outlooks] == [1, 1, 1, None, 1]
    assert [each["best"] for each in shown["machines"]] == [False, False, False, True, False]
    assert [(each["nodes"], each["slots"]) for each in shown["machines"]][3] == (3, 24)


def test_what_is_found_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranks 0 and 2, 1 and 3 talk: the natural order parts them, and one of the pairs talks more."""
    pairs = [(0, 2, USER, 1, 100), (3, 1, USER, 3, 300)]
    profile = write_traffic(tmp_path / "F.rankwise", ["a"] * 4, pairs)
    shown = compared(capsys, profile, "--shape", "2x2,4x1,3x2")
    two, four, three = shown["machines"]
    assert (off_node(two["natural"]), off_node(two["found"])) == ((2, 400, 4), (2, 0, 0))
    assert off_node(four["found"]) == (4, 400, 4)
    assert four["found"]["most_loaded"] | {"host": ""} == {
        "host": "",
        "bytes": 300,
        "mean": 200,
        "imbalance": 1.5,
    }
    assert [two["best"], four["best"], three["best"]] == [True, False, True]
    hosts = [seat["host"] for seat in two["bindings"]]
    assert hosts[0] == hosts[2] != hosts[1] == hosts[3]


def test_both_are_compared_by_hops(dealt_out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by_hops = compared(capsys, dealt_out, "--shape", "4x2,2x4", "--objective", "hops")
    both = compared(capsys, dealt_out, "--shape", "4x2,2x4", "--objective", "both", "--extra", "0")
    assert both["unit"] == by_hops["unit"]
    for one, other in zip(both["machines"], by_hops["machines"], strict=True):
        assert one["found"]["cost"] == other["found"]["cost"]


def levels(cost: float, **outer: object) -> list[dict[str, object]]:
    known = {"latency_us": cost, "bandwidth_mb_s": 1000}
    return [
        {"name": "machine", "cost": known, **outer},
        {"name": "node", "count": 4, "names": "n[0-3]", "cost": {"latency_us": 0.5, "us_per_byte": 0.0005}},
        {"name": "core", "count": 2},
    ]


def test_time(dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    """A pair costs 2 latencies + 1,000 B / 1,000 MB/s off node, and 1.5 us within."""
    near, far = machine(tmp_path / "near.json", levels(1)), machine(tmp_path / "far.json", levels(2))
    words = ("--machine", near, "--machine", far, "--objective", "time")
    shown = compared(capsys, dealt_out, *words, "--shape", "2x4")
    assert shown["unit"] == "us"
    assert [each["found"]["cost"] for each in shown["machines"]] == pytest.approx(
        [4 * 3 + 4 * 1.5, 4 * 5 + 4 * 1.5, 2 * 3 + 6 * 1.5]
    )
    assert shown["present"]["cost"] == pytest.approx(8 * 3)  # as the first machine tells, which is the run's
    assert [each["best"] for each in shown["machines"]] == [False, False, True]
    shown = compared(capsys, dealt_out, "--shape", "4x2,2x4", "--machine", near)
    assert shown["present"]["cost"] == 8000
    golden.says(refusal(capsys, "predict", dealt_out, *words, "--shape", "2x2x2"), "2x2x2 .. 'machine'")


def test_shapes_take_costs_from_the_node_outwards(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Measured are 1 us around packages, 2 at a switch, 5 above; bytes cost nothing to speak of."""

    def cost(latency: float) -> dict[str, object]:
        return {"cost": {"latency_us": latency, "us_per_byte": 0}}

    given = machine(
        tmp_path / "m.json",
        [
            {"name": "machine", **cost(5)},
            {"name": "switch", "count": 2, **cost(2)},
            {"name": "node", "count": 2, **cost(1)},
            {"name": "package", "count": 2, **cost(0.5)},
            {"name": "core", "count": 2},
        ],
    )
    shown = compared(capsys, dealt_out, "--machine", given, "--shape", "4x2,2x2x2", "--objective", "time")
    # 8 pairs, 2 messages each: 4 in nodes; at 2x2x2, 2 at switches and 2 above.
    assert [each["found"]["cost"] for each in shown["machines"]][1:] == [
        4 * 2 * 1 + 4 * 2 * 2,
        8 + 2 * 2 * 2 + 2 * 2 * 5,
    ]


def test_hops_of_networks(dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A ring fits onto a ring; on a line of n routers it has to come back: 2 (n - 1) hops at least."""
    inside = [{"name": "package", "count": 2}, {"name": "core", "count": 1}]

    def torus(name: str, nodes: int, wrap: bool, below: Sequence[dict[str, object]]) -> Path:
        network = {"kind": "torus", "dims": [nodes], "wrap": [wrap]}
        levels = [{"name": "node", "count": nodes, "names": [f"t{each}" for each in range(nodes)]}, *below]
        return machine(tmp_path / name, levels, network=network)

    given = [
        torus("ring", 8, True, [{"name": "core", "count": 1}]),
        torus("line", 8, False, [{"name": "core", "count": 1}]),
        torus("packages", 4, True, inside),
    ]
    words = [word for path in given for word in ("--machine", path)]
    shown = compared(capsys, dealt_out, *words, "--shape", "4x2", "--effort", 3)
    assert [each["found"]["cost"] for each in shown["machines"]] == [8000, 14000, 4000, 4000]
    assert [each["natural"]["cost"] for each in shown["machines"]] == [8000, 14000, 4000, 4000]
    assert [each["best"] for each in shown["machines"]] == [False, False, True, True]


def test_the_most_loaded_link(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    """2,000 bytes go into and out of a node of two or four ranks; over a link of 1,000 MB/s in 2 us."""
    shown = compared(capsys, dealt_out, "--shape", "4x2,2x4", "--objective", "bottleneck")
    assert [each["found"]["cost"] for each in shown["machines"]] == [2000, 2000]
    assert (shown["unit"], shown["present"]["cost"]) == ("bytes", None)
    fast = machine(
        tmp_path / "m.json", [{"name": "node", "count": 4, "link_mb_s": 1000}, {"name": "core", "count": 2}]
    )
    words = ("--machine", fast, "--shape", "4x2", "--objective", "bottleneck")
    golden.says(refusal(capsys, "predict", dealt_out, *words), "4x2")


def test_too_small(dealt_out: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    small, large = compared(capsys, dealt_out, "--shape", "3x2,2x4")["machines"]
    assert (small["fits"], small["found"], small["bindings"], small["best"]) == (False, None, [], False)
    assert large["fits"]
    golden.says(refusal(capsys, "predict", dealt_out, "--shape", "3x2"), "8")
    golden.says(refusal(capsys, "predict", dealt_out, "--shape", "3x2,1x1"), "6")


def test_a_single_shape_is_told_in_full(
    dealt_out: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    answer = mapped(capsys, "predict", dealt_out, "--shape", "2x2x2")
    golden.says("\n".join(answer["notes"]), "")
    assert by_level(answer["found"]) == {"machine": 2000, "switch": 2000, "node": 4000}
    assert answer["machine"]["sources"][0]["kind"] == "shape"
    assert answer["present"] is None


def test_shapes_are_never_the_machine_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    """Even if the run's hosts have the names that nodes of shapes get."""
    profile = write_traffic(tmp_path / "F.rankwise", ["node1", "node0"] * 2, ring(4))
    shown = compared(capsys, profile, "--shape", "2x2,2x4")
    for each in shown["machines"]:
        golden.says(each["absent"])
    assert off_node(shown["present"]) == (2, 4000, 8)


def test_what_is_printed(
    dealt_out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["map", "predict", str(dealt_out), "--shape", "4x2,2x2x2,1x4,2x8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [" ".join(line.split()) for line in lines]
    assert rows[0] == "8 ranks on 4 machines"
    parts = "\n".join(rows).split("\n\n")[1:]
    titles = (
        "Cost, byte hops off node|Off node, bytes|Off node, messages|Meeting at machine|Meeting at switch"
    )
    assert [part.partition("\n")[0] for part in parts] == titles.split("|")
    assert parts[0].splitlines()[2:] == [
        "as it was run 4 8 - 8000 -",
        "4x2 4 8 4000 4000 0.0",
        "2x2x2 4 8 6000 6000 0.0",
        "1x4 1 4 - - - too small",
        "2x8 1 of 2 16 0 0 0.0 best",
    ]
    golden.says(parts[1], "7.81 KiB 100.0 3.91 KiB 1.00")
    assert "2x8 0 B 0 B 0.0 0 B -" in parts[1]
    assert "4x2 8 8 50.0" in parts[2]
    assert parts[4].splitlines()[2:] == ["2x2x2 1.95 KiB 1.95 KiB 4 4"]


def test_the_run_is_not_known(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    from sqlite3 import connect

    profile = write_traffic(tmp_path / "F.rankwise", ["a"] * 4, [*ring(4), (-1, 0, INSIDE, 1, 7)])
    with connect(profile) as connection:
        connection.execute("DELETE FROM ranks WHERE rank = 3")
    shown = compared(capsys, profile, "--shape", "2x2,1x4")
    assert shown["present"] is None
    golden.says(shown["absent"], "3")
    assert any(shown["absent"] in note for note in shown["notes"])
    assert any("Excluded: 1 messages" in note for note in shown["notes"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shape", "16"], "'16' is not a shape"),
        (["--shape", "4x"], "'4x' is not a shape"),
        (["--shape", "4x2,"], "'' is not a shape"),
        (["--shape", "4x-2"], "'4x-2' is not a shape"),
        (["--shape", "0x4"], "'0x4' is not a shape"),
        (["--shape", "999999999x999999999"], "16777216"),
        (["--shape", "x".join(["1"] * 80)], "is not a shape"),
        (["--shape", "4x2", "--all-slots"], "--all-slots"),
        (["--shape", "4x2", "-o", "out"], ""),
        (["--shape", "4x2", "--objective", "time"], "--objective hops"),
        ([], "add --machine machine.json or --shape"),
    ],
)
def test_bad_input(
    dealt_out: Path, capsys: pytest.CaptureFixture[str], words: Sequence[str], said: str, golden: Golden
) -> None:
    golden.says(refusal(capsys, "predict", dealt_out, *words), said)


def test_several_files(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    first, other = machine(tmp_path / "1.json", levels(1)), machine(tmp_path / "2.json", levels(1))
    words = ("--machine", first, "--machine", other)
    golden.says(refusal(capsys, "predict", dealt_out, *words, "-o", "out"), "-o")
    other.write_text("no JSON")
    assert f"{other}: is not JSON" in refusal(capsys, "predict", dealt_out, *words)


def test_the_most_loaded_node() -> None:
    """Node b has 5 + 7 out and 1 in, and what stays within it does not count; the sum is exact."""
    traffic = Traffic(5, [0, 0, 3, 0, 4], [2, 3, 0, 1, 2], [5, 7, 1, 100, 2**62])
    load = most_loaded(traffic, ["b", "b", "a", "c", "a"])
    assert (load.host, load.bytes, load.mean, load.imbalance) == ("b", 13, 26 / 3, 1.5)
    most = 2**63 - 1
    load = most_loaded(Traffic(3, [0, 0], [1, 2], [most, most]), ["x", "y", "z"])
    assert (load.host, load.bytes) == ("x", 2 * most)
