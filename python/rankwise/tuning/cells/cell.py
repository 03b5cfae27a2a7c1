"""A cell: one collective on communicators of one size with messages of about one size."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Grouping:
    """Communicators of one size that the program has side by side, such as the rows of a grid of processes.

    Attributes:
        groups: world ranks of each, by rank in the communicator; no rank is in two of them.
        share: of the cell's time, between 0 and 1; the shares of a cell's groupings add up to 1.
        root: rank in the communicator that most calls have; 0 where the collective has none.
        late: how many seconds each world rank comes after the first of its group, on average.
    """

    groups: tuple[tuple[int, ...], ...]
    share: float = 1.0
    root: int = 0
    late: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Traits:
    """What the runtime has recorded of the calls of a cell, of any call on any process.

    Attributes:
        known: whether anything was recorded; if not, everything is assumed to be possible.
        not_commutative: an operation that is not commutative.
        rounds: an operation on floating-point numbers, or a user-defined one: the last digits of its result
            depend on the order of the operands.
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
        size: of the raced message: the size with the most time.
        calls: of the process with the most calls.
        seconds: in these calls, summed over the ranks.
        tunable_seconds: of these, without the waiting for late ranks.
        groupings: where it is called.
        traits: of the calls.
        uneven: whether the sizes of the processes differ within a call, as in vector collectives.
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
