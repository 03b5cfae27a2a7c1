"""A machine.json as the library without Python reads it (include/rankwise/machine.h)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankwise.native import Arguments


@dataclass(frozen=True)
class Slots:
    """What was read, row by row."""

    objects: list[list[int]]
    processors: list[int]
    nodes: list[int]
    hosts: list[str]


def read(path: Path) -> Slots | str:
    """Read a file; why it can't be read, as a line, if so."""
    ours = Arguments()
    ffi, functions = ours.ffi, ours.library
    problem = ffi.new("char[4096]")
    machine = functions.rankwise_read_machine(str(path).encode(), problem, len(problem))
    if machine == ffi.NULL:
        said: str = ffi.string(problem).decode(errors="replace")
        return said
    rows, columns = machine.slots, machine.levels
    numbers = ffi.unpack(machine.object, rows * columns)
    slots = Slots(
        [numbers[at : at + columns] for at in range(0, rows * columns, columns)],
        ffi.unpack(machine.processor, rows),
        ffi.unpack(machine.node, rows),
        [ffi.string(machine.host[node]).decode() for node in range(machine.nodes)],
    )
    functions.rankwise_free_machine(machine)
    return slots
