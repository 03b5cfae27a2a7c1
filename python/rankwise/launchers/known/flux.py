"""Flux: a task map from a file of hosts."""

from __future__ import annotations

from rankwise.launchers.base import Launcher
from rankwise.launchers.placing import Job, Placing, Written


def taskmap(job: Job) -> Written:
    """The host of each rank, one a line."""
    path = job.directory / "flux.hosts"
    counts = {len(bindings) for bindings in job.by_host().values()}
    hosts = list(job.by_host())
    words = ["flux", "run", "-N", str(len(hosts)), "-n", job.size]
    words += [f"--requires=host:{','.join(hosts)}", f"--taskmap=hostfile:{path}"]
    note = "hosts only"
    if len(counts) > 1:
        note += "; Flux refuses it unless it gives each node as many tasks as the file"
    return Written(path, "Flux", job.hosts, (*words, *job.program), note=note)


class TaskMap(Placing):
    """Of `flux run`."""

    choice = "flux"
    files = (taskmap,)


class Flux(Launcher):
    """Not recognised, since it is the second word of `flux run`: ranks get the environment as it is."""

    name = "flux"
    order = 50
    placings = (TaskMap(),)


LAUNCHER = Flux()
