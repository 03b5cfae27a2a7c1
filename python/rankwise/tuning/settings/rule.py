"""A rule: which algorithm a collective takes on communicators of one size, for messages of some sizes."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.text.units import exact_byte_text


@dataclass(frozen=True)
class Algorithm:
    """One of the algorithms that a library offers for a collective.

    Attributes:
        name: as the library calls it: "ring" (Open MPI), "MPIR_Bcast_intra_binomial" (MPICH), "3" (Intel MPI,
            which has only numbers).
        number: by which the library's variables and files choose it.
        segment: bytes that messages are cut into; 0: the library's own choice.
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
    """What a rule was measured to gain, the race's hold-out: see trials.interval.

    Attributes:
        default_us: a call with the library's own choice, us.
        chosen_us: a call with this algorithm, us.
        ratio: default / chosen: above 1 it is faster.
        low: of the interval.
        high: of the interval.
        confidence: of the interval.
        rounds: that it is from; 0: it is predicted from what was measured around it.
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
    """Calls that a rule was found with, so that the same can be measured again.

    Attributes:
        size: bytes of the message.
        calls: of a process: the weight of this size among others.
        share: of the time on other communicators with the same size, between 0 and 1.
        root: rank in the communicator.
        groups: communicators side by side: world ranks of each, as profile.members.compact writes them.
        late_us: by which each of their processes comes after the first, in the order of `groups`; empty: all
            come at once.
    """

    size: int
    calls: int
    share: float
    root: int
    groups: tuple[str, ...]
    late_us: tuple[float, ...] = ()


@dataclass(frozen=True)
class Rule:
    """Which algorithm a collective takes on communicators of one size, for messages of some sizes.

    Attributes:
        procedure: such as MPI_Allreduce.
        processes: of the communicators that it is for; no others change.
        low: smallest message, bytes, as the profile counts them; what the library takes for the size follows
            from it.
        high: largest message that it is for; None: it is for all sizes (and low is 0).
        algorithm: that is taken.
        evidence: why; None: nobody has measured it.
        raced: what it was found with; empty: not known.
    """

    procedure: str
    processes: int
    low: int
    high: int | None
    algorithm: Algorithm
    evidence: Evidence | None = None
    raced: tuple[Raced, ...] = ()
