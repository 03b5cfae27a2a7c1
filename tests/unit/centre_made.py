"""Stores of `rankwise centre` whose answers are known: a month of runs with planted waste."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from rankwise.centre.schema import (
    ACCOUNTING,
    CALLS,
    FAMILIES,
    FINDINGS,
    HOSTS,
    PORTS,
    RUNS,
    TABLES,
    TAGS,
    VERSION,
    Table,
)
from rankwise.centre.store import arrow_schema
from rankwise.centre.values import identified, identity
from rankwise.centre.waste import KIND_OF_RULE

MONTH = "2026-10"
CLUSTER = "alpha"
HOST_COUNT = 24
LATE_HOST, BLOCKED_HOST, FAULTY_HOST = "n07", "n03", "n05"
PORT = "mlx5_0/1"
STRANGE_PROGRAM = "x'; DROP TABLE runs; --"
STRANGE_USER = "o'hara\" OR 1=1 --<b>"
ACCOUNTS = {"alice": "physics", "bob": "physics", "carol": "climate", "dave": "climate"}
OLD_KERNEL, NEW_KERNEL = "6.1.0-18-amd64", "6.1.0-25-amd64"
OLD_LIBRARY, NEW_LIBRARY = "Open MPI 4.1.6", "Open MPI 5.0.6"
NOT_RECORDED_HOURS = 150.0
"""Node hours of jobs of the accounting that have no run."""


@dataclass(frozen=True)
class Planted:
    """A finding of all runs of a group.

    Attributes:
        rule: its id.
        share: of the node hours of the run that it could save.
        confidence: high, medium or low.
        upper_bound: whether that is the most possible.
    """

    rule: str
    share: float
    confidence: str = "high"
    upper_bound: bool = False


@dataclass(frozen=True)
class Group:
    """Runs of a program by a user.

    Attributes:
        program: its name.
        user: owner.
        runs: number.
        nodes: of each run.
        hours: of the first run; each further one is a thousandth longer.
        findings: of each run.
        mpi: share of the time in MPI.
        efficiency: parallel efficiency.
        library: MPI library.
        kernel: release of Linux; '' = unknown.
        day: of the first run in the month, from 0; the others follow every six hours.
        diagnosed: whether the runs have a diagnosis.
        complete: whether they ended properly.
        in_accounting: whether the accounting has their jobs.
    """

    program: str
    user: str
    runs: int
    nodes: int
    hours: float
    findings: Sequence[Planted] = ()
    mpi: float = 0.3
    efficiency: float = 0.7
    library: str = OLD_LIBRARY
    kernel: str = OLD_KERNEL
    day: int = 0
    diagnosed: bool = True
    complete: bool = True
    in_accounting: bool = True

    def run_hours(self, place: int) -> float:
        """Return the node hours of a run."""
        return self.nodes * self.hours * (1 + place / 1000)

    @property
    def node_hours(self) -> float:
        """Node hours of all runs."""
        return sum(map(self.run_hours, range(self.runs)))


GROUPS = (
    Group(
        "vasp",
        "alice",
        40,
        8,
        2.0,
        (
            Planted("late-ranks", 0.30, upper_bound=True),
            Planted("load-imbalance", 0.20, upper_bound=True),
            Planted("small-collectives", 0.05),
        ),
        mpi=0.4,
        efficiency=0.6,
    ),
    Group("gromacs", "bob", 30, 4, 3.0, (Planted("oversubscribed", 0.35),), efficiency=0.5),
    # It is in MPI most of the time, and all that it could save is a guess.
    Group("fft", "bob", 50, 8, 2.0, (Planted("late-ranks", 0.6, "low"),), mpi=0.92, efficiency=0.08),
    Group("icon", "carol", 10, 16, 1.0, (Planted("off-node-traffic", 0.40, upper_bound=True),)),
    Group("cp2k", "dave", 20, 4, 1.0, (Planted("collective-algorithm", 0.25),), mpi=0.5),
    Group("lammps", "alice", 12, 2, 1.0, (Planted("badly-bound", 0.30),), efficiency=0.9),
    Group("lammps", "alice", 12, 2, 1.25, (Planted("badly-bound", 0.30),), library=NEW_LIBRARY, day=15),
    Group("wrf", "carol", 6, 4, 1.0, (Planted("blocked-ports", 0.3, upper_bound=True),)),
    Group("chatty", "dave", 10, 1, 2.0, (Planted("tiny-messages", 0.2),)),
    Group("small", "dave", 20, 1, 0.5, (Planted("start-and-end", 0.25),)),
    Group("stuck", "carol", 1, 2, 1.0, (Planted("hang", 0.75),), complete=False),
    Group("writer", "dave", 5, 2, 0.1, (Planted("unbalanced-files", 0.5), Planted("polling", 0.4, "medium"))),
    Group("quiet", "bob", 8, 2, 1.0, diagnosed=False),
    Group(
        STRANGE_PROGRAM,
        STRANGE_USER,
        3,
        1,
        1.0,
        (Planted("window-synchronisation", 0.1),),
        in_accounting=False,
    ),
)

Rows = dict[Table, list[dict[str, Any]]]


@dataclass
class Expected:
    """The answers about a store.

    Attributes:
        groups: of its runs.
    """

    groups: Sequence[Group] = field(default=GROUPS)

    @property
    def runs(self) -> int:
        """Number of runs."""
        return sum(group.runs for group in self.groups)

    @property
    def node_hours(self) -> float:
        """Of all runs."""
        return sum(group.node_hours for group in self.groups)

    @property
    def waste_node_hours(self) -> float:
        """Of each run its largest finding of high confidence."""
        return sum(
            group.node_hours * max((one.share for one in _sure(group)), default=0.0) for group in self.groups
        )

    @property
    def by_kind(self) -> dict[str, float]:
        """Node hours by kind, the most first."""
        return self._sums(lambda _: ())

    @property
    def by_program(self) -> dict[tuple[str, str], float]:
        """Node hours by program and kind, the most first."""
        sums = self._sums(lambda group: (group.program,))
        return {(program, kind): hours for (program, kind), hours in sums.items()}

    @property
    def waste_by_program(self) -> dict[str, float]:
        """Node hours by program, of each run its largest finding, the most first."""
        return self._largest(lambda group: group.program)

    @property
    def waste_by_user(self) -> dict[str, float]:
        """Node hours by user, of each run its largest finding, the most first."""
        return self._largest(lambda group: group.user)

    def _largest(self, key: Any) -> dict[str, float]:
        sums: dict[str, float] = defaultdict(float)
        for group in self.groups:
            sums[key(group)] += group.node_hours * max((one.share for one in _sure(group)), default=0.0)
        return {name: hours for name, hours in _descending(sums).items() if hours}

    def _sums(self, keys: Any) -> dict[Any, float]:
        sums: dict[Any, float] = defaultdict(float)
        for group in self.groups:
            largest: dict[str, float] = {}
            for one in _sure(group):
                kind = KIND_OF_RULE[one.rule]
                largest[kind] = max(largest.get(kind, 0.0), one.share)
            for kind, share in largest.items():
                at = (*keys(group), kind)
                sums[at if len(at) > 1 else kind] += group.node_hours * share
        return _descending(sums)


def _sure(group: Group) -> list[Planted]:
    return [one for one in group.findings if one.confidence == "high"]


def _descending(sums: Mapping[Any, float]) -> dict[Any, float]:
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def planted_month(
    store: Path, *, month: str = MONTH, groups: Sequence[Group] = GROUPS, accounting: bool = True
) -> Expected:
    """Write a month into a store, or add it, with rows that must not count.

    Args:
        store: folder, which is made.
        month: of the runs.
        groups: the runs.
        accounting: whether the accounting is there.
    """
    rows = month_of(month, groups)
    if not accounting:
        rows[ACCOUNTING] = []
    write(store, rows, month, f"made-{month}")
    write(store, _uncommitted(month), month, "uncommitted")
    return Expected(groups)


def empty_store(store: Path, version: int = VERSION) -> Path:
    """Make a store without rows."""
    store.mkdir(parents=True, exist_ok=True)
    (store / "rankwise-centre.json").write_text(json.dumps({"version": version}) + "\n")
    return store


def write(store: Path, rows: Mapping[Table, Sequence[Mapping[str, Any]]], month: str, batch: str) -> None:
    """Write rows as a file for each table; details get what they have of their runs."""
    empty_store(store)
    runs = {run["run"]: run for run in rows.get(RUNS, ())}
    for table in TABLES:
        if rows.get(table):
            folder = store / table.name / f"month={month}"
            folder.mkdir(parents=True, exist_ok=True)
            schema = arrow_schema(table)
            complete = ({**runs.get(row.get("run"), {}), **row} for row in rows[table])
            by_row = [identified(table, tuple(map(row.get, schema.names))) for row in complete]
            columns = dict(zip(schema.names, zip(*by_row, strict=True), strict=True))
            content = pyarrow.table(columns, schema=schema)
            parquet.write_table(content, folder / f"{batch}.parquet", compression="zstd")


def month_of(month: str, groups: Sequence[Group]) -> Rows:
    """Return the rows of a month."""
    rows: Rows = {table: [] for table in TABLES}
    first = datetime.fromisoformat(f"{month}-01T00:30:00")
    number = 0
    for group in groups:
        for place in range(group.runs):
            number += 1
            _add_run(rows, group, place, number, first, f"{month}/{number}")
    # A run that names a job of somebody else, and a job that ran twice under one number.
    job = rows[ACCOUNTING][0]
    rows[ACCOUNTING] += [
        {**job, "cluster": "beta", "account": "elsewhere", "node_hours": 0.0},
        {
            **job,
            "started": job["started"] - timedelta(days=2),
            "ended": job["started"] - timedelta(days=1),
            "account": "before",
            "node_hours": 0.0,
            "state": "NODE_FAIL",
        },
        {**job, "user": "mallory", "account": "other", "cluster": "beta", "node_hours": 0.0},
        *_not_recorded(first),
    ]
    return rows


def _add_run(rows: Rows, group: Group, place: int, number: int, first: datetime, key: str) -> None:
    run = identity("made", key)
    started = first + timedelta(days=group.day, hours=6 * place % (24 * 28), seconds=number + 0.7)
    hours = group.run_hours(place)
    wall = hours / group.nodes * 3600
    ranks = 8 * group.nodes
    largest = max(_sure(group), key=lambda one: one.share, default=None)
    job = str(10_000 + number + (0 if key.startswith(MONTH) else 1000 * started.month))
    rows[RUNS].append(
        {
            "run": run,
            "source": run,
            "cluster": CLUSTER,
            "job": job,
            "user": group.user,
            "started": started,
            "wall_seconds": wall,
            "program": group.program,
            "arguments": "in.nml",
            "directory": f"/home/{group.user}",
            "profile": f"/profiles/{group.program}.{number}.rankwise",
            "launcher": "srun",
            "mpi_library": group.library,
            "kernel": group.kernel,
            "rankwise": "0.1.0",
            "ranks": ranks,
            "nodes": group.nodes,
            "node_hours": hours,
            "exit_status": 0 if group.complete else 137,
            "complete": group.complete,
            "run_seconds": wall * ranks,
            "mpi_seconds": wall * ranks * group.mpi,
            "waiting_seconds": wall * ranks * group.mpi / 2,
            "init_finalize_seconds": ranks * 0.5,
            "parallel_efficiency": group.efficiency if group.diagnosed else None,
            "load_balance": (1 + group.efficiency) / 2 if group.diagnosed else None,
            "bytes_on_node": 1_000_000,
            "bytes_off_node": 2_000_000,
            "limit": "waiting" if group.diagnosed else "",
            "verdict": "Waiting limits the run." if group.diagnosed else "",
            "waste_node_hours": (largest.share * hours if largest else 0.0) if group.diagnosed else None,
            "waste": KIND_OF_RULE[largest.rule] if largest else "",
        }
    )
    rows[TAGS].append({"run": run, "name": "commit", "value": f"{number:07x}"})
    kinds: set[str] = set()
    for at, one in enumerate(sorted(group.findings, key=lambda one: -one.share), start=1):
        is_first = one in _sure(group) and KIND_OF_RULE[one.rule] not in kinds
        kinds |= {KIND_OF_RULE[one.rule]} if is_first else set()
        rows[FINDINGS].append(
            {
                "run": run,
                "place": at,
                "rule": one.rule,
                "waste": KIND_OF_RULE[one.rule],
                "confidence": one.confidence,
                "largest": is_first,
                "upper_bound": one.upper_bound,
                "saved_percent": 100 * one.share,
                "node_hours": one.share * hours,
                "title": f"{one.rule} costs {100 * one.share:.0f} %",
                "command": "show --by waiting",
            }
        )
    rows[FAMILIES].append(
        {
            "run": run,
            "family": "W",
            "user_name": "",
            "communicators": 1,
            "least_size": ranks,
            "most_size": ranks,
            "calls": 1000 * ranks,
            "bytes_sent": 3_000_000,
            "seconds": wall * ranks * group.mpi,
        }
    )
    rows[CALLS].append(
        {
            "run": run,
            "family": "W",
            "procedure": "MPI_Allreduce",
            "calls": 1000 * ranks,
            "bytes_sent": 3_000_000,
            "bytes_received": 3_000_000,
            "seconds": wall * ranks * group.mpi,
        }
    )
    names = [f"n{(number * 5 + at) % HOST_COUNT + 1:02d}" for at in range(group.nodes)]
    for host in names:
        caused = 100.0 if host == LATE_HOST else 1.0
        late = 12.0 if host == LATE_HOST else 0.5 if number // 2 % 2 else -0.5
        rows[HOSTS].append(
            {
                "run": run,
                "host": host,
                "ranks": 8,
                "outside_seconds": wall * (1 - group.mpi),
                "slower_percent": late if group.nodes >= 3 else None,
                "mpi_seconds": wall * group.mpi,
                "bytes_on_node": 1_000_000,
                "bytes_off_node": 2_000_000,
                "caused_seconds": caused,
                "caused_node_hours": caused / ranks * group.nodes / 3600,
            }
        )
        rows[PORTS].append(
            {
                "run": run,
                "host": host,
                "port": PORT,
                "kind": "infiniband",
                "seconds": wall,
                "sent_bytes": 2_000_000,
                "received_bytes": 2_000_000,
                "blocked_percent": 35.0 if host == BLOCKED_HOST else 1.0,
                "errors": 20 if host == FAULTY_HOST else 0,
                "retransmissions": 0,
                "congestion_marks": 0,
            }
        )
    if group.in_accounting:
        before = timedelta(seconds=60)
        # One starts in the last second of its job. The accounting has whole seconds.
        after = timedelta(seconds=wall + 60 if place else 0)
        rows[ACCOUNTING].append(
            {
                "cluster": CLUSTER,
                "job": job,
                "leader": job,
                "user": group.user,
                "account": ACCOUNTS[group.user],
                "partition": "big" if group.nodes >= 8 else "standard",
                "name": group.program,
                "state": "COMPLETED" if group.complete else "TIMEOUT",
                "started": (started - before).replace(microsecond=0),
                "ended": (started + after).replace(microsecond=0),
                "nodes": group.nodes,
                "processors": ranks,
                "node_hours": job_hours(group, place),
            }
        )


def job_hours(group: Group, place: int) -> float:
    """Return the node hours that the accounting has for the job of a run."""
    return group.run_hours(place) + group.nodes * 120 / 3600


def _not_recorded(first: datetime) -> Iterator[dict[str, Any]]:
    for place in range(10):
        started = first + timedelta(days=place)
        yield {
            "cluster": CLUSTER,
            "job": str(90_000 + place),
            "leader": str(90_000 + place),
            "user": "erin",
            "account": "biology",
            "partition": "standard",
            "name": "python",
            "state": "COMPLETED",
            "started": started,
            "ended": started + timedelta(hours=15),
            "nodes": 1,
            "processors": 8,
            "node_hours": NOT_RECORDED_HOURS / 10,
        }


def _uncommitted(month: str) -> Rows:
    """Return details of a run that is not in `runs`: a batch that is being written."""
    run = identity("uncommitted", month)
    finding = {"run": run, "place": 1, "rule": "late-ranks", "waste": "waiting", "confidence": "high"}
    finding |= {
        "largest": True,
        "upper_bound": False,
        "saved_percent": 90.0,
        "node_hours": 1e6,
        "title": "",
        "command": "",
    }
    host = {"run": run, "host": "n01", "ranks": 8, "outside_seconds": 1e6, "slower_percent": 500.0}
    host |= {"mpi_seconds": 1.0, "bytes_on_node": 0, "bytes_off_node": 0, "caused_seconds": 1e9}
    port = {"run": run, "host": "n01", "port": PORT, "kind": "infiniband", "seconds": 1.0, "sent_bytes": 0}
    port |= {"received_bytes": 0, "blocked_percent": 99.0, "errors": 10**9, "retransmissions": 0}
    return {FINDINGS: [finding], HOSTS: [host], PORTS: [{**port, "congestion_marks": 0}]}
