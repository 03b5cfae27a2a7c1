"""The programs that are started in a bad order: what they are called with, and how they tell their time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from libraries import Mpi

from common.errors import BenchError
from common.jobs import PROGRAMS as SOURCES

NODES = 4
IN_TURN = (0, 1, 2, 3, 0, 1, 2, 3)
THERE_AND_BACK = (0, 1, 2, 3, 3, 2, 1, 0)
SEED = 1  # of who runs first in a pair
_SECONDS = re.compile(r"^seconds ([\d.]+)|^Loop time of ([\d.]+)", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """A program and its bad order.

    Attributes:
        source: of C; none: a program of the machine, which was linked with Debian's Open MPI.
        words: arguments; first the program itself if there is no source.
        order: the node of each rank, in which many bytes leave the nodes.
    """

    name: str
    source: Path | None
    words: tuple[str, ...]
    order: tuple[int, ...] = IN_TURN

    def runs_on(self, mpi: Mpi) -> bool:
        """Whether it is there for this library."""
        if self.source:
            return True
        return mpi.mpirun == "mpirun.openmpi" and shutil.which(self.words[0]) is not None

    def build(self, mpi: Mpi, directory: Path) -> list[str]:
        """Compile it if need be; return the words that call it."""
        if not self.source:
            return [str(shutil.which(self.words[0])), *self.words[1:]]
        program = directory / f"{self.source.stem}.{mpi.name}"
        mpi.compile(program, self.source, options=["-O2"])
        return [str(program), *self.words]

    def hosts(self, names: Sequence[str]) -> list[str]:
        """Return the node of each rank in the bad order."""
        return [names[number] for number in self.order]


PROGRAMS = (
    Program("rows", SOURCES / "rows.c", ("131072", "20")),
    Program("cg", SOURCES / "cg.c", ("131072", "10")),
    Program(
        "lammps",
        None,
        ("lmp", "-in", str(Path(__file__).with_name("melt.lammps")), "-log", "none"),
        THERE_AND_BACK,
    ),
)


def seconds(output: str) -> float:
    """Return the time that a program tells.

    Raises:
        BenchError: it tells none.
    """
    found = _SECONDS.search(output)
    if found is None:
        raise BenchError(f"the program told no time: {output.strip()[-200:]}")
    return float(found[1] or found[2])
