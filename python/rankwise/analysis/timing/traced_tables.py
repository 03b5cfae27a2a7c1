"""Temporary tables for traces: the samples of calls, sorted by SQLite, on disk if necessary.

All times are whole nanoseconds after the start of the run, so that each record of a call has exactly the same
times.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from rankwise.analysis.waiting.instances import NOBODY, consistent, waits
from rankwise.analysis.waiting.procedures import CALLS
from rankwise.analysis.waiting.sample import sampled


def _ns(column: str) -> str:
    return f"CAST(ROUND({column} * 1e9) AS INTEGER)"


# An arrow leads from the posting of a message's other side to the wait: always from a send; from a receive
# only if the sender waited for it. It is missing if the nodes' clocks differ by more than the transfer took.
_MESSAGES = f"""
CREATE TEMP TABLE traced_messages AS SELECT
  wait, source, destination, wait_messages.communicator, tag, number, bytes, sends,
  wait_messages.procedure, {_ns("posted")} AS posted, other_procedure, {_ns("other_posted")} AS other_posted,
  CASE WHEN sends THEN destination ELSE source END AS other,
  CASE WHEN sends THEN destination ELSE source END IN (SELECT rank FROM ranks)
  AND {_ns("other_posted")} < {_ns("ended")}
  AND (NOT sends OR {_ns("other_posted")} > {_ns("began")}) AS drawn
FROM wait_messages JOIN waits ON waits.id = wait
ORDER BY wait
"""

# (Nonblocking collectives that were only posted are no calls; calls on windows and files have no lane.)
_COLLECTIVES = ", ".join(f"'{name}'" for name in sorted(CALLS))
_CALLS = f"""
CREATE TEMP VIEW traced_calls AS
SELECT 1 AS collective, arrivals.rank, {_ns("arrival")} AS began, {_ns("departure")} AS ended,
  communicator, procedure, region, instance AS number, bytes, root, 0 AS messages, 0 AS sampled,
  waited, whose
FROM arrivals LEFT JOIN temp.traced_instances USING (communicator, procedure, instance, rank)
WHERE procedure IN (SELECT id FROM procedures WHERE name IN ({_COLLECTIVES}))
UNION ALL
SELECT 0, rank, {_ns("began")}, {_ns("ended")}, communicator, procedure, region, id, 0, NULL,
  messages, sampled, NULL, NULL
FROM waits
"""


def make_tables(connection: sqlite3.Connection) -> None:
    """Create traced_messages and the view traced_calls, of the profile or its selected part.

    Raises:
        ValueError: the profile is damaged.
    """
    connection.execute(
        "CREATE TEMP TABLE traced_instances (communicator INTEGER, procedure INTEGER, instance INTEGER,"
        " rank INTEGER, waited INTEGER, whose INTEGER,"
        " PRIMARY KEY (communicator, procedure, instance, rank)) WITHOUT ROWID"
    )
    connection.executemany(
        "INSERT INTO traced_instances VALUES (?, (SELECT id FROM procedures WHERE name = ?), ?, ?, ?, ?)",
        _waits_in_collectives(connection),
    )
    connection.execute(_MESSAGES)
    connection.execute("CREATE INDEX temp.traced_by_wait ON traced_messages (wait)")
    connection.execute(_CALLS)


def _waits_in_collectives(
    connection: sqlite3.Connection,
) -> Iterator[tuple[int, str, int, int, int, int]]:
    """Yield communicator, procedure, instance, rank, nanoseconds of waiting, and the main rank waited for."""
    for every in sampled(connection):
        instances = every.of(consistent(every))
        known = waits(instances)
        nanoseconds = (known.seconds * 1e9).round().astype("int64").tolist()
        whose = [[NOBODY if at == NOBODY else int(instances.ranks[at]) for at in row] for row in known.whose]
        for number, waited, members_waited_for in zip(
            instances.numbers.tolist(), nanoseconds, whose, strict=True
        ):
            for rank, own, other in zip(instances.ranks.tolist(), waited, members_waited_for, strict=True):
                yield instances.communicator, instances.procedure, number, rank, own, other
