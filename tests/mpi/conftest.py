"""Fixtures: each MPI library of this machine, its compiled test programs, and a recorder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from jobs import Place
from libraries import Mpi
from recording import PROGRAMS, Compile, Record, Recording

COMPILED = libraries.ROOT / "build" / "test-programs"
FORTRAN = (".f90", ".F90")


def pytest_report_header() -> list[str]:
    """Say which libraries are not tested."""
    return [
        f"{mpi.name} is left out: it can't do with so little room in /dev/shm" for mpi in libraries.LEFT_OUT
    ]


mpi = libraries.in_turn(libraries.ALL)


@pytest.fixture(autouse=True)
def recorded_again(request: pytest.FixtureRequest) -> None:
    """A test that is tried again gets a new recording, where all tests of a file share one."""
    if getattr(request.node, "execution_count", 1) > 1:
        getattr(request.module, "RECORDED", {}).clear()


def _key(mpi: Mpi, source: Path) -> str:
    """What a compiled program depends on: its text, and the library."""
    texts = sorted(source.rglob("*.[ch]")) if source.is_dir() else [source, *sorted(PROGRAMS.glob("*.h"))]
    compiler = shutil.which(mpi.mpifort if source.suffix in FORTRAN else mpi.mpicc) or ""
    compiled_by = (mpi.name, mpi.compile_options, compiler, Path(compiler).stat().st_mtime_ns)
    digest = hashlib.sha256(repr(compiled_by).encode())
    for text in texts:
        digest.update(text.read_bytes())
    return digest.hexdigest()[:16]


def _compile(mpi: Mpi, source: Path, program: Path) -> None:
    if source.suffix in FORTRAN:
        words = [mpi.mpifort, "-J", str(program.parent), "-o", str(program), str(source)]
        subprocess.run(words, check=True, timeout=120, env=mpi.env())
    else:
        mpi.compile(program, *(sorted(source.glob("*.c")) if source.is_dir() else [source]))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles a program of tests/mpi/programs with an MPI: a file or a folder.

    Compiled programs stay in build/, for the other worker and the next run. Tests get a copy: containers and
    other users see the folder for temporary files.
    """
    done: dict[tuple[str, str], Path] = {}
    place = tmp_path_factory.mktemp("programs")

    def compile_(mpi: Mpi, source: str) -> Path:
        if (mpi.name, source) not in done:
            path = PROGRAMS / source
            if path.suffix in FORTRAN and not mpi.mpifort:
                pytest.skip(f"{mpi.name} has no Fortran bindings here")
            program = place / f"{mpi.name}.{path.stem}"
            kept = COMPILED / f"{path.stem}.{_key(mpi, path)}"
            if kept.exists():
                shutil.copy(kept, program)
            else:
                _compile(mpi, path, program)
                COMPILED.mkdir(parents=True, exist_ok=True)
                new = kept.with_name(f"{kept.name}.{os.getpid()}")
                shutil.copy(program, new)
                new.replace(kept)
            done[mpi.name, source] = program
        return done[mpi.name, source]

    return compile_


@pytest.fixture
def place(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Place:
    """Where jobs of the program for faults run with an MPI."""
    return Place(mpi, compiled(mpi, "faults.c"), tmp_path)


def _to_be_preloaded(source: str, directory: Path) -> Path:
    library = directory / f"{Path(source).stem}.so"
    words = ["cc", "-shared", "-fPIC", "-o", str(library), str(PROGRAMS / source), "-ldl"]
    subprocess.run(words, check=True, timeout=60)
    return library


@pytest.fixture(scope="session")
def pretender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library to be preloaded: Rankwise finds each rank on the node that PRETEND_NODES has a letter for."""
    return _to_be_preloaded("pretend_nodes.c", tmp_path_factory.mktemp("pretender"))


@pytest.fixture
def slow_bell(tmp_path: Path) -> Path:
    """A library to be preloaded: a process takes its time to call the keeper."""
    return _to_be_preloaded("slow_bell.c", tmp_path)


@pytest.fixture
def counted_calls(tmp_path: Path) -> Path:
    """A library to be preloaded: it counts how often counters are read, and memory by the kernel's help."""
    return _to_be_preloaded("counted_calls.c", tmp_path)


@pytest.fixture
def record(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Record:
    """Runs a test program under Rankwise: record("name.c", ranks, *arguments, status=0)."""

    def record_(source: str, ranks: int, *arguments: str, status: int | None = 0) -> Recording:
        program = compiled(mpi, source)
        output = tmp_path / f"{program.name}.rankwise"
        done = recording.run_on(mpi, mpi.launch(ranks, program, *arguments), output)
        if status is not None:
            assert done.process.returncode == status, done.process.stderr
        return done

    return record_


@pytest.fixture
def record_if_able(mpi: Mpi, compiled: Compile, record: Record) -> Record:
    """As `record`, for what not every library can do: skips if the program fails without Rankwise, too."""

    def record_(source: str, ranks: int, *arguments: str) -> Recording:
        done = record(source, ranks, *arguments, status=None)
        if done.process.returncode:
            words = mpi.launch(ranks, compiled(mpi, source), *arguments)
            plain = subprocess.run(words, capture_output=True, timeout=recording.LIMIT_SECONDS, env=mpi.env())
            assert plain.returncode, done.process.stderr
            pytest.skip(f"{mpi.name} itself fails in {' '.join(arguments)} (status {plain.returncode})")
        return done

    return record_
