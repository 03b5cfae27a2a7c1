"""Synthetic profiles, straight from the schema: every number is known by construction.

Four ranks on two hosts, 10 s of wall time each. Each rank spends 0.71 s in MPI (ranks 0 and 1, the roots of
a Bcast, 0.72 s) and (rank + 1) x 0.25 s more in Allreduce: 0.97, 1.22, 1.46, 1.71 s, together 5.36 s of 40 s.
MPI_Init (0.1 s) and MPI_Finalize (0.04 s) do not count as time in MPI: 0.14 s a rank, together 0.56 s.
Between the two are 9.86 s a rank, together 39.44 s.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path

from changeable import SUMS_FOLLOW, WRITE_CALLS
from empty_profile import empty
from made_rows import insert

from rankwise.profile.join.members import parse

HOSTS = ("nodea", "nodea", "nodeb", "nodeb")
MPI_SECONDS = (0.97, 1.22, 1.46, 1.71)
MPI_TOTAL = 5.36
INIT_FINALIZE_SECONDS = 0.14  # of each rank
INIT_FINALIZE_TOTAL = 0.56
WALL_TOTAL = 40.0
RUN_SECONDS = 9.86  # of each rank
RUN_TOTAL = 39.44
OWN_SETUP_SECONDS = 0.001383  # of 0.002 s of own cost: the rest are 617 calls of 1 us
COMMAND = ["mpirun", "-n", "4", "./heat", "--steps", "100"]

PROCEDURES = (
    (1, "MPI_Init", "environment"),
    (2, "MPI_Allreduce", "collective"),
    (3, "MPI_Isend", "point-to-point"),
    (4, "MPI_Irecv", "point-to-point"),
    (5, "MPI_Waitall", "completion"),
    (6, "MPI_Alltoallv", "collective"),
    (7, "MPI_Bcast", "collective"),
    (8, "MPI_Finalize", "environment"),
)
NONE, SEVERAL, OTHER, WORLD, CART, ROW_0, ROW_2, COLUMN_0, COLUMN_1 = range(9)
SOLVE = 1


def _made_once(write: Callable[..., Path]) -> Callable[..., Path]:
    """Let a function write the same profile each time, and make it the first time only."""

    @cache
    def content(**options: str) -> bytes:
        with tempfile.TemporaryDirectory() as directory:
            return write(Path(directory, "a.rankwise"), **options).read_bytes()

    @wraps(write)
    def written(path: Path, **options: str) -> Path:
        path.write_bytes(content(**options))
        return path

    return written


@_made_once
def write_profile(path: Path) -> Path:
    """Write the complete run."""
    connection = _empty(path)
    _run(connection)
    _ranks(connection)
    _communicators(connection)
    _regions(connection)
    _procedures(connection)
    _calls(connection)
    _messages(connection)
    _finish(connection)
    return path


@_made_once
def write_partial(path: Path) -> Path:
    """Write the same run with rank 2 killed inside Allreduce, records dropped, and two warnings."""
    write_profile(path)
    connection = sqlite3.connect(path)
    connection.execute(
        "UPDATE run SET partial = 1, exit_status = 137, not_covered = ?,"
        " partial_reason = 'rank 2 (nodeb) ended inside MPI_Allreduce on W'",
        (json.dumps(["MPI_Put", "MPI_Get", "MPI_Win_fence", "MPI_Win_create", "MPI_Win_free"]),),
    )
    connection.execute(
        "UPDATE ranks SET state = 'running', inside = 'MPI_Allreduce', inside_communicator = 3 WHERE rank = 2"
    )
    connection.execute(
        "INSERT INTO dropped VALUES (1, 'call_rows', 5), (2, 'call_rows', 2), (2, 'requests', 4)"
    )
    connection.execute(
        "INSERT INTO warnings VALUES (1, 'rank 2: the counters file ends early'),"
        " (2, 'W_a1: 800.0 KiB were sent and 799.0 KiB received')"
    )
    _close(connection)
    return path


@_made_once
def write_inside(path: Path, sees: str = "between-nodes within-node nonblocking") -> Path:
    """Write the same run with what was sent inside the Allreduce on W: recursive doubling, 8 bytes a message.

    Each rank sends 100 messages to the other rank of its node, and 100 to one on the other node; the former
    are there only if `sees` has within-node. Nothing was seen inside the Alltoallv on the rows, each on one
    node, nor inside the Bcast on the columns, which span both. 2 messages from rank 0 to 1 have no call.
    """
    write_profile(path)
    connection = sqlite3.connect(path)
    within = "within-node" in sees.split()
    connection.execute("UPDATE ranks SET transport_sees = ?", (sees,))
    connection.execute("INSERT INTO procedures VALUES (0, '(not attributed)', 'unknown')")
    connection.execute("INSERT INTO patterns VALUES (1, 3, 2, NULL, 8, 100, 2, 1)")
    for rank in range(4):
        for other in (rank ^ 1, rank ^ 2) if within else (rank ^ 2,):
            connection.execute(
                "INSERT INTO messages VALUES (?, ?, 3, 'in-collective', 2, 100, 800)", (rank, other)
            )
            connection.execute("INSERT INTO pattern_messages VALUES (1, ?, ?, 1, 8)", (rank, other))
    if within:
        connection.execute("INSERT INTO messages VALUES (0, 1, 2, 'in-collective', 0, 2, 6)")
    _close(connection)
    return path


@_made_once
def write_with_files(path: Path) -> Path:
    """Write the same run with a file that all write and read back, and one that nonblocking calls write.

    out.dat: 4 x 1 MiB written in 0.5 s each (rank 3: 1 s), 4 x 512 KiB read in 0.25 s each, opened in 0.01 s.
    """
    write_profile(path)
    connection = sqlite3.connect(path)
    names = ("MPI_File_open", "MPI_File_write_all_begin", "MPI_File_write_all_end", "MPI_File_read_at")
    procedures = {name: 200 + number for number, name in enumerate((*names, "MPI_File_iwrite"))}
    connection.executemany(
        "INSERT INTO procedures VALUES (?, ?, 'input-output')",
        [(key, name) for name, key in procedures.items()],
    )
    connection.executemany(
        "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, NULL)",
        [
            (0, "(other)", OTHER, "", 0, ""),
            (1, "out.dat", WORLD, "create wronly", 4, "01"),
            (2, "out.dat", WORLD, "rdonly", 4, "01"),
            (3, "log", ROW_0, "create wronly", 2, "02"),
        ],
    )
    for rank in range(4):
        for file, name, accesses, read, written, seconds in (
            (1, "MPI_File_open", 1, 0, 0, 0.005),
            (1, "MPI_File_write_all_begin", 2, 0, 0, 0.0),
            (1, "MPI_File_write_all_end", 2, 0, 2**20, 1.0 if rank == 3 else 0.5),
            (2, "MPI_File_open", 1, 0, 0, 0.005),
            (2, "MPI_File_read_at", 8, 2**19, 0, 0.25),
            (3, "MPI_File_iwrite", 3, 0, 3000, 0.001),
        ):
            if file != 3 or rank < 2:
                connection.execute(
                    "INSERT INTO file_accesses VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (rank, file, procedures[name], accesses, read, written, seconds),
                )
    _close(connection)
    return path


@_made_once
def write_hostile(path: Path) -> Path:
    """Write the same run with names that would take a terminal over, and names that are no ASCII."""
    write_with_files(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE files SET name = ? WHERE id = 1", ("\x1b]0;owned\x07[bold]\u202e\n\r<b>é高",))
    connection.execute(
        "UPDATE communicators SET user_name = ? WHERE id = ?", ("\x1b[2J\x1b]0;owned\x07", WORLD)
    )
    connection.execute(
        "UPDATE communicators SET user_name = ? WHERE id = ?", ("[bold red]:boom:\u202eevil", CART)
    )
    connection.execute("UPDATE communicators SET user_name = 'Höhe 高' WHERE id >= ?", (COLUMN_0,))
    connection.execute("UPDATE ranks SET host = 'node\x9b31mb' WHERE rank >= 2")
    connection.execute("UPDATE regions SET name = 'so\nlve', path = 'so\nlve' WHERE id = 1")
    connection.execute("UPDATE run SET command = ?", (json.dumps(["./a\x1b[31m", "é"]),))
    _close(connection)
    return path


def large_name(number: int) -> str:
    """Return the name of one of the communicators of `write_large`: so few of a parent that it is no loop."""
    return f"W_d{number // 16}_d{number // 4 % 4}_d{number % 4}"


@_made_once
def write_large(path: Path) -> Path:
    """Write the same run with 40 more communicators and 40 more procedures than a screen has room for."""
    write_profile(path)
    connection = sqlite3.connect(path)
    for number in range(1, 41):
        key = 100 + number
        name = large_name(number)
        _communicator(connection, key, name, name, "", WORLD, "MPI_Comm_dup", 4, "0-3")
        connection.execute(
            "INSERT INTO procedures VALUES (?, ?, 'collective')", (key, f"MPI_Extra_{number:02}")
        )
        _call(connection, 0, key, 0, key, 7, 10, 640, 0, number * 1e-6)
    _close(connection)
    return path


def add_communicators(connection: sqlite3.Connection, members: Mapping[str, str]) -> None:
    """Add communicators that were made from MPI_COMM_WORLD: their members by their names."""
    for key, (name, ranks) in enumerate(members.items(), 200):
        size = len(parse(ranks))
        _communicator(
            connection, key, name, name.split(".")[0], "", WORLD, "MPI_Comm_split", size, members=ranks
        )


def write_traffic(
    path: Path,
    hosts: Sequence[str],
    messages: Sequence[tuple[int, int, str, int, int]],
    cpus: Sequence[str] = (),
) -> Path:
    """Write a run of ranks on these hosts that did nothing but send messages.

    Args:
        path: to write to.
        hosts: of each rank.
        messages: source, destination, kind, number and bytes.
        cpus: that each rank may run on; not known if empty.
    """
    connection = _empty(path)
    _run(connection, seen=len(hosts))
    connection.execute("UPDATE run SET ranks_expected = ranks_seen")
    _ranks(connection, hosts)
    connection.execute("UPDATE ranks SET cpus_allowed = ''")
    connection.executemany(
        "UPDATE ranks SET cpus_allowed = ? WHERE rank = ?", [(text, rank) for rank, text in enumerate(cpus)]
    )
    _communicator(connection, WORLD, "W", "W", size=len(hosts), members=f"0-{len(hosts) - 1}")
    _regions(connection)
    _procedures(connection)
    connection.executemany(f"INSERT INTO messages VALUES (?, ?, {WORLD}, ?, 3, ?, ?)", messages)
    _finish(connection)
    return path


@_made_once
def write_empty(path: Path) -> Path:
    """Write a run that ended before any rank came to MPI_Init."""
    connection = _empty(path)
    _run(connection, seen=0)
    connection.execute("UPDATE run SET partial = 1, partial_reason = 'no rank came to MPI_Init', wall = 0")
    insert(connection, "regions", [(0, "")])
    _finish(connection)
    return path


def _empty(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    empty().backup(connection)
    connection.executescript(f"BEGIN; {WRITE_CALLS} COMMIT")
    return connection


def _finish(connection: sqlite3.Connection) -> None:
    """Close a new profile, which its tests may change: what it keeps of `calls` and `messages` follows."""
    connection.commit()
    connection.executescript(f"BEGIN; {SUMS_FOLLOW} COMMIT")
    _close(connection)


def _close(connection: sqlite3.Connection) -> None:
    connection.commit()
    connection.close()


def _run(connection: sqlite3.Connection, seen: int = 4) -> None:
    insert(
        connection,
        "run",
        [
            (
                "0.1.0",
                json.dumps(COMMAND),
                "/home/user/heat",
                "/home/user",
                "mpirun",
                "4711",
                "openmpi",
                "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
                "single",
                "2026-11-21T10:02:03+01:00",
                "2026-11-21T10:02:13+01:00",
                10.0,
                0,
                4,
                seen,
                0,
                "",
                "[]",
                1,
                1,
                "[]",
            )
        ],
    )


def _ranks(connection: sqlite3.Connection, hosts: Sequence[str] = HOSTS) -> None:
    for rank, host in enumerate(hosts):
        insert(
            connection,
            "ranks",
            [
                (
                    rank,
                    host,
                    1000 + rank,
                    "finalized",
                    None,
                    "0-3",
                    rank,
                    rank,
                    "2026-11-21T10:02:03+01:00",
                    "2026-11-21T10:02:13+01:00",
                    10.0,
                    9.0 + 0.1 * rank,
                    0.5,
                    MPI_SECONDS[rank % len(MPI_SECONDS)],
                    INIT_FINALIZE_SECONDS,
                    (100 + rank) * 2**20,
                    1,
                    0.002,
                    None,
                    None,
                    None,
                    "openmpi-pml",
                    "active",
                    "between-nodes within-node nonblocking",
                    "",
                    RUN_SECONDS,
                    OWN_SETUP_SECONDS,
                )
            ],
        )


def _communicator(
    connection: sqlite3.Connection,
    key: int,
    name: str,
    family: str,
    user_name: str = "",
    parent: int | None = None,
    procedure: str = "",
    size: int = 0,
    members: str = "",
    dims: tuple[int, ...] = (),
    reorder: int = 0,
    reordered: int = 0,
) -> None:
    topology = "cart" if dims else ""
    facts = (
        topology,
        json.dumps(dims),
        json.dumps([0] * len(dims)),
        reorder,
        0.001 * key,
        None,
        size,
        reordered,
        "",
        None,
    )
    row = (key, name, family, user_name, parent, procedure, size, 0, members, *facts)
    insert(connection, "communicators", [row])


def _communicators(connection: sqlite3.Connection) -> None:
    for key, name in ((NONE, "(none)"), (SEVERAL, "(several)"), (OTHER, "(other)")):
        _communicator(connection, key, name, name)
    _communicator(connection, WORLD, "W", "W", size=4, members="0-3")
    _communicator(connection, CART, "W_a1", "W_a1", "grid", WORLD, "MPI_Cart_create", 4, "0-3", (2, 2), 1)
    for key, name, family, user_name, members in (
        (ROW_0, "W_a1_u1.0", "W_a1_u1", "row", "0-1"),
        (ROW_2, "W_a1_u1.2", "W_a1_u1", "row", "2-3"),
        (COLUMN_0, "W_a1_u2.0", "W_a1_u2", "", "0-2:2"),
        (COLUMN_1, "W_a1_u2.1", "W_a1_u2", "", "1-3:2"),
    ):
        _communicator(connection, key, name, family, user_name, CART, "MPI_Cart_sub", 2, members, (2,))


def _regions(connection: sqlite3.Connection) -> None:
    insert(connection, "regions", [(0, "", None, ""), (SOLVE, "solve", 0, "solve")])
    for rank in range(4):
        insert(connection, "region_times", [(rank, 0, 1, 10.0, 2.0), (rank, SOLVE, 2, 8.0, 8.0)])


def _procedures(connection: sqlite3.Connection) -> None:
    connection.executemany("INSERT INTO procedures VALUES (?, ?, ?)", PROCEDURES)


def _call(
    connection: sqlite3.Connection,
    rank: int,
    communicator: int,
    region: int,
    procedure: int,
    size_bin: int,
    calls: int,
    sent: int,
    received: int,
    seconds: float,
) -> None:
    mean = seconds / calls
    connection.execute(
        f"INSERT INTO calls VALUES ({', '.join('?' * 11)}, 0, NULL)",
        (rank, communicator, region, procedure, size_bin, calls, sent, received, seconds, mean / 2, mean * 2),
    )


def _calls(connection: sqlite3.Connection) -> None:
    for rank in range(4):
        row = ROW_0 if rank < 2 else ROW_2
        column = COLUMN_0 if rank % 2 == 0 else COLUMN_1
        root = rank < 2  # of its column
        for communicator, region, procedure, size_bin, calls, sent, received, seconds in (
            (NONE, 0, 1, 0, 1, 0, 0, 0.1),
            (WORLD, SOLVE, 2, 4, 100, 800, 0, 0.25 * (rank + 1)),
            (CART, SOLVE, 3, 11, 200, 204_800, 0, 0.05),
            (CART, SOLVE, 4, 11, 200, 0, 204_800, 0.05),
            (CART, SOLVE, 5, 0, 100, 0, 0, 0.2),
            (row, SOLVE, 6, 17, 10, 655_360, 0, 0.4),
            (column, 0, 7, 3 if root else 0, 5, 20 if root else 0, 0, 0.02 if root else 0.01),
            (NONE, 0, 8, 0, 1, 0, 0, 0.04),
        ):
            _call(connection, rank, communicator, region, procedure, size_bin, calls, sent, received, seconds)


def _messages(connection: sqlite3.Connection) -> None:
    for rank in range(4):
        in_row, in_column = rank ^ 1, rank ^ 2  # a row is one node, a column has one rank on each
        connection.execute(
            "INSERT INTO messages VALUES (?, ?, 4, 'point-to-point', 3, 150, 153600),"
            " (?, ?, 4, 'point-to-point', 3, 50, 51200)",
            (rank, in_row, rank, in_column),
        )
