"""Scaling of a program that sleeps by known laws: programs/scales.c."""

from __future__ import annotations

from pathlib import Path

import libraries
import pytest
from recording import Record

import rankwise
from rankwise.runs.scaling_rows import Row

RANKS = (2, 4, 8, 16)
mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def growth(row: Row) -> float:
    """Return the growth of a row's time from 16 to 64 ranks, by its model."""
    assert row.seconds_fit is not None
    return row.seconds_fit.predict((64.0,)).value / row.seconds_fit.predict((16.0,)).value


def test_laws_of_collectives_are_found(record: Record, tmp_path: Path) -> None:
    profiles: list[Path] = []
    for ranks in RANKS:
        done = record("scales.c", ranks)
        profiles.append(done.path.rename(tmp_path / f"{ranks}-ranks.rankwise"))
    found = rankwise.scaling(tmp_path, at=64).found
    assert found.kind.kind == "strong"
    assert [each.ranks for each in found.factors] == [*RANKS]
    rows = {(row.user_name, row.call): row for row in found.rows["communicator"]}
    linear = rows["linear", "MPI_Alltoall"]
    assert found.rows["communicator"][0] == linear
    assert linear.state == "stops"
    assert linear.bytes_grow
    logarithmic, constant = rows["logarithmic", "MPI_Allreduce"], rows["constant", "MPI_Bcast"]
    assert logarithmic.bytes_exponent == pytest.approx(0.0, abs=0.01)
    # By their laws 4, 1.5 and 1; a busy machine wakes sleepers late.
    assert growth(linear) > 2.8
    assert growth(linear) > 1.5 * growth(logarithmic)
    assert growth(logarithmic) < 2.8
    assert growth(constant) < 2.8
    outside = next(row for row in found.rows["communicator"] if row.outside)
    assert outside.seconds[-1] < outside.seconds[0] / 3
    if found.shortage and found.shortage.explains:  # ranks that spin in MPI, on few processors
        assert not found.predicted
    else:
        assert found.predicted[1].row == linear
