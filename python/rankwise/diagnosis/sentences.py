"""The diagnosis in words, the same on every screen."""

from __future__ import annotations

from rankwise.analysis.percent import percent
from rankwise.analysis.waiting.totals import MessageTotals, WaitingTotals
from rankwise.diagnosis.model import Diagnosis, Lateness
from rankwise.text.late import late_ranks_on, most_waiting
from rankwise.text.units import percent_text, share_error_text

_LEAST_PERCENT = 1.0  # of the time in MPI, for a field on messages


def late_sentence(lateness: Lateness) -> str:
    """Return which ranks are late, as a sentence without its full stop."""
    if not lateness.is_known:
        return "It is unknown which ranks were late"
    if not lateness.most:
        return "No rank was late"
    text = most_waiting(lateness.group)
    return text[:1].upper() + text[1:] if text else "No rank stands out as late"


def waiting_fields(diagnosis: Diagnosis) -> list[str]:
    """Return how much of the time in MPI is waiting and which ranks caused it, the unknown share first."""
    known = diagnosis.account
    fields, time, unknown = [], known.time, known.waiting_unknown
    clocks = "nodes' clocks not compared (--clock-sync)"
    by_clocks = unknown.clocks_seconds if unknown and unknown.reason == "clocks not compared" else 0.0
    if time.is_much_unknown:
        where = "" if by_clocks > time.unknown_seconds / 2 else ", at collectives"
        because = f"{where}: {clocks}" if by_clocks else ""
        fields.append(f"unknown for {percent_text(time.percent_unknown)} % of MPI{because}")
    elif by_clocks and not known.waiting:
        fields.append(f"unknown at collectives: {clocks}")
    if time.hang_seconds:
        share = percent_text(percent(time.hang_seconds, time.seconds))
        fields.append(f"{share} % of MPI in calls that never returned")
    if totals := known.waiting:
        late = _late("at collectives", totals, totals.waiting.error_seconds)
        fields += [late, f"transfer {percent_text(totals.percent_transfer_of_mpi)} %"]
    if (messages := known.messages) and messages.percent_waiting_of_mpi >= _LEAST_PERCENT:
        fields.append(_late("for messages", messages, messages.error_seconds))
    return fields


def _late(what: str, totals: WaitingTotals | MessageTotals, error_seconds: float) -> str:
    share = f"{_share_of_mpi(totals, error_seconds)} {what}"
    if totals.late is None:
        return share
    return f"{share} ({percent_text(totals.percent_for_late)} % caused by {late_ranks_on(totals.late)})"


def _share_of_mpi(totals: WaitingTotals | MessageTotals, error_seconds: float) -> str:
    """Return the share of waiting in the time in MPI, with its error."""
    share, seconds = totals.percent_waiting_of_mpi, totals.seconds
    if not error_seconds or not seconds:
        return f"{percent_text(share)} % of MPI"
    error = share * error_seconds / seconds
    return f"{percent_text(share)}{share_error_text(share, share - error, share + error)} % of MPI"
