"""Jobs that hang or lose a rank: the time in which they hung, where each rank was, who was lost and how."""

from __future__ import annotations

import os
import platform
import re
import signal
import time
from datetime import datetime
from pathlib import Path

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, VICTIM, Job, Place, partial
from libraries import Mpi
from recording import Compile, Recording

from exhaustive import few

HUNG_S = 2.0
# From there on anybody is told how a process ended.
TELLS_HOW = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2]) >= (6, 15)


mpi = libraries.in_turn(libraries.ONE_OF_EACH_LAUNCHER)


def hang(place: Place, what: str, inside: int) -> tuple[Recording, float, float]:
    """Run the program until so many ranks hang in a call, and HUNG_S longer; then end it by SIGTERM.

    Returns:
        the profile, seconds that all of them hung at least, and that the job took at most.
    """
    start = time.monotonic()
    with place.start(what) as job:
        job.wait_until_ready()
        while hanging(job) < inside:
            assert time.monotonic() < start + LIMIT_SECONDS, job.stderr
            time.sleep(0.05)
        hung = time.monotonic()
        time.sleep(HUNG_S)
        least = time.monotonic() - hung
        os.kill(job.process.pid, signal.SIGTERM)
        job.wait()
        return place.recorded(job), least, time.monotonic() - start


def hanging(job: Job) -> int:
    """How many ranks are inside a call that they called after MPI_Barrier."""
    threads = [counters.threads for counters in job.counters()]
    return sum(bool(rank["inside_key"].any() and rank["left_key"].any()) for rank in threads)


def test_the_time_in_which_a_job_hung(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    place = Place(mpi, compiled(mpi, "mismatched.c"), tmp_path)
    done, least, most = hang(place, "late", RANKS - 1)
    rows = done.rows(
        "SELECT rank, calls, unfinished, seconds FROM calls JOIN procedures ON procedures.id = procedure"
        " WHERE name = 'MPI_Allreduce' ORDER BY rank"
    )
    assert [row[:3] for row in rows] == [(rank, 0, 1) for rank in range(1, RANKS)]
    for _, _, _, seconds in rows:
        assert least <= seconds <= most  # type: ignore[operator]
    # Their time in MPI, their lives and the moments at which both ended agree with it.
    for rank, mpi_seconds, wall, since, stopped in done.rows(
        "SELECT rank, mpi, wall, inside_since, stopped FROM ranks ORDER BY rank"
    ):
        assert least <= wall <= most  # type: ignore[operator]
        if rank == 0:
            assert since is None
            assert mpi_seconds < HUNG_S / 2  # type: ignore[operator]
        else:
            seconds = datetime.fromisoformat(str(stopped)) - datetime.fromisoformat(str(since))
            assert seconds.total_seconds() == pytest.approx(rows[rank - 1][3], abs=1e-3)  # type: ignore[operator]
            assert mpi_seconds >= rows[rank - 1][3]  # type: ignore[operator]
    assert "rank 0 (" in partial(done)[1]
    # Who was inside what, and who was missing.
    summary = done.shown()
    lines = [line.split() for line in summary.splitlines()]
    [inside] = [words for words in lines if "MPI_Allreduce" in words and words[0] == "1-3"]
    assert inside[:5] == ["1-3", "3", "MPI_Allreduce", "on", "W"]
    assert inside[-1] == "0"
    calls = [line.split() for line in done.shown("--by", "call").splitlines()]
    # (The first line is the finding; what there is no room for is in a second table.)
    [_, reduce, *_] = [words for words in calls if words[:1] == ["Allreduce"]]
    assert any(word.endswith("+") for word in reduce), reduce
    assert re.search(r", inside Allreduce on W\b.*?\bsince\b", done.shown("--by", "rank"), re.DOTALL)


def test_mismatched_collectives(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    place = Place(mpi, compiled(mpi, "mismatched.c"), tmp_path)
    done, *_ = hang(place, "mismatched", RANKS - 1)
    reason = partial(done)[1]
    assert "rank 2 (" in reason
    assert "polling with MPI_Test on W" in reason
    assert "rank 3 (" in reason
    assert "inside MPI_Bcast on W" in reason
    assert "ranks 0-1 inside MPI_Allreduce on W" in reason


def test_whom_calls_wait_for(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    place = Place(mpi, compiled(mpi, "mismatched.c"), tmp_path)
    done, *_ = hang(place, "partners", RANKS)
    assert done.rows(
        "SELECT rank, inside, inside_source, inside_source_tag, inside_destination, inside_destination_tag"
        " FROM ranks ORDER BY rank"
    ) == [
        (0, "MPI_Recv", 1, 7, None, None),
        (1, "MPI_Wait", 2, None, None, None),
        (2, "MPI_Ssend", None, None, 3, 9),
        (3, "MPI_Probe", 0, -1, None, None),
    ]
    summary = " ".join(done.shown("-v").split())
    for text in (
        "MPI_Recv on W from 1, tag 7",
        "MPI_Wait on W from 2",
        "MPI_Ssend on W to 3, tag 9",
        "MPI_Probe on W from 0",
    ):
        assert text in summary


@pytest.mark.skipif(not TELLS_HOW, reason="this kernel does not tell how processes end")
@pytest.mark.parametrize(
    ("what", "told"),
    few(
        [
            ("kill", "killed by SIGKILL"),
            ("segfault", "was killed by SIGSEGV"),
            ("exit", "ended with status 3 before MPI_Finalize"),
        ],
        2,
    ),
)
def test_who_was_lost(mpi: Mpi, compiled: Compile, tmp_path: Path, what: str, told: str) -> None:
    place = Place(mpi, compiled(mpi, "faults.c"), tmp_path)
    with place.start(what, str(VICTIM)) as job:
        job.wait()
        done = place.recorded(job)
    reason = partial(done)[1]
    clause = reason.partition("; ")[0]
    [(known,)] = done.rows("SELECT COUNT(signal) + COUNT(exit_code) FROM ranks")
    named = re.match(r"(?:probably )?rank (\d+) \(", clause)
    assert named is None or named[1] == str(VICTIM), reason
    if known < RANKS:  # a job so short that not all of its processes were noticed in time
        return
    assert told in clause
    # Where the launcher kills the others by the same signal, nobody can be sure.
    assert named or (what == "kill" and re.match(r"ranks [0-9,-]+ were killed", clause)), reason
    [(number, code)] = done.rows("SELECT signal, exit_code FROM ranks WHERE rank = ?", VICTIM)
    assert (number, code) == {"kill": (9, None), "segfault": (11, None), "exit": (None, 3)}[what]
