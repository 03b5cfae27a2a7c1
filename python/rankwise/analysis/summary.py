"""Everything that the summary of a run shows; as it is, the answer of `rankwise show --json`."""

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
from rankwise.analysis.last_calls import PlaceRow, places_at_end
from rankwise.analysis.messages.locality import Locality
from rankwise.analysis.nodes.system_counters import CounterTotals
from rankwise.analysis.overview import Run, Trust, trust
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.timing.times import Balance, Times, times
from rankwise.analysis.waiting.totals import MessageTotals, WaitingTotals
from rankwise.analysis.waiting.unknown import Unknown
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What ran, how far to trust it, where its time and bytes went, and where lost ranks ended."""

    run: Run
    trust: Trust
    times: Times
    balance: Balance | None
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
    counters: CounterTotals | None
    efficiency: Efficiency | None


def summary(
    connection: sqlite3.Connection, seen: Evidence | None = None, known: Account | None = None
) -> Summary:
    """Return the summary of the run.

    Args:
        connection: the profile.
        seen: what is known of it already.
        known: of it, what takes long to find out, if that was done.
    """
    seen = seen or Evidence(connection)
    known = known or account(seen)
    return Summary(
        run=seen.run,
        trust=trust(connection),
        times=times(connection),
        balance=known.balance,
        waiting=known.waiting,
        waiting_unknown=known.waiting_unknown,
        messages=known.messages,
        families=seen.families,
        calls=seen.procedures,
        opening_and_closing=opening_and_closing_procedures(connection),
        locality=known.locality,
        inside=known.inside,
        files=file_totals(connection),
        places=places_at_end(connection),
        counters=known.counters,
        efficiency=known.efficiency,
    )
