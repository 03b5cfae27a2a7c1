"""The suggested next command: it shows more of the most conspicuous figure of a summary."""

from __future__ import annotations

from rankwise.analysis.summary import Summary
from rankwise.analysis.timing.time_in_mpi import FILES
from rankwise.records import dataclass

_UNEVEN = 20.0  # percentage points between the shares of MPI in the run of two ranks
_MOST = 50.0  # percent of the bytes or of the time
_NEARLY_ALL = 95.0  # percent of the time


@dataclass(frozen=True)
class NextStep:
    """A command to run on the profile.

    Attributes:
        verb: of `rankwise`.
        options: after the profile.
        why: the conspicuous figure, or the subject of the command.
    """

    verb: str
    options: tuple[str, ...]
    why: str


EXPLAIN = NextStep("explain", (), "evidence and formulas of all findings")
"""Suggested if there are findings."""


def next_step(summary: Summary) -> NextStep:
    """Return the command that shows more of the most conspicuous figure."""
    if not summary.trust.complete:
        return _show("rank", "where each rank ended")
    if not summary.calls:
        return _show("rank", "where each rank ran")
    shares = summary.balance.mpi_percent_of_run if summary.balance else None
    if shares and shares.maximum - shares.minimum >= _UNEVEN:
        return _show("rank", f"MPI takes {shares.minimum:.0f} to {shares.maximum:.0f} % of a rank's run")
    # With one rank per node, all messages leave it under any mapping.
    shared = summary.run.nodes < summary.run.ranks
    if shared and summary.locality.off_node_percent_of_message_bytes >= _MOST:
        return NextStep("map", (), "can ranks be placed closer together?")
    accesses = sum(row.totals.percent_of_mpi for row in summary.calls if row.procedure_class == FILES)
    if accesses >= _MOST:
        return _show("file", "the largest part of the time in MPI")
    if summary.families and summary.families[0].totals.percent_of_mpi >= _NEARLY_ALL:
        return _show("call", "the balance of each")
    return _show("communicator", "the balance of each")


def _show(view: str, why: str) -> NextStep:
    return NextStep("show", ("--by", view), why)
