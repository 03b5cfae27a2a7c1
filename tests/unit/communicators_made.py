"""Profiles with every kind of communicator, and with very many."""

from __future__ import annotations

from pathlib import Path

from made_profile import WORLD, Made

NONE, SEVERAL, OTHER = range(3)
HOSTILE = "<script>window.harmed=1</script>\"'`&\u202e\x1b[31m"
RANKS = 8
TOTAL = 4.5
"""Seconds in MPI between MPI_Init and MPI_Finalize, over the ranks."""


def write_kinds(path: Path) -> Path:
    """Write a run of eight ranks, four on each of two hosts.

    W: Allreduce of 8 B by all, 0.25 s each, together 2 s; rank 7 never came back from a Barrier on it.
    W_s1.0 and W_s1.4, "row", of ranks 0-3 and 4-7: Bcast of 64-127 B by all, 0.125 s each, together 1 s.
    W_s1.0_d1 and W_s1.4_d1, made from these: not used. W_w1: a window that was freed, not used.
    W_i1, an intercommunicator of rank 0 and ranks 1-7: 2 x Send of 1-2 MiB by rank 0, 1 s.
    W_f1, a file with a hostile name: rank 0 writes 1 MiB, 0.25 s. (several): 3 x Waitall by rank 1, 0.25 s.
    """
    made = Made(ranks=RANKS, hosts=["a"] * 4 + ["b"] * 4)
    for key, name in ((NONE, "(none)"), (SEVERAL, "(several)"), (OTHER, "(other)")):
        made.communicator(key, name, size=0, members="", type="communicator")
    made.insert("objects", id=1, path="/home/user/app", build_id="", is_program=1)
    made.insert("sites", id=1, object=1, offset=16, function="main", file="/home/user/app.c", line=7)
    split = {"procedure": "MPI_Comm_split", "parent": WORLD, "size": 4, "family": "W_s1", "user_name": "row"}
    where = {"created_in": "app", "site": 1, "type": "communicator"}
    for key, first in ((10, 0), (11, 4)):
        members = f"{first}-{first + 3}"
        made.communicator(
            key,
            f"W_s1.{first}",
            members=members,
            members_seen=4,
            created=1.0,
            freed=5.0 + first,
            **split,
            **where,
        )
        copy = {
            "procedure": "MPI_Comm_dup",
            "parent": key,
            "size": 4,
            "family": "W_s1_d1",
            "type": "communicator",
        }
        made.communicator(key + 10, f"W_s1.{first}_d1", members=members, created=2.0, **copy)
    inter = {"procedure": "MPI_Intercomm_create", "size": 1, "remote_size": 7, "type": "communicator"}
    ends = {"parent": 10, "remote_parent": 11}
    made.communicator(30, "W_i1", members="0", remote_members="1-7", created=3.0, **inter, **ends)
    made.communicator(
        31, "W_w1", procedure="MPI_Win_create", parent=WORLD, type="window", created=4.0, freed=4.5
    )
    opened = {
        "procedure": "MPI_File_open",
        "parent": WORLD,
        "type": "file",
        "user_name": f"/scratch/{HOSTILE}",
    }
    made.communicator(32, "W_f1", created=6.0, **opened)
    for rank in range(RANKS):
        made.call(rank, "MPI_Init", 0.5, communicator=NONE)
        made.call(rank, "MPI_Allreduce", 0.25, size_bin=4, sent=8)
        row = 10 if rank < 4 else 11
        made.call(rank, "MPI_Bcast", 0.125, size_bin=7, sent=100 if rank % 4 == 0 else 0, communicator=row)
    made.call(0, "MPI_Send", 1.0, calls=2, size_bin=21, sent=2**21, communicator=30)
    made.call(0, "MPI_File_write", 0.25, size_bin=21, sent=2**20, communicator=32)
    made.call(1, "MPI_Waitall", 0.25, calls=3, communicator=SEVERAL)
    made.call(7, "MPI_Barrier", 0.0, calls=0, size_bin=127)
    made.connection.execute("UPDATE call_counts SET unfinished = 1 WHERE calls = 0")
    return made.write(path)


def write_many(path: Path, rows: int = 1100) -> Path:
    """Write a run of ranks in pairs, each with two communicators: more than are told apart."""
    made = Made(ranks=rows)
    for key, name in ((NONE, "(none)"), (SEVERAL, "(several)"), (OTHER, "(other)")):
        made.communicator(key, name, size=0, members="", type="communicator")
    for first in range(0, rows, 2):
        for step, call in enumerate(("s", "d")):
            made.communicator(
                100 + first + step,
                f"W_{call}1.{first}",
                family=f"W_{call}1",
                parent=WORLD,
                procedure="MPI_Comm_split",
                size=2,
                members=f"{first}-{first + 1}",
                type="communicator",
                created=1.0,
            )
        made.call(first, "MPI_Barrier", 0.001, communicator=100 + first)
    return made.write(path)
