"""Intel MPI: a machine file with the hosts in rank order, and one list of processors for all nodes.

Hosts may come back: Intel MPI, though its launcher is Hydra, takes them for the same node then.
"""

from __future__ import annotations

from rankwise.placement.files.job import Job, Written, lines
from rankwise.placement.files.processors import binding_note, common_processors
from rankwise.placement.seats import by_host


def machinefile(job: Job) -> Written:
    """`HOST:RANKS`, and I_MPI_PIN_PROCESSOR_LIST with an entry for the first, second, ... rank of a node."""
    path = job.directory / "intel.machines"
    text = lines([f"{host}:{count}" for host, count in job.runs()])
    nodes = list(by_host(job.seats).values())
    cpus = common_processors(nodes)
    words = ["mpiexec", "-machinefile", str(path)]
    if cpus:
        words += ["-genv", "I_MPI_PIN", "1", "-genv", "I_MPI_PIN_PROCESSOR_LIST", ",".join(map(str, cpus))]
    note = "" if cpus else binding_note(nodes)
    return Written(path, "Intel MPI", text, (*words, "-n", job.size, *job.program), note=note)
