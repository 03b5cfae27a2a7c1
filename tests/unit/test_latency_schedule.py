"""The probe's schedules: who is measured with whom, in which step, for any number of ranks on any nodes."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from exhaustive import few

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "src" / "probes" / "latency"
SOURCES = [
    PROBE / f"{name}.c" for name in ("shape", "tournament", "order", "schedule", "../common/statistics")
]

QUIET, LOADED, LEADERS, SAMPLE, SERIAL = range(5)
MOST_RANKS = 200
MOST_SAMPLED = 64

Table = NDArray[np.int32]


class Statistics(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("min", "median", "p95", "mean", "std")]


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The parts of the probe that need no MPI."""
    library = tmp_path_factory.mktemp("probe") / "schedule.so"
    sources = [*SOURCES, Path(__file__).with_name("latency_schedule.c")]
    words = ["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", f"-I{PROBE}", "-o", library, *sources, "-lm"]
    subprocess.run(words, check=True, timeout=120)
    loaded = ctypes.CDLL(str(library))
    loaded.steps.restype = ctypes.c_int64
    loaded.shuffled.restype = ctypes.c_int64
    loaded.statistics_of.restype = Statistics
    return loaded


def pointer(array: Table) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def in_rounds(probe: ctypes.CDLL, node: Table) -> Table:
    """Partner of each rank in each round of the tournament, -1 for none: shape (rounds, N)."""
    table = np.empty((probe.rounds(len(node), pointer(node)), len(node)), np.int32)
    probe.rounds_table(len(node), pointer(node), pointer(table))
    return table


def in_steps(probe: ctypes.CDLL, node: Table, mode: int, seed: int = 1) -> Table:
    """Partner of each rank in each step of a schedule: shape (steps, N)."""
    table = np.empty((probe.steps(len(node), pointer(node), mode), len(node)), np.int32)
    probe.steps_table(len(node), pointer(node), mode, ctypes.c_uint64(seed), pointer(table))
    return table


def renumbered(node: NDArray[np.int64]) -> Table:
    """The nodes, numbered in the order of their first rank."""
    _, first, inverse = np.unique(node, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int32)


