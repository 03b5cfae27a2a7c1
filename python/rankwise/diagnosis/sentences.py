"""The diagnosis in words: the same ones on every screen."""

from __future__ import annotations

from rankwise.analysis.nodes.system_counters import CounterTotals
from rankwise.analysis.waiting.totals import MessageTotals, WaitingTotals
from rankwise.diagnosis.model import Diagnosis, FullNode, Lateness, Processors
from rankwise.profile.join.members import compact
from rankwise.text.units import number_of, percent_text, rate_text

_LEAST_PERCENT = 1.0  # of the time in MPI, for a field on messages
_MUCH_PERCENT = 10.0  # likewise, for one on what is not known
_MOST_RANKS = 4


def late_sentence(found: Lateness) -> str:
    """Return who is late, a sentence without its full stop."""
    if not found.is_known:
        return "Who was late is not known"
    if not found.most:
        return "Nobody was late"
    if not found.ranks:
        return "No rank stands out as late"
    are, them = ("are", "them") if len(found.ranks) > 1 else ("is", "it")
    return f"{found.who[:1].upper()}{found.who[1:]} {are} late: {_of_waiting(found)} is for {them}"


def waiting_fields(told: Diagnosis) -> list[str]:
    """Return how much of the time in MPI is waiting, and for whom."""
    known, fields = told.account, []
    by_clocks = known.waiting_unknown is not None and known.waiting_unknown.reason == "clocks not compared"
    clocks = "nodes' clocks not compared (--clock-sync)" if by_clocks else ""
    waits = 0.0
    if totals := known.waiting:
        waits += totals.percent_waiting_of_mpi
        late = f"{_share_of_mpi(totals, totals.waiting.error_seconds)}, for ranks late at collectives"
        fields += [late, f"transfer in them {percent_text(totals.percent_transfer_of_mpi)} %"]
        fields += _not_known(totals, "", clocks)
    elif clocks:
        fields.append(f"not known at collectives: {clocks}")
    if messages := known.messages:
        if messages.percent_waiting_of_mpi >= _LEAST_PERCENT:
            waits += messages.percent_waiting_of_mpi
            fields.append(f"{_share_of_mpi(messages, messages.error_seconds)}, for ranks late for messages")
        fields += _not_known(messages, ", for messages", "")
    if waits >= _LEAST_PERCENT:
        fields.append(f"{_of_waiting(told.late)} for {told.late.who}" if told.late.ranks else _nobody(told))
    return fields


def processor_sentences(found: Processors) -> list[str]:
    """Return how the ranks got processors, where that matters; no full stops."""
    sentences = []
    if found.full:
        first, *others = found.full
        more = f", and likewise {number_of(len(others), 'more node')}" if others else ""
        sentences.append(f"{_full(first)}{more}")
    if found.lost:
        what = "yielding" if found.yields else "preempted"
        rate = rate_text(found.switches_per_second or 0.0)
        sentences.append(f"{_ranks(found.lost)}: often {what} ({rate}/s on average over all ranks)")
    return sentences


def counter_fields(found: Processors, totals: CounterTotals | None) -> list[str]:
    """Return what a summary says of the system: how fast the program computes, and what of processors."""
    gflops = totals.gflop_per_second if totals else None
    return [*([f"{rate_text(gflops)} gflop/s"] if gflops else []), *processor_sentences(found)]


def _nobody(told: Diagnosis) -> str:
    sentence = late_sentence(told.late)
    return sentence[:1].lower() + sentence[1:]


def _of_waiting(found: Lateness) -> str:
    return f"{percent_text(found.percent_of_waiting)} % of all waiting"


def _share_of_mpi(totals: WaitingTotals | MessageTotals, error_seconds: float) -> str:
    """Return how much of the time in MPI is waiting, with how far it may be off."""
    share, seconds = totals.percent_waiting_of_mpi, totals.seconds
    if not error_seconds or not seconds:
        return f"{percent_text(share)} % of MPI"
    return f"{percent_text(share)} +- {percent_text(share * error_seconds / seconds)} % of MPI"


def _not_known(totals: WaitingTotals | MessageTotals, what: str, why: str) -> list[str]:
    share = totals.percent_not_known_of_mpi
    because = f": {why}" if why else ""
    return [f"not known of {percent_text(share)} % of MPI{what}{because}"] if share >= _MUCH_PERCENT else []


def _full(node: FullNode) -> str:
    return f"{number_of(node.ranks, 'rank')} share {number_of(node.processors, 'processor')} on {node.host}"


def _ranks(ranks: list[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    listed = compact(sorted(ranks))
    return f"ranks {listed}" if listed.count(",") < _MOST_RANKS else f"{len(ranks)} ranks"
