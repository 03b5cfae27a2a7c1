"""Cray MPICH: takes the rank of each slot, the inverse of what other launchers take.

Slots are those of a launch in blocks: nodes in Slurm's order, by the numbers in their names, and on each
node the cores in ascending order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankwise.launchers.base import Launcher
from rankwise.launchers.placing import Job, Placing, Written, common_processors, lines

if TYPE_CHECKING:
    from rankwise.launchers.binding import Binding


def rank_order(job: Job) -> Written:
    """Ranks in the order of slots, a node a line; successive ones as A-B."""
    path = job.directory / "MPICH_RANK_ORDER"
    nodes = _slots(job)
    counts = {len(bindings) for bindings in nodes}
    words = ["srun", "-N", str(len(nodes)), "-n", job.size]
    words += ["-w", ",".join(bindings[0].host for bindings in nodes), "--distribution=block"]
    note = ""
    if len(counts) == 1:
        words.append(f"--ntasks-per-node={counts.pop()}")
    else:
        note = "needs a launch with as many ranks per node as the file has per line"
    cpus = common_processors(nodes)
    if cpus:
        words.append(f"--cpu-bind=map_cpu:{','.join(map(str, cpus))}")
    text = lines([",".join(_ranges([binding.rank for binding in bindings])) for bindings in nodes])
    environment = (("MPICH_RANK_REORDER_METHOD", "3"), ("MPICH_RANK_REORDER_FILE", str(path)))
    return Written(path, "Cray MPICH", text, (*words, *job.program), environment, note)


def _slots(job: Job) -> list[list[Binding]]:
    """Return the bindings of each node in the order of their slots."""
    nodes = job.by_host()
    return [
        sorted(nodes[host], key=lambda binding: (binding.core, binding.rank))
        for host in sorted(nodes, key=_natural)
    ]


def _natural(host: str) -> list[tuple[int, str]]:
    """Return a key that puts node9 before node10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", host)]


def _ranges(ranks: list[int]) -> list[str]:
    """Return the ranks with A-B for each run that counts upwards."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]


class RankOrder(Placing):
    """Of Cray MPICH."""

    choice = "cray"
    files = (rank_order,)


class Cray(Launcher):
    """aprun; on newer machines programs of Cray MPICH are started by srun."""

    name = "cray"
    order = 40
    commands = ("aprun",)
    placings = (RankOrder(),)


LAUNCHER = Cray()
