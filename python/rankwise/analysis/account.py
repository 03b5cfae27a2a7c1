"""The parts of a summary that take long to compute from a large profile, such as where the time went."""

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
        waiting_unknown: blocking collectives for which the waiting ranks are unknown.
        messages: waiting for messages; None = unknown.
        efficiency: of the run; None = unknown.
        regions: efficiency of each region.
        balance: how evenly the ranks share time and bytes; None = no rank's counters were read.
        inside: messages inside collectives; None = there were none.
        locality: the part of the messages that left the nodes.
        counters: system and hardware counters, summed over all ranks; None = none were read.
        shortages: where ranks lacked processors.
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


def account(evidence: Evidence) -> Account:
    """Return the account of a run."""
    return Account(
        time=evidence.time_in_mpi,
        waiting=waiting_totals(evidence.connection, evidence.waiting, evidence.late),
        waiting_unknown=evidence.waiting.unknown if evidence.waiting else evidence.unknown,
        messages=message_totals(evidence.connection, evidence.messages, evidence.late),
        efficiency=evidence.efficiency,
        regions=evidence.regions,
        balance=balance(evidence.connection),
        inside=inside_totals(evidence.connection),
        locality=evidence.locality,
        counters=counter_totals(evidence.connection),
        shortages=evidence.shortages,
    )
