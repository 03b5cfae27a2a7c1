"""`rankwise map verify` of jobs that fail, do not end, or are on one node: nothing can be gained there."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile

import patience
from golden import assert_facts
from rankwise.launch.rundirectory import RunDirectory

sys.path.append(str(Path(__file__).parents[1] / "unit"))
from profiles import write_traffic

LIBRARIES = list(libraries.first_of_each(libraries.ONE_OF_EACH_LAUNCHER, lambda mpi: mpi.family))


mpi = libraries.in_turn(LIBRARIES)


@pytest.fixture
def parted(tmp_path: Path) -> Path:
    """A run whose partners were on two nodes: there is something to gain."""
    messages = [(0, 1, "point-to-point", 1, 1000), (2, 3, "point-to-point", 1, 1000)]
    return write_traffic(tmp_path / "parted.rankwise", ["a", "b", "a", "b"], messages)


def words(profile: Path, launch: list[str], *options: str) -> list[str]:
    return [str(RANKWISE), "map", "verify", str(profile), *options, "--", *launch]


def verify(mpi: Mpi, profile: Path, launch: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words(profile, launch, *options),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=mpi.env(),
        cwd=profile.parent,
    )


def kept(profile: Path) -> Path:
    [directory] = profile.parent.glob("rankwise-verify-*")
    return directory


def test_other_places_than_in_the_profile(mpi: Mpi, compiled: Compile, parted: Path) -> None:
    """The job is on one node: it is run once, and mapped again."""
    program = compiled(mpi, "busy.c")
    done = verify(mpi, parted, mpi.launch(4, program, str(parted)), "-o", str(parted.parent / "new"))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^rankwise: .*\bon a\b", done.stderr, re.MULTILINE)
    assert_facts(done.stdout, f" {parted}. ")
    assert not (parted.parent / "new").exists()
    assert not list(parted.parent.glob("rankwise-verify-*"))


def test_what_the_launcher_is_not_told(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """Partners are to share a package, but the user binds no ranks: only hosts can be told."""
    host = socket.gethostname()
    cores = [{"level": "core", "os": [0, 1]}]
    packages = [{"level": "package", "os": number, "children": cores} for number in (0, 1)]
    tree = [{"level": "node", "name": host, "children": packages}]
    levels = [{"name": name} for name in ("node", "package", "core")]
    machine = tmp_path / "machine.json"
    machine.write_text(
        json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels, "tree": tree})
    )
    messages = [(0, 2, "point-to-point", 1, 1000), (1, 3, "point-to-point", 1, 1000)]
    profile = write_traffic(tmp_path / "F.rankwise", [host] * 4, messages)
    mpirun, *launch = mpi.launch(4, compiled(mpi, "busy.c"), str(profile))
    done = verify(mpi, profile, [mpirun, "--bind-to", "none", *launch], "--machine", str(machine))
    assert (done.returncode, done.stdout) == (2, "")
    assert_facts(done.stderr.splitlines()[-1], "rankwise: .. nodes .. hosts .. cores")


def test_a_job_that_fails(mpi: Mpi, compiled: Compile, parted: Path) -> None:
    # Launchers lose what was said just before the end.
    says_and_ends = f"echo said; sleep 0.3; exec '{compiled(mpi, 'ends.c')}' MPI_Abort"
    done = verify(mpi, parted, mpi.launch(2, "sh", "-c", says_and_ends))
    assert (done.returncode, done.stdout) == (1, "")
    last = done.stderr.splitlines()[-1]
    assert re.match(r"rankwise: .*\bstatus [1-9]", last)
    assert str(kept(parted)) in last
    assert "said\n" in (kept(parted) / "warm-up.before.out").read_text()


def test_a_job_that_does_not_end(mpi: Mpi, compiled: Compile, parted: Path) -> None:
    launch = mpi.launch(4, compiled(mpi, "hangs.c"), "no-such-file")
    done = verify(mpi, parted, launch, "--run-limit", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert_facts(done.stderr.splitlines()[-1], "2 s .. --run-limit")


def test_interrupted_before_there_is_a_pair(mpi: Mpi, compiled: Compile, parted: Path) -> None:
    launch = mpi.launch(4, compiled(mpi, "hangs.c"), "no-such-file")
    process = subprocess.Popen(
        words(parted, launch),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=mpi.env(),
        cwd=parted.parent,
    )

    def counts() -> bool:
        runs = parted.parent.glob("rankwise-verify-*/*-run")
        return any(RunDirectory(run, ours=False).has_counters() for run in runs)

    patience.wait_until(counts, LIMIT_SECONDS)
    os.kill(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 128 + signal.SIGINT
    assert "Interrupted" in said
    assert not list(parted.parent.glob("rankwise-verify-*"))
