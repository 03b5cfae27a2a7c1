"""`rankwise latency diff`: changes that are planted are found, and noise is none."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from golden import Golden, assert_complaint
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.latency.dense import from_matrices
from rankwise.latency.formats import mmpi, own
from rankwise.latency.measurement import Measurement
from rankwise.topology.pairs.difference import Difference, difference
from rankwise.topology.pairs.resampling import median_interval, ratio_interval

MIB = 1 << 20
BLOCKS = [f"node{rank // 8}" for rank in range(32)]
DEALT = [f"node{rank % 4}" for rank in range(32)]


def machine(
    hosts: Sequence[str],
    seed: int,
    *,
    between: float = 1.0,
    pairs: dict[tuple[int, int], float] | None = None,
    host: tuple[str, float] = ("", 1.0),
    sizes: tuple[int, int] = (64, MIB),
    noise: float = 0.02,
) -> Measurement:
    """Ranks on hosts, with noise of its own; messages between nodes, of pairs, or off a host are slower."""
    count = len(hosts)
    random = np.random.default_rng(seed)
    same = np.equal.outer(np.array(hosts), np.array(hosts))
    on_it = np.array(hosts) == host[0]
    factor = np.where(same, 1.0, between) * np.where(np.logical_xor.outer(on_it, on_it), host[1], 1.0)
    for pair, slow in (pairs or {}).items():
        factor[pair] *= slow
        factor[pair[::-1]] *= slow
    times = np.where(same, 0.5, 2.0) * factor * np.exp(noise * random.standard_normal((count, count)))
    rates = np.where(same, 8000, 1000) / factor * np.exp(noise * random.standard_normal((count, count)))
    return from_matrices(hosts, {sizes[0]: times}, {sizes[1]: rates}, about={"mode": "quiet"})


def changes(comparison: Difference) -> dict[tuple[str, str], str]:
    return {(level.name, level.what): level.change for level in comparison.levels}


def compared(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    before: Measurement,
    after: Measurement,
    *words: str,
) -> str:
    own.write(before, tmp_path / "a.json", force=True)
    own.write(after, tmp_path / "b.json", force=True)
    assert main(["latency", "diff", str(tmp_path / "a.json"), str(tmp_path / "b.json"), *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_change(seed: int) -> None:
    comparison = difference(machine(BLOCKS, 2 * seed), machine(BLOCKS, 2 * seed + 1))
    assert (comparison.by, comparison.pairs, comparison.moved) == ("rank", 496, 0)
    assert set(changes(comparison)) == {
        (level, what) for level in ("node", "machine") for what in ("latency", "bandwidth")
    }
    assert not any(changes(comparison).values())
    assert not comparison.changed
    assert all(level.slowness == pytest.approx(1, abs=0.02) for level in comparison.levels)


def test_the_same_file_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = machine(BLOCKS, 1)
    assert "No change beyond noise." in compared(capsys, tmp_path, before, before)


def test_a_level_that_got_slower_or_faster() -> None:
    comparison = difference(machine(BLOCKS, 1), machine(BLOCKS, 2, between=1.5))
    assert changes(comparison) == {
        ("node", "latency"): "",
        ("machine", "latency"): "slower",
        ("node", "bandwidth"): "",
        ("machine", "bandwidth"): "slower",
    }
    level = next(level for level in comparison.levels if (level.name, level.what) == ("machine", "latency"))
    assert level.pairs == 384
    assert (level.before, level.after) == (pytest.approx(2, rel=0.02), pytest.approx(3, rel=0.02))
    assert level.interval
    assert level.interval[0] < level.slowness < level.interval[1]
    assert level.slowness == pytest.approx(1.5, rel=0.02)
    back = difference(machine(BLOCKS, 2, between=1.5), machine(BLOCKS, 1))
    assert changes(back)["machine", "latency"] == "faster"


def test_the_threshold() -> None:
    before, after = machine(BLOCKS, 1, noise=0.001), machine(BLOCKS, 2, between=1.08, noise=0.001)
    assert changes(difference(before, after))["machine", "latency"] == "slower"
    assert not difference(before, after, threshold=0.1).changed


def test_pairs_that_changed_unlike_the_others() -> None:
    comparison = difference(
        machine(BLOCKS, 1), machine(BLOCKS, 2, between=1.5, pairs={(3, 20): 4.0, (0, 1): 2.0, (5, 30): 0.3})
    )
    assert [change.ends for change in comparison.outliers] == [(3, 20), (5, 30), (0, 1)]
    worst = comparison.outliers[0]
    assert (worst.hosts, worst.name) == (("node0", "node2"), "machine")
    assert worst.slowness == pytest.approx(6, rel=0.15)
    assert worst.others == pytest.approx(1.5, rel=0.02)
    assert comparison.outliers[1].slowness < 1


def test_among_many_pairs_chance_is_no_change() -> None:
    """Of half a million pairs, some are five standard deviations off by chance."""
    hosts = [f"node{rank // 32}" for rank in range(768)]
    random = np.random.default_rng(1)
    noise = [0.05 * random.standard_normal((768, 768)) for _ in range(2)]
    noise[1][1, 2] = noise[0][1, 2] + 5.3 * 0.05 * np.sqrt(2)
    noise[1][3, 4] = noise[0][3, 4] + 9 * 0.05 * np.sqrt(2)
    before, after = (from_matrices(hosts, {64: np.exp(each)}) for each in noise)
    assert [change.ends for change in difference(before, after).outliers] == [(3, 4)]


def test_a_node_that_got_slower() -> None:
    hosts = [f"node{rank // 4}" for rank in range(32)]
    comparison = difference(machine(hosts, 1), machine(hosts, 2, host=("node5", 3.0)))
    assert comparison.nodes[0].host == "node5"
    assert comparison.nodes[0].slowness == pytest.approx(3, rel=0.05)
    assert comparison.nodes[0].pairs == 4 * 28 + 6
    assert all(node.slowness == pytest.approx(1, abs=0.05) for node in comparison.nodes[1:])


def test_another_placement() -> None:
    comparison = difference(machine(BLOCKS, 1), machine(DEALT, 2))
    assert comparison.moved == 24
    assert changes(comparison)["moved apart", "latency"] == "slower"
    assert changes(comparison)["moved together", "latency"] == "faster"
    assert (
        changes(comparison)["inside a node", "latency"]
        == changes(comparison)["between nodes", "bandwidth"]
        == ""
    )
    by_host = difference(machine(BLOCKS, 1), machine(DEALT, 2), "host")
    assert (by_host.by, by_host.pairs) == ("host", 4 + 6)
    assert not by_host.changed


def test_fewer_ranks_on_common_hosts() -> None:
    comparison = difference(machine(BLOCKS, 1), machine(BLOCKS[8:24], 2, between=4.0))
    assert (comparison.by, comparison.pairs) == ("host", 3)
    between = next(
        level for level in comparison.levels if (level.name, level.what) == ("between nodes", "latency")
    )
    assert (between.pairs, between.change) == (1, "slower")
    assert between.slowness == pytest.approx(4, rel=0.05)
    assert between.interval
    assert {node.host for node in comparison.nodes} == {"node1", "node2"}


def test_some_hosts_in_common() -> None:
    other = [{"node0": "new"}.get(host, host) for host in BLOCKS]
    comparison = difference(machine(BLOCKS, 1), machine(other, 2), "host")
    assert comparison.pairs == 6
    assert {node.host for node in comparison.nodes} == {"node1", "node2", "node3"}


def test_nothing_to_compare() -> None:
    few = machine(["x"] * 4, 1)
    cases: list[tuple[Measurement, Measurement, str | None, str]] = [
        (machine(BLOCKS, 1), few, None, "of 32 and 4 ranks, have no host in common"),
        (machine(BLOCKS, 1), machine(BLOCKS[:16], 1), "rank", "32 ranks, the other of 16.*--match host"),
        (few, machine(["x"] * 4, 1, sizes=(8, 1024)), None, r"\(64, 1048576; 8, 1024 bytes\): measure with"),
        (few, machine(["y"] * 4, 1), "host", "have no host in common"),
        (
            from_matrices(["a", "b"], {64: np.ones((2, 2))}),
            from_matrices(["a", "b"], {}, {64: np.ones((2, 2))}),
            None,
            "one has only latencies, the other only bandwidths",
        ),
    ]
    for before, after, by, message in cases:
        with pytest.raises(RankwiseError, match=message) as error:
            difference(before, after, by)
        assert "\n" not in str(error.value)


def test_pairs_that_only_one_has() -> None:
    """As after Ctrl-C: what is in both is compared."""
    after = machine(BLOCKS, 2)
    half = len(after.pairs) // 2
    cut = replace(
        after.pairs,
        first=after.pairs.first[:half],
        second=after.pairs.second[:half],
        overhead=after.pairs.overhead[:half],
        repeats=after.pairs.repeats[:half],
        times={name: values[:half] for name, values in after.pairs.times.items()},
        bandwidths={name: values[:half] for name, values in after.pairs.bandwidths.items()},
    )
    comparison = difference(machine(BLOCKS, 1), replace(after, pairs=cut))
    assert comparison.pairs == half
    assert not comparison.changed


def test_a_log_of_mmpi_beside_our_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """mmpi knows means alone, so means are compared."""
    measurement = machine(BLOCKS, 1)
    own.write(measurement, tmp_path / "a.json")
    mmpi.write(measurement, tmp_path / "a.log")
    assert main(["latency", "diff", str(tmp_path / "a.json"), str(tmp_path / "a.log")]) == 0
    out = capsys.readouterr().out
    assert "latency: mean" in out
    assert any(line.startswith("! ") and line.count("1.00 MiB") == 1 for line in out.splitlines())
    assert "! the modes differ: quiet; serial" in out
    assert "libraries differ" not in out
    assert "No change beyond noise." in out


def test_as_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    out = compared(
        capsys, tmp_path, machine(BLOCKS, 1), machine(BLOCKS, 2, between=2.0, pairs={(3, 20): 4.0})
    )
    lines = out.splitlines()
    assert any(re.match(r"496 pairs\b.*\brank; latency: min$", line) for line in lines)
    assert any(re.match(r"2 of 4\b", line) for line in lines)
    assert any(line.startswith("machine") and line.endswith("slower") for line in lines)
    assert any(line.startswith("node ") and line.endswith("no change") for line in lines)
    assert any(line.startswith("3 - 20") and "node0 - node2" in line for line in lines)
    few = compared(capsys, tmp_path, machine(["a", "b"], 1), machine(["a", "b"], 2))
    assert "one pair: unknown" in few
    golden.says(few)


def test_what_makes_it_hard_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def marked(seed: int, **about: Any) -> Measurement:
        measurement = machine(BLOCKS, seed)
        return replace(measurement, about={**measurement.about, **about})

    out = compared(
        capsys,
        tmp_path,
        marked(1, mpi="Open MPI v5.0.9, package", interrupted=True),
        marked(2, mpi="MPICH Version:      4.0.2", mode="loaded"),
    )
    assert "! the MPI libraries differ: Open MPI 5.0.9; MPICH 4.0.2" in out
    assert "! the modes differ: quiet; loaded" in out
    assert "! interrupted: the first" in out


def test_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    out = compared(
        capsys,
        tmp_path,
        machine(BLOCKS, 1),
        machine(BLOCKS, 2, pairs={(3, 20): 4.0}),
        "--json",
        "--limit",
        "1",
    )
    answer = json.loads(out)
    assert answer["changed"] is True
    assert [change["ends"] for change in answer["outliers"]] == [[3, 20]]
    assert len(answer["nodes"]) == 4
    assert [level["change"] for level in answer["levels"]] == [""] * 4
    golden.says(answer["verdict"], "1")


@pytest.mark.parametrize(
    "words", [["--threshold", "x"], ["--threshold", "-1"], ["--match", "node"], ["--limit", "x"]]
)
def test_wrong_words(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["latency", "diff", str(tmp_path / "a"), str(tmp_path / "b"), *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_files_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write(machine(["a", "b"], 1), tmp_path / "a.json")
    assert main(["latency", "diff", str(tmp_path / "a.json"), str(tmp_path / "none.json")]) == 2
    err = capsys.readouterr().err
    assert_complaint(err, f"{tmp_path}/none.json: {os.strerror(errno.ENOENT)}")


def test_intervals() -> None:
    random = np.random.default_rng(3)
    values = random.normal(10, 1, 400)
    interval = median_interval(values)
    assert interval
    assert 9.5 < interval[0] < np.median(values) < interval[1] < 10.5
    assert median_interval(values) == interval
    assert median_interval(values[:1]) is None
    assert median_interval(np.full(5, 2.0)) == (2, 2)
    ratio = ratio_interval(3 * values, random.normal(10, 1, 300))
    assert ratio
    assert 2.8 < ratio[0] < 3 < ratio[1] < 3.2
    assert ratio_interval(values, values[:1]) is None
    assert median_interval(random.normal(10, 1, 50_000))
