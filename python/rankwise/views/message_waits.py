"""Late senders and late receivers as tables of a view."""

from __future__ import annotations

from dataclasses import replace

from rankwise.analysis.percent import percent
from rankwise.analysis.waiting.messages import MOSTLY_CERTAIN, Caused, MessageWaits, Origin, RankWaits
from rankwise.text.empty import COMPARE_CLOCKS, NO_WAITS, NOBODY_LATE
from rankwise.text.names import call_name
from rankwise.text.units import percent_text, second_text
from rankwise.views.view import COUNT, NUMBER, PERCENT, SECONDS, Column, Detail, Table, label, number

_RANK: Column[RankWaits | Origin] = Column(
    "rank", lambda row: row.rank, NUMBER, "in MPI_COMM_WORLD", obvious=True
)
_LATE_SENDER = "until the sender started to send"
_LATE_RECEIVER = "in an unbuffered send, until the receive was posted"
_ERROR = "error of both from sampling (95 %) and from the clocks of the nodes; -: none"
_WAITING: list[Column[RankWaits]] = [
    replace(_RANK, key=True),
    label("call", lambda row: call_name(row.procedure), "that waited, without MPI_"),
    label("communicator", lambda row: row.communicator, "on which it was called"),
    number("time", lambda row: row.seconds, SECONDS, "in these calls"),
    number("late sender", lambda row: row.late_sender_seconds, SECONDS, _LATE_SENDER),
    number("late receiver", lambda row: row.late_receiver_seconds, SECONDS, _LATE_RECEIVER),
    Column("+-", lambda row: row.error_seconds or None, SECONDS, _ERROR),
    Column(
        "% certain",
        lambda row: row.percent_certain,
        PERCENT,
        "classified part of the time: both sides of the messages waited for are known",
    ),
    number("sampled", lambda row: row.sampled, COUNT, "calls in the sample", detail=Detail.VERBOSE),
]
_CAUSED: list[Column[Caused]] = [
    Column("late", lambda row: row.rank, NUMBER, "rank that others waited for", obvious=True, key=True),
    Column("waits", lambda row: row.waiter, NUMBER, "rank that waited", obvious=True, key=True),
    number("late sender", lambda row: row.late_sender_seconds, SECONDS, _LATE_SENDER),
    number("late receiver", lambda row: row.late_receiver_seconds, SECONDS, _LATE_RECEIVER),
    number(
        "passed on",
        lambda row: row.passed_on_seconds,
        SECONDS,
        "part of it while the late rank itself waited for others",
    ),
]
_ORIGINS: list[Column[Origin]] = [
    _RANK,
    label("host", lambda row: row.host or "?", "node on which it ran"),
    number("caused", lambda row: row.directly_seconds, SECONDS, "time that others waited for it"),
    number(
        "began with it",
        lambda row: row.origin_seconds,
        SECONDS,
        "the same, with each wait attributed to the root of its chain of waits",
    ),
    Column(
        "chain", lambda row: row.longest_chain or None, NUMBER, "longest chain of ranks that waited for it"
    ),
    number("waited", lambda row: row.suffered_seconds, SECONDS, "time that it waited for others"),
]


def message_wait_tables(waits: MessageWaits, detail: Detail) -> list[Table]:
    """Return the waiting ranks, the late ones, and, in verbose answers, the pairs."""
    rows = [row for row in waits.waiting if row.sampled or row.late_sender_seconds]
    tables = [
        Table(
            _ORIGINS,
            waits.origins,
            NOBODY_LATE if rows else NO_WAITS,
            title="Late senders and late receivers: ranks that made others wait",
            notes=[certainty_note(waits)],
        )
    ]
    if rows:
        tables.append(Table(_WAITING, rows, NO_WAITS, title="Who waited for messages, and where"))
    if Detail.VERBOSE in detail and waits.caused:
        title = "Waiting between pairs of ranks"
        tables.append(Table(_CAUSED, waits.caused, NO_WAITS, title=title, detail=Detail.VERBOSE))
    return tables


def message_wait_title(waits: MessageWaits) -> str:
    """Return the main finding as a sentence, without its full stop; '' = no finding."""
    late = waits.late_sender_seconds + waits.late_receiver_seconds
    if not late or not waits.origins:
        return ""
    known = sum(row.certain_seconds for row in waits.waiting)
    share_of = "the time"
    if waits.percent_certain < MOSTLY_CERTAIN:
        share_of = f"what is known ({percent_text(waits.percent_certain)} %) of the time"
    return (
        f"{percent_text(percent(late, known))} % of {share_of} in receives, waits and blocking sends was "
        "waiting for late ranks"
    )


def certainty_note(waits: MessageWaits) -> str:
    """Return a sentence on how much is known."""
    note = (
        f"For {percent_text(waits.percent_certain)} % of {second_text(waits.seconds)} in receives, waits and"
        " blocking sends it is certain which messages they waited for; the rest is left out."
    )
    clocks = f" Messages between nodes whose clocks were not compared are excluded too; {COMPARE_CLOCKS}."
    return note + clocks * waits.clocks_differ
