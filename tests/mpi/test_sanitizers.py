"""Programs that were built with a sanitizer: they start, find what they find without us, and are counted."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS

DOUBLE = 8
RANKS = 2

# What each finds, and the words with which it says so. (MPI libraries leave memory behind, too: of leaks only
# the one that the program makes is looked for.)
FINDS = {
    "address": ("overflow", "heap-buffer-overflow"),
    "undefined": ("shift", "shift exponent"),
    "thread": ("race", "data race"),
    "leak": ("leak", "12345 byte"),
}

pytestmark = pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name)


def built(mpi: Mpi, compiler: str, sanitizer: str, place: Path) -> Path:
    """The program, or a skip where there is no such compiler or sanitizer."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    program = place / "sanitized"
    # (Each library's wrapper takes its compiler from a variable of its own.)
    chosen = dict.fromkeys(("OMPI_CC", "MPICH_CC", "I_MPI_CC"), compiler)
    words = [mpi.mpicc, *mpi.compile_options, "-g", f"-fsanitize={sanitizer}", "-o", str(program)]
    answer = subprocess.run(
        [*words, str(PROGRAMS / "sanitized.c"), "-pthread"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**mpi.env(), **chosen},
        check=False,
    )
    if answer.returncode != 0:
        pytest.skip(f"{compiler} has no -fsanitize={sanitizer}: {answer.stderr.strip()[-200:]}")
    return program


def logging_to(mpi: Mpi, folder: Path) -> dict[str, str]:
    """The sanitizers write there (launchers lose what a failing rank has said), as the user asks."""
    log = f"log_path={folder}/found"
    options = {f"{name}_OPTIONS": log for name in ("UBSAN", "TSAN", "LSAN")}
    return {**mpi.env(), **options, "ASAN_OPTIONS": f"detect_leaks=0:{log}"}


def text_of(folder: Path) -> str:
    """All that was written there."""
    return "".join(file.read_text(errors="replace") for file in sorted(folder.iterdir()))


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "sanitizer",
    ["address", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in FINDS if name != "address")],
)
def test_sanitizer(mpi: Mpi, sanitizer: str, compiler: str, tmp_path: Path) -> None:
    program = built(mpi, compiler, sanitizer, tmp_path)
    argument, words = FINDS[sanitizer]
    for arguments in ([], [argument]):
        command = mpi.launch(RANKS, program, *arguments)
        (plain_log := tmp_path / "plain" / "".join(arguments)).mkdir(parents=True)
        (log := tmp_path / "recorded" / "".join(arguments)).mkdir(parents=True)
        plain = subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=logging_to(mpi, plain_log), check=False
        )
        assert "sum 2" in plain.stdout, plain.stderr
        done = recording.run(command, tmp_path / f"{''.join(arguments)}.rankwise", logging_to(mpi, log))
        assert done.process.returncode == plain.returncode, done.process.stderr
        assert done.process.stdout.count("sum 2") == plain.stdout.count("sum 2")
        if arguments and words not in text_of(plain_log):
            pytest.skip(f"{compiler} -fsanitize={sanitizer} finds nothing with {mpi.name}, without us either")
        assert (words in text_of(log), words in text_of(plain_log)) == (bool(arguments), bool(arguments))
        assert done.calls("MPI_Allreduce", "W") == dict.fromkeys(range(RANKS), (3, 3 * DOUBLE, 0))
