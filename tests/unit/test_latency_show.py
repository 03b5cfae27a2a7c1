"""`rankwise latency show`: what it says of measurements that are known by construction."""

from __future__ import annotations

import argparse
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.commands.latency import diff, export, show
from rankwise.latency.dense import from_matrices
from rankwise.latency.formats import detect, mmpi, own
from rankwise.latency.measurement import Host, Measurement, Processor, Rank
from rankwise.render.terminal.latency.outliers import cure, outlier_lines, slowness
from rankwise.render.terminal.latency.summary import print_summary
from rankwise.render.terminal.page import Page
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.levels import Outlier
from rankwise.topology.hierarchy.slow_nodes import SLOW_LINK_OF_NODE
from rankwise.topology.pairs.medians import group_medians
from rankwise.topology.pairs.relative import Relative

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
INSIDE_US, BETWEEN_US = 0.5, 2.0
INSIDE_MB_S, BETWEEN_MB_S = 8000.0, 1000.0


@pytest.fixture(autouse=True)
def hundred_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def machine(
    hosts: Sequence[str],
    slow: dict[tuple[int, int], float] | None = None,
    slow_host: str = "",
    about: dict[str, object] | None = None,
    **more: Any,
) -> Measurement:
    """Ranks on hosts, with 1 % of noise; `slow` pairs by a factor, and all of a slow host four times."""
    count = len(hosts)
    noise = 1 + 0.01 * np.random.default_rng(7).standard_normal((count, count))
    same = np.equal.outer(np.array(hosts), np.array(hosts))
    times = np.where(same, INSIDE_US, BETWEEN_US) * noise
    rates = np.where(same, INSIDE_MB_S, BETWEEN_MB_S) * noise
    on_it = np.array(hosts) == slow_host
    leaves = np.logical_xor.outer(on_it, on_it)
    times[leaves] *= 4
    rates[leaves] /= 4
    for pair, factor in (slow or {}).items():
        times[pair] *= factor
        times[pair[::-1]] *= factor
    known = {"mode": "quiet", "repeats": 20, "command": ["mpirun", "-n", str(count)]}
    return from_matrices(hosts, {64: times}, {MIB: rates}, about=known | (about or {}), **more)


BLOCKS = [f"node{rank // 8}" for rank in range(32)]


def written(tmp_path: Path, measurement: Measurement) -> Path:
    path = tmp_path / "f.json"
    own.write(measurement, path, force=True)
    return path


