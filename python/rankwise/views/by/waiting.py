"""Waiting in collectives and for messages: how much, who came late, and what it cost the others."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.waiting.collectives import Waiting, WaitingFamily, WaitingRank, collectives_in, waiting
from rankwise.diagnosis.kept import lateness
from rankwise.diagnosis.sentences import late_sentence
from rankwise.text.empty import COMPARE_CLOCKS, no_arrivals
from rankwise.text.names import call_name, count_and_sizes, names_quoted
from rankwise.text.summary import lateness_unknown_text, unknown_text
from rankwise.text.units import count_text, percent_text, second_text
from rankwise.views.message_waits import message_wait_tables, message_wait_title
from rankwise.views.view import (
    COUNT,
    FIGURES,
    NUMBER,
    PERCENT,
    SECONDS,
    Column,
    Detail,
    Table,
    View,
    label,
    number,
)

_ROUNDING = 1e-9
_ERROR = "error of the waiting from sampling (95 %) and from the clocks of the nodes; -: none"
_COLLECTIVES: list[Column[WaitingFamily]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    label(
        "communicator", lambda row: names_quoted(row.communicator, row.user_names), "on which it was called"
    ),
    Column(
        "n x size",
        lambda row: count_and_sizes(row.communicators, row.size_min, row.size_max),
        FIGURES,
        "communicators used the same way, and their processes",
        obvious=True,
        detail=Detail.VERBOSE,
    ),
    number("time", lambda row: row.seconds, SECONDS, "in these calls, summed over ranks"),
    number(
        "waiting",
        lambda row: row.waiting.seconds,
        SECONDS,
        "part of the time, for ranks that had not arrived yet",
    ),
    Column("+-", lambda row: row.waiting.error_seconds or None, SECONDS, _ERROR),
    number("transfer", lambda row: row.transfer_seconds, SECONDS, "the rest of the time"),
    Column(
        "last", lambda row: row.last_rank, NUMBER, "rank that most often arrived last and made others wait"
    ),
    Column("% last", lambda row: row.last_percent or None, PERCENT, "of the calls in which a rank waited"),
    Column(
        "node",
        lambda row: row.last_node,
        FIGURES,
        "whose ranks did so most often, and its share of these calls",
        mark=lambda row: f" ({percent_text(row.last_node_percent)} %)" if row.last_node else "",
        detail=Detail.VERBOSE,
    ),
    number(
        "could save",
        lambda row: row.could_save_seconds,
        SECONDS,
        "of the waiting, if the last rank had arrived with the second to last",
        detail=Detail.VERBOSE,
    ),
    number("calls", lambda row: row.instances, COUNT, "of one rank", detail=Detail.VERBOSE),
    number("kept", lambda row: row.kept, COUNT, "of these, in the sample", detail=Detail.VERBOSE),
]
_RANKS: list[Column[WaitingRank]] = [
    Column("rank", lambda row: row.rank, NUMBER, "in MPI_COMM_WORLD", obvious=True),
    label("host", lambda row: row.host, "node on which it ran"),
    number("waited", lambda row: row.suffered.seconds, SECONDS, "for others"),
    number("caused", lambda row: row.caused.seconds, SECONDS, "waiting of others for it"),
    Column("+-", lambda row: row.caused.error_seconds or None, SECONDS, _ERROR, detail=Detail.VERBOSE),
    number("computing", lambda row: row.computing_seconds, SECONDS, "part of caused: it computed for longer"),
    number(
        "in MPI",
        lambda row: row.in_mpi_seconds,
        SECONDS,
        "part of caused: it was in other MPI calls for longer",
    ),
    number(
        "left late",
        lambda row: row.late_start_seconds,
        SECONDS,
        "part of caused: it left the previous collective later",
        detail=Detail.VERBOSE,
    ),
    number(
        "first call",
        lambda row: row.unknown_seconds,
        SECONDS,
        "part of caused: the reason is unknown",
        detail=Detail.VERBOSE,
    ),
    Column(
        "passed on",
        lambda row: row.passed_on_seconds or None,
        SECONDS,
        "part of caused: it was waiting itself, mostly for the rank in brackets",
        mark=lambda row: f" ({row.passed_to})" if row.passed_to is not None else "",
    ),
    number(
        "root cause",
        lambda row: row.root_cause_seconds,
        SECONDS,
        "waiting traced back to this rank, directly or through other ranks",
    ),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return a row for each collective on a family of communicators, and for each rank; then messages."""
    evidence = Evidence(connection)
    waits = evidence.waiting or waiting(
        connection, collectives_in(connection, evidence.unknown), unknown=evidence.unknown
    )
    missing = no_arrivals(waits.unknown) if waits.unknown else ""
    tables = [Table(_COLLECTIVES, waits.families, missing, notes=waiting_notes(waits))]
    if waits.ranks:
        tables.append(Table(_RANKS, waits.ranks, missing, title="Who waited, and for which rank"))
    messages = evidence.messages
    if messages.is_sampled:
        tables += message_wait_tables(messages, detail)
    known = {"waiting": waits, "message_waits": messages, "time_in_mpi": evidence.time_in_mpi}
    return View(waiting_title(evidence), tables, known)


def waiting_title(evidence: Evidence) -> str:
    """Return the main finding as a sentence, without its full stop; '' = no finding."""
    waits, messages = evidence.waiting, evidence.messages
    for_messages = messages.late_sender_seconds + messages.late_receiver_seconds
    title = ""
    if for_messages > (waits.waiting.seconds if waits else 0.0):
        title = message_wait_title(messages)
    elif waits and waits.seconds:
        share = percent_text(100 * waits.waiting.seconds / waits.seconds)
        title = f"{share} % of the time in collectives is waiting for late ranks"
    unknown = unknown_text(evidence.time_in_mpi) or lateness_unknown_text(evidence.time_in_mpi)
    sentence = (
        late_sentence(lateness(evidence)) if title and not evidence.time_in_mpi.is_mostly_unknown else ""
    )
    return "; ".join(filter(None, (unknown, title, f"{sentence[:1].lower()}{sentence[1:]}")))


def waiting_notes(waits: Waiting) -> list[str]:
    """Return sentences on what the estimate rests on."""
    notes = []
    if waits.kept < waits.instances:
        notes.append(
            f"Estimated from {count_text(waits.kept)} of {count_text(waits.instances)} calls; all ranks "
            "kept the same ones."
        )
    if waits.clock_error_seconds:
        shift = f"Times of two nodes may differ by {second_text(2 * waits.clock_error_seconds)}"
        why = ": their clocks were not compared but derived from the collectives; --clock-sync is more exact"
        notes.append(shift + why * waits.by_collectives + ".")
    by_clocks = min(waits.unknown.clocks_seconds, waits.not_known_seconds) if waits.unknown else 0.0
    if by_clocks:
        notes.append(
            f"Unknown: {second_text(by_clocks)} in these calls between nodes whose clocks were not "
            f"compared; {COMPARE_CLOCKS}."
        )
    if waits.not_known_seconds - by_clocks > _ROUNDING * waits.not_known_seconds:
        notes.append(
            f"Not known: {second_text(waits.not_known_seconds - by_clocks)} in such calls on communicators of"
            " which not all ranks' arrivals were kept."
        )
    if waits.inconsistent:
        notes.append(f"Left out: {waits.inconsistent} calls whose times can't be true.")
    if waits.kept:
        notes.append("Collectives on intercommunicators are not among them.")
    return notes
