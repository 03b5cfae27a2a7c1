"""Runs that were ended by a time limit, of which every figure is known."""

from __future__ import annotations

from pathlib import Path

from made_profile import WORLD, Made

RUN_S, HUNG_S = 160.0, 158.0
_ENDED = "2026-11-21T10:02:40+00:00"
_SINCE = "2026-11-21T10:00:02+00:00"


def ended(*inside: tuple[str, int | None, int | None], ranks: int = 4, held: str = _SINCE) -> Made:
    """A run of which some ranks were inside of a call at its end, the others outside of MPI.

    Args:
        inside: for the first ranks the procedure ('' = outside), and source and tag of the message that it
            waits for.
        ranks: in all.
        held: since when they were there.
    """
    made = Made(ranks, runs=[RUN_S] * ranks)
    made.connection.execute(
        "UPDATE run SET partial = 1, stopped = ?, ended = ?, wall = ?, exit_status = 124",
        (_ENDED, _ENDED, RUN_S),
    )
    made.connection.execute("UPDATE ranks SET state = 'running', stopped = ?, last_call = ?", (_ENDED, held))
    for rank, (procedure, source, tag) in enumerate(inside):
        if procedure:
            made.connection.execute(
                "UPDATE ranks SET inside = ?, inside_communicator = ?, inside_since = ?, inside_source = ?,"
                " inside_source_tag = ? WHERE rank = ?",
                (procedure, WORLD, held, source, tag, rank),
            )
            made.call(rank, procedure, HUNG_S if held == _SINCE else 0.0, calls=0, size_bin=127)
    made.connection.execute("UPDATE main.call_counts SET unfinished = 1")
    return made


def wrong_tag(path: Path) -> Path:
    """Write a run that hangs for 158 of 160 s: rank 0 waits for tag 7, and rank 1 has sent tag 8.

    Before, all have waited 0.05 s for rank 1 in a barrier, which is all that is known of waiting.
    """
    made = ended(("MPI_Recv", 1, 7), *[("MPI_Barrier", None, None)] * 3)
    made.instance("MPI_Barrier", 1, (1.0, 1.05, 1.0, 1.0), 1.05, since=(1.0, 1.05, 1.0, 1.0))
    for rank in range(4):
        made.call(rank, "MPI_Barrier", 0.0 if rank == 1 else 0.05)
    made.insert("open_messages", source=1, destination=0, communicator=WORLD, tag=8, sent=1, received=0)
    return made.write(path)


def long_computation(path: Path) -> Path:
    """Write a run whose time was up while all ranks computed but one, which had just come to a barrier."""
    return ended(("MPI_Barrier", None, None), held="2026-11-21T10:02:39.900000+00:00").write(path)
