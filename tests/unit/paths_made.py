"""A profile whose paths to a call are known."""

from __future__ import annotations

from made_profile import WORLD, Made
from synthetic import IDS

ALLREDUCE = IDS["MPI_Allreduce"]


def made_paths(weight: float = 4.0) -> Made:
    """A library's call that comes from three functions in 60, 30 and 10 of 100; each stands for `weight`."""
    profile = Made(ranks=2)
    profile.insert("objects", id=1, path="/home/me/solver", is_program=1)
    profile.insert("objects", id=2, path="/usr/lib/libways.so.1")
    profile.insert("sites", id=1, object=2, offset=0x99, function="reduce")
    for number, name in enumerate(("solve", "norm", "output", "main"), 1):
        profile.insert("frames", id=number, object=1, offset=number, function=name, file="/s.c", line=number)
    profile.insert("frames", id=5, object=2, offset=0x77, function="gather")
    for number, share in ((1, 60), (2, 30), (3, 10)):
        calls = share * weight
        spread = share * weight * (weight - 1)
        profile.insert(
            "paths",
            id=number,
            site=1,
            procedure=ALLREDUCE,
            frames=f"5,{number},4",
            ends="whole",
            ranks=2,
            samples=share,
            calls=calls,
            seconds=calls / 100,
            calls_spread=spread,
            seconds_spread=spread / 100**2,
        )
    profile.insert("call_places", id=1, rank=0, communicator=WORLD, site=1)
    profile.insert("call_counts", id=(1 << 30) + (ALLREDUCE << 7), calls=1000, ns=2_000_000_000)
    profile.connection.execute("UPDATE ranks SET mpi = 2.0 WHERE rank = 0")
    return profile
