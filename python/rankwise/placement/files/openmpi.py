"""Open MPI: rankfiles, as version 4 and version 5 (PRRTE) take them, and the sequential mapper.

The numbers in rankfiles are logical. A line of a rankfile without a core is refused, and `slot=*` is core 0;
so where cores are not known, the sequential mapper takes the place of rankfiles.
"""

from __future__ import annotations

from pathlib import Path

from rankwise.placement.files.job import Job, Written, lines
from rankwise.placement.seats import Seat

_HOSTS = "openmpi.hosts"


def rankfile4(job: Job) -> Written:
    """`rank R=HOST slot=PACKAGE:CORE`."""
    path = job.directory / "openmpi4.ranks"
    return _by_rankfile(job, "Open MPI 4", path, "--rankfile", str(path))


def rankfile5(job: Job) -> Written:
    """The same lines, as a modifier of --map-by; the hosts and their slots are not taken from them."""
    path = job.directory / "openmpi5.ranks"
    hosts = ("--hostfile", str(job.directory / _HOSTS))
    return _by_rankfile(job, "Open MPI 5, PRRTE", path, *hosts, "--map-by", f"rankfile:file={path}")


def sequential(job: Job) -> Written:
    """The host of each rank, one a line; versions 4 and 5."""
    return _by_hosts(job, "Open MPI, hosts", job.directory / _HOSTS, "hosts only")


def _by_rankfile(job: Job, launcher: str, path: Path, *options: str) -> Written:
    entries = []
    for seat in job.seats:
        slot = _slot(seat)
        if slot is None:
            return _by_hosts(job, launcher, path, "hosts only: the cores are not known")
        entries.append(f"rank {seat.rank}={seat.host} slot={slot}")
    return Written(path, launcher, lines(entries), _command(job, *options))


def _by_hosts(job: Job, launcher: str, path: Path, note: str) -> Written:
    words = _command(job, "--hostfile", str(path), "--map-by", "seq")
    return Written(path, launcher, lines([seat.host for seat in job.seats]), words, note=note)


def _command(job: Job, *options: str) -> tuple[str, ...]:
    return ("mpirun", "-np", job.size, *options, *job.program)


def _slot(seat: Seat) -> str | None:
    if seat.package >= 0 and seat.core_of_package >= 0:
        return f"{seat.package}:{seat.core_of_package}"
    return str(seat.core) if seat.core >= 0 else None
