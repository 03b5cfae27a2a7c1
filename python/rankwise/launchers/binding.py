"""The binding of a rank: its place, as passed to launchers.

Apart from the rest, because it takes long to make data classes, and `rankwise run` needs none.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Binding:
    """Where one rank is to run; numbers count from 0, and are -1 where the machine does not know.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: name of the node.
        package: logical number (hwloc's) of the package in the node.
        core: logical number of the core in the node.
        core_of_package: logical number of the core in its package.
        cpu: the kernel's number of the processor (hwloc: PU), the first one of the core.
    """

    rank: int
    host: str
    package: int = -1
    core: int = -1
    core_of_package: int = -1
    cpu: int = -1
