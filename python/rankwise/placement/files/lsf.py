"""LSF: a host file whose order is that of the ranks."""

from __future__ import annotations

from rankwise.placement.files.job import Job, Written, lines


def hostfile(job: Job) -> Written:
    """`HOST RANKS`; a host may come back. The file replaces -n, -m and -R."""
    path = job.directory / "lsf.hosts"
    text = lines([f"{host} {count}" for host, count in job.runs()])
    return Written(path, "LSF", text, ("bsub", "-hostfile", str(path), *job.program), note="hosts only")
