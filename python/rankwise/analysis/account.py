"""Where the time in MPI went, in short: what takes longest to find out of a large profile."""

from __future__ import annotations

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.timing.time_in_mpi import TimeInMpi
from rankwise.analysis.waiting.totals import MessageTotals, WaitingTotals, message_totals, waiting_totals
from rankwise.analysis.waiting.unknown import Unknown
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Account:
    """Where the time in MPI went.

    Attributes:
        time: in MPI, and its parts.
        waiting: in blocking collectives; None = no arrivals are known.
        waiting_unknown: of which of these it is not known who waited.
        messages: waiting for them; None = nothing is known.
        efficiency: of the run; None = it is not known.
        regions: efficiency of each.
    """

    time: TimeInMpi
    waiting: WaitingTotals | None
    waiting_unknown: Unknown | None
    messages: MessageTotals | None
    efficiency: Efficiency | None
    regions: list[Efficiency]


def account(seen: Evidence) -> Account:
    """Return where the time in MPI of a run went."""
    return Account(
        time=seen.time_in_mpi,
        waiting=waiting_totals(seen.connection, seen.waiting),
        waiting_unknown=seen.waiting.unknown if seen.waiting else seen.unknown,
        messages=message_totals(seen.connection, seen.messages),
        efficiency=seen.efficiency,
        regions=seen.regions,
    )
