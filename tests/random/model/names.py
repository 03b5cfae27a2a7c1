"""Names of communicators by the grammar in docs/explanation/how-it-works.md, "Names"."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from generator.communicator import Comm
from generator.instructions import SELF, WORLD
from generator.program import Creation

_LETTERS = {
    "Comm_dup": "d",
    "Comm_dup_with_info": "d",
    "Comm_idup": "i",
    "Comm_idup_with_info": "i",
    "Comm_create": "c",
    "Comm_create_group": "g",
    "Comm_split": "s",
    "Comm_split_type": "t",
    "Cart_create": "a",
    "Cart_sub": "u",
    "Graph_create": "h",
    "Dist_graph_create": "r",
    "Dist_graph_create_adjacent": "j",
    "Intercomm_create": "x",
    "Intercomm_merge": "m",
}
_SEVERAL = ("Comm_create", "Comm_split", "Comm_split_type", "Cart_sub")
_BITS = (1 << 64) - 1


@dataclass
class Named:
    """A communicator, or a window, with its name."""

    name: str
    comm: Comm
    procedure: str = ""
    children: int = 0
    user_name: str = ""
    freed: int = 0  # members that have freed it


class Names:
    """All communicators of a program, by number; MPI_COMM_SELF by number and rank."""

    def __init__(self, ranks: int) -> None:
        self.world = Named("W", Comm(WORLD, tuple(range(ranks))))
        self.selves = {rank: Named(f"S.{rank}", Comm(SELF, (rank,))) for rank in range(ranks)}
        self.made: dict[int, Named] = {}
        self.windows: dict[str, Named] = {}
        self.occurrences: Counter[tuple[object, ...]] = Counter()

    def of(self, number: int, rank: int) -> Named:
        """The communicator that a process means by a number."""
        if number == WORLD:
            return self.world
        return self.selves[rank] if number == SELF else self.made[number]

    def create(self, creation: Creation) -> None:
        """Names what a constructor made."""
        someone = creation.made[0].members[0] if creation.made else 0
        parent = self.of(creation.parent, someone)
        letter = _LETTERS[creation.procedure]
        if letter not in "gx":
            parent.children += 1
        for comm in creation.made:
            name = self._name(parent, creation, comm, letter)
            self.made[comm.number] = Named(name, comm, f"MPI_{creation.procedure}")

    def window(self, parent: Named, procedure: str, number: int) -> Named:
        """The window that a member makes, its `number`th from this communicator: the same for all members."""
        name = f"{parent.name}_w{number}"
        return self.windows.setdefault(name, Named(name, replace(parent.comm, topology=None), procedure))

    def _name(self, parent: Named, creation: Creation, comm: Comm, letter: str) -> str:
        if letter in "gx":
            prefix = f"{parent.name}_" if letter == "g" else ""
            low, high = sorted((comm.group, comm.remote)) if comm.remote else (comm.group, ())
            digits = _hash(low, high)
            self.occurrences[prefix, creation.tag, low, high] += 1
            times = self.occurrences[prefix, creation.tag, low, high]
            again = f"#{times}" if times > 1 else ""
            return f"{prefix}{letter}{creation.tag}:{low[0]}~{digits:08x}{again}"
        name = f"{parent.name}_{letter}{parent.children}"
        if creation.procedure not in _SEVERAL:
            return name
        if comm.inter:
            return f"{name}.{min(comm.group[0], comm.remote[0])}"
        return f"{name}.{parent.comm.local(comm.group[0]).index(comm.group[0])}"


def _chain(hash_: int, value: int) -> int:
    mixed = hash_ ^ ((value + 0x9E3779B97F4A7C15 + (hash_ << 6) + (hash_ >> 2)) & _BITS)
    mixed = (mixed ^ (mixed >> 33)) * 0xFF51AFD7ED558CCD & _BITS
    mixed = (mixed ^ (mixed >> 33)) * 0xC4CEB9FE1A85EC53 & _BITS
    return (mixed ^ (mixed >> 33)) or 1


def _hash_of(ranks: tuple[int, ...]) -> int:
    hash_ = _chain(0, len(ranks))
    for rank in ranks:
        hash_ = _chain(hash_, rank)
    return hash_


def _hash(group: tuple[int, ...], remote: tuple[int, ...]) -> int:
    """The 8 digits that stand for a group; those of an intercommunicator, lower first process first."""
    whole = _chain(_hash_of(group), _hash_of(remote)) if remote else _hash_of(group)
    return whole & 0xFFFFFFFF
