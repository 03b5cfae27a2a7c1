"""Jobs that go wrong: the profile is written all the same, and the program's own end is not changed.

programs/faults.c makes a known number of calls before anything happens; these are counted exactly every time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from datetime import datetime

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, VICTIM, Place, assert_known_calls, check_launcher, partial
from recording import RANKWISE, Recording

from golden import assert_facts

mpi = libraries.in_turn(libraries.ONE_OF_EACH)


REASONS = {
    "abort": [f"rank {VICTIM} ", "called MPI_Abort(7)"],
    "kill": [f"rank {VICTIM} ", "outside of recorded MPI calls"],
    "segfault": [f"rank {VICTIM} ", "outside of recorded MPI calls"],
    "exit": [f"rank {VICTIM} ", "outside of recorded MPI calls"],
    "time": [f"rank {VICTIM} ", "outside of recorded MPI calls"],
    # MPI's own error handler ends it, which is called by a procedure that is not recorded.
    "handler": [f"rank {VICTIM} ", "outside of recorded MPI calls"],
}


def ends_without_rankwise(place: Place, what: str, status: int) -> bool:
    """Whether a run without Rankwise has that exit status.

    MPICH's mpirun tells either the status of the rank that ended first or that of those it killed, by chance:
    several tries.
    """
    for _ in range(15):
        with place.start(what, str(VICTIM), under=[]) as plain:
            if plain.wait() == status:
                return True
    return False


@pytest.mark.parametrize("what", sorted(REASONS))
def test_one_rank_goes_wrong(place: Place, what: str) -> None:
    with place.start(what, str(VICTIM)) as job:
        ended = job.wait()
        done = place.recorded(job)
    check_launcher(place.mpi, ended)
    assert ended != 0
    assert ends_without_rankwise(place, what, ended), job.stderr
    is_partial, reason, status = partial(done)
    assert is_partial == 1
    assert [part for part in REASONS[what] if part not in reason] == [], reason
    assert status == ended
    assert_known_calls(done)
    assert done.dropped == {}
    assert done.rows("SELECT ranks_seen, ranks_expected FROM run") == [(RANKS, RANKS)]
    codes = dict(done.rows("SELECT rank, abort_code FROM ranks WHERE abort_code IS NOT NULL"))
    assert codes == ({VICTIM: 7} if what == "abort" else {})
    assert not place.run_directory.exists()


def test_abort_inside_a_collective(place: Place) -> None:
    with place.start("collective") as job:
        ended = job.wait()
        done = place.recorded(job)
    check_launcher(place.mpi, ended)
    assert ended == 7
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, 7)
    assert "called MPI_Abort(7)" in reason
    assert_known_calls(done)
    aborted = done.rows("SELECT DISTINCT abort_code, inside FROM ranks WHERE state = 'aborted'")
    assert aborted == [(7, "MPI_Allreduce")]


def test_all_ranks_are_killed(place: Place) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        for pid in job.ranks:
            # Its launcher may end the others when the first is gone.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status = job.wait()
        done = place.recorded(job)
    assert status != 0
    is_partial, reason, recorded_status = partial(done)
    assert (is_partial, recorded_status) == (1, status)
    assert_facts(reason, f"{RANKS} .. {RANKS} .. MPI_Finalize")
    assert_facts(reason, "MPI_Recv .. W")
    assert_known_calls(done)


def test_some_are_at_the_end_and_one_hangs(place: Place) -> None:
    with place.start("uneven", str(VICTIM)) as job:
        job.wait_until_hanging()
        os.kill(job.process.pid, signal.SIGTERM)
        status = job.wait()
        done = place.recorded(job)
    is_partial, reason, recorded_status = partial(done)
    assert (is_partial, recorded_status) == (1, status)
    for part in ("SIGTERM ended the launch", f"rank {VICTIM} ", "inside MPI_Recv on W"):
        assert part in reason
    assert_known_calls(done)
    query = "SELECT rank, inside, inside_since, stopped, state FROM ranks JOIN run"
    [(started,)] = done.rows("SELECT started FROM run")
    for rank, inside, since, stopped, state in done.rows(query.replace("stopped", "ranks.stopped")):
        if rank != VICTIM and state == "finalized":  # some libraries let it go
            continue
        assert inside == ("MPI_Recv" if rank == VICTIM else "MPI_Finalize")
        instants = [datetime.fromisoformat(str(instant)) for instant in (started, since, stopped)]
        assert instants == sorted(instants)


@pytest.mark.parametrize("to_group", [False, True], ids=["alone", "group"])
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_hanging_job_is_ended(place: Place, signum: signal.Signals, to_group: bool) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        (os.killpg if to_group else os.kill)(job.process.pid, signum)
        status = job.wait()
        done = place.recorded(job)
    # hydra by itself ends with 0 now and then when the whole group gets the signal.
    assert status != 0 or place.mpi.family != "openmpi"
    is_partial, reason, recorded_status = partial(done)
    assert (is_partial, recorded_status) == (1, status)
    for part in (f"{signum.name} ended the launch", f"rank {VICTIM} ", "inside MPI_Recv on W"):
        assert part in reason
    assert_known_calls(done)
    inside = dict(done.rows("SELECT rank, inside FROM ranks"))
    assert inside == {rank: "MPI_Recv" if rank == VICTIM else "MPI_Barrier" for rank in range(RANKS)}


def test_mpirun_is_killed(place: Place) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        os.kill(job.launcher, signal.SIGKILL)
        assert job.wait() == 128 + signal.SIGKILL
        done = place.recorded(job)
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, 128 + signal.SIGKILL)
    for part in ("was killed by SIGKILL", f"rank {VICTIM} ", "inside MPI_Recv on W"):
        assert part in reason
    assert_known_calls(done)


def recover(place: Place, *options: str) -> subprocess.CompletedProcess[str]:
    words = [str(RANKWISE), "recover", str(place.run_directory), *options]
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=place.directory)


def test_rankwise_is_killed_and_the_job_goes_on(place: Place) -> None:
    with place.start("wait") as job:
        job.wait_until_ready()
        os.kill(job.process.pid, signal.SIGKILL)
        job.process.wait(timeout=LIMIT_SECONDS)
        early = place.directory / "early.rankwise"
        assert recover(place, "-o", str(early)).returncode == 0
        job.go_on()
        job.wait_for_ranks()
        late = recover(place)
        done = place.recorded(job)
    at_once = Recording(late, early)
    assert partial(at_once)[0] == 1
    assert_known_calls(at_once)
    assert late.returncode == 0
    assert str(place.profile) in late.stdout
    assert partial(done) == (0, "", None)
    assert_known_calls(done)
    assert job.stdout.count("is done\n") == RANKS


def test_rankwise_and_the_job_are_killed(place: Place) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        launcher = job.launcher
        os.kill(job.process.pid, signal.SIGKILL)
        job.process.wait(timeout=LIMIT_SECONDS)
        os.kill(launcher, signal.SIGTERM)
        job.wait_for_ranks()
        late = recover(place)
        assert late.returncode == 0, late.stderr
        done = place.recorded(job)
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, None)
    assert f"rank {VICTIM} " in reason
    assert "inside MPI_Recv on W" in reason
    assert_known_calls(done)
