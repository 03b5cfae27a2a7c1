"""Our own description of each ABI (src/runtime/abi) against the real mpi.h of every MPI here."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from libraries import ROOT, Mpi
from recording import PROGRAMS, Compile

pytestmark = pytest.mark.each_family

ROOM = "MPI_MAX_LIBRARY_VERSION_STRING"


def lines(text: str) -> list[tuple[str, str]]:
    return [(line.rpartition(" ")[0], line.rpartition(" ")[2]) for line in text.splitlines()]


@pytest.fixture(scope="module")
def said_by(compiled: Compile) -> Callable[[Mpi], list[tuple[str, str]]]:
    """What mpi.h says: one run with each MPI, shared by the tests."""

    @cache
    def said_by_(mpi: Mpi) -> list[tuple[str, str]]:
        words = mpi.launch(1, compiled(mpi, "abi.c"))
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=mpi.env(), check=True)
        return lines(done.stdout)

    return said_by_


@pytest.fixture
def real(mpi: Mpi, said_by: Callable[[Mpi], list[tuple[str, str]]]) -> list[tuple[str, str]]:
    return said_by(mpi)


@pytest.fixture(scope="module")
def describers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Programs that tell what our description of a family says."""
    place = tmp_path_factory.mktemp("described")
    return cache(lambda family: describe(family, place / family))


@pytest.fixture
def describer(mpi: Mpi, describers: Callable[[str], Path]) -> Path:
    return describers(mpi.family)


def describe(family: str, program: Path) -> Path:
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    header = ROOT / "src" / "runtime" / "abi" / f"{family}.h"
    words = [
        *compiler.split(),
        "-std=c++20",
        f"-DABI_FAMILY={family}",
        f'-DABI_HEADER="{header}"',
        "-o",
        str(program),
        str(PROGRAMS / "abi_described.cpp"),
    ]
    subprocess.run(words, check=True, timeout=120)
    return program


def ask(describer: Path, *questions: str) -> dict[str, str]:
    words = [str(describer), *questions]
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=True)
    return dict(lines(done.stdout))


def test_sizes_and_values(real: list[tuple[str, str]], describer: Path) -> None:
    described = ask(describer)
    said = {key: value for key, value in real if ":" not in key}
    assert len(said) >= 30
    room = int(said.pop(ROOM))
    assert {key: described[key] for key in said} == said
    assert int(described[ROOM]) >= room


def test_sizes_in_the_handles_of_datatypes(mpi: Mpi, real: list[tuple[str, str]], describer: Path) -> None:
    sizes = {key: int(value) for key, value in real if key.startswith("datatype:")}
    assert len(sizes) == 11
    described = {key: int(value) for key, value in ask(describer, *sizes).items() if key in sizes}
    # -1: the library has to be asked. A size that the handle seems to tell must be the true one.
    wrong = {key: size for key, size in described.items() if size not in (-1, sizes[key])}
    assert wrong == {}
    known = sum(size != -1 for size in described.values())
    assert known >= 7 if mpi.family == "mpich" else known == 0


def test_access_modes_of_files(real: list[tuple[str, str]], describer: Path) -> None:
    modes = {key: value for key, value in real if key.startswith("mode:")}
    assert sorted(map(int, modes.values())) == [1 << bit for bit in range(9)]
    described = ask(describer, *modes)
    assert {key: described[key] for key in modes} == modes


@pytest.mark.only_on(
    lambda mpi: mpi.family != "mpiabi",
    "the standard leaves these fields to the library, so the runtime asks it",
)
def test_bytes_in_a_status(real: list[tuple[str, str]], describer: Path) -> None:
    statuses = [(int(key.removeprefix("status:")), value) for key, value in real if key.startswith("status:")]
    assert [size for size, _ in statuses] == [0, 10, 0, 5_000_000_000, 12_000_000_000, -1]
    for size, status in statuses:
        assert ask(describer, f"status:{status}")[f"status:{status}"] == str(size)
