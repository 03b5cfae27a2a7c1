"""The contents of a run's summary; `rankwise show --json` prints them unchanged."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.account import Account, account
from rankwise.analysis.calls.families import Family
from rankwise.analysis.calls.files import FileTotals, file_totals
from rankwise.analysis.calls.procedures import (
    ProcedureRow,
    opening_and_closing_procedures,
)
from rankwise.analysis.collectives.inside_totals import InsideTotals
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.last_calls import PlaceRow, places_at_end
from rankwise.analysis.messages.locality import Locality
from rankwise.analysis.messages.world_order import WorldOrder, world_order
from rankwise.analysis.nodes.network import NetworkUse
from rankwise.analysis.nodes.processors import Shortages
from rankwise.analysis.nodes.system_counters import CounterTotals
from rankwise.analysis.overview import Run, Trust, trust
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.timing.time_in_mpi import TimeInMpi
from rankwise.analysis.timing.times import Balance, Times, times
from rankwise.analysis.waiting.totals import MessageTotals, WaitingTotals
from rankwise.analysis.waiting.unknown import Unknown
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The facts of the run, their reliability, where time and bytes went, and where lost ranks ended."""

    run: Run
    trust: Trust
    times: Times
    balance: Balance | None
    time_in_mpi: TimeInMpi
    waiting: WaitingTotals | None
    waiting_unknown: Unknown | None
    messages: MessageTotals | None
    families: list[Family]
    calls: list[ProcedureRow]
    opening_and_closing: list[ProcedureRow]
    locality: Locality
    inside: InsideTotals | None
    files: FileTotals | None
    places: list[PlaceRow]
    hang: Hang | None
    counters: CounterTotals | None
    shortages: Shortages
    efficiency: Efficiency | None
    network: NetworkUse
    world_order: WorldOrder | None


def summary(
    connection: sqlite3.Connection, evidence: Evidence | None = None, known: Account | None = None
) -> Summary:
    """Return the summary of the run.

    Args:
        connection: the profile.
        evidence: results about the profile; computed if not given.
        known: the parts that take long to compute; computed if not given.
    """
    evidence = evidence or Evidence(connection)
    known = known or account(evidence)
    return Summary(
        run=evidence.run,
        trust=trust(connection),
        times=times(connection),
        balance=known.balance,
        time_in_mpi=known.time,
        waiting=known.waiting,
        waiting_unknown=known.waiting_unknown,
        messages=known.messages,
        families=evidence.families,
        calls=evidence.procedures,
        opening_and_closing=opening_and_closing_procedures(connection),
        locality=known.locality,
        inside=known.inside,
        files=file_totals(connection),
        places=places_at_end(connection),
        hang=evidence.hang,
        counters=known.counters,
        shortages=known.shortages,
        efficiency=known.efficiency,
        network=evidence.network,
        world_order=world_order(connection),
    )
