"""A cell: one collective on communicators of one size with messages of about one size."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Grouping:
    """Communicators of one size that the program has side by side, such as the rows of a grid of processes.

    Attributes:
        groups: world ranks of each, by rank in the communicator; no rank is in two of them.
        share: of the cell's time, between 0 and 1; those of all groupings of a cell add up to 1.
        root: rank in the communicator that most calls have; 0 where the collective has none.
        late: seconds by which each world rank of the groups comes after the first of its group, on average.
    """

    groups: tuple[tuple[int, ...], ...]
    share: float = 1.0
    root: int = 0
    late: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Traits:
    """What the calls of a cell have had, any of them on any process, as the runtime has recorded it.

    Attributes:
        known: whether it is known at all; if not, everything has to be thought possible.
        not_commutative: an operation that is not commutative.
        rounds: an operation on numbers with a fraction, or of the program's own: its result depends on the
            order of the operands in the last digits.
        in_place: MPI_IN_PLACE.
    """

    known: bool = False
    not_commutative: bool = True
    rounds: bool = True
    in_place: bool = True


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One collective on communicators of one size with messages of about one size.

    Attributes:
        procedure: such as MPI_Allreduce.
        processes: of the communicators.
        low: smallest message, bytes, as in the profile (docs/reference/profile-format.md, "Collectives").
        high: largest message.
        size: the message that is raced: the one with the most time.
        calls: of one process, the most of any.
        seconds: in these calls, over the ranks.
        tunable_seconds: of these, without the waiting for ranks that come late.
        groupings: where it is called.
        traits: of the calls.
        uneven: whether the sizes of the processes in one call differ, as vector collectives may have it.
    """

    procedure: str
    processes: int
    low: int
    high: int
    size: int
    calls: int
    seconds: float
    tunable_seconds: float
    groupings: tuple[Grouping, ...]
    traits: Traits = field(default_factory=Traits)
    uneven: bool = False

    @property
    def name(self) -> str:
        """For files and options, such as Allreduce/8/65536."""
        return f"{self.procedure.removeprefix('MPI_')}/{self.processes}/{self.size}"
