"""A random program: steps that all ranks go through in the same order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from generator.communicator import Comm
from generator.instructions import Instruction


@dataclass
class Creation:
    """One constructor call: the parent, what came of it, and what names need to know.

    Attributes:
        procedure: without "MPI_".
        parent: number of the communicator that it is called on (by one side's first process, if the sides
            call it on different ones).
        made: communicators, one for each group.
        tag: of constructors that are not collective over the parent.
    """

    procedure: str
    parent: int
    made: list[Comm]
    tag: int = 0


@dataclass
class Step:
    """Something that ranks do together. No step depends on what a later one does."""

    what: str
    calls: dict[int, list[Instruction]] = field(default_factory=lambda: defaultdict(list))
    creations: list[Creation] = field(default_factory=list)
    needs: set[int] = field(default_factory=set)
    lasting: set[int] = field(default_factory=set)  # numbers of what else it makes for later steps

    def add(self, rank: int, instruction: Instruction) -> None:
        """Appends to what a world rank does."""
        self.calls[rank].append(instruction)

    @property
    def gives(self) -> set[int]:
        """Numbers of what it makes: communicators and the like."""
        return {comm.number for creation in self.creations for comm in creation.made} | self.lasting


@dataclass(frozen=True)
class Program:
    """All steps of a seed."""

    seed: int
    ranks: int
    steps: tuple[Step, ...]
    types: dict[int, int]  # bytes of data by number

    def without(self, dropped: set[int]) -> Program:
        """The program without some steps, and without those that can't be then."""
        kept, missing = [], set()
        for index, step in enumerate(self.steps):
            if step.what != "datatypes" and (index in dropped or step.needs & missing):
                missing |= step.gives
            else:
                kept.append(step)
        return replace(self, steps=tuple(kept))
