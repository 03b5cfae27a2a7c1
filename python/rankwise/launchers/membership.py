"""The rank and job of a process before MPI_Init, as passed by its launcher.

The library asks the same variables, in the same order: src/runtime/launcher.cpp.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.launchers import launchers

if TYPE_CHECKING:
    from rankwise.launchers.base import World

_MOST_GENERATIONS = 4  # shells and wrappers between the launcher and us


class Membership(NamedTuple):
    """A process within its launch.

    Attributes:
        rank: in MPI_COMM_WORLD.
        size: of MPI_COMM_WORLD.
        local_rank: number in its node; -1 if unknown.
        on_node: ranks of its node; 0 if unknown.
        job: identifies its launch, the same for all its ranks; '' if unknown.
    """

    rank: int
    size: int
    local_rank: int
    on_node: int
    job: str

    @property
    def speaks_for(self) -> int:
        """Ranks that this one answers for: its whole node, none, or only itself if the node is unknown."""
        if self.on_node < 1 or self.local_rank < 0:
            return 1
        return 0 if self.local_rank else self.on_node


def membership(environment: Mapping[str, str]) -> Membership | None:
    """Return this process's place in its launch; None unless the launcher reports several ranks."""
    for launcher in launchers():
        ranks = launcher.rank_identity(environment)
        if ranks:
            return Membership(*ranks, job_of(environment)) if ranks.size > 1 else None
    return None


def job_of(environment: Mapping[str, str]) -> str:
    """Return the identity of this launch; '' if unknown."""
    worlds = (world for launcher in launchers() for world in launcher.worlds)
    return next(filter(None, (_identity(world, environment) for world in worlds)), "")


def _identity(world: World, environment: Mapping[str, str]) -> str:
    if world.option:
        identity = _option_of_ancestors(world.option)
    else:
        identity = environment.get(world.variable, "")
        if identity and world.second:
            identity = f"{identity}.{environment.get(world.second) or world.missing}"
    return f"{world.prefix}{identity}" if identity else ""


def _option_of_ancestors(option: str) -> str:
    """Return the word behind an option of a process that started this one, directly or not."""
    pid = os.getppid()
    for _ in range(_MOST_GENERATIONS):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
        if option in words[:-1]:
            return words[words.index(option) + 1]
    return ""
