"""The profile of random programs is exactly what the programs and the documentation say."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path

import job
import libraries
import pytest
from generator.generate import BATCH
from hunt import Hunt
from libraries import Mpi
from model.comparison import differences, read
from model.walk import expect

import patience

FEW, MANY = range(2 * BATCH), range(2 * BATCH, 8 * BATCH)  # seeds
SECONDS = 60  # no further batch is started then
ALL_SECONDS = 130  # of a library, whatever fails
MOST_UNEXPLAINED = 2
LEAST_BATCHES = 2
MOST_LEFT_OUT = 0.1


@pytest.mark.each_family
@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    "seeds", [FEW, pytest.param(MANY, marks=pytest.mark.exhaustive)], ids=["few", "many"]
)
@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name)
def test_profiles_of_random_programs_are_exact(
    mpi: Mpi, seeds: range, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    ends = patience.end(SECONDS)
    hunt = Hunt(mpi, tmp_path, patience.limit(ALL_SECONDS))
    tally = hunt.search(seeds, until=lambda: time.monotonic() > ends)
    record_property("tally", f"{mpi.name}: {tally}")
    assert not tally.reports, "\n\n".join(tally.reports)
    assert tally.unexplained <= MOST_UNEXPLAINED
    assert tally.batches >= LEAST_BATCHES
    assert len(tally.left_out) <= MOST_LEFT_OUT * (tally.matched + len(tally.left_out)), tally.left_out


@pytest.fixture(scope="module")
def matching(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, object]:
    """What is expected of a batch, and what its profile holds.

    Raises:
        TimeoutError: the job hangs. It is tried again, unlike one whose profile is wrong.
    """
    hunt = Hunt(libraries.ONE_OF_EACH[0], tmp_path_factory.mktemp("random"))
    programs = [hunt.program(seed) for seed in range(BATCH // 2)]  # the small ones of the batch
    outcome = hunt.run(*programs)
    if outcome.hangs:
        raise TimeoutError(outcome.failure)
    assert outcome.good, outcome
    place = hunt.place / "job"
    return expect(programs, job.read_polls(place, programs[0].ranks)), read(place / "random.rankwise")


@pytest.mark.parametrize("table", ["calls", "messages"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_row_that_is_off_by_one_is_seen(matching: tuple[object, object], table: str, side: int) -> None:
    both = copy.deepcopy(matching)
    rows = getattr(both[side], table)
    for key, row in rows.items():
        for column in range(len(row)):
            if not row[column]:
                continue
            row[column] += 1
            assert differences(*both), (key, column)
            row[column] -= 1
    assert not differences(*both)


@pytest.mark.parametrize("table", ["calls", "messages", "communicators", "entries"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_row_that_is_missing_is_seen(matching: tuple[object, object], table: str, side: int) -> None:
    both = copy.deepcopy(matching)
    rows = getattr(both[side], table)
    for key, row in list(rows.items()):
        if row in ([0, 0, 0], [0, 0]):
            continue
        del rows[key]
        assert differences(*both), key
        rows[key] = row