def equal_shapes(ranks: int, generator: np.random.Generator) -> Iterator[Table]:
    """All numbers of nodes that divide the ranks; placed in blocks, round-robin or at random."""
    for nodes in range(1, ranks + 1):
        if ranks % nodes == 0:
            blocks = np.repeat(np.arange(nodes), ranks // nodes)
            placements = (blocks, np.arange(ranks) % nodes, generator.permutation(blocks))
            yield renumbered(placements[generator.integers(3)])


def unequal_shapes(ranks: int, generator: np.random.Generator) -> Iterator[Table]:
    """The last node not full; one rank apart from all others; at random."""
    for per_node in generator.integers(1, ranks + 1, size=2):
        yield renumbered(np.arange(ranks) // per_node)
    yield renumbered((np.arange(ranks) == generator.integers(ranks)).astype(np.int64))
    yield renumbered(generator.integers(0, generator.integers(1, ranks + 1), size=ranks))


def shapes(ranks: int) -> Iterator[Table]:
    generator = np.random.default_rng(ranks)
    yield from equal_shapes(ranks, generator)
    yield from unequal_shapes(ranks, generator)


def times_measured(table: Table) -> NDArray[np.int64]:
    """How often each pair meets: shape (N, N), upper triangle. Checks that partners agree on each other."""
    ranks = table.shape[1]
    me = np.broadcast_to(np.arange(ranks), table.shape)
    has = table >= 0
    assert table.min(initial=-1) >= -1 and table.max(initial=-1) < ranks
    back = np.take_along_axis(table, np.where(has, table, 0), axis=1)
    assert (back[has] == me[has]).all()
    assert (table != me).all()
    leads = has & (me < table)
    codes = me[leads].astype(np.int64) * ranks + table[leads]
    return np.bincount(codes, minlength=ranks * ranks).reshape(ranks, ranks)


def each_once(table: Table) -> bool:
    ranks = table.shape[1]
    return bool((times_measured(table) == np.triu(np.ones((ranks, ranks), np.int64), 1)).all())


def kinds(table: Table, node: Table) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each step and rank: whether its partner is on its own node; whether on another."""
    has = table >= 0
    same = node[np.where(has, table, 0)] == node
    return has & same, has & ~same


def sizes_of(node: Table) -> tuple[int, int, bool]:
    """Nodes, ranks of the largest, whether all are equal."""
    counts = np.bincount(node)
    return len(counts), int(counts.max()), bool((counts == counts[0]).all())


@pytest.mark.parametrize("block", few(range(8), 3))
def test_the_tournament_has_each_pair_once_in_the_fewest_rounds(probe: ctypes.CDLL, block: int) -> None:
    for ranks in range(2 + block, MOST_RANKS + 1, 8):
        for node in shapes(ranks):
            table = in_rounds(probe, node)
            assert len(table) == (ranks - 1 if ranks % 2 == 0 else ranks)
            assert each_once(table), node
            check_purity(table, node)


def check_purity(table: Table, node: Table) -> None:
    """Rounds are inside nodes or between them as docs/explanation/latency.md says, by the nodes' sizes."""
    nodes, largest, is_equal = sizes_of(node)
    inside, between = kinds(table, node)
    has_inside, has_between = inside.any(axis=1), between.any(axis=1)
    if not is_equal:
        return
    if largest % 2 == 0:
        assert not (has_inside & has_between).any()
        assert has_inside.sum() == largest - 1
        assert has_between.sum() == (nodes - 1) * largest
    elif nodes % 2 == 0:
        mixed = largest if largest > 1 else 0
        assert (has_inside & has_between).sum() == has_inside.sum() == mixed
        assert between[:mixed].sum(axis=1).tolist() == [nodes] * mixed  # one rank of each node
    else:
        for number in range(nodes):
            here = node == number
            assert not (inside[:, here].any(axis=1) & between[:, here].any(axis=1)).any()


def test_a_loaded_step_is_never_inside_and_between_at_once(probe: ctypes.CDLL) -> None:
    for ranks in range(2, 97):
        for node in shapes(ranks):
            nodes, largest, is_equal = sizes_of(node)
            table = in_steps(probe, node, LOADED)
            assert each_once(table), node
            inside, between = kinds(table, node)
            if is_equal and nodes % 2 and largest % 2:  # the node that has a bye is left to itself
                assert [len(set(node[row])) for row in inside if row.any()].count(1) == inside.any(
                    axis=1
                ).sum()
            else:
                assert not (inside.any(axis=1) & between.any(axis=1)).any(), node


def test_quiet_measures_one_pair_of_a_node_at_a_time(probe: ctypes.CDLL) -> None:
    for ranks in [*range(2, 41), 97]:
        for node in shapes(ranks):
            table = in_steps(probe, node, QUIET)
            assert each_once(table), node
            inside, between = kinds(table, node)
            assert not (inside.any(axis=1) & between.any(axis=1)).any()
            for number in range(node.max() + 1):
                assert inside[:, node == number].sum(axis=1).max(initial=0) <= 2
                assert between[:, node == number].sum(axis=1).max(initial=0) <= 1


def test_leaders_are_the_first_ranks_of_their_nodes(probe: ctypes.CDLL) -> None:
    for ranks in range(2, 60):
        for node in shapes(ranks):
            _, first = np.unique(node, return_index=True)
            met = times_measured(in_steps(probe, node, LEADERS))
            expected = np.zeros_like(met)
            expected[np.ix_(first, first)] = 1
            assert (met == np.triu(expected, 1)).all()


def test_a_sample_is_some_steps_of_loaded_of_both_kinds(probe: ctypes.CDLL) -> None:
    for ranks in [*range(2, 30), 128, 150, 199]:
        for node in shapes(ranks):
            table, loaded = in_steps(probe, node, SAMPLE), in_steps(probe, node, LOADED)
            assert len(table) == min(MOST_SAMPLED, len(loaded))
            assert times_measured(table).max() == 1
            known = {row.tobytes() for row in loaded}
            assert all(row.tobytes() in known for row in table)
            for sampled, all_of_them in zip(kinds(table, node), kinds(loaded, node), strict=True):
                assert sampled.any() == all_of_them.any()


def test_serial_goes_in_order_one_pair_at_a_time(probe: ctypes.CDLL) -> None:
    for ranks in (2, 3, 4, 7, 30):
        node = renumbered(np.arange(ranks) % 3)
        pairs = [tuple(np.flatnonzero(row >= 0)) for row in in_steps(probe, node, SERIAL)]
        assert pairs == [(i, j) for i in range(ranks) for j in range(i + 1, ranks)]


def test_the_seed_chooses_the_order_and_nothing_else(probe: ctypes.CDLL) -> None:
    node = renumbered(np.arange(32) // 8)
    for mode in (QUIET, LOADED, LEADERS):
        first, again, other = (in_steps(probe, node, mode, seed) for seed in (1, 1, 2))
        assert (first == again).all()
        rows = [sorted(map(bytes, table)) for table in (first, other)]
        assert rows[0] == rows[1]
        assert mode == LEADERS or (first != other).any()


def test_shuffling_is_a_permutation(probe: ctypes.CDLL) -> None:
    for count in [*range(1, 70), 1000, 4097]:
        for seed in (0, 7, 2**64 - 1):
            order = [
                probe.shuffled(ctypes.c_int64(place), ctypes.c_int64(count), ctypes.c_uint64(seed))
                for place in range(count)
            ]
            assert sorted(order) == list(range(count))


def test_many_ranks_do_not_overflow(probe: ctypes.CDLL) -> None:
    """100,000 ranks have 5 * 10^9 pairs: the last steps of the serial order are theirs alone."""
    ranks = 100_000
    node = np.zeros(ranks, np.int32)
    assert probe.steps(ranks, pointer(node), SERIAL) == ranks * (ranks - 1) // 2
    assert probe.steps(ranks, pointer(node), QUIET) == ranks * (ranks - 1) // 2
    assert probe.rounds(ranks, pointer(node)) == ranks - 1


@pytest.mark.parametrize("count", [1, 2, 3, 10, 101])
def test_statistics(probe: ctypes.CDLL, count: int) -> None:
    times = np.random.default_rng(count).lognormal(size=count)
    statistics = probe.statistics_of(pointer(times.copy()), count)  # type: ignore[arg-type]
    assert statistics.min == times.min()
    assert statistics.median == pytest.approx(np.median(times))
    assert statistics.p95 == pytest.approx(np.quantile(times, 0.95))
    assert statistics.mean == pytest.approx(times.mean())
    assert statistics.std == pytest.approx(times.std(ddof=1) if count > 1 else 0)


def test_no_bandwidth_of_single_slow_messages(tmp_path: Path) -> None:
    """What is stored as a level's bandwidth is that of a window, or of messages as large as one."""
    (tmp_path / "mpi.h").write_text(
        "#pragma once\ntypedef int MPI_Request, MPI_Status;\n"
        "enum { MPI_BYTE, MPI_COMM_WORLD };\n#define MPI_STATUS_IGNORE 0\n"
        "#define MPI_Send(...)\n#define MPI_Isend(...)\n#define MPI_Irecv(...)\n"
    )
    cases = [(4095, 0), (4096, 0), (1 << 20, 19_999), (1 << 20, 20_001), (16 << 20, 0), (16 << 20, 20_001)]
    calls = "".join(f'printf("%d ", window_length({size}, {us}));' for size, us in cases)
    main = tmp_path / "main.c"
    main.write_text(
        f'#include <stdio.h>\n#include "window.h"\nint main(void) {{ {calls} }}\n'
        "void blocking_receive(void) {}\nvoid blocking_wait(void) {}\n"
    )
    program = tmp_path / "main"
    words = ["cc", "-std=gnu11", "-w", f"-I{tmp_path}", f"-I{PROBE}", "-o", program, main]
    subprocess.run([*words, PROBE / "window.c", "-lm"], check=True, timeout=120)
    said = subprocess.run([program], capture_output=True, text=True, check=True, timeout=10).stdout
    assert said.split() == ["0", "16", "8", "0", "1", "0"]
