"""What a summary says that takes long to find out of a large profile: where the time went, and the like."""

from __future__ import annotations

from rankwise.analysis.collectives.inside_totals import InsideTotals, inside_totals
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.locality import Locality
from rankwise.analysis.nodes.processors import Shortages
from rankwise.analysis.nodes.system_counters import CounterTotals, counter_totals
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.timing.time_in_mpi import TimeInMpi
from rankwise.analysis.timing.times import Balance, balance
from rankwise.analysis.waiting.totals import MessageTotals, WaitingTotals, message_totals, waiting_totals
from rankwise.analysis.waiting.unknown import Unknown
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Account:
    """The parts of a summary that take long to compute.

    Attributes:
        time: in MPI, and its parts.
        waiting: in blocking collectives; None = no arrivals are known.
        waiting_unknown: of which of these it is not known who waited.
        messages: waiting for them; None = nothing is known.
        efficiency: of the run; None = it is not known.
        regions: efficiency of each.
        balance: how evenly the ranks share time and bytes; None = no rank's counters were read.
        inside: messages inside collectives; None = there were none.
        locality: the part of the messages that left the nodes.
        counters: system and hardware counters, over all ranks; None = none.
        shortages: where ranks had no processors.
    """

    time: TimeInMpi
    waiting: WaitingTotals | None
    waiting_unknown: Unknown | None
    messages: MessageTotals | None
    efficiency: Efficiency | None
    regions: list[Efficiency]
    balance: Balance | None
    inside: InsideTotals | None
    locality: Locality
    counters: CounterTotals | None
    shortages: Shortages


def account(seen: Evidence) -> Account:
    """Return it of a run."""
    return Account(
        time=seen.time_in_mpi,
        waiting=waiting_totals(seen.connection, seen.waiting, seen.late),
        waiting_unknown=seen.waiting.unknown if seen.waiting else seen.unknown,
        messages=message_totals(seen.connection, seen.messages, seen.late),
        efficiency=seen.efficiency,
        regions=seen.regions,
        balance=balance(seen.connection),
        inside=inside_totals(seen.connection),
        locality=seen.locality,
        counters=counter_totals(seen.connection),
        shortages=seen.shortages,
    )
