"""Waiting and transfer in blocking collectives, the last ranks to arrive, and the waiting that they caused.

Estimated from the instances whose arrivals were kept: their share of waiting times the exact time of the
calls. A rank that arrives last has computed longer than the others, or has itself waited in MPI: then the
waiting is attributed to the rank it waited for (`rankwise.analysis.waiting.propagation`).
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.calls.families import names_of_all
from rankwise.analysis.calls.totals import JOIN_COMMUNICATORS, JOIN_PROCEDURES
from rankwise.analysis.waiting.before import Late
from rankwise.analysis.waiting.chains import Chains, chains_in
from rankwise.analysis.waiting.errors import NO_DOUBTS, error_of
from rankwise.analysis.waiting.estimate import Estimate
from rankwise.analysis.waiting.one_collective import Table, Times, table_of
from rankwise.analysis.waiting.procedures import BLOCKING, POSTED
from rankwise.analysis.waiting.propagation import Caused, Propagation, pass_on
from rankwise.analysis.waiting.sample import sampled
from rankwise.analysis.waiting.unknown import Unknown, collectives_tell_clocks, unknown_collectives
from rankwise.records import dataclass

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class WaitingFamily:
    """A collective on the communicators of a family.

    Attributes:
        procedure: name.
        communicator: name of the communicator if there is only one, else of the family.
        user_names: of the communicators, without repeats; empty if some have none.
        communicators: their number.
        size_min: processes of the smallest communicator.
        size_max: processes of the largest communicator.
        instances: number of calls of one process, summed over the communicators.
        kept: number of these with known arrivals.
        inconsistent: number of further instances, excluded because their times contradict each other.
        seconds: time in the calls, summed over all ranks.
        waiting: part of `seconds`, for members that had not arrived.
        transfer_seconds: the rest of `seconds`.
        percent_waiting: `waiting` in percent of `seconds`.
        last_rank: rank that most often arrived last and made others wait; None = no rank did.
        last_percent: how often, in percent of the instances with waiting.
        last_node: host whose ranks most often arrived last and made others wait.
        last_node_percent: how often, in percent of the instances with waiting.
        could_save_seconds: waiting avoided if the last rank of each instance arrived with the second last.
    """

    procedure: str
    communicator: str
    user_names: list[str]
    communicators: int
    size_min: int
    size_max: int
    instances: int
    kept: int
    inconsistent: int
    seconds: float
    waiting: Estimate
    transfer_seconds: float
    percent_waiting: float
    last_rank: int | None
    last_percent: float
    last_node: str | None
    last_node_percent: float
    could_save_seconds: float


@dataclass(frozen=True, kw_only=True)
class WaitingRank:
    """The waiting of a rank, and the waiting of others for it.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: its host.
        suffered: its own waiting.
        caused: direct waiting of others for it.
        computing_seconds: part of `caused`, because it had computed longer than the waiting ranks.
        in_mpi_seconds: part of `caused`, because it had been in other MPI calls for longer.
        late_start_seconds: part of `caused`, because it had left the previous collective later.
        unknown_seconds: the rest of `caused`, in first calls.
        passed_on_seconds: part of `caused`, while it waited for others in collectives and for messages.
        passed_to: rank that it waited for the longest in this time; None = no rank.
        root_cause_seconds: `caused`, without the part passed on to other ranks, plus the parts that others
            passed on to it.
    """

    rank: int
    host: str
    suffered: Estimate
    caused: Estimate
    computing_seconds: float
    in_mpi_seconds: float
    late_start_seconds: float
    unknown_seconds: float
    passed_on_seconds: float
    passed_to: int | None
    root_cause_seconds: float


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Waiting in the blocking collectives of a run.

    Attributes:
        seconds: time in these calls with known waiting, summed over all ranks.
        waiting: part of `seconds`.
        transfer_seconds: the rest of `seconds`.
        not_known_seconds: time in other such calls, without known arrivals of all members.
        unknown: collectives without known arrivals, and why; None = there is no such time.
        instances: number of calls of one process, summed over the communicators.
        kept: number of these with known arrivals.
        inconsistent: number of instances excluded because their times contradict each other.
        clock_error_seconds: largest error of the difference between two nodes' clocks; 0 on one node.
        by_collectives: whether clocks were not compared, but their differences derived from collectives.
        steps: largest number of calls over which a wait was passed on.
        families: most waiting first.
        ranks: ranks that waited or caused waiting; the largest root cause first.
    """

    seconds: float
    waiting: Estimate
    transfer_seconds: float
    not_known_seconds: float
    unknown: Unknown | None
    instances: int
    kept: int
    inconsistent: int
    clock_error_seconds: float
    by_collectives: bool
    steps: int
    families: list[WaitingFamily]
    ranks: list[WaitingRank]


