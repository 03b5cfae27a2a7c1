"""The programs that are started in a bad order: their arguments, and their links."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from launching import launch_in_order
from libraries import Mpi
from nodes import Cluster

from common.jobs import PROGRAMS as SOURCES
from common.jobs import monitoring

NODES = 4
IN_TURN = (0, 1, 2, 3, 0, 1, 2, 3)
THERE_AND_BACK = (0, 1, 2, 3, 3, 2, 1, 0)
Side = Literal["before", "after"]
SIDES: tuple[Side, Side] = ("before", "after")
SEED = 1  # of who runs first in a pair


@dataclass(frozen=True)
class Program:
    """A program and its bad order.

    Attributes:
        source: of C; none: a program of the machine, which was linked with Debian's Open MPI.
        words: arguments; first the program itself if there is no source.
        order: the node of each rank, in which many bytes leave the nodes.
        rate: of the nodes' links, if not the usual one.
        asks: whether it calls functions of MPI_Monitoring.h.
        needs_yield: it waits so often that with more ranks than processors these should yield theirs. MPICH's
            don't, so its times would be the scheduler's.
    """

    name: str
    source: Path | None
    words: tuple[str, ...]
    order: tuple[int, ...] = IN_TURN
    rate: str | None = None
    asks: bool = False
    needs_yield: bool = False

    def runs_on(self, mpi: Mpi) -> bool:
        """Whether it is there for this library, and its times mean something."""
        if self.needs_yield and mpi.family != "openmpi":
            return False
        if self.source:
            return True
        return mpi.mpirun == "mpirun.openmpi" and shutil.which(self.words[0]) is not None

    def launch(self, mpi: Mpi, cluster: Cluster, *further: str) -> list[str]:
        """Compile it if need be; return the words that start it in its bad order, with further arguments."""
        hosts = [cluster.names[number] for number in self.order]
        return launch_in_order(mpi, cluster, hosts, *self._call(mpi, cluster.directory), *further)

    def _call(self, mpi: Mpi, directory: Path) -> list[str]:
        if not self.source:
            return [str(shutil.which(self.words[0])), *self.words[1:]]
        program = directory / f"{self.source.stem}.{mpi.name}"
        if not program.exists():
            libraries = [*monitoring(), "-lm"] if self.asks else []
            mpi.compile(program, self.source, *libraries, options=["-O2"])
        return [str(program), *self.words]

    @contextlib.contextmanager
    def links(self, cluster: Cluster) -> Iterator[None]:
        """Give the links their rate for a while."""
        with contextlib.ExitStack() as stack:
            for number in range(len(cluster.names)):
                if self.rate and cluster.links:
                    stack.enter_context(cluster.links.slow_link(number, self.rate))
            yield


SOLVER = Program(
    "solver",
    SOURCES.parents[1] / "examples" / "introspection" / "solver.c",
    ("-n", "128", "-i", "200", "-f", "10"),
    rate="5mbit",
    asks=True,
    needs_yield=True,
)
LONG_SOLVER = replace(SOLVER, name="solver x3", words=(*SOLVER.words, "-i", "600"))
HALO = Program("halo", SOURCES / "halo.c", ("131072", "20"))
TREES = Program("trees", SOURCES / "trees.c", (), THERE_AND_BACK, asks=True)
GROUPS = Program("groups", SOURCES / "groups.c", (), asks=True)
MAPPED = (
    Program("rows", SOURCES / "rows.c", ("131072", "20")),
    Program("cg", SOURCES / "cg.c", ("131072", "8")),
    Program(
        "lammps",
        None,
        ("lmp", "-in", str(Path(__file__).with_name("melt.lammps")), "-log", "none"),
        THERE_AND_BACK,
    ),
    replace(SOLVER, words=(*SOLVER.words, "-k")),
)
