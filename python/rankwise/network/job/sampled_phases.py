"""In which phases of a run calls were made, by the samples of collectives and of messages waited for."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from rankwise.network.job.phase_grid import Floats, PhaseGrid

_STARTED = {"MPI_Start", "MPI_Startall"}  # persistent sends are booked on these


@dataclass(frozen=True)
class SampledCalls:
    """The calls of a procedure on a communicator.

    Attributes:
        bytes: shape (K,): the share of each phase in its members' contributions; adds up to 1.
        calls: shape (K,): the share of each phase in the calls.
        known: share of the bytes of calls of the sizes that the sample has.
    """

    bytes: Floats
    calls: Floats
    known: float


@dataclass(frozen=True)
class SampledMessages:
    """Messages in the sample, by phase.

    Attributes:
        bytes: shape (K,).
        messages: shape (K,).
    """

    bytes: Floats
    messages: Floats


def sampled_calls(connection: sqlite3.Connection, grid: PhaseGrid) -> dict[tuple[int, str], SampledCalls]:
    """Return when collectives were called, by communicator (id) and procedure (name).

    The number of calls of each size is counted; only their times come from the sample, size by size. The
    messages of a call are sent between the arrival of its last member and the departure of the last one.
    """
    rows = connection.execute(
        "SELECT communicator, procedures.name, instance, bytes, arrival, departure FROM arrivals"
        " JOIN procedures ON procedures.id = procedure WHERE in_sample"
        " ORDER BY communicator, procedure, instance"
    )
    of_call: defaultdict[tuple[int, str], list[tuple[int, int, float, float]]] = defaultdict(list)
    for communicator, procedure, *row in rows:
        of_call[communicator, procedure].append(tuple(row))
    return {
        key: _of_call(np.array(own, np.float64), grid, _sizes(connection, *key))
        for key, own in of_call.items()
    }


def _sizes(connection: sqlite3.Connection, communicator: int, procedure: str) -> Floats:
    """Return rows: size bin, calls, bytes."""
    rows = connection.execute(
        "SELECT size_bin, SUM(calls), SUM(bytes_sent) FROM calls JOIN procedures ON procedures.id = procedure"
        " WHERE communicator = ? AND procedures.name = ? GROUP BY size_bin",
        (communicator, procedure),
    )
    return np.array(rows.fetchall(), np.float64).reshape(-1, 3)


def _of_call(table: Floats, grid: PhaseGrid, sizes: Floats) -> SampledCalls:
    """Return when a collective was called.

    Args:
        table: rows: instance, bytes, arrival, departure.
        grid: the phases.
        sizes: rows: size bin, calls, bytes.
    """
    _, first, of_row = np.unique(table[:, 0], return_index=True, return_inverse=True)
    came = np.maximum.reduceat(table[:, 2], first)
    left = np.maximum.reduceat(table[:, 3], first)
    parts = grid.parts(came, left)[of_row]
    bins = np.frexp(table[:, 1])[1]  # of 2^(k-1) .. 2^k - 1 it is k
    calls, volume, known = np.zeros(len(grid)), np.zeros(len(grid)), 0.0
    for size_bin, number, size in sizes.tolist():
        own = parts[bins == size_bin]
        if len(own):
            share = own.mean(axis=0)
            calls += number * share
            volume += size * share
            known += size
    if not calls.any():  # counted otherwise than sampled: a call that has failed on some members
        calls = parts.mean(axis=0)
    whole = float(sizes[:, 2].sum())
    calls /= calls.sum()
    volume = volume / volume.sum() if volume.any() else calls
    return SampledCalls(volume, calls, known / whole if whole else 1.0)


class MessageSample:
    """Times of messages between two ranks, in the sample of messages that a call waited for."""

    def __init__(self, connection: sqlite3.Connection, grid: PhaseGrid) -> None:
        """Read the sample; a message that both its ranks waited for counts once."""
        rows = connection.execute(
            "SELECT source, destination, wait_messages.communicator,"
            " CASE WHEN sends THEN own.name ELSE others.name END,"
            " MAX(bytes), MIN(CASE WHEN sends THEN posted ELSE other_posted END)"
            " FROM wait_messages JOIN procedures AS own ON own.id = wait_messages.procedure"
            " JOIN procedures AS others ON others.id = other_procedure"
            " WHERE source <> destination"
            " GROUP BY source, destination, wait_messages.communicator, tag, number"
        ).fetchall()
        times = np.array([row[-1] for row in rows], np.float64)
        phases = grid.parts(times, times).argmax(axis=1).tolist() if rows else []
        empty = np.zeros((2, len(grid)))
        self._found: defaultdict[tuple[int, int, int, str], Floats] = defaultdict(empty.copy)
        for (source, destination, communicator, procedure, size, _), phase in zip(rows, phases, strict=True):
            for name in {procedure, ""}:
                self._found[source, destination, communicator, name][:, phase] += size, 1

    def of(self, source: int, destination: int, communicator: int, procedure: str) -> SampledMessages | None:
        """Return the messages that a procedure sent, or where none of its is there, any did."""
        ends = source, destination, communicator
        entry = self._found.get((*ends, procedure)) if procedure not in _STARTED else None
        entry = entry if entry is not None else self._found.get((*ends, ""))
        return None if entry is None else SampledMessages(*entry)
