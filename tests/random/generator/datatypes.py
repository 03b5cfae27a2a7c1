"""Random datatypes: what they are made of, and how many bytes of data they hold."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from generator.instructions import Instruction, call

# In the order of memory.c: bytes of data, and the operations of reductions that it may be used with.
_BUILTIN = [
    ("MPI_BYTE", 1, (3,)),
    ("MPI_CHAR", 1, ()),
    ("MPI_SHORT", 2, (0, 1)),
    ("MPI_INT", 4, (0, 1, 3)),
    ("MPI_FLOAT", 4, (0, 1)),
    ("MPI_DOUBLE", 8, (0, 1)),
    ("MPI_LONG_LONG_INT", 8, (0, 1, 3)),
    ("MPI_DOUBLE_INT", 12, (2,)),
    ("MPI_INT64_T", 8, (0, 1)),
    ("MPI_2INT", 8, (2,)),
]


@dataclass(frozen=True)
class Datatype:
    """A datatype.

    Attributes:
        number: its place in the interpreter's table.
        size: bytes of data in one element.
        base: its only kind of built-in element, if there is but one.
        elements: how many of these.
        operations: numbers of those reductions that take it.
    """

    number: int
    size: int
    base: Datatype | None
    elements: int
    operations: tuple[int, ...]
    definition: Instruction


def define(random: Random, first: int) -> list[Datatype]:
    """All built-in datatypes of ours and a few derived ones, numbered from `first`."""
    types = []
    for which, (_, size, operations) in enumerate(_BUILTIN):
        number = first + which
        types.append(
            Datatype(number, size, None, 1, operations, call("type_builtin", type=number, which=which))
        )
    builtin = list(types)
    for kind in random.sample(["contiguous", "vector", "vector", "struct", "struct", "contiguous"], 3):
        types.append(_derive(random, kind, first + len(types), builtin, types))
    return types


def _derive(
    random: Random, kind: str, number: int, builtin: list[Datatype], types: list[Datatype]
) -> Datatype:
    if kind == "struct":
        members = random.choices(types, k=random.randint(1, 3))
        lengths = [random.randint(0, 3) for _ in members]
        lengths[0] += 1  # a datatype that holds nothing has messages without any length
        size = sum(length * member.size for length, member in zip(lengths, members, strict=True))
        made = call(
            "type_struct", type=number, lengths=lengths, members=[member.number for member in members]
        )
        return Datatype(number, size, None, 0, (), made)
    base = random.choice(builtin)
    if kind == "contiguous":
        count = random.randint(1, 7)
        made = call("type_contiguous", type=number, count=count, base=base.number)
        return Datatype(number, count * base.size, base, count, (), made)
    count, length = random.randint(1, 4), random.randint(1, 3)
    stride = length + random.randint(0, 3)
    made = call("type_vector", type=number, count=count, length=length, stride=stride, base=base.number)
    return Datatype(number, count * length * base.size, base, count * length, (), made)
