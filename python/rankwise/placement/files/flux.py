"""Flux: a task map from a file of hosts."""

from __future__ import annotations

from rankwise.placement.files.job import Job, Written, lines
from rankwise.placement.seats import by_host


def taskmap(job: Job) -> Written:
    """The host of each rank, one a line."""
    path = job.directory / "flux.hosts"
    counts = {len(seats) for seats in by_host(job.seats).values()}
    hosts = job.hosts()
    words = ["flux", "run", "-N", str(len(hosts)), "-n", job.size]
    words += [f"--requires=host:{','.join(hosts)}", f"--taskmap=hostfile:{path}"]
    note = "hosts only"
    if len(counts) > 1:
        note += "; Flux refuses it unless it gives each node so many tasks as the file has"
    return Written(path, "Flux", lines([seat.host for seat in job.seats]), (*words, *job.program), note=note)