def shown(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["latency", "show", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["latency", "show", *map(str, words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rankwise: ")
    assert err.count("\n") == 1
    return err.removeprefix("rankwise: ").rstrip("\n")


def exported(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["latency", "export", *map(str, words)]) == 0
    return capsys.readouterr().out


def not_exported(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["latency", "export", *map(str, words)]) == 2
    return capsys.readouterr().err.removeprefix("rankwise: ").rstrip("\n")


def rows(text: str, head: str) -> list[list[str]]:
    """Cells of the table whose first head is `head`, without heads."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.lstrip().startswith(head))
    table = []
    for line in lines[start + 1 :]:
        cells = re.split(r"  +", line.strip())
        if len(cells) < 3:
            break
        table.append(cells)
    return table


# The summary.


def test_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    about = {"date": "2026-11-22T12:38:50+00:00", "mpi": "Open MPI v4.1.4, package", "seconds": 12.3}
    text = shown(capsys, written(tmp_path, machine(BLOCKS, about=about)))
    head = text.split("\n\n")[0]
    for fact in (
        "mpirun -n 32",
        "32 ranks / 4 nodes",
        "496 pairs",
        "64 B, 1.00 MiB",
        "quiet: one pair per node at a time",
        "2026-11-22 12:38",
        "Open MPI 4.1.4",
        "took 12.3 s",
    ):
        assert fact in head, fact
    assert "!" not in head
    node, whole = rows(text, "level")
    assert node[:3] == ["node", "4 x 8", "112"]
    assert whole[:3] == ["machine", "1 x 32", "384"]
    assert [float(cells[3].split()[0]) for cells in (node, whole)] == pytest.approx(
        [1000 * INSIDE_US, BETWEEN_US], rel=0.01
    )
    golden.says(text)


def test_summary_to_any_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `rankwise latency` prints when it has measured is the same."""
    path = written(tmp_path, machine(BLOCKS))
    stream = io.StringIO()
    print_summary(path, stream)
    assert stream.getvalue() == shown(capsys, path)


def test_slow_link_of_a_node_and_slow_pair_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    path = written(tmp_path, machine(BLOCKS, {(3, 20): 3.0}, slow_host="node1"))
    text = shown(capsys, path)
    outliers = rows(text, "outlier")
    golden.says(outliers[0][0], "node1")
    assert "slow pair: ranks 3 - 20" in " ".join(cells[0] for cells in outliers)
    everything = json.loads(shown(capsys, path, "--json"))
    node = everything["outliers"][0]
    assert (node["kind"], node["ranks"]) == (SLOW_LINK_OF_NODE, list(range(8, 16)))
    assert node["slowness"] == pytest.approx(4, rel=0.05)
    golden.says(node["cure"])
    assert "more: --limit 0 shows all" in shown(capsys, path, "--limit", "1")


def test_verdicts_and_cures(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    fault = Outlier(
        kind="slow link",
        where="node0 - node3",
        ranks=(0, 1),
        what="bandwidth",
        size=MIB,
        value=100.0,
        expected=900.0,
        level="node",
        verdict="slow alone",
    )
    contention = replace(fault, kind="slow rank", where="rank 5", verdict="slow under load", what="latency")
    assert slowness(fault) == 9
    assert slowness(replace(fault, what="latency", value=6.0, expected=2.0)) == 3
    assert slowness(replace(fault, value=0.0)) is None
    assert "cables" in cure(fault)
    of_node = replace(fault, kind="slow link of a node", where="node3")
    golden.says(cure(of_node))
    golden.says(cure(replace(of_node, what="latency")))
    golden.says(cure(replace(fault, kind="slow node")))
    either = replace(fault, kind="slow node or its link", ranks=(3,))
    golden.says(cure(either))
    assert "several ranks" not in cure(replace(either, ranks=(3, 4)))
    golden.says(cure(contention))
    lines = "\n".join(line.plain for line in outlier_lines(Page(io.StringIO()), [fault, contention], 0))
    assert "a fault: slow alone [1]" in lines
    assert "contention: fast alone [2]" in lines


@pytest.mark.parametrize(
    ("about", "warning"),
    [
        (
            {"interrupted": True, "rounds": 31, "rounds_done": 20},
            "20 .. 31",
        ),
        ({"oversubscribed": True}, "oversubscribed"),
        ({"pairs_expected": 500}, "4 .. 500"),
    ],
)
def test_what_makes_it_less(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    about: dict[str, object],
    warning: str,
    golden: Golden,
) -> None:
    path = written(tmp_path, machine(BLOCKS, about=about))
    lines = shown(capsys, path).splitlines()
    first = json.loads(shown(capsys, path, "--json"))["warnings"][0]
    golden.says(first, warning)
    assert any(line.startswith("! ") and line[2:] in first for line in lines)


def test_pairs_without_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measurement = machine(BLOCKS)
    measurement.pairs.repeats[:5] = 0
    assert_facts(shown(capsys, written(tmp_path, measurement)), "5 .. 496")


def test_kernels_that_say_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranks 0-3 and 4-7 of each node are near each other; rank 3 is bound to the other package."""
    packages = np.array([rank // 4 for rank in range(16)])
    nodes = packages // 2
    near = np.where(packages[:, None] == packages[None, :], 0.3, 0.9)
    times = np.where(nodes[:, None] == nodes[None, :], near, 4.0)
    times *= 1 + 0.01 * np.random.default_rng(2).standard_normal(times.shape)
    processors = tuple(Processor(os, os, os // 4, os // 4, os // 4) for os in range(9))
    bound = [7 if rank == 3 else 8 if rank == 7 else rank % 8 for rank in range(16)]
    processors = tuple(replace(p, package=0) if p.os == 8 else p for p in processors)
    measurement = from_matrices(
        [f"n{node}" for node in nodes],
        {64: times},
        hosts=(Host("n0", processors), Host("n1", processors)),
        ranks=tuple(Rank(int(nodes[rank]), (bound[rank],), bound[rank]) for rank in range(16)),
    )
    text = " ".join(shown(capsys, written(tmp_path, measurement)).split())
    assert "Grouping the ranks by node gives the measured level node." in text
    assert "Grouping the ranks by package (from the kernel) differs from the measured level" in text
    assert "2 ranks elsewhere, 3,7" in text


def test_levels_that_nobody_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    flat = from_matrices(["a", "a", "b", "b"], {64: np.ones((4, 4))})
    text = shown(capsys, written(tmp_path, flat))
    golden.says(text.splitlines()[-1])


# Tables.


def test_pairs_the_slowest_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, machine(BLOCKS, {(3, 20): 3.0, (0, 1): 2.0}))
    text = shown(capsys, path, "--by", "pair", "--limit", "3")
    assert text.startswith("Latency of 64 B messages\n")
    first, second, _ = rows(text, "ranks")
    assert first[:3] == ["3 - 20", "node0 - node2", "machine"]
    assert second[:3] == ["0 - 1", "node0", "node"]
    assert float(first[5].split()[0]) == pytest.approx(3, rel=0.05)
    assert "The slowest 3 of 496 pairs; --limit 0 shows all." in text
    assert len(rows(shown(capsys, path, "--by", "pair", "--limit", "0"), "ranks")) == 496
    answer = json.loads(shown(capsys, path, "--by", "pair", "--size", "1M", "--json"))
    assert (answer["what"], answer["size"], len(answer["pairs"])) == ("bandwidth", MIB, 496)
    assert all(
        pair["slowness"] == pytest.approx(pair["expected"] / pair["value"]) for pair in answer["pairs"]
    )


def test_values_measured_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measurement = machine(["a", "a", "b"], {(0, 2): 9.0})
    alone = replace(
        measurement.pairs,
        first=np.array([0]),
        second=np.array([2]),
        overhead=np.array([np.nan]),
        repeats=np.array([[3, 3]]),
        times={name: np.array([[1.75, np.nan]]) for name in measurement.pairs.times},
        bandwidths={name: np.array([[np.nan, np.nan]]) for name in measurement.pairs.bandwidths},
    )
    path = written(tmp_path, replace(measurement, alone=alone))
    table = rows(shown(capsys, path, "--by", "pair"), "ranks")
    assert [cells[-1] for cells in table if cells[0] == "0 - 2"] == ["1.75 us"]
    assert {cells[-1] for cells in table if cells[0] != "0 - 2"} == {"-"}


def test_nodes_and_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slow = {tuple(sorted((13, other))): 2.0 for other in range(32) if other != 13}
    path = written(tmp_path, machine(BLOCKS, slow))
    ranks = rows(shown(capsys, path, "--by", "rank", "--limit", "2"), "rank")
    assert ranks[0][:2] == ["13", "node1"]
    assert float(ranks[0][3].split()[0]) == pytest.approx(2, rel=0.05)
    nodes = json.loads(shown(capsys, path, "--by", "node", "--json"))["nodes"]
    assert [node["ranks"] for node in nodes if node["host"] == "node2"] == [list(range(16, 24))]
    for node in nodes:
        assert node["inside"] == pytest.approx(INSIDE_US, rel=0.02)
        assert node["outside"] == pytest.approx(BETWEEN_US, rel=0.02)
    slow_node = written(tmp_path, machine(BLOCKS, slow_host="node2"))
    assert json.loads(shown(capsys, slow_node, "--by", "node", "--json"))["nodes"][0]["host"] == "node2"


def test_groups_of_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dealt = [f"node{rank % 4}" for rank in range(16)]
    path = written(tmp_path, machine(dealt))
    groups = rows(shown(capsys, path, "--by", "level"), "level")
    assert groups[0] == ["machine", "machine 0", "16", "0-15"]
    assert groups[1:] == [["node", f"node{node}", "4", f"{node}-{node + 12}:4"] for node in range(4)]
    levels = json.loads(shown(capsys, path, "--by", "level", "--json"))["levels"]
    assert levels[0]["groups"][1] == {"group": "node1", "ranks": [1, 5, 9, 13]}


def test_medians_of_groups() -> None:
    groups = np.array([2, 0, 2, 0, 2, 2])
    values = np.array([5.0, 1.0, np.nan, 2.0, 3.0, 10.0])
    assert np.array_equal(group_medians(groups, values, 4), [1.5, np.nan, 5.0, np.nan], equal_nan=True)


def test_many_ranks_are_compared_at_once() -> None:
    measurement = machine([f"n{rank // 32}" for rank in range(512)], {(40, 500): 5.0})
    relative = Relative(measurement, find_hierarchy(measurement))
    assert [(row.first, row.second) for row in relative.pairs(1)] == [(40, 500)]
    assert len(relative.ranks()) == 512
    assert {len(row.ranks) for row in relative.nodes()} == {32}


# Matrix.


def test_matrix(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    path = written(tmp_path, machine(["a", "b", "a", "b"]))
    text = shown(capsys, path, "--matrix")
    assert_facts(text, "64 B")
    assert_facts(shown(capsys, path, "--matrix", "--statistic", "bandwidth"), "1.00 MiB")
    golden.says(
        complaint(capsys, path, "--matrix", "--statistic", "bandwidth", "--size", "64"), "--size 1048576"
    )
    log = tmp_path / "a.log"
    mmpi.write(machine(["a", "b"]), log)
    assert_facts(shown(capsys, log, "--matrix"), "64 B")
    golden.says(complaint(capsys, log, "--matrix", "--statistic", "p95"), "p95 .. 64 B")


def test_matrix_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    measurement = machine(["a", "b", "a", "b"])
    path = written(tmp_path, measurement)
    answer = json.loads(shown(capsys, path, "--matrix", "--statistic", "mean", "--json"))
    assert (answer["statistic"], answer["size"], answer["unit"]) == ("mean", 64, "us")
    assert answer["hosts"] == ["a", "b"]
    assert answer["host_of_rank"] == [0, 1, 0, 1]
    assert np.allclose(answer["matrix"], measurement.matrix("mean", 64), rtol=1e-6)
    rates = json.loads(shown(capsys, path, "--matrix", "--statistic", "bandwidth", "--json"))
    assert (rates["size"], rates["unit"]) == (MIB, "MB/s")
    assert rates["matrix"][0][0] is None
    assert rates["matrix"][1][2] == pytest.approx(measurement.matrix("bandwidth", MIB)[1, 2])
    golden.says(
        complaint(capsys, path, "--matrix", "--statistic", "bandwidth", "--size", "64", "--json"),
        "--size 1048576",
    )


@pytest.mark.parametrize(
    ("columns", "first"),
    [
        (100, "0.50"),  # close together, with two digits
        (120, "0.501"),
        (200, "0.501"),
        (80, None),  # cells
    ],
)
def test_matrix_of_16_ranks_has_numbers_where_they_fit(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: int,
    first: str | None,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    measurement = machine([f"n{rank // 4}" for rank in range(16)])
    assert round(measurement.matrix("min", 64)[0, 1], 3) == 0.501
    lines = shown(capsys, written(tmp_path, measurement), "--matrix").splitlines()
    assert max(map(len, lines)) <= columns
    if first:
        assert lines[1].split() == [str(rank) for rank in range(16)]
        assert lines[2].split()[:4] == ["n0", "0", "\\", first]
        assert len(lines) == 18
    else:
        assert "to " in lines[-2] + lines[-1]


def test_as_many_ranks_have_numbers_as_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    path = written(tmp_path, machine([f"n{rank // 8}" for rank in range(40)]))
    assert len(shown(capsys, path, "--matrix").splitlines()) == 42


# Repeats.


def counted(repeats: NDArray[np.int64]) -> Measurement:
    """Four ranks whose pairs were measured so often, with 64 B and with 1 MiB."""
    measurement = machine(["a", "a", "b", "b"], repeats=20)
    return replace(measurement, pairs=replace(measurement.pairs, repeats=repeats))


def test_repeats_are_those_that_were_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repeats = np.array([[10, 5], [93, 5], [40, 5], [0, 5], [11, 5], [12, 5]])
    path = written(tmp_path, counted(repeats))
    assert_facts(shown(capsys, path), "5 .. 93")
    everything = json.loads(shown(capsys, path, "--json"))
    assert everything["repeats"] == [
        {"size": 64, "least": 10, "most": 93},
        {"size": MIB, "least": 5, "most": 5},
    ]
    pairs = json.loads(shown(capsys, path, "--by", "pair", "--json"))["pairs"]
    assert {(pair["first"], pair["second"]): pair["repeats"] for pair in pairs} == dict(
        zip(combinations(range(4), 2), repeats[:, 0].tolist(), strict=True)
    )
    assert "repeats" in shown(capsys, path, "--by", "pair")


def test_a_log_tells_repeats_that_are_true_for_each_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repeats = np.array([[10, 5], [93, 5], [40, 5], [0, 5], [11, 5], [12, 5]])
    path, log = written(tmp_path, counted(repeats)), tmp_path / "f.log"
    exported(capsys, path, "--format", "mmpi", "-o", log)
    head = log.read_text().splitlines()[:3]
    assert head[1] == "# Processors: 4 MsgLen 64 Repeats: 10 to 93"
    # So many each pair had at least; one was not measured.
    assert mmpi.read(log).pairs.repeats.ravel().tolist() == [10, 10, 10, 0, 10, 10]
    exported(capsys, path, "--format", "mmpi", "-o", log, "--size", "1M", "--force")
    assert log.read_text().splitlines()[1] == f"# Processors: 4 MsgLen {MIB} Repeats: 5"


# Other formats.


def test_convert_to_a_log_and_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    path, log, again = (
        written(tmp_path, machine(BLOCKS, repeats=20)),
        tmp_path / "f.log",
        tmp_path / "again.json",
    )
    assert exported(capsys, path, "--format", "mmpi", "-o", log) == ""
    assert log.read_text().startswith("# Testing Hostname: node0\n# Processors: 32 MsgLen 64 Repeats: 20\n")
    exported(capsys, log, "--format", "json", "-o", again)
    exported(capsys, again, "--format", "mmpi", "-o", tmp_path / "same.log")
    assert (tmp_path / "same.log").read_bytes() == log.read_bytes()
    assert re.search(r"\bmmpi  \w", shown(capsys, again))
    before = log.read_bytes()
    golden.says(not_exported(capsys, path, "--format", "mmpi", "-o", log, "--size", "1M"), "-o .. --force")
    sized = ("--format", "json", "-o", tmp_path / "x", "--size", "64")
    assert_facts(not_exported(capsys, path, *sized), "--size .. --format json")
    assert log.read_bytes() == before
    assert "again.pairs already exists" in not_exported(
        capsys, log, "--format", "json", "-o", tmp_path / "again.txt"
    )
    exported(capsys, path, "--format", "mmpi", "-o", log, "--size", "1M", "--force")
    assert "MsgLen 1048576" in log.read_text()


def test_an_existing_output_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    existing = tmp_path / "x.log"
    existing.write_text("mine")
    assert "already exists" in not_exported(capsys, tmp_path / "none", "--format", "mmpi", "-o", existing)
    assert existing.read_text() == "mine"


# Bad input.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--statistic", "p95"], "--statistic goes with --matrix"),
        (["--size", "64"], "--size goes with --by or --matrix"),
        (["--by", "pair", "--matrix"], ""),
        (
            ["--by", "pair", "--size", "7"],
            "7 .. --size .. 64 .. 1048576",
        ),
        (["--by", "pair", "--size", "big"], "'big' .. 64 .. 4k .. 1M"),
        (["--by", "switch"], "invalid choice"),
        (["--limit", "-1"], ""),
    ],
)
def test_words_that_do_not_go_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str, golden: Golden
) -> None:
    path = written(tmp_path, machine(["a", "b"]))
    kept = sorted(tmp_path.iterdir())
    golden.says(complaint(capsys, path, *words), message)
    assert sorted(tmp_path.iterdir()) == kept


def test_a_file_without_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = from_matrices(["a", "b"], {64: np.full((2, 2), np.nan)})
    assert "measure again" in complaint(capsys, written(tmp_path, empty))
    assert "No such file" in complaint(capsys, tmp_path / "none.json")


def test_hostile_names_do_no_harm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names that move the cursor, that are very long, and that no terminal can show."""
    hosts = [
        "\x1b[2Jevil\r\n",
        "\x1b[2Jevil\r\n",
        "n" * 5000,
        "n" * 5000,
        "\u202eright",
        "\u202eright",
        "\ud800",
        "\ud800",
    ]
    path = written(tmp_path, machine(hosts, {(0, 7): 5.0}, about={"command": ["\x1b]0;title\x07"]}))
    for words in ([], ["--by", "pair"], ["--by", "node"], ["--by", "level"], ["--by", "rank"], ["--matrix"]):
        text = shown(capsys, path, *words)
        assert text.isascii()
        assert all(character.isprintable() or character == "\n" for character in text)
    assert json.loads(shown(capsys, path, "--json"))["hosts"][0] == "\x1b[2Jevil\r\n"
    exported(capsys, path, "--format", "mmpi", "-o", tmp_path / "f.log")
    assert len(detect.read(tmp_path / "f.log").hosts) == 4


# Documentation.


@pytest.mark.parametrize(("module", "verb"), [(show, "show"), (export, "export"), (diff, "diff")])
def test_every_option_is_documented(module: Any, verb: str) -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    section = text.split(f"## `rankwise latency {verb}`\n")[1].split("\n## ")[0]
    parser = argparse.ArgumentParser(add_help=False)
    module.add_arguments(parser)
    described = {
        word
        for line in section.splitlines()
        if line.startswith("| `-")
        for word in re.findall(r"`([^`]+)`", line.split("|")[1])
    }
    options = {option for action in parser._actions for option in action.option_strings}
    assert {word for word in described if word.startswith("-")} == options
    for action in parser._actions:
        assert set(map(str, action.choices or ())) <= set(re.findall(r"`([^`]+)`", section)), action
