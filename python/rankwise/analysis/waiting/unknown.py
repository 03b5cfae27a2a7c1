"""Blocking collectives with unknown waiting: their time, and the reason. Without numpy."""

from __future__ import annotations

import sqlite3
from typing import Literal

from rankwise.analysis.calls.totals import JOIN_COMMUNICATORS, JOIN_PROCEDURES
from rankwise.analysis.selection import is_part
from rankwise.analysis.waiting.procedures import BLOCKING
from rankwise.profile.join.members import parse
from rankwise.records import dataclass

Reason = Literal["none called", "none returned", "clocks not compared", "not kept"]


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """Blocking collectives on several processes without known arrivals.

    Attributes:
        reason: why the arrivals at most of them, by time, are unknown.
        seconds: in them, summed over all ranks.
        clocks_seconds: the part of `seconds` on nodes whose clocks were not compared.
    """

    reason: Reason
    seconds: float
    clocks_seconds: float


def unknown_collectives(connection: sqlite3.Connection) -> Unknown:
    """Return the blocking collectives with unknown waiting."""
    hosts: dict[int, str] = {}
    apart: set[str] = set()
    for rank, host, error in connection.execute("SELECT rank, host, clock_error FROM main.ranks"):
        hosts[rank] = host
        if error is None:
            apart.add(host)
    is_apart = len(set(hosts.values())) > 1 and bool(apart)
    # Many communicators have the same members, and each has many procedures.
    between: dict[str, bool] = {}

    def is_by_clocks(members: str) -> bool:
        if is_apart and members not in between:
            nodes = {hosts[rank] for rank in parse(members) if rank in hosts}
            between[members] = len(nodes) > 1 and not nodes.isdisjoint(apart)
        return is_apart and between[members]

    known = set(connection.execute("SELECT DISTINCT communicator, procedure FROM arrivals"))
    names = ", ".join(f"'{name}'" for name in sorted(BLOCKING))
    calls, seconds, by_clocks = None, 0.0, 0.0
    for communicator, procedure, members, count, took in connection.execute(
        "SELECT calls.communicator, calls.procedure, members, SUM(calls.calls), SUM(calls.seconds)"
        f" FROM {'calls' if is_part(connection) else 'communicator_sums AS calls'}"
        f" {JOIN_PROCEDURES} {JOIN_COMMUNICATORS} WHERE procedures.name IN ({names})"
        " AND communicators.size <> 1 AND communicators.remote_size = 0 GROUP BY 1, 2"
    ):
        calls = (calls or 0) + count
        if count and (communicator, procedure) not in known:
            seconds += took
            by_clocks += took if is_by_clocks(members) else 0.0
    return Unknown(
        reason=_reason(calls, is_by_clocks=by_clocks > seconds / 2),
        seconds=seconds,
        clocks_seconds=by_clocks,
    )


def collectives_tell_clocks(connection: sqlite3.Connection) -> bool:
    """Return whether clocks were not compared, but synchronised from the program's collectives."""
    tables = connection.execute(
        "SELECT 1 FROM main.ranks WHERE clock_error IS NOT NULL AND clock_offset IS NULL LIMIT 1"
    )
    return tables.fetchone() is not None


def some_clocks_differ(connection: sqlite3.Connection) -> bool:
    """Return whether some nodes' clocks have an unknown difference to the clock of rank 0's node."""
    hosts, apart = connection.execute(
        "SELECT COUNT(DISTINCT host), SUM(clock_error IS NULL) FROM main.ranks"
    ).fetchone()
    return hosts > 1 and bool(apart)


def _reason(calls: int | None, *, is_by_clocks: bool) -> Reason:
    if calls is None:
        return "none called"
    if not calls:
        return "none returned"
    return "clocks not compared" if is_by_clocks else "not kept"
