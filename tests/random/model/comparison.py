"""Where a profile differs from what it must hold."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from model.expectation import CallKey, CommunicatorRow, Expectation, MessageKey
from model.requests import SEVERAL
from rankwise.profile.join.members import parse

# What a library sends inside collectives is its own affair, but who is said to send must have made the call.
_WITHOUT_THEIR_CALL = """SELECT p.name || ' on ' || c.name || ' by rank ' || source FROM messages
    JOIN communicators AS c ON c.id = messages.communicator JOIN procedures AS p ON p.id = messages.procedure
    WHERE kind = 'in-collective' AND messages.procedure <> 0 AND NOT EXISTS (
    SELECT 1 FROM calls WHERE rank = source AND calls.communicator = messages.communicator
    AND calls.procedure = messages.procedure)"""

# Whatever was counted was counted at some time.
_NOT_IN_TIME = """SELECT rank, calls, bytes_sent, bytes_received, messages FROM
    (SELECT rank, SUM(calls) AS calls, SUM(bytes_sent) AS bytes_sent, SUM(bytes_received) AS bytes_received,
    (SELECT TOTAL(messages) FROM messages WHERE source = rank AND kind = 'point-to-point') AS messages
    FROM calls JOIN procedures AS p ON p.id = procedure WHERE class <> 'environment' GROUP BY rank) AS counted
    LEFT JOIN (SELECT rank AS line, SUM(calls) AS c, SUM(bytes_sent) AS s, SUM(bytes_received) AS r,
    SUM(messages) AS m, SUM(seconds) AS t FROM intervals GROUP BY rank) ON line = rank
    WHERE calls <> c OR bytes_sent <> s OR bytes_received <> r OR messages > m OR line IS NULL
    OR ABS(t - (SELECT mpi FROM ranks WHERE ranks.rank = counted.rank)) > 1e-5 * t + 1e-6"""


def read(path: Path) -> Expectation:
    """The tables of a profile."""
    tables = Expectation()
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as profile:
        for *key, calls, sent, received in profile.execute(
            "SELECT rank, c.name, r.path, p.name, size_bin, SUM(calls), SUM(bytes_sent), SUM(bytes_received)"
            " FROM calls"
            " JOIN communicators AS c ON c.id = communicator JOIN regions AS r ON r.id = region"
            " JOIN procedures AS p ON p.id = calls.procedure GROUP BY 1, 2, 3, 4, 5"
        ):
            tables.calls[CallKey(*key)] = [calls, sent, received]
        for *key, messages, size in profile.execute(
            "SELECT source, destination, c.name, kind, p.name, messages, bytes FROM messages"
            " JOIN communicators AS c ON c.id = communicator"
            " JOIN procedures AS p ON p.id = messages.procedure WHERE kind <> 'in-collective'"
        ):
            tables.messages[MessageKey(*key)] = [messages, size]
        for (
            name,
            procedure,
            user_name,
            size,
            remote,
            members,
            remote_members,
            topology,
            dims,
            periods,
            freed,
            seen,
        ) in profile.execute(
            "SELECT name, procedure, user_name, size, remote_size, members, remote_members, topology, dims,"
            " periods, freed IS NOT NULL, members_seen FROM communicators WHERE id >= 3"
        ):
            tables.communicators[name] = CommunicatorRow(
                procedure,
                user_name,
                size,
                remote,
                tuple(parse(members)),
                tuple(parse(remote_members)),
                topology,
                tuple(json.loads(dims)),
                tuple(json.loads(periods)),
                bool(freed),
            )
            if seen != size + remote:
                tables.warnings.append(f"{seen} members of {name} were seen")
        tables.entries.update(
            {
                (rank, name): entries
                for rank, name, entries in profile.execute(
                    "SELECT rank, path, entries FROM region_times JOIN regions ON id = region"
                )
            }
        )
        tables.dropped.update({(rank, what): n for rank, what, n in profile.execute("SELECT * FROM dropped")})
        tables.warnings += [text for (text,) in profile.execute("SELECT text FROM warnings")]
        tables.warnings += [
            f"messages inside {call}, who did not make the call"
            for (call,) in profile.execute(_WITHOUT_THEIR_CALL)
        ]
        tables.warnings += [
            f"the time line of rank {rank} lacks some of {counts}"
            for rank, *counts in profile.execute(_NOT_IN_TIME)
        ]
        tables.warnings += [
            text for (text,) in profile.execute("SELECT partial_reason FROM run WHERE partial")
        ]
    return tables


def differences(expected: Expectation, recorded: Expectation) -> list[str]:
    """One line for each row that is not as expected."""
    calls = _settle(expected, recorded)
    return [
        *_compare("calls", _starts_together(calls), _starts_together(recorded.calls)),
        *_compare("messages", expected.messages, recorded.messages),
        *_compare("communicators", expected.communicators, recorded.communicators),
        *_compare("region_times", expected.entries, recorded.entries),
        *_compare("dropped", expected.dropped, recorded.dropped),
        *(f"warnings: {text}" for text in recorded.warnings if text not in expected.warnings),
    ]


def _starts_together(calls: dict[CallKey, list[int]]) -> dict[CallKey, list[int]]:
    """Put what was received by starts on rows of their own, whichever of the two procedures started.

    Which of several persistent receives with one tag gets which message is told by the order of the starts,
    which the model does not follow. tests/mpi/test_persistent.py tells the two apart.
    """
    together: dict[CallKey, list[int]] = {}
    for key, row in calls.items():
        if key.procedure not in ("MPI_Start", "MPI_Startall"):
            together[key] = row
            continue
        together[key] = [row[0], row[1], 0]
        both = together.setdefault(key._replace(procedure="received by starts"), [0, 0, 0])
        both[2] += row[2]
    return together


def _compare(table: str, expected: dict, recorded: dict) -> Iterator[str]:
    for key in sorted(expected.keys() | recorded.keys(), key=str):
        there, here = expected.get(key), recorded.get(key)
        if there != here and not (_is_nothing(there) and _is_nothing(here)):
            name = " ".join(map(str, key)) if isinstance(key, tuple) else key
            yield f"{table}: {name}: expected {_text(there)}, found {_text(here)}"


def _is_nothing(row: object) -> bool:
    """A row of zeros is as good as none: calls that moved to another size bin leave one."""
    return row is None or row == 0 or (isinstance(row, list) and not any(row))


def _text(row: object) -> str:
    return "no row" if row is None else str(row)


def _settle(expected: Expectation, recorded: Expectation) -> dict[CallKey, list[int]]:
    """Puts calls that may stand on a communicator or on "(several)" where the profile has them.

    Their number must be right on the whole, and on no communicator greater than it can be.
    """
    calls: dict[CallKey, list[int]] = defaultdict(
        lambda: [0, 0, 0], {key: [*row] for key, row in expected.calls.items()}
    )
    left: Counter[CallKey] = Counter()
    for key, times in expected.either.items():
        there = recorded.calls[key][0] - calls[key][0] if key in recorded.calls else 0
        there = min(max(there, 0), times)
        calls[key][0] += there
        left[key._replace(communicator=SEVERAL)] += times - there
    for key, times in left.items():
        calls[key][0] += times
    return calls
