"""A run in which rank 3 of 4 computes for longer: every figure of its overview follows from it by hand."""

from __future__ import annotations

from pathlib import Path

from made_profile import Made


def late_rank(path: Path) -> Path:
    """Write it.

    10 s, of which ranks 0 to 2 are 6 s in one Allreduce, 4 of them before rank 3 comes, which is 2 s in it:
    20 s of 40 in MPI, 12 of waiting, 8 of transfer. Useful are 4, 4, 4 and 8 s.
    """
    made = Made(hosts=("node", "node", "node", "slow"), cpus="0-3")
    for rank, seconds in enumerate((6.0, 6.0, 6.0, 2.0)):
        made.call(rank, "MPI_Allreduce", seconds, size_bin=4, sent=8)
    made.instance("MPI_Allreduce", 1, (4.0, 4.0, 4.0, 8.0), 10.0, since=(4.0, 4.0, 4.0, 8.0))
    return made.write(path)
