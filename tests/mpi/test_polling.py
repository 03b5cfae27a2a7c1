"""Polling calls: all are counted, and what is left of their time where not each of them is timed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import libraries
import pytest
from recording import PROGRAMS, Record

CALLS = {"W": 1000, "W_d1": 50000}  # those of programs/polling.c
WEIGHT = 8  # of a timed call where not each is
FIRST = 1024  # all timed
OF_CLOCKS = 1.01  # the program's clock against ours


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_counts_are_exact_and_times_plausible(record: Record) -> None:
    done = record("polling.c", 1)
    assert done.warnings == []
    lines = [line.split() for line in done.process.stdout.splitlines() if line.startswith("MPI_")]
    taken = {(procedure, on): float(seconds) for procedure, on, seconds in lines}
    rows = done.rows(
        """SELECT procedures.name, communicators.name, calls, seconds, min, max
           FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE procedures.name IN ('MPI_Test', 'MPI_Iprobe')"""
    )
    assert {(str(procedure), str(on)) for procedure, on, *_ in rows} == taken.keys()
    for procedure, on, calls, seconds, shortest, longest in rows:
        assert calls == CALLS[str(on)]
        loop = taken[str(procedure), str(on)] * OF_CLOCKS
        # (One interruption of the machine may fall into a timed call.)
        assert 0 < float(str(seconds)) <= (loop if calls == CALLS["W"] else WEIGHT * loop)
        assert float(str(shortest)) <= float(str(longest)) <= loop


def test_the_sum_of_the_sample_is_near_the_sum_of_all(tmp_path: Path) -> None:
    program = tmp_path / "sampling"
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    words = [*compiler.split(), "-std=c++20", "-o", str(program), str(PROGRAMS / "sampling.cpp")]
    subprocess.run(words, check=True, timeout=60)
    output = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60).stdout
    for calls, timed, exact, estimate in (map(int, line.split()) for line in output.splitlines()):
        if calls <= FIRST:
            assert (timed, estimate) == (calls, exact)
        else:
            assert timed < calls
            # Four standard errors of the row's calls beyond the first, if all were as long as the longest.
            assert estimate == pytest.approx(exact, rel=0.15 if calls < 10 * FIRST else 0.03)
