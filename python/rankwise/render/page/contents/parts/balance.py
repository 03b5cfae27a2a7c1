"""The page Balance: computing, waiting and transfer of each rank, and the waiting that each caused."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from rankwise.analysis.calls.over_ranks import top_calls
from rankwise.analysis.calls.ranks import Rank
from rankwise.analysis.waiting.collectives import WaitingRank
from rankwise.analysis.waiting.estimate import Estimate
from rankwise.analysis.waiting.messages import MessageWaits, Origin
from rankwise.analysis.waiting.root_causes import root_causes
from rankwise.render.page.container import Container
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NO_RANKS, NO_WAITS, no_arrivals
from rankwise.text.safe import safe
from rankwise.views.by.rank import state_text
from rankwise.views.by.waiting import waiting_notes, waiting_title
from rankwise.views.message_waits import certainty_note

_NOBODY = -1
_NOTHING = Estimate()


def balance_data(of: Subject) -> dict[str, Any]:
    """Return the data of the ranks, as web/src/balance/contract.ts declares it."""
    rows = sorted(of.seen.ranks, key=lambda row: row.rank)
    if not rows:
        return {"missing": NO_RANKS}
    return {"missing": "", "ranks": _ranks(of, rows), "waits": _waits(of), "late": _late(of)}


def _ranks(of: Subject, rows: Sequence[Rank]) -> dict[str, Any]:
    column = of.container.column
    top = top_calls(of.connection)
    procedures = {
        name: of.axes.procedure_of[key]
        for key, name in of.connection.execute("SELECT id, name FROM procedures")
    }
    states = [state_text(row) for row in rows]
    distinct = list(dict.fromkeys(states))
    place = {state: number for number, state in enumerate(distinct)}
    files = _file_seconds(of.connection)
    return {
        "rank": column([row.rank for row in rows], ascending=True),
        "run": column([row.run_seconds for row in rows]),
        "threads": column([max(row.threads, 1) for row in rows]),
        "mpi": column([row.seconds for row in rows]),
        "files": column([files.get(row.rank, 0.0) for row in rows]),
        "initFinalize": column([row.init_finalize_seconds for row in rows]),
        "sent": column([row.bytes_sent for row in rows]),
        "received": column([row.bytes_received for row in rows]),
        "calls": column([row.calls for row in rows]),
        "top": column([procedures[top[row.rank]] if row.rank in top else _NOBODY for row in rows]),
        "states": [safe(state, "utf-8") for state in distinct],
        "state": column([place[state] for state in states]),
        "finalized": all(row.state == "finalized" for row in rows),
    }


def _file_seconds(connection: sqlite3.Connection) -> dict[int, float]:
    """Return the seconds of each rank in MPI-IO."""
    return dict(
        connection.execute(
            "SELECT rank, SUM(seconds) FROM calls JOIN procedures ON procedures.id = procedure"
            " WHERE class = 'input-output' GROUP BY rank"
        ).fetchall()
    )


def _waits(of: Subject) -> dict[str, Any]:
    """Return how long each rank waited, by procedure and communicator."""
    procedures = dict(of.connection.execute("SELECT name, id FROM procedures").fetchall())
    named = dict(of.connection.execute("SELECT name, id FROM communicators").fetchall())
    waits: defaultdict[tuple[int, int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])

    def place(communicator: int, procedure: str, rank: int) -> list[float]:
        axes = of.axes
        return waits[axes.procedure_of[procedures[procedure]], axes.communicator_of[communicator], rank]

    for table in of.seen.collectives.tables if of.seen.waiting else ():
        own = table.instances
        for rank, seconds in zip(own.ranks.tolist(), table.waiting.tolist(), strict=True):
            place(own.communicator, own.procedure, rank)[0] += seconds
    for row in of.seen.messages.waiting:
        seconds = row.late_sender_seconds + row.late_receiver_seconds
        if seconds:
            place(named[row.communicator], row.procedure, row.rank)[1] += seconds
    keys = sorted(waits)
    column = of.container.column
    names = ("procedure", "communicator", "rank")
    return {
        **{name: column([key[at] for key in keys], ascending=True) for at, name in enumerate(names)},
        "collectives": column([waits[key][0] for key in keys]),
        "messages": column([waits[key][1] for key in keys]),
    }


def _late(of: Subject) -> dict[str, Any]:
    """Return the waiting of the ranks, and the waiting that they caused."""
    waited, messages = of.seen.waiting, of.seen.messages
    collectives = {row.rank: row for row in waited.ranks} if waited else {}
    origins = {row.rank: row for row in messages.origins}
    causes = {row.rank: row.seconds for row in root_causes(waited, messages)}
    ranks = sorted(causes)
    return {
        "title": safe(waiting_title(of.seen), "utf-8"),
        "notes": [safe(note, "utf-8") for note in _notes(of, messages)],
        "noCollectives": "" if waited and waited.kept else no_arrivals(of.seen.unknown),
        "noMessages": "" if messages.is_sampled else NO_WAITS,
        "rank": of.container.column(ranks, ascending=True),
        "rootCause": of.container.column([causes[rank] for rank in ranks]),
        **_in_collectives(of.container, [collectives.get(rank) for rank in ranks]),
        **_for_messages(of.container, [origins.get(rank) for rank in ranks]),
    }


def _in_collectives(container: Container, rows: Sequence[WaitingRank | None]) -> dict[str, Any]:
    def column(values: Iterable[float]) -> dict[str, Any]:
        return container.column(list(values))

    suffered = [row.suffered if row else _NOTHING for row in rows]
    caused = [row.caused if row else _NOTHING for row in rows]
    return {
        "waited": column(waiting.seconds for waiting in suffered),
        "waitedError": column(waiting.error_seconds for waiting in suffered),
        "caused": column(waiting.seconds for waiting in caused),
        "causedError": column(waiting.error_seconds for waiting in caused),
        "computing": column(row.computing_seconds if row else 0.0 for row in rows),
        "inMpi": column(row.in_mpi_seconds if row else 0.0 for row in rows),
        "leftLate": column(row.late_start_seconds if row else 0.0 for row in rows),
        "firstCall": column(row.unknown_seconds if row else 0.0 for row in rows),
        "passedOn": column(row.passed_on_seconds if row else 0.0 for row in rows),
        "passedTo": column(row.passed_to if row and row.passed_to is not None else _NOBODY for row in rows),
        "rootCauseInCollectives": column(row.root_cause_seconds if row else 0.0 for row in rows),
    }


def _for_messages(container: Container, rows: Sequence[Origin | None]) -> dict[str, Any]:
    def column(values: Iterable[float]) -> dict[str, Any]:
        return container.column(list(values))

    return {
        "messagesWaited": column(row.suffered_seconds if row else 0.0 for row in rows),
        "messagesCaused": column(row.directly_seconds if row else 0.0 for row in rows),
        "rootCauseForMessages": column(row.origin_seconds if row else 0.0 for row in rows),
        "chain": column(row.longest_chain if row else 0 for row in rows),
    }


def _notes(of: Subject, messages: MessageWaits) -> list[str]:
    notes = waiting_notes(of.seen.waiting) if of.seen.waiting else []
    return [*notes, certainty_note(messages)] if messages.is_sampled else notes
