"""Profiles made row by row, so that every figure of them is known: of one communicator, the world."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from empty_profile import columns, empty

from rankwise.analysis.evidence import Evidence
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.store.database import SUMS, calculate_sums

WORLD = 3
RUN_S = 10.0
_IDS = {procedure.name: procedure.id for procedure in PROCEDURES}
_SINCE = "2026-11-21T10:00:00+00:00"


@cache
def _without_ranks() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    empty().backup(connection)
    connection.execute("INSERT INTO regions (id, name, path) VALUES (0, '', '')")
    connection.executemany(
        "INSERT INTO procedures (id, name, class) VALUES (?, ?, ?)",
        [(procedure.id, procedure.name, procedure.class_name) for procedure in PROCEDURES],
    )
    connection.commit()
    return connection


class Made:
    """A profile in memory; what is not given is as in a short, quiet run."""

    def __init__(
        self,
        ranks: int = 4,
        hosts: Sequence[str] = (),
        runs: Sequence[float] = (),
        cpus: str = "0-63",
        threads: int = 1,
    ) -> None:
        self.ranks = ranks
        self.connection = sqlite3.connect(":memory:")
        _without_ranks().backup(self.connection)
        self._waits = 0
        self.insert(
            "run",
            command=json.dumps(["mpirun", "-n", str(ranks), "./app"]),
            mpi_abi="openmpi",
            ranks_expected=ranks,
            ranks_seen=ranks,
            wall=RUN_S,
            not_covered="[]",
        )
        for rank in range(ranks):
            run = runs[rank] if runs else RUN_S
            self.insert(
                "ranks",
                rank=rank,
                host=hosts[rank] if hosts else "node",
                cpus_allowed=cpus,
                started=_SINCE,
                stopped=_SINCE,
                state="finalized",
                wall=run,
                run=run,
                threads=threads,
            )
        self.communicator(WORLD, "W", procedure="")

    def insert(self, table: str, **values: object) -> None:
        """A row, whose other columns have their defaults, or are 0, '' or NULL."""
        row: dict[str, object] = {}
        for column in columns(table):
            if column.name in values:
                row[column.name] = values[column.name]
            elif not (column.may_be_null or column.has_default):
                row[column.name] = "" if column.kind == "TEXT" else 0
        assert row.keys() >= values.keys(), (table, values)
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        self.connection.execute(f"INSERT INTO main.{table} ({names}) VALUES ({marks})", list(row.values()))

    def communicator(self, key: int, name: str, **values: object) -> None:
        """A communicator of all ranks."""
        made = {"family": name, "size": self.ranks, "members": f"0-{self.ranks - 1}", "type": "communicator"}
        made |= {"dims": "[]", "periods": "[]"}
        self.insert("communicators", id=key, name=name, **{**made, **values})

    def call(
        self,
        rank: int,
        procedure: str,
        seconds: float,
        *,
        calls: int = 1,
        size_bin: int = 0,
        sent: int = 0,
        region: int = 0,
        communicator: int = WORLD,
        site: int | None = None,
    ) -> None:
        """Calls, whose time is the rank's time in MPI, too."""
        place = ((site or 0) * 1000 + rank) * 1000 + communicator
        if not self.connection.execute("SELECT 1 FROM main.call_places WHERE id = ?", (place,)).fetchone():
            self.insert("call_places", id=place, rank=rank, communicator=communicator, site=site)
        key = ((place * 4096 + region) * 2048 + _IDS[procedure]) * 128 + size_bin
        ns = round(seconds * 1e9)
        self.insert("call_counts", id=key, calls=calls, bytes_sent=sent, ns=ns, max_ns=ns)
        if procedure not in ("MPI_Init", "MPI_Finalize"):
            self.connection.execute("UPDATE ranks SET mpi = mpi + ? WHERE rank = ?", (seconds, rank))

    def region(
        self, key: int, path: str, times: Mapping[int, tuple[float, float]], parent: int | None = None
    ) -> None:
        """A region; by rank its seconds, inclusive and exclusive."""
        name = path.rpartition("/")[2]
        self.insert("regions", id=key, name=name, path=path, parent=parent)
        for rank, (seconds, exclusive) in times.items():
            self.insert(
                "region_times", rank=rank, region=key, entries=1, seconds=seconds, exclusive=exclusive
            )

    def instance(
        self,
        procedure: str,
        number: int,
        arrivals: Sequence[float],
        left: float | Sequence[float],
        *,
        since: Sequence[float | None] = (),
        since_in_mpi: Sequence[float] = (),
        size: int = 8,
    ) -> None:
        """A collective on all ranks, which all leave at one time, or each at its own."""
        for rank, arrival in enumerate(arrivals):
            own = since[rank] if since else None
            at = left if isinstance(left, float) else left[rank]
            in_mpi = since_in_mpi[rank] if since_in_mpi else 0.0
            self.arrival(procedure, number, rank, arrival, at, own, in_mpi=in_mpi, size=size)

    def arrival(
        self,
        procedure: str,
        number: int,
        rank: int,
        arrival: float,
        left: float,
        since: float | None,
        *,
        in_mpi: float = 0.0,
        root: int | None = None,
        size: int = 8,
    ) -> None:
        """When a rank came to a collective and left it, and what it did since the one before."""
        self.insert(
            "arrivals",
            communicator=WORLD,
            procedure=_IDS[procedure],
            instance=number,
            rank=rank,
            region=0,
            root=root,
            bytes=size,
            arrival=arrival,
            departure=left,
            since=since,
            since_in_mpi=None if since is None else in_mpi,
        )

    def wait(
        self,
        rank: int,
        procedure: str,
        other: int,
        began: float,
        ended: float,
        other_posted: float,
        *,
        sends: bool = False,
        size: int = 8,
        posted_by: str = "",
    ) -> None:
        """A call of a rank that waits for a message, whose both sides are known."""
        self._waits += 1
        poster = posted_by or procedure
        self.insert(
            "waits",
            id=self._waits,
            rank=rank,
            communicator=WORLD,
            region=0,
            procedure=_IDS[procedure],
            began=began,
            ended=ended,
            messages=1,
            sampled=1,
            known=1,
        )
        self.insert(
            "wait_messages",
            wait=self._waits,
            source=rank if sends else other,
            destination=other if sends else rank,
            communicator=WORLD,
            number=self._waits,
            bytes=size,
            sends=int(sends),
            procedure=_IDS[poster],
            posted=began,
            other_procedure=_IDS["MPI_Recv" if sends else "MPI_Send"],
            other_posted=other_posted,
        )

    def message(self, source: int, destination: int, size: int, kind: str = "point-to-point") -> None:
        """Messages from one rank to another."""
        self.insert(
            "messages",
            source=source,
            destination=destination,
            communicator=WORLD,
            kind=kind,
            procedure=_IDS["MPI_Send"],
            messages=1,
            bytes=size,
        )

    def write(self, path: Path) -> Path:
        """The profile as a file, with the sums that profiles keep."""
        calculate_sums(self.connection)
        for name in SUMS.keys() - {"call_places"}:  # a profile keeps its sums
            names = ", ".join(f'"{column.name}"' for column in columns(name))
            self.connection.execute(f"DELETE FROM main.{name}")
            self.connection.execute(f"INSERT INTO main.{name} ({names}) SELECT {names} FROM temp.{name}")
        self.connection.commit()
        with closing(sqlite3.connect(path)) as file:
            self.connection.backup(file)
        return path

    @property
    def seen(self) -> Evidence:
        """What is known of it."""
        calculate_sums(self.connection)
        return Evidence(self.connection)
