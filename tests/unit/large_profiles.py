"""Profiles of thousands of ranks, whose sums are known by construction; made in seconds, by SQL.

`write_stencil`: a grid of X x Y x Z ranks, x fastest, RANKS_A_NODE on a node of two sockets. In the region
`solve`, STEPS times: computing, on one node SLOW longer than on the others, so that these wait for it in an
Allreduce of 8 bytes on W, which recursive doubling carries out; a halo of six messages a rank on `grid`,
periodic, of FACES bytes along x, y, z; and every tenth time a Bcast of 1 KiB on the rows of the grid, of
which nothing is seen inside, and an Alltoall on its columns, of which everything is. At the end a Gather on W
in `output`, of which nothing is seen inside, either.

`write_dense`: an Alltoall on W, STEPS times 64 bytes from each rank to each one, itself, too.

python tests/unit/large_profiles.py FILE 16 16 16 [--dense] makes one to look at.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from made_rows import IDS, Row, insert, insert_calls, insert_named, keep_sums
from numpy.typing import NDArray

from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.members import compact
from rankwise.profile.store.database import new_profile

RANKS_A_NODE = 64
STEPS = 1000
FACES = (64 << 10, 32 << 10, 16 << 10)
"""Bytes of a message along x, y and z."""
REDUCED, BLOCK, SHARED = 8, 64, 1024
"""Bytes of a call of Allreduce; from rank to rank in Alltoall; of a call of Bcast."""
NOISE = 0.1
"""By what part the times of ranks differ from these, at random; the sums of two neighbours do not."""
SOLVE_S, SLOW = 80.0, 0.1
"""Seconds of computing of a rank, and what part of them the slow node takes longer."""
EXCHANGE_S, ROWS_S, COLUMNS_S, GATHER_S, INIT_S = 5.0, 2.0, 3.0, 0.5, 0.25
"""Seconds of a rank in the halo (4 / 5 of it in Waitall), Bcast, Alltoall, Gather, MPI_Init, MPI_Finalize."""
INTERVALS = 60

WORLD, GRID, FIRST_ROW = 3, 4, 5
WHOLE, SOLVE, EXCHANGE, OUTPUT = range(4)
_SINCE = "2026-11-21T10:00:00+00:00"
_SITES = ("reduce", "post", "post", "finish", "share", "turn", "collect")
_SITE_OF = ("Allreduce", "Irecv", "Isend", "Waitall", "Bcast", "Alltoall", "Gather")


@dataclass(frozen=True)
class Grid:
    """Ranks on a grid; those of a node follow each other."""

    x: int
    y: int
    z: int

    @property
    def ranks(self) -> int:
        """How many there are: a power of two."""
        return self.x * self.y * self.z

    @property
    def nodes(self) -> int:
        """How many they are on."""
        return -(-self.ranks // RANKS_A_NODE)

    @property
    def slow_node(self) -> int:
        """That whose ranks all others wait for."""
        return self.nodes // 3

    @property
    def run_s(self) -> float:
        """Seconds between MPI_Init and MPI_Finalize."""
        return SOLVE_S * (1 + SLOW) + EXCHANGE_S + ROWS_S + COLUMNS_S + GATHER_S

    @property
    def reduced_s(self) -> float:
        """Seconds in Allreduce of a rank that is not on the slow node; of one there they are none."""
        return SOLVE_S * SLOW

    @property
    def halo_bytes(self) -> int:
        """Of all ranks."""
        return self.ranks * STEPS * 2 * sum(FACES)

    @property
    def halo_messages(self) -> int:
        """Likewise."""
        return self.ranks * STEPS * 6

    @property
    def reduced_messages(self) -> int:
        """Inside Allreduce."""
        return self.ranks * STEPS * (self.ranks.bit_length() - 1)

    @property
    def column_messages(self) -> int:
        """Inside Alltoall, on the columns: to all others."""
        return self.ranks * (STEPS // 10) * (self.y - 1)

    def neighbours(self, rank: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
        """Return the faces of ranks, as indices into FACES, and who is there."""
        x, y, z = rank % self.x, rank // self.x % self.y, rank // (self.x * self.y)
        faces = []
        for face, step in ((face, step) for face in range(3) for step in (1, -1)):
            place = [x, y, z]
            place[face] = (place[face] + step) % (self.x, self.y, self.z)[face]
            faces.append((face, place[0] + self.x * (place[1] + self.y * place[2])))
        return faces


def node_name(node: int) -> str:
    """Return the name of a host."""
    return f"node{node:04}"


def write_stencil(path: Path, grid: Grid) -> Path:
    """Write the profile of a stencil; each side of the grid has at least three ranks."""
    with new_profile(path) as profile:
        _run(profile, grid, ["mpirun", "-n", str(grid.ranks), "./stencil", "input.json"])
        _communicators(profile, grid)
        _regions(profile, grid)
        _sites(profile)
        _stencil_calls(profile, grid)
        _stencil_messages(profile, grid)
        _arrivals(profile, grid)
        _time_line(profile, grid)
        keep_sums(profile)
    return path


def kept_stencil(factory: pytest.TempPathFactory, grid: Grid) -> Path:
    """Return the profile of a stencil, which all tests of a process share: to be read only."""
    path = factory.getbasetemp() / f"stencil-{grid.x}-{grid.y}-{grid.z}.rankwise"
    return path if path.exists() else write_stencil(path, grid)


def write_dense(path: Path, ranks: int) -> Path:
    """Write the profile of an all-to-all."""
    grid = Grid(ranks, 1, 1)
    with new_profile(path) as profile:
        _run(profile, grid, ["mpirun", "-n", str(ranks), "./transpose"])
        _communicator(profile, grid, WORLD, "W", "W", compact(range(ranks)))
        insert(profile, "regions", [(WHOLE, "", None, "")])
        rows: list[Row] = [("MPI_Alltoall", WORLD, WHOLE, 13, STEPS, STEPS * BLOCK * ranks, 0, 10.0, None)]
        insert_calls(profile, ((rank, rows) for rank in range(ranks)))
        profile.execute("CREATE TEMP TABLE all_ranks (rank INTEGER PRIMARY KEY)")
        profile.executemany("INSERT INTO temp.all_ranks VALUES (?)", ((rank,) for rank in range(ranks)))
        profile.execute(
            "INSERT INTO main.messages SELECT one.rank, other.rank, ?, 'in-collective', ?, ?, ?"
            " FROM temp.all_ranks AS one CROSS JOIN temp.all_ranks AS other",
            (WORLD, IDS["MPI_Alltoall"], STEPS, STEPS * BLOCK),
        )
        keep_sums(profile)
    return path


def _run(profile: sqlite3.Connection, grid: Grid, command: list[str]) -> None:
    wall = grid.run_s + 2 * INIT_S
    run = {
        "rankwise_version": "0.1.0",
        "command": json.dumps(command),
        "programs": json.dumps([command[3:]]),
        "launcher": "mpirun",
        "job": "4711",
        "mpi_abi": "openmpi",
        "mpi_library": "Open MPI v5.0.9",
        "started": _SINCE,
        "stopped": "2026-11-21T10:01:39+00:00",
        "wall": wall,
        "exit_status": 0,
        "ranks_expected": grid.ranks,
        "ranks_seen": grid.ranks,
        "not_covered": "[]",
    }
    insert_named(profile, "run", [run])
    insert(profile, "procedures", [(0, "(not attributed)", "unknown")])
    insert(
        profile,
        "procedures",
        ((procedure.id, procedure.name, procedure.class_name) for procedure in PROCEDURES),
    )
    insert_named(profile, "ranks", (_rank(grid, rank, wall) for rank in range(grid.ranks)))
    insert_named(profile, "places", (_place(rank) for rank in range(grid.ranks)))
    insert(profile, "node_shapes", ((node_name(node), 1) for node in range(grid.nodes)))
    half = RANKS_A_NODE // 2
    insert(
        profile,
        "shape_processors",
        (
            (1, cpu, cpu // half, cpu // half, cpu // 8 * 8, cpu, 32 << 20, "any")
            for cpu in range(RANKS_A_NODE)
        ),
    )
    insert(profile, "shape_devices", [(1, "network", "mlx5_0", 0)])


def _rank(grid: Grid, rank: int, wall: float) -> dict[str, object]:
    cpu = rank % RANKS_A_NODE
    return {
        "rank": rank,
        "host": node_name(rank // RANKS_A_NODE),
        "pid": 10_000 + rank,
        "state": "finalized",
        "cpus_allowed": str(cpu),
        "cpu_start": cpu,
        "cpu_stop": cpu,
        "started": _SINCE,
        "stopped": "2026-11-21T10:01:39+00:00",
        "wall": wall,
        "user": wall - 1,
        "system": 0.5,
        "init_finalize": 2 * INIT_S,
        "max_rss": 1 << 30,
        "threads": 1,
        "overhead": 0.01,
        "transport": "openmpi-pml",
        "transport_state": "active",
        "transport_sees": "between-nodes within-node nonblocking",
        "run": grid.run_s,
        "setup_overhead": 0.001,
        "memory": "shm",
        "clock_offset": 0.0,
        "clock_error": 1e-6,
    }


def _place(rank: int) -> dict[str, object]:
    cpu = str(rank % RANKS_A_NODE)
    return {"rank": rank, "seen": cpu, "looks": 20, "moves": 0, "cpus_stop": cpu, "tasks": 1}


def _communicator(
    profile: sqlite3.Connection, grid: Grid, key: int, name: str, family: str, members: str, **more: object
) -> None:
    made = {"dims": "[]", "periods": "[]", "size": grid.ranks, "members_seen": more.get("size", grid.ranks)}
    row = {"id": key, "name": name, "family": family, "members": members, "type": "communicator"}
    insert_named(profile, "communicators", [{**made, **row, **more}])


def row_name(row: int, grid: Grid) -> str:
    """Return the name of the communicator of the ranks that differ in x alone."""
    return f"W_a1_u1.{row * grid.x}"


def column_name(column: int, grid: Grid) -> str:
    """Return the name of the communicator of the ranks that differ in y alone."""
    x, z = column % grid.x, column // grid.x
    return f"W_a1_u2.{x + grid.x * grid.y * z}"


def _communicators(profile: sqlite3.Connection, grid: Grid) -> None:
    for key, name in enumerate(("(none)", "(several)", "(other)")):
        _communicator(profile, grid, key, name, name, "", size=0)
    everyone = compact(range(grid.ranks))
    _communicator(profile, grid, WORLD, "W", "W", everyone)
    cart = {"dims": json.dumps([grid.z, grid.y, grid.x]), "periods": "[1, 1, 1]", "topology": "cart"}
    made = {"parent": WORLD, "procedure": "MPI_Cart_create", "user_name": "grid", "created": 0.3}
    _communicator(profile, grid, GRID, "W_a1", "W_a1", everyone, **made, **cart)
    of = {"parent": GRID, "procedure": "MPI_Cart_sub", "created": 0.4}
    for row in range(grid.y * grid.z):
        start = row * grid.x
        members = compact(range(start, start + grid.x))
        name = row_name(row, grid)
        _communicator(
            profile, grid, FIRST_ROW + row, name, "W_a1_u1", members, size=grid.x, user_name="row", **of
        )
    first = FIRST_ROW + grid.y * grid.z
    for column in range(grid.x * grid.z):
        start = column % grid.x + grid.x * grid.y * (column // grid.x)
        members = compact(range(start, start + grid.x * grid.y, grid.x))
        name = column_name(column, grid)
        _communicator(
            profile, grid, first + column, name, "W_a1_u2", members, size=grid.y, user_name="column", **of
        )


def _regions(profile: sqlite3.Connection, grid: Grid) -> None:
    paths = ("", "solve", "solve/exchange", "output")
    parents = (None, None, SOLVE, None)
    insert(
        profile,
        "regions",
        ((key, path.rpartition("/")[2], parents[key], path) for key, path in enumerate(paths)),
    )
    solve = grid.run_s - GATHER_S
    times = (
        (WHOLE, 1, grid.run_s, 0.0),
        (SOLVE, 1, solve, solve - EXCHANGE_S),
        (EXCHANGE, STEPS, EXCHANGE_S, EXCHANGE_S),
        (OUTPUT, 1, GATHER_S, GATHER_S),
    )
    insert(profile, "region_times", ((rank, *row) for rank in range(grid.ranks) for row in times))


def _sites(profile: sqlite3.Connection) -> None:
    insert(profile, "objects", [(1, "/home/me/stencil", "0badcafe", 1)])
    insert(
        profile,
        "sites",
        (
            (1 + site, 1, 0x1000 + 16 * site, function, "src/stencil.c", 100 + 10 * site)
            for site, function in enumerate(_SITES)
        ),
    )


def _stencil_calls(profile: sqlite3.Connection, grid: Grid) -> None:
    first_column = FIRST_ROW + grid.y * grid.z
    halo = 2 * STEPS

    def rows(rank: int) -> list[Row]:
        row = FIRST_ROW + rank // grid.x
        column = first_column + rank % grid.x + grid.x * (rank // (grid.x * grid.y))
        slow = rank // RANKS_A_NODE == grid.slow_node
        root = rank % grid.x == 0
        calls: list[Row] = [
            ("MPI_Init", 0, WHOLE, 0, 1, 0, 0, INIT_S, None),
            ("MPI_Finalize", 0, WHOLE, 0, 1, 0, 0, INIT_S, None),
            ("MPI_Allreduce", WORLD, SOLVE, 4, STEPS, STEPS * REDUCED, 0, 0.0 if slow else grid.reduced_s, 0),
            ("MPI_Waitall", GRID, EXCHANGE, 0, STEPS, 0, 0, 0.8 * EXCHANGE_S, 3),
            ("MPI_Bcast", row, SOLVE, 11, STEPS // 10, STEPS // 10 * SHARED * root, 0, ROWS_S, 4),
            (
                "MPI_Alltoall",
                column,
                SOLVE,
                (grid.y * BLOCK).bit_length(),
                STEPS // 10,
                STEPS // 10 * grid.y * BLOCK,
                0,
                COLUMNS_S,
                5,
            ),
            ("MPI_Gather", WORLD, OUTPUT, 4, 1, REDUCED, 0, GATHER_S, 6),
        ]
        for size in FACES:
            post = (size.bit_length(), halo)
            calls.append(("MPI_Irecv", GRID, EXCHANGE, *post, 0, halo * size, 0.1 * EXCHANGE_S / 3, 1))
            calls.append(("MPI_Isend", GRID, EXCHANGE, *post, halo * size, 0, 0.1 * EXCHANGE_S / 3, 2))
        return calls

    noise = np.random.default_rng(1).uniform(1 - NOISE, 1 + NOISE, (grid.ranks, 16))
    noise[1::2] = 2 - noise[0::2]

    def noisy(rank: int) -> list[Row]:
        return [
            (*row[:7], row[7] * factor, row[8])
            for row, factor in zip(rows(rank), noise[rank].tolist(), strict=False)
        ]

    insert_calls(profile, ((rank, noisy(rank)) for rank in range(grid.ranks)))


def _stencil_messages(profile: sqlite3.Connection, grid: Grid) -> None:
    rank = np.arange(grid.ranks)
    halo: dict[tuple[int, int], list[int]] = {}
    for face, other in grid.neighbours(rank):
        for pair in zip(rank.tolist(), other.tolist(), strict=True):
            sums = halo.setdefault(pair, [0, 0])
            sums[0] += STEPS
            sums[1] += STEPS * FACES[face]
    rows: list[tuple[object, ...]] = [
        (*pair, GRID, "point-to-point", IDS["MPI_Isend"], *sums) for pair, sums in halo.items()
    ]
    reduce = (IDS["MPI_Allreduce"], STEPS, STEPS * REDUCED)
    steps = range(grid.ranks.bit_length() - 1)
    rows += [
        (sender, sender ^ 1 << step, WORLD, "in-collective", *reduce)
        for sender in range(grid.ranks)
        for step in steps
    ]
    times = STEPS // 10
    turn = (IDS["MPI_Alltoall"], times, times * BLOCK)
    first = FIRST_ROW + grid.y * grid.z
    for column in range(grid.x * grid.z):
        start = column % grid.x + grid.x * grid.y * (column // grid.x)
        members = range(start, start + grid.x * grid.y, grid.x)
        rows += [
            (sender, other, first + column, "in-collective", *turn)
            for sender in members
            for other in members
            if sender != other
        ]
    insert(profile, "messages", sorted(rows))


def _arrivals(profile: sqlite3.Connection, grid: Grid) -> None:
    """Keep every hundredth Allreduce: all wait for the slow node."""
    step = (grid.run_s - GATHER_S) / STEPS
    wait = grid.reduced_s / STEPS
    random = np.random.default_rng(3)
    columns = "communicator, procedure, instance, rank, region, bytes, arrival, departure, since"

    def rows() -> Iterator[tuple[object, ...]]:
        for number in range(100, STEPS + 1, 100):
            left = INIT_S + number * step
            factors = random.uniform(1 - NOISE, 1 + NOISE, grid.ranks).tolist()
            for rank in range(grid.ranks):
                came = left - wait * factors[rank] * (rank // RANKS_A_NODE != grid.slow_node)
                since = came - (left - step)
                in_mpi = (EXCHANGE_S + ROWS_S + COLUMNS_S) / STEPS
                yield WORLD, IDS["MPI_Allreduce"], number, rank, SOLVE, REDUCED, came, left, since, in_mpi

    columns += ", since_in_mpi"
    profile.executemany(f"INSERT INTO arrivals ({columns}) VALUES ({', '.join('?' * 10)})", rows())


def _time_line(profile: sqlite3.Connection, grid: Grid) -> None:
    """Spread what the ranks did over the run: a little more in one interval, a little less in the next."""
    noise = np.random.default_rng(2).uniform(1 - NOISE, 1 + NOISE, (grid.ranks, INTERVALS))
    noise[:, 1::2] = 2 - noise[:, 0::2]
    width = grid.run_s / INTERVALS
    insert(profile, "time_axis", [(INIT_S, width, INTERVALS)])
    insert(profile, "time_lines", ((rank, INIT_S, INIT_S + grid.run_s) for rank in range(grid.ranks)))
    sums = profile.execute(
        "SELECT ranks.rank, mpi, SUM(bytes_sent), SUM(bytes_received), SUM(calls) FROM ranks"
        " JOIN calls ON calls.rank = ranks.rank WHERE procedure NOT IN (?, ?) GROUP BY ranks.rank",
        (IDS["MPI_Init"], IDS["MPI_Finalize"]),
    ).fetchall()
    messages = 6 * STEPS

    def share(whole: int, interval: int) -> int:
        return whole * (interval + 1) // INTERVALS - whole * interval // INTERVALS

    def rows() -> Iterator[tuple[object, ...]]:
        for rank, mpi, *whole in sums:
            for at in range(INTERVALS):
                sent, received, sends, calls = (
                    share(total, at) for total in (*whole[:2], messages, whole[2])
                )
                yield rank, at, mpi / INTERVALS * float(noise[rank, at]), sent, received, sends, calls

    insert(profile, "intervals", rows())


def main() -> None:
    """Make one."""
    parser = argparse.ArgumentParser(description="A profile of many ranks.")
    parser.add_argument("path", type=Path)
    parser.add_argument("sides", type=int, nargs=3, help="of the grid of ranks")
    parser.add_argument("--dense", action="store_true", help="an all-to-all in place of a stencil")
    given = parser.parse_args()
    grid = Grid(*given.sides)
    if given.dense:
        write_dense(given.path, grid.ranks)
    else:
        write_stencil(given.path, grid)


if __name__ == "__main__":
    main()
