"""A rule: the algorithm of a collective on communicators of one size, for messages of some sizes."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.text.units import exact_byte_text


@dataclass(frozen=True)
class Algorithm:
    """An algorithm that a library offers for a collective.

    Attributes:
        name: as the library calls it: "ring" (Open MPI), "MPIR_Bcast_intra_binomial" (MPICH), "3" (Intel MPI,
            which has only numbers).
        number: that chooses it in the library's variables and files.
        segment: bytes of the pieces of a message; 0: the library's own choice.
    """

    name: str
    number: int
    segment: int = 0

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.name}, segments of {exact_byte_text(self.segment)}" if self.segment else self.name


@dataclass(frozen=True)
class Evidence:
    """The gain of a rule, from the fresh measurement after the race: see trials.interval.

    Attributes:
        default_us: a call with the library's own choice, us.
        chosen_us: a call with this algorithm, us.
        ratio: default / chosen: above 1 it is faster.
        low: of the interval.
        high: of the interval.
        confidence: of the interval.
        rounds: of the measurement; 0: predicted from measurements around it.
    """

    default_us: float
    chosen_us: float
    ratio: float
    low: float
    high: float
    confidence: float
    rounds: int


@dataclass(frozen=True)
class Raced:
    """Calls with which a rule was found, kept to measure them again.

    Attributes:
        size: bytes of the message.
        calls: of a process: the weight of this size.
        share: of the time on other communicators with the same size, between 0 and 1.
        root: rank in the communicator.
        groups: concurrent communicators: the ranks that the launcher assigns to the processes of each, as
            profile.members.compact writes them.
        late_us: delay of each of their processes after the first, in the order of `groups`; empty: all
            arrive at once.
    """

    size: int
    calls: int
    share: float
    root: int
    groups: tuple[str, ...]
    late_us: tuple[float, ...] = ()


@dataclass(frozen=True)
class Rule:
    """The algorithm of a collective on communicators of one size, for messages of some sizes.

    Attributes:
        procedure: such as MPI_Allreduce.
        processes: of its communicators; no others change.
        low: smallest message, bytes, as the profile counts them; the library's size follows from it.
        high: largest message; None: all sizes (and low is 0).
        algorithm: to take.
        evidence: why; None: not measured.
        raced: calls with which it was found; empty: unknown.
    """

    procedure: str
    processes: int
    low: int
    high: int | None
    algorithm: Algorithm
    evidence: Evidence | None = None
    raced: tuple[Raced, ...] = ()
