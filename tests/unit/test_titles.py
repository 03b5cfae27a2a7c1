"""Titles of runs: the program first, as it was typed, and then what started it."""

from __future__ import annotations

import pytest

from rankwise.text.names import title_of


@pytest.mark.parametrize(
    ("command", "programs", "title"),
    [
        ("mpirun -n 2 ./lmp -in a", ["./lmp -in a"], "./lmp -in a  by mpirun -n 2"),
        ("mpirun -n 2 numactl -l ./lmp", ["./lmp"], "./lmp  by mpirun -n 2 numactl -l"),
        ("srun python3 -u md.py 3", ["python3 -u md.py 3"], "md.py 3  by srun"),
        ("mpirun -n 1 ./a x : -n 2 ./b", ["./a x", "./b"], "./a x : ./b  by mpirun -n 1 : -n 2"),
        ("./job.sh 7", ["/opt/ocean in.nml"], "/opt/ocean in.nml  by ./job.sh 7"),  # a script started it
        ("mpirun ./lmp -in a b c", ["./lmp -in \N{HORIZONTAL ELLIPSIS}"], "./lmp -in a b c  by mpirun"),
        ("./alone", ["./alone"], "./alone"),
        ("mpirun -n 2 ./old", [], "mpirun -n 2 ./old"),  # not known of a recovered run
    ],
)
def test_the_program_is_first(command: str, programs: list[str], title: str) -> None:
    assert title_of(command.split(), [words.split() for words in programs]) == title
