"""A program's arguments and environment stay the same (what MPI answers it: test_transcript.py)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import Compile

# Launchers give each run other addresses, numbers and directories in these.
OF_THE_RUN = re.compile(r"I_MPI_HYDRA_UUID|(OMPI|PMIX|PMI|PRTE|ORTE|HYDRA|HYDI|MPI|GFORTRAN|IPATH|OPAL)\w*")
OURS = re.compile(r"LD_PRELOAD|RANKWISE_\w+")

Said = tuple[list[str], dict[str, str]]


def said(process: subprocess.CompletedProcess[str], place: Path) -> Said:
    """Both ranks' lines without the environment, and its variables, each with the rank in front."""
    rank1 = place / "rank1.txt"
    lines = process.stdout.splitlines() + rank1.read_text().splitlines()
    rank1.unlink()
    matches = [re.fullmatch(r"([01] env [^=]*)=(.*)", line) for line in lines]
    variables = {match[1]: match[2] for match in matches if match}
    return [line for line in lines if " env " not in line], variables


def test_same_with_and_without(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    program = compiled(mpi, "transparent.c")
    command = mpi.launch(2, program, "one argument", "--another=$HOME;*")
    environment = {**mpi.env(), "MARK": "a 'quoted' = \\value;", "EMPTY": ""}
    bare = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment, cwd=tmp_path, check=False
    )
    assert bare.returncode == 17, bare.stderr
    lines, variables = said(bare, tmp_path)
    done = recording.run(command, tmp_path / "transparent.rankwise", environment)
    assert done.process.returncode == 17, done.process.stderr
    lines_under, variables_under = said(done.process, tmp_path)
    assert "0 argument 2: --another=$HOME;*" in lines
    assert lines_under == lines
    assert "0 env MARK" in variables
    names = {name for name in variables_under if not OURS.fullmatch(name.split()[-1])}
    assert names == variables.keys()
    changed = [
        (name, variables[name], variables_under[name])
        for name in sorted(names)
        if variables[name] != variables_under[name] and not OF_THE_RUN.fullmatch(name.split()[-1])
    ]
    assert changed == []
    for rank in range(2):
        assert f"standard error of rank {rank}" in done.process.stderr


def test_preload_of_the_user_stays(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    program = compiled(mpi, "transparent.c")
    libc = re.search(
        r"=> (\S*/libc\.so\.6)", subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    )
    if libc is None:
        pytest.skip("no shared C library to preload")
    environment = {**mpi.env(), "LD_PRELOAD": libc[1]}
    done = recording.run(mpi.launch(2, program), tmp_path / "preload.rankwise", environment)
    _, variables = said(done.process, tmp_path)
    for rank in range(2):
        assert libc[1] in re.split("[: ]", variables[f"{rank} env LD_PRELOAD"])
    assert done.calls("MPI_Comm_dup", "W") == {0: (1, 0, 0), 1: (1, 0, 0)}
