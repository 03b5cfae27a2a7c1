"""What the generator keeps while it writes a program: communicators that are alive, free numbers."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from generator.communicator import Comm
from generator.datatypes import Datatype, define
from generator.instructions import SELF, WORLD
from generator.program import Step

if TYPE_CHECKING:
    from generator.persistent import Operations

SHORT, LONG = 48, 9000


class State:
    """A program in the making."""

    def __init__(self, random: Random, ranks: int, first_number: int, lacking: frozenset[str]) -> None:
        self.random = random
        self.ranks = ranks
        self.lacking = lacking
        self.steps: list[Step] = []
        self.world = Comm(WORLD, tuple(range(ranks)))
        self.selves = [
            Comm(SELF, (rank,)) for rank in range(ranks)
        ]  # one for each process, all of one number
        self.alive: list[Comm] = []
        self.persistent: list[Operations] = []
        self.unused = first_number  # where calls that give no communicator put their MPI_COMM_NULL
        self.numbers = first_number
        self.types: list[Datatype] = define(random, first_number)
        self.tags = 0
        self.requests = 1  # request 0 is always null
        self.paused: set[int] = set()

    def has(self, feature: str) -> bool:
        """Whether the library can do it: see quirks.py."""
        return feature not in self.lacking

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick_comm(self, *, inter: bool | None = None, at_least: int = 1) -> Comm | None:
        """A communicator that is alive, later ones more often; None if there is none such."""
        every = [self.world, *self.selves, *self.alive]
        fit = [c for c in every if (inter is None or c.inter == inter) and len(c.members) >= at_least]
        weights = [0.2 if c.number == SELF else 1 + 2 * c.depth for c in fit]
        return self.random.choices(fit, weights)[0] if fit else None

    def new_number(self) -> int:
        self.numbers += 1
        return self.numbers

    def new_tag(self) -> int:
        self.tags += 1
        return self.tags

    def new_request(self) -> int:
        self.requests += 1
        return self.requests

    def count(self) -> int:
        """How many elements: often few, sometimes none, seldom so many that the library takes another way."""
        roll = self.random.random()
        if roll < 0.12:
            return 0
        return self.random.randint(1, SHORT if roll < 0.95 else LONG)

    def pick_type(self) -> Datatype:
        return self.random.choice(self.types)

    def at_least(self, datatype: Datatype, count: int) -> tuple[Datatype, int]:
        """Room for a message: of its datatype or what that is made of, perhaps more than will come."""
        extra = self.random.choice((0, 0, 1, self.random.randint(0, SHORT)))
        if datatype.base is not None and self.chance(0.3):
            return datatype.base, count * datatype.elements + extra
        return datatype, count + extra
