"""Slurm: arbitrary distribution, a step of an allocation that has the hosts."""

from __future__ import annotations

from rankwise.placement.files.job import Job, Written, lines
from rankwise.placement.files.processors import binding_note, common_processors
from rankwise.placement.seats import by_host


def arbitrary(job: Job) -> Written:
    """The host of each rank, one a line; --cpu-bind has a processor for each rank of a node."""
    path = job.directory / "slurm.hosts"
    nodes = list(by_host(job.seats).values())
    cpus = common_processors(nodes)
    words = ["srun", "-n", job.size, "--distribution=arbitrary"]
    if cpus:
        words.append(f"--cpu-bind=map_cpu:{','.join(map(str, cpus))}")
    return Written(
        path,
        "Slurm",
        lines([seat.host for seat in job.seats]),
        (*words, *job.program),
        (("SLURM_HOSTFILE", str(path)),),
        "" if cpus else binding_note(nodes),
    )
