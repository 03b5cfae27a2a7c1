"""All that MPI answers a program is the same under Rankwise, to the last error code.

programs/transcript/ writes what it sees into a file a rank: hundreds of invalid calls and their codes, error
handlers and the arguments they are called with, statuses, flags and handles, attributes and their callbacks,
comparisons, names, groups, operations, sentinels, windows and files.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import recording
from libraries import Mpi
from recording import Compile

RANKS = 2


def transcripts(place: Path) -> list[list[str]]:
    """Each rank's lines."""
    return [(place / f"transcript.{rank}").read_text().splitlines() for rank in range(RANKS)]


def test_same_with_and_without(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    command = mpi.launch(RANKS, compiled(mpi, "transcript"))
    plain, profiled = tmp_path / "plain", tmp_path / "profiled"
    plain.mkdir()
    profiled.mkdir()
    bare = subprocess.run(command, capture_output=True, text=True, timeout=60, env=mpi.env(), cwd=plain)
    assert bare.returncode == 0, bare.stderr
    done = recording.run(command, profiled / "transcript.rankwise", mpi.env())
    assert done.process.returncode == 0, done.process.stderr

    # Each rank got to the end, having seen errors.
    for lines in transcripts(plain):
        assert lines[-1] == "finalized after: 1"
        assert sum(", class " in line and ": 0," not in line for line in lines) > 100
    assert transcripts(profiled) == transcripts(plain)
    # And it was recorded, beginning to end.
    assert done.calls("MPI_Comm_split", "W")[0][0] == 4  # one of them invalid
    assert done.calls("MPI_Finalize") == dict.fromkeys(range(RANKS), (1, 0, 0))
    assert done.rows("SELECT partial, ranks_seen FROM run") == [(0, RANKS)]
    # Nothing is there that no constructor made; some returned MPI_SUCCESS after their error was handled.
    duplicates = [name for name in done.communicators() if name.rpartition("_")[2].startswith("d")]
    assert len(duplicates) == (9 if mpi.family == "mpich" else 8)
    assert done.rows("SELECT COUNT(*) FROM files WHERE id > 0") == [(2 * RANKS,)]