class Collectives(NamedTuple):
    """The blocking collectives of a run.

    Attributes:
        tables: collectives with known waiting, by procedure and communicator.
        seconds: in all blocking collectives, summed over all ranks.
    """

    tables: list[Table]
    seconds: float


def collectives_in(connection: sqlite3.Connection, unknown: Unknown | None = None) -> Collectives:
    """Return the blocking collectives of a profile.

    Args:
        connection: to the profile.
        unknown: collectives without known arrivals; computed if not given.

    Raises:
        ValueError: the profile is damaged.
    """
    if not connection.execute("SELECT 1 FROM arrivals LIMIT 1").fetchone():
        return Collectives([], (unknown or unknown_collectives(connection)).seconds)
    times = _times(connection)
    tables = [table for instances in sampled(connection) if (table := table_of(instances, times)) is not None]
    blocking = (ranks.values() for (_, procedure), ranks in times.items() if procedure not in POSTED)
    completing = sum(float(table.seconds.sum()) for table in tables if table.instances.procedure in POSTED)
    return Collectives(tables, completing + sum(seconds for ranks in blocking for _, seconds in ranks))


def propagation(collectives: Collectives, chains: Chains) -> Propagation:
    """Return which ranks made others wait in collectives, and why they were late."""
    return pass_on(
        [
            Late(table.instances, table.waits, table.weights, max(table.calls, table.kept))
            for table in collectives.tables
        ],
        chains,
    )


def waiting(
    connection: sqlite3.Connection,
    collectives: Collectives | None = None,
    passed: Propagation | None = None,
    unknown: Unknown | None = None,
) -> Waiting:
    """Return the waiting in blocking collectives.

    Args:
        connection: to the profile.
        collectives: in it; computed if not given.
        passed: root causes of the waiting in them; computed if not given.
        unknown: collectives without known arrivals; computed if not given.

    Raises:
        ValueError: the profile is damaged.
    """
    collectives = collectives or collectives_in(connection)
    tables, everything = collectives
    passed = passed or propagation(collectives, chains_in(connection))
    known = sum(float(table.seconds.sum()) for table in tables)
    total = _sum(tables)
    not_known = everything - known if everything - known > _ROUNDING * everything else 0.0
    error = max((float(table.instances.errors.max()) for table in tables), default=0.0)
    return Waiting(
        seconds=known,
        waiting=total,
        transfer_seconds=max(known - total.seconds, 0.0),
        not_known_seconds=not_known,
        unknown=(unknown or unknown_collectives(connection)) if not_known or not tables else None,
        instances=sum(table.calls for table in tables),
        kept=sum(table.kept for table in tables),
        inconsistent=sum(table.inconsistent for table in tables),
        clock_error_seconds=error,
        by_collectives=error > 0 and collectives_tell_clocks(connection),
        steps=passed.steps,
        families=_families(connection, tables),
        ranks=_ranks(connection, tables, passed),
    )


def _times(connection: sqlite3.Connection) -> Times:
    """Return calls and seconds by rank, by communicator and procedure, of all collectives with kept arrivals.

    The seconds of nonblocking and persistent collectives are in the posting calls. The calls of persistent
    collectives are their starts.
    """
    calls_of_ranks: dict[tuple[int, str], dict[int, tuple[int, float]]] = {}
    names = ", ".join(f"'{name}'" for name in sorted(BLOCKING | POSTED))
    for communicator, procedure, rank, calls, seconds in connection.execute(
        "SELECT communicator, procedures.name, rank, SUM(calls), SUM(seconds) FROM calls"
        f" {JOIN_PROCEDURES} {JOIN_COMMUNICATORS}"
        f" WHERE procedures.name IN ({names}) AND unfinished = 0"
        " AND communicators.size <> 1 AND communicators.remote_size = 0"
        " GROUP BY communicator, procedures.name, rank"
    ):
        calls_of_ranks.setdefault((communicator, procedure), {})[rank] = calls, seconds
    for communicator, procedure, starts in _starts(connection):
        ranks = calls_of_ranks.get((communicator, procedure), {})
        calls_of_ranks[communicator, procedure] = {
            rank: (starts, seconds) for rank, (_, seconds) in ranks.items()
        }
    return calls_of_ranks


def _starts(connection: sqlite3.Connection) -> list[tuple[int, str, int]]:
    """Return the number of starts of persistent collectives, by communicator and procedure."""
    if not connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'starts'").fetchone():
        return []  # written by an older version
    return connection.execute(
        "SELECT communicator, name, starts FROM starts JOIN procedures ON procedures.id = procedure"
    ).fetchall()


def _sum(tables: Sequence[Table]) -> Estimate:
    seconds = sum(float(table.waiting.sum()) for table in tables)
    return Estimate(seconds, error_of(sum((table.total_doubts for table in tables), NO_DOUBTS)))


