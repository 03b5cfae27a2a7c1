"""The same programs on this machine and in Debian 11, whose glibc (2.31) is older than the one here."""

from __future__ import annotations

import shutil
from pathlib import Path

import comparison
import debian
import libraries
import pytest
import recording
import recovering
from libraries import Mpi
from recording import PROGRAMS

pytestmark = pytest.mark.exhaustive


@pytest.fixture(autouse=True, scope="session")
def set_up() -> None:
    if not debian.is_set_up():
        pytest.skip("no Debian 11 here: see `make test-containers`")


# Those that Debian 11 has, too, under the same names.
mpi = libraries.in_turn([mpi for mpi in libraries.ALL if mpi.name.endswith("-debian")])


@pytest.mark.parametrize(
    "library", ["librankwise.so", "librankwise_monitoring.so.0", "librankwise_placement.so.0"]
)
def test_changes_nothing(library: str, tmp_path: Path) -> None:
    preload = f"LD_PRELOAD={debian.PRELOADED.with_name(library)}"
    # The one shell has libdl, which is a library of its own there, the other one has not.
    done = debian.run(tmp_path, "env", preload, "bash", "-c", "dash -c 'exit 7'")
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_writes_nothing_without_mpi(tmp_path: Path) -> None:
    directory = recovering.new_run_directory(tmp_path / "run")
    preload = (f"LD_PRELOAD={debian.PRELOADED}", f"RANKWISE_DIR={debian.PLACE / 'run'}")
    done = debian.run(tmp_path, "env", *preload, "bash", "-c", "dash -c 'exit 7'")
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")
    assert list(directory.iterdir()) == []


def test_mpi_without_threads_and_the_loader(tmp_path: Path) -> None:
    for name in ("library.c", "plain.c", "mpi.h"):
        shutil.copy(Path(__file__).parent / "programs" / name, tmp_path)
    library = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", "libmpi.so.12", "library.c"]
    program = ["gcc", "-o", "plain", "plain.c", "libmpi.so.12", "-Wl,-rpath,$ORIGIN"]
    for words in (library, program):
        done = debian.run(tmp_path, *words)
        assert done.returncode == 0, done.stderr
    needed = debian.run(tmp_path, "ldd", "plain").stdout
    assert "libmpi.so.12" in needed
    assert "libdl" not in needed
    assert "libpthread" not in needed
    directory = recovering.new_run_directory(tmp_path / "run")
    preload = (f"LD_PRELOAD={debian.PRELOADED}", f"RANKWISE_DIR={debian.PLACE / 'run'}")
    profile = recovering.recovered(debian.run(tmp_path, "env", *preload, "./plain"), directory)
    assert (profile.process.returncode, profile.process.stderr) == (7, "")
    assert profile.calls("MPI_Send") == {0: (3, 30, 0)}


@pytest.mark.parametrize(
    ("source", "ranks"),
    [("point_to_point.c", 2), ("collectives.c", 4), ("communicators.c", 6), ("forks.c", 4)],
)
def test_program(mpi: Mpi, source: str, ranks: int, tmp_path: Path) -> None:
    mpi.compile(tmp_path / "here", PROGRAMS / source)
    here = recording.run(mpi.launch(ranks, tmp_path / "here"), tmp_path / "here.rankwise", mpi.env())

    shutil.copy(PROGRAMS / source, tmp_path)
    compiler = [mpi.mpicc, "-std=gnu11", "-pthread", "-o", "there", source]
    done = debian.run(tmp_path, *compiler)
    assert done.returncode == 0, done.stderr
    directory = recovering.new_run_directory(tmp_path / "run")
    preload = f"LD_PRELOAD={debian.PRELOADED}"
    words = mpi.launch(ranks, "env", preload, f"RANKWISE_DIR={debian.PLACE / 'run'}", "./there")
    there = recovering.recovered(debian.run(tmp_path, *words, environment=mpi.environment), directory)
    assert (here.process.returncode, there.process.returncode) == (0, 0), there.process.stderr
    comparison.assert_the_same(here, there, without="in-collective")
