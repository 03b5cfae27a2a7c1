"""Messages between ranks in each phase of a run, as far as their times are known.

Messages are counted over the whole run. Their times are an estimate, with its basis:

- of a collective, when the calls in its sample were made, size by size;
- of messages from one rank to another, when those in the sample were posted, if there are enough of them;
- else, of other messages of the program, the number of messages that their sender began in each phase: their
  receivers are not known by phase;
- else the bytes that it sent in each phase.

Over the phases, everything adds up to the counts, to the byte.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.kinds import IN_COLLECTIVE
from rankwise.analysis.timing.time_line import Phase, time_line
from rankwise.errors import RankwiseError
from rankwise.network.job.flows import Flows
from rankwise.network.job.phase_grid import Floats, PhaseGrid, phase_grid
from rankwise.network.job.sampled_phases import MessageSample, SampledCalls, sampled_calls

SAMPLED_CALLS = "sampled calls"
SAMPLED_MESSAGES = "sampled messages"
COUNTED_MESSAGES = "messages of the sender"
COUNTED_BYTES = "bytes of the sender"
NOT_KNOWN = "not known"
BASES = (SAMPLED_CALLS, SAMPLED_MESSAGES, COUNTED_MESSAGES, COUNTED_BYTES, NOT_KNOWN)
"""Bases of the estimate of when messages were sent; messages without a known time are in no phase."""

LEAST_MESSAGES = 8
"""Messages needed in the sample of a pair of ranks; fewer are too few unless they are all messages."""

_FETCHES = {"MPI_Get", "MPI_Rget"}  # begun by the rank that the data goes to
_OUTSIDE = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"}  # before the first phase, after the last


@dataclass(frozen=True)
class FlowsByPhase:
    """E flows in K phases.

    Attributes:
        flows: over the whole run.
        phases: K, in the order of time.
        bytes: shape (K + 1, E), int64: sent in each phase; the last row has those outside all phases; the
            sums over the rows are the bytes of the flows.
        messages: in the same form.
        basis: shape (E,), int8: index into BASES.
    """

    flows: Flows
    phases: tuple[Phase, ...]
    bytes: NDArray[np.int64]
    messages: NDArray[np.int64]
    basis: NDArray[np.int8]

    def of(self, phase: int) -> Flows:
        """Return the flows of a phase (from 0), or those outside all phases (K), without empty ones."""
        some = np.flatnonzero((self.bytes[phase] > 0) | (self.messages[phase] > 0))
        return replace(
            self.flows,
            source=self.flows.source[some],
            destination=self.flows.destination[some],
            group=self.flows.group[some],
            bytes=self.bytes[phase, some],
            messages=self.messages[phase, some],
        )

    def bytes_by_basis(self) -> dict[str, int]:
        """Return the bytes by basis, without bases that do not occur."""
        sums = {name: int(self.flows.bytes[self.basis == at].sum()) for at, name in enumerate(BASES)}
        return {name: size for name, size in sums.items() if size}


def flows_by_phase(connection: sqlite3.Connection, flows: Flows) -> FlowsByPhase:
    """Estimate which part of the flows was sent in which phase.

    Args:
        connection: the profile that the flows are of.
        flows: E entries.

    Raises:
        RankwiseError: the profile has no time line.
    """
    line = time_line(connection)
    if not line.phases:
        raise RankwiseError("the profile has no time line: record it again to see phases")
    grid = phase_grid(line, flows.ranks)
    shares = _Shares(connection, flows, grid)
    return FlowsByPhase(
        flows,
        tuple(line.phases),
        _divided(flows.bytes, shares.bytes),
        _divided(flows.messages, shares.messages),
        shares.basis,
    )


def _divided(amounts: NDArray[np.int64], shares: Floats) -> NDArray[np.int64]:
    """Divide whole numbers by shares, so that the parts add up to them.

    Args:
        amounts: shape (E,).
        shares: shape (E, K); rows sum to at most 1.

    Returns:
        shape (K + 1, E): what the shares leave over is in the last row.
    """
    ends = np.rint(np.cumsum(shares, axis=1) * amounts[:, None]).astype(np.int64)
    whole = shares.any(axis=1)
    ends[whole, -1] = amounts[whole]
    ends = np.minimum(ends, amounts[:, None])
    edges = np.concatenate([np.zeros((len(amounts), 1), np.int64), ends, amounts[:, None]], axis=1)
    return np.ascontiguousarray(np.diff(edges, axis=1).T)


class _Shares:
    """Of each flow the share of each phase.

    Attributes:
        bytes: shape (E, K); rows sum to 1, or are 0: unknown.
        messages: in the same form.
        basis: shape (E,), int8: index into BASES.
    """

    def __init__(self, connection: sqlite3.Connection, flows: Flows, grid: PhaseGrid) -> None:
        self._flows = flows
        self.bytes = np.zeros((len(flows), len(grid)))
        self.messages = np.zeros((len(flows), len(grid)))
        self.basis = np.full(len(flows), BASES.index(NOT_KNOWN), np.int8)
        ids = dict(connection.execute("SELECT name, id FROM communicators").fetchall())
        calls, sample = sampled_calls(connection, grid), MessageSample(connection, grid)
        by_bytes, by_messages = _shares_of_ranks(grid.bytes_sent), _shares_of_ranks(grid.messages)
        by_bytes[~by_bytes.any(axis=1)] = _shares_of_ranks(grid.bytes_sent.sum(axis=0)[None, :])
        order = np.argsort(flows.group, kind="stable")
        edges = np.searchsorted(flows.group[order], np.arange(len(flows.groups) + 1))
        for number, group in enumerate(flows.groups):
            if group.procedure in _OUTSIDE:
                continue
            entries = order[edges[number] : edges[number + 1]]
            beginners = flows.destination if group.procedure in _FETCHES else flows.source
            self._take(entries, by_bytes[beginners[entries]], COUNTED_BYTES)
            if group.kind == IN_COLLECTIVE:
                self._by_calls(entries, calls.get((ids[group.communicator], group.procedure)))
            else:
                self._take(entries, by_messages[beginners[entries]], COUNTED_MESSAGES)
                self._by_sample(entries, sample, ids[group.communicator], group.procedure)

    def _take(self, entries: NDArray[np.int64], shares: Floats, basis: str) -> None:
        """Use the shares of flows that have any: shape (entries, K)."""
        known = shares.any(axis=1)
        self.bytes[entries[known]] = self.messages[entries[known]] = shares[known]
        self.basis[entries[known]] = BASES.index(basis)

    def _by_calls(self, entries: NDArray[np.int64], sampled: SampledCalls | None) -> None:
        if sampled is None:
            return
        # Calls of sizes that are not in the sample were made when bytes were sent at all.
        counted = self.bytes[entries]
        counted[~counted.any(axis=1)] = sampled.bytes
        self.bytes[entries] = sampled.known * sampled.bytes + (1 - sampled.known) * counted
        self.messages[entries] = sampled.calls
        self.basis[entries] = BASES.index(SAMPLED_CALLS)

    def _by_sample(
        self, entries: NDArray[np.int64], sample: MessageSample, communicator: int, procedure: str
    ) -> None:
        for entry in entries.tolist():
            source, destination = int(self._flows.source[entry]), int(self._flows.destination[entry])
            sampled = sample.of(source, destination, communicator, procedure)
            if sampled is not None:
                number = sampled.messages.sum()
                if number >= min(LEAST_MESSAGES, self._flows.messages[entry]):
                    self.messages[entry] = sampled.messages / number
                    self.bytes[entry] = (
                        sampled.bytes / sampled.bytes.sum() if sampled.bytes.any() else self.messages[entry]
                    )
                    self.basis[entry] = BASES.index(SAMPLED_MESSAGES)


def _shares_of_ranks(counts: Floats) -> Floats:
    """Return rows that sum to 1, or are 0 without counts."""
    sums = counts.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(counts, sums, out=np.zeros(counts.shape), where=sums > 0)
    return shares
