"""The library in programs of musl, another C library (Alpine Linux)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import recovering
from recording import LIMIT_SECONDS

import rankwise._files

PROGRAMS = Path(__file__).parent / "programs"
pytestmark = pytest.mark.skipif(
    shutil.which("musl-gcc") is None, reason="no musl-gcc: apt-get install musl-tools"
)
Compile = Callable[[str, str], Path]


@pytest.fixture
def compile_for_musl(tmp_path: Path) -> Compile:
    def compile_source(name: str, source: str, *options: str) -> Path:
        target = tmp_path / name
        words = ["musl-gcc", "-Wall", "-Werror", "-o", target, PROGRAMS / source, *options]
        subprocess.run(words, check=True, timeout=LIMIT_SECONDS)
        return target

    return compile_source


def run(program: Path, library: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program],
        env={**os.environ, "LD_PRELOAD": str(rankwise._files.installed(f"lib/{library}")), **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )


@pytest.fixture
def calls(compile_for_musl: Compile) -> Path:
    """A program that ends with status 7, and its MPI library."""
    library = compile_for_musl("libmpi.so.12", "library.c", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12")
    return compile_for_musl("calls", "calls.c", str(library), f"-Wl,-rpath,{library.parent}")


@pytest.mark.parametrize(
    "library", ["librankwise.so", "librankwise_monitoring.so.0", "librankwise_placement.so.0"]
)
def test_changes_nothing(calls: Path, library: str) -> None:
    done = run(calls, library)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_writes_nothing_without_mpi(compile_for_musl: Compile, tmp_path: Path) -> None:
    program = compile_for_musl("nothing", "nothing.c")
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    done = run(program, "librankwise.so", RANKWISE_JOBS=str(jobs))
    assert (done.returncode, done.stdout, done.stderr, list(jobs.iterdir())) == (7, "", "", [])


def test_counts(calls: Path, tmp_path: Path) -> None:
    directory = recovering.new_run_directory(tmp_path / "run")
    profile = recovering.recovered(run(calls, "librankwise.so", RANKWISE_DIR=str(directory)), directory)
    assert (profile.process.returncode, profile.process.stderr) == (7, "")
    # Five of the main thread and one of the other; the child's is its own.
    assert profile.calls("MPI_Send") == {0: (6, 53, 0)}
    assert profile.calls("MPI_Allreduce") == {0: (1, 4, 0)}
    assert profile.dropped == {}
