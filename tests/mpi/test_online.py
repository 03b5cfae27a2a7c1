"""Tuning while a program runs: what is bad by construction is found, and the program stays right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from libraries import Mpi
from recording import Compile

PROGRAMS = Path(__file__).with_name("programs")
CHOOSES = pytest.mark.only_on(
    lambda mpi: mpi.family in ("openmpi", "mpich") and mpi.vendor != "Intel",
    "it lets no running program choose",
)
CALLS = 1500
COST = 20


@pytest.fixture
def bad_library(mpi: Mpi, tmp_path: Path) -> Path:
    """What makes the library's own choice bad for Alltoall, and all others for Bcast."""
    unlinked, library = tmp_path / "slow_default.o", tmp_path / "slow_default.so"
    subprocess.run(
        [mpi.mpicc, "-fPIC", "-c", "-o", unlinked, PROGRAMS / "slow_default.c"],
        check=True,
        timeout=120,
        env=mpi.env(),
    )
    # RATIONALE: not linked with the MPI library, as programs without MPI load it, too.
    subprocess.run(["cc", "-shared", "-o", library, unlinked, "-ldl"], check=True, timeout=120)
    return library


def tuned(
    mpi: Mpi, place: Path, words: list[str], *options: str, preloaded: Path | None = None
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Tune a program in a directory; return how it ended, and what was found."""
    environment = mpi.env() | ({"LD_PRELOAD": str(preloaded)} if preloaded else {})
    done = subprocess.run(
        [sys.executable, "-m", "rankwise", "tune", "online", "--json", *options, "--", *words],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=place,
        env=environment,
        check=False,
    )
    _, brace, data = done.stdout.partition("{\n")
    return done, json.loads(brace + data) if brace else {}


def states(answer: dict[str, Any]) -> dict[str, str]:
    """Of the cells with most time, by collective."""
    return {cell["procedure"]: cell["state"] for cell in reversed(answer["cells"])}


@CHOOSES
def test_a_choice_that_is_bad_by_construction(
    mpi: Mpi, compiled: Compile, tmp_path: Path, bad_library: Path
) -> None:
    program, file = compiled(mpi, "online.c"), tmp_path / "app.tuned.json"
    words = mpi.launch(2, program, str(CALLS))
    done, answer = tuned(mpi, tmp_path, words, "--cost", str(COST), "-o", str(file), preloaded=bad_library)
    assert done.returncode == 0, done.stderr
    assert "wrong: 0" in done.stdout
    bad = next(cell for cell in answer["cells"] if cell["procedure"] == "MPI_Alltoall")
    assert bad["rounds"] >= 9
    # On a machine that is busy otherwise, it may not have come to its end; it never goes wrong.
    if bad["state"] == "kept":
        assert bad["evidence"]["low"] > 1
        assert bad["rule"], bad  # the cell has the reason
        assert bad["rule"]["algorithm"] == bad["candidate"]
        written = json.loads(file.read_text())
        assert [rule["procedure"] for rule in written["rules"]] == ["MPI_Alltoall"]
    else:
        assert bad["state"] in ("racing", "confirming")
    assert states(answer)["MPI_Bcast"] != "kept"


@CHOOSES
def test_results_stay_right_on_more_processes(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    ranks = 3 if mpi.family == "openmpi" else 2  # MPICH does not yield
    done, answer = tuned(mpi, tmp_path, mpi.launch(ranks, compiled(mpi, "online.c"), "300"), "--cost", "50")
    assert done.returncode == 0, done.stderr
    assert "wrong: 0" in done.stdout
    assert {cell["processes"] for cell in answer["cells"]} == {ranks}


@CHOOSES
def test_reductions_are_left_alone(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    done, answer = tuned(mpi, tmp_path, mpi.launch(2, compiled(mpi, "online.c"), "50"), "--bitwise")
    assert done.returncode == 0, done.stderr
    assert "wrong: 0" in done.stdout
    assert set(states(answer)) == {"MPI_Alltoall", "MPI_Bcast"}


@CHOOSES
def test_the_exit_status_is_the_program_s(mpi: Mpi, tmp_path: Path) -> None:
    source, program = tmp_path / "ends.c", tmp_path / "ends"
    source.write_text(
        "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD);"
        " MPI_Finalize(); return 7; }\n"
    )
    mpi.compile(program, source)
    done, _ = tuned(mpi, tmp_path, mpi.launch(2, program))
    assert done.returncode == 7


@CHOOSES
def test_many_threads_are_refused(mpi: Mpi, tmp_path: Path) -> None:
    source, program = tmp_path / "threads.c", tmp_path / "threads"
    source.write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int level;"
        " MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); MPI_Barrier(MPI_COMM_WORLD);"
        ' if (level < MPI_THREAD_MULTIPLE) printf("no threads"); MPI_Finalize(); return 0; }\n'
    )
    mpi.compile(program, source)
    done, _ = tuned(mpi, tmp_path, mpi.launch(2, program))
    if "no threads" not in done.stdout:
        assert done.returncode == 1
        assert "MPI_THREAD_MULTIPLE" in done.stderr


@pytest.mark.only_on(
    lambda mpi: mpi.vendor == "Intel" or mpi.family == "mpiabi", "the others let a running program choose"
)
def test_other_libraries_are_refused(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    done, _ = tuned(mpi, tmp_path, mpi.launch(2, compiled(mpi, "online.c"), "10"))
    assert done.returncode == 2
    why = "standard ABI" if mpi.family == "mpiabi" else "does not let a running program choose"
    assert why in done.stderr
