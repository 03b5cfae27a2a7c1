"""`rankwise run --place` below libraries: HDF5 and mpi4py.futures do what they do without a new order."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import LIMIT_SECONDS, PROGRAMS, Compile
from test_mpi4py import environment, has_module

RANKS = 5


def any_order(directory: Path) -> Path:
    """A file with a new order at random, other than the launcher's."""
    order = list(range(RANKS))
    while order == sorted(order):
        random.shuffle(order)
    path = directory / "order"
    path.write_text(",".join(map(str, order)) + "\n")
    return path


def output_in_any_order(mpi: Mpi, words: list[str], directory: Path) -> str:
    """Run a command with MPI_COMM_WORLD in another order, and return its output."""
    place = any_order(directory)
    done = recording.run_on(mpi, words, directory / "placed.rankwise", "--place", str(place))
    assert done.process.returncode == 0, place.read_text() + done.process.stderr
    [(reordered,)] = done.rows("SELECT reordered FROM communicators WHERE name = 'W'")
    assert reordered == 1, done.warnings
    return done.process.stdout


def output(mpi: Mpi, words: list[str]) -> str:
    """Run a command without Rankwise, and return its output."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=mpi.env())
    assert done.returncode == 0, done.stderr
    return done.stdout


def hdf5_compiler(mpi: Mpi) -> str:
    """The compiler of the HDF5 that was built with an MPI: Debian's name, or the usual one."""
    name = f"h5pcc.{mpi.family}" if mpi.name.endswith("-debian") else "h5pcc"
    if shutil.which(name) is None:
        pytest.skip(f"no parallel HDF5 for {mpi.name}: {name} is missing")
    return name


@pytest.mark.parametrize("mpi", libraries.found_on_path(), ids=lambda mpi: mpi.name)
def test_hdf5(mpi: Mpi, tmp_path: Path) -> None:
    """What the ranks write together is the same file, to the byte."""
    program = tmp_path / "hdf5"
    words = [hdf5_compiler(mpi), "-o", str(program), str(PROGRAMS / "hdf5.c")]
    subprocess.run(words, check=True, timeout=LIMIT_SECONDS, env=mpi.env(), cwd=tmp_path)
    plain, placed = tmp_path / "plain", tmp_path / "placed"
    assert output(mpi, mpi.launch(RANKS, program, plain)) == "written and read\n"
    assert output_in_any_order(mpi, mpi.launch(RANKS, program, placed), tmp_path) == "written and read\n"
    for suffix in ("", ".0", ".1"):
        files = [path.with_name(f"{path.name}{suffix}").read_bytes() for path in (plain, placed)]
        assert len(files[0]) > RANKS
        assert files[0] == files[1]


@has_module
@pytest.mark.parametrize("kind", ["pool", "world"])
def test_pools_of_mpi4py(mpi: Mpi, compiled: Compile, tmp_path: Path, kind: str) -> None:
    """The pool has the same rank and the same results."""
    changed = replace(mpi, environment=environment(mpi, compiled, tmp_path))
    module = "mpi4py.futures" if kind == "pool" else "mpi4py"
    words = changed.launch(RANKS, sys.executable, "-m", module, PROGRAMS / "pools.py", kind)
    plain = output(changed, words)
    assert "others work: True" in plain
    assert output_in_any_order(changed, words, tmp_path) == plain