def _families(connection: sqlite3.Connection, tables: Sequence[Table]) -> list[WaitingFamily]:
    facts = {
        identity: (name, family, user_name, size)
        for identity, name, family, user_name, size in connection.execute(
            "SELECT id, name, family, user_name, size FROM communicators"
        )
    }
    hosts: dict[int, str] = dict(connection.execute("SELECT rank, host FROM ranks").fetchall())
    groups: dict[tuple[str, str], list[Table]] = {}
    for table in tables:
        groups.setdefault((table.instances.procedure, facts[table.instances.communicator][1]), []).append(
            table
        )
    rows = []
    for (procedure, family), group in groups.items():
        communicators = [facts[table.instances.communicator] for table in group]
        seconds = sum(float(table.seconds.sum()) for table in group)
        total = _sum(group)
        rank, of_rank, node, of_node = _most_often_last(group, hosts)
        rows.append(
            WaitingFamily(
                procedure=procedure,
                communicator=communicators[0][0] if len(communicators) == 1 else family,
                user_names=names_of_all(user_name for _, _, user_name, _ in communicators),
                communicators=len(communicators),
                size_min=min(size for *_, size in communicators),
                size_max=max(size for *_, size in communicators),
                instances=sum(table.calls for table in group),
                kept=sum(table.kept for table in group),
                inconsistent=sum(table.inconsistent for table in group),
                seconds=seconds,
                waiting=total,
                transfer_seconds=seconds - total.seconds,
                percent_waiting=100.0 * total.seconds / seconds if seconds else 0.0,
                last_rank=rank,
                last_percent=of_rank,
                last_node=node,
                last_node_percent=of_node,
                could_save_seconds=sum(table.saved for table in group),
            )
        )
    return sorted(rows, key=lambda row: -row.waiting.seconds)


def _most_often_last(
    group: Sequence[Table], hosts: Mapping[int, str]
) -> tuple[int | None, float, str | None, float]:
    """Return the rank and the node that most often arrived last, each with its share in percent."""
    by_rank: dict[int, float] = {}
    by_node: dict[str, float] = {}
    for table in group:
        weight = table.calls / table.kept
        for rank, times in zip(table.instances.ranks.tolist(), table.last.tolist(), strict=True):
            if times:
                by_rank[rank] = by_rank.get(rank, 0.0) + weight * times
                host = hosts.get(rank, "")
                by_node[host] = by_node.get(host, 0.0) + weight * times
    whole = sum(by_rank.values())
    if not whole:
        return None, 0.0, None, 0.0
    rank = max(by_rank, key=lambda candidate: by_rank[candidate])
    node = max(by_node, key=lambda candidate: by_node[candidate])
    return rank, 100.0 * by_rank[rank] / whole, node or None, 100.0 * by_node[node] / whole


def _more_than_rounding(seconds: float, of: float) -> float:
    """Return a part of some seconds; 0 if it is only a rounding error."""
    return seconds if seconds > _ROUNDING * of else 0.0


def _ranks(connection: sqlite3.Connection, tables: Sequence[Table], passed: Propagation) -> list[WaitingRank]:
    waited: defaultdict[int, float] = defaultdict(float)
    caused: defaultdict[int, float] = defaultdict(float)
    doubts: dict[int, NDArray[np.float64]] = {}
    of_caused: dict[int, NDArray[np.float64]] = {}
    for table in tables:
        for member, rank in enumerate(table.instances.ranks.tolist()):
            waited[rank] += float(table.waiting[member])
            caused[rank] += float(table.caused[member])
            doubts[rank] = doubts.get(rank, NO_DOUBTS) + table.doubts[:, member]
            of_caused[rank] = of_caused.get(rank, NO_DOUBTS) + table.caused_doubts[:, member]
    rows = []
    for rank, host in connection.execute("SELECT rank, host FROM ranks ORDER BY rank"):
        if rank not in doubts and rank not in passed.root_cause_seconds:
            continue
        why = passed.caused.get(rank, Caused())
        rows.append(
            WaitingRank(
                rank=rank,
                host=host,
                suffered=Estimate(waited[rank], error_of(doubts.get(rank, NO_DOUBTS))),
                caused=Estimate(caused[rank], error_of(of_caused.get(rank, NO_DOUBTS))),
                computing_seconds=why.computing,
                in_mpi_seconds=why.in_mpi,
                late_start_seconds=_more_than_rounding(why.late_start, caused[rank]),
                unknown_seconds=_more_than_rounding(
                    caused[rank] - why.computing - why.in_mpi - why.late_start, caused[rank]
                ),
                passed_on_seconds=why.passed_on,
                passed_to=why.passed_to,
                root_cause_seconds=passed.root_cause_seconds.get(rank, 0.0),
            )
        )
    return sorted(rows, key=lambda row: (-row.root_cause_seconds, -row.caused.seconds, row.rank))
