"""MPICH: Hydra's host file, and a map of ranks to nodes.

Hydra takes a host that comes back in its file for another node, whose ranks then do without shared memory. So
where ranks of a host are not successive, the file names each host once, and -rankmap tells the order.
"""

from __future__ import annotations

from rankwise.placement.files.job import Job, Written, lines
from rankwise.placement.files.processors import binding_note, common_processors
from rankwise.placement.seats import by_host

# Of one word of a command (Linux: MAX_ARG_STRLEN).
_LONGEST_WORD = 131_071


def hydra(job: Job) -> Written:
    """`HOST:RANKS`; and -rankmap if hosts are split, which is new in MPICH 4.1."""
    path = job.directory / "mpich.hosts"
    seats = by_host(job.seats)
    text = lines([f"{host}:{len(there)}" for host, there in seats.items()])
    words, notes = ["mpiexec", "-f", str(path)], []
    if job.is_split():
        number = {host: place for place, host in enumerate(seats)}
        order = ",".join(str(number[seat.host]) for seat in job.seats)
        if len(order) > _LONGEST_WORD:
            note = "not to be had: the order of ranks is longer than a word of a command may be"
            return Written(path, "MPICH", text, note=note)
        words += ["-rankmap", order]
        notes.append("hosts are split: MPICH 4.1 or later")
    cpus = common_processors(seats.values())
    if cpus:
        words += ["-bind-to", f"user:{','.join(map(str, cpus))}"]
    else:
        notes.append(binding_note(seats.values()))
    return Written(path, "MPICH", text, (*words, "-n", job.size, *job.program), note="; ".join(notes))
