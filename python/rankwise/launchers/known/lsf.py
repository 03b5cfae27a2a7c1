"""LSF: a host file in the order of the ranks."""

from __future__ import annotations

from rankwise.launchers.base import Launcher
from rankwise.launchers.placing import Job, Placing, Written, lines


def hostfile(job: Job) -> Written:
    """`HOST RANKS`; a host may come back. The file replaces -n, -m and -R."""
    path = job.directory / "lsf.hosts"
    text = lines([f"{host} {count}" for host, count in job.runs()])
    return Written(path, "LSF", text, ("bsub", "-hostfile", str(path), *job.program), note="hosts only")


class HostFile(Placing):
    """Of `bsub`."""

    choice = "lsf"
    files = (hostfile,)


class LSF(Launcher):
    """jsrun and lrun."""

    name = "lsf"
    order = 60
    commands = ("jsrun", "lrun")
    placings = (HostFile(),)


LAUNCHER = LSF()
