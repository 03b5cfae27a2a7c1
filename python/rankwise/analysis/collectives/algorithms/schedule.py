"""The messages of a call of a collective, in the order of an algorithm."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.records import dataclass

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Round:
    """Independent messages: none needs data from another.

    Attributes (arrays of one length):
        source, destination: ranks in the communicator.
        messages: number from this source to this destination.
        bytes: total of these messages.
    """

    source: Integers
    destination: Integers
    messages: Integers
    bytes: Integers


class Schedule:
    """Rounds of messages; each round depends on the previous rounds.

    Attributes:
        processes: number of processes of the communicator.
        rounds: in order.
    """

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.rounds: list[Round] = []

    def send(
        self, source: ArrayLike, destination: ArrayLike, size: ArrayLike, messages: ArrayLike = 1
    ) -> None:
        """Add a round; a scalar applies to all its messages."""
        arrays = np.broadcast_arrays(
            *(np.atleast_1d(np.asarray(column, np.int64)) for column in (source, destination, messages, size))
        )
        if arrays[0].size:
            self.rounds.append(Round(*arrays))

    def then(self, other: Schedule) -> Schedule:
        """Both schedules, the other last."""
        both = Schedule(self.processes)
        both.rounds = self.rounds + other.rounds
        return both

    def renamed(self, ranks: Integers) -> Schedule:
        """The same among other ranks: `ranks[r]` instead of r."""
        other = Schedule(self.processes)
        other.rounds = [
            replace(part, source=ranks[part.source], destination=ranks[part.destination])
            for part in self.rounds
        ]
        return other

    def segmented(self, segments: int) -> Schedule:
        """The same with each message sent in this many segments."""
        cut = Schedule(self.processes)
        cut.rounds = [replace(part, messages=part.messages * segments) for part in self.rounds]
        return cut

    def messages(self) -> int:
        """The number of messages."""
        return sum(int(part.messages.sum()) for part in self.rounds)

    def sent(self) -> Integers:
        """The number of messages that each process sends, which is cheaper to compute than the matrix."""
        sent_messages = np.zeros(self.processes, np.int64)
        for part in self.rounds:
            np.add.at(sent_messages, part.source, part.messages)
        return sent_messages

    def traffic(self) -> Traffic:
        """The traffic matrix: messages and bytes from each process to each other."""
        total = Traffic.none(self.processes)
        for part in self.rounds:
            np.add.at(total.messages, (part.source, part.destination), part.messages)
            np.add.at(total.bytes, (part.source, part.destination), part.bytes)
        return total


@dataclass(frozen=True)
class Traffic:
    """Two matrices, sources x destinations: number of messages, and bytes."""

    messages: Integers
    bytes: Integers

    @cached_property
    def sent(self) -> Integers:
        """The number of messages that each process sends."""
        sums: Integers = self.messages.sum(axis=1)
        return sums

    @classmethod
    def none(cls, processes: int) -> Traffic:
        """A matrix without messages."""
        return cls(np.zeros((processes, processes), np.int64), np.zeros((processes, processes), np.int64))

    def without(self, other: Traffic) -> Traffic | None:
        """The difference to `other`; None if `other` is not part of this."""
        messages = self.messages - other.messages
        size = self.bytes - other.bytes
        return None if (messages < 0).any() or (size < 0).any() else Traffic(messages, size)
