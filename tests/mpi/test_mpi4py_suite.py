"""mpi4py's own tests, from its source release: each has the same outcome with and without Rankwise.

All of them on one rank, but those that start further processes; those that communicate on two ranks as well.
With NumPy, each test of a buffer is made once more: twice the time for the same calls.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile
from test_mpi4py import environment

LIMIT_SECONDS = 300
SOURCES = libraries.ROOT / "build" / "mpi4py" / f"mpi4py-{version('mpi4py')}.tar.gz"
LIBRARIES = [mpi for mpi in libraries.ONE_OF_EACH if mpi.family != "mpiabi"]

# Spawning has tests of ours; mpi4py.util holds pools of workers, which spawn, too. On two ranks:
# without one-sided communication, which takes MPICH minutes between ranks that share few cores.
WITH_NUMPY = ["-e", "spawn|dynproc|util"]
ONE_RANK = ["--no-numpy", *WITH_NUMPY]
TWO_RANKS = ["--no-numpy", "-i", "^test_(cco_(buf|nb_buf|pr_buf|obj)|p2p|request|comm)", "-e", "part"]

Outcomes = dict[str, str]  # of a test


@pytest.fixture(scope="session")
def tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """mpi4py's folder of tests."""
    if not SOURCES.exists():
        pytest.skip("mpi4py's source release is not there (`make test` fetches it)")
    place = tmp_path_factory.mktemp("mpi4py")
    subprocess.run(["tar", "-xzf", SOURCES, "-C", place], check=True, timeout=60)
    return next(place.glob("mpi4py-*/test"))


class Suite:
    """Runs of the tests on one MPI library."""

    def __init__(self, mpi: Mpi, variables: dict[str, str], tests: Path, place: Path) -> None:
        self._mpi, self._variables, self._tests, self._place = mpi, variables, tests, place

    @contextmanager
    def start(
        self, name: str, ranks: int, arguments: list[str], *before: str
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A run under way, which is ended with the block."""
        program = [sys.executable, PROGRAMS / "mpi4py_suite.py", self._tests, self._place / name, *arguments]
        process = subprocess.Popen(
            [*before, *self._mpi.launch(ranks, *program)],
            stdout=subprocess.DEVNULL,
            stderr=(self._place / f"{name}.stderr").open("w"),
            env=self._variables,
            cwd=self._place,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)

    def outcomes(self, name: str, ranks: int, process: subprocess.Popen[bytes]) -> Outcomes:
        """Of each test on each rank, when the run has ended."""
        status = process.wait(LIMIT_SECONDS)
        assert status == 0, (name, (self._place / f"{name}.stderr").read_text()[-2000:])
        lines = [
            f"{rank} {line}"
            for rank in range(ranks)
            for line in (self._place / f"{name}.{rank}").read_text().splitlines()
        ]
        return dict(line.rsplit(" ", 1) for line in lines)


@pytest.mark.timeout(4 * LIMIT_SECONDS)
@pytest.mark.parametrize(
    ("ranks", "arguments"),
    [
        pytest.param(1, ONE_RANK, id="one"),
        pytest.param(1, WITH_NUMPY, id="with-numpy", marks=pytest.mark.exhaustive),
        pytest.param(2, TWO_RANKS, id="two", marks=pytest.mark.exhaustive),
    ],
)
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_same_outcomes(
    mpi: Mpi, ranks: int, arguments: list[str], compiled: Compile, tests: Path, tmp_path: Path
) -> None:
    suite = Suite(mpi, environment(mpi, compiled, tmp_path), tests, tmp_path)
    profile = tmp_path / "suite.rankwise"
    rankwise = [str(recording.RANKWISE), "run", "--quiet", "-o", str(profile), "--"]
    with suite.start("plain", ranks, arguments) as plain_process:
        if ranks > 1:  # both at once would be more than the cores can bear
            plain_process.wait(LIMIT_SECONDS)
        with suite.start("profiled", ranks, arguments, *rankwise) as profiled_process:
            plain = suite.outcomes("plain", ranks, plain_process)
            profiled = suite.outcomes("profiled", ranks, profiled_process)
    assert profiled.keys() == plain.keys()
    assert list(plain.values()).count("passed") > 500 * ranks
    different = {test for test in plain if plain[test] != profiled[test]}
    if different:
        # What another run without Rankwise does differently, too, is chance.
        with suite.start("again", ranks, arguments) as process:
            again = suite.outcomes("again", ranks, process)
        different -= {test for test in plain if plain[test] != again[test]}
    assert {test: (plain[test], profiled[test]) for test in different} == {}
    # It was there all the time.
    done = recording.Recording(subprocess.CompletedProcess([], 0), profile)
    assert done.rows("SELECT partial, ranks_seen FROM run") == [(0, ranks)]
    assert done.rows("SELECT sum(calls) > 10000 FROM calls") == [(1,)]
