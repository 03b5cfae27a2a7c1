"""Everything that the summary of a run shows; as it is, the answer of `rankwise show --json`."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.families import Family, families
from rankwise.analysis.files import FileTotals, file_totals
from rankwise.analysis.inside_totals import InsideTotals, inside_totals
from rankwise.analysis.locality import Locality, locality
from rankwise.analysis.overview import Run, Trust, run_facts, trust
from rankwise.analysis.places import PlaceRow, places_at_end
from rankwise.analysis.procedures import (
    ProcedureRow,
    opening_and_closing_procedures,
    procedures,
)
from rankwise.analysis.system_counters import CounterTotals, counter_totals
from rankwise.analysis.times import Balance, Times, balance, times
from rankwise.analysis.waiting_totals import WaitingTotals, waiting_totals


@dataclass(frozen=True)
class Summary:
    """What ran, how far to trust it, where its time and bytes went, and where lost ranks ended."""

    run: Run
    trust: Trust
    times: Times
    balance: Balance | None
    waiting: WaitingTotals | None
    families: list[Family]
    calls: list[ProcedureRow]
    opening_and_closing: list[ProcedureRow]
    locality: Locality
    inside: InsideTotals | None
    files: FileTotals | None
    places: list[PlaceRow]
    counters: CounterTotals | None


def summary(connection: sqlite3.Connection) -> Summary:
    """Return the summary of the run."""
    return Summary(
        run_facts(connection),
        trust(connection),
        times(connection),
        balance(connection),
        waiting_totals(connection),
        families(connection),
        procedures(connection),
        opening_and_closing_procedures(connection),
        locality(connection),
        inside_totals(connection),
        file_totals(connection),
        places_at_end(connection),
        counter_totals(connection),
    )
