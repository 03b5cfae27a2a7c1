"""What limits a run: profiles whose times are made up, each by one of the rules."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import overview_profiles
import profiles
import pytest
from made_profile import Made

from golden import Golden
from rankwise.analysis.calls.heaviest import heaviest
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.opened import opened_profile
from rankwise.diagnosis.make import make_diagnosis


def said(path: Path) -> str:
    with opened_profile(path) as connection:
        return make_diagnosis(Evidence(connection)).verdict


def made(path: Path, procedure: str, seconds: float, ranks: int = 4) -> Path:
    run = Made(ranks)
    for rank in range(ranks):
        run.call(rank, procedure, seconds)
    return run.write(path)


def test_a_late_rank(tmp_path: Path, golden: Golden) -> None:
    sentence = said(overview_profiles.late_rank(tmp_path / "a.rankwise"))
    golden.says(sentence, "30.0 % .. 3 .. all")


@pytest.mark.parametrize(
    ("procedure", "seconds", "sentence"),
    [
        ("MPI_Allreduce", 0.5, "MPI .. 5.0 %"),
        ("MPI_Isend", 5.0, "50.0 %"),
        ("MPI_File_write_all", 5.0, "MPI-IO .. 50.0 %"),
        (
            "MPI_Iprobe",
            5.0,
            "50.0 % .. 100.0 %",
        ),
    ],
)
def test_one_kind_of_time(
    tmp_path: Path, procedure: str, seconds: float, sentence: str, golden: Golden
) -> None:
    golden.says(said(made(tmp_path / "a.rankwise", procedure, seconds)), sentence)


def test_several_reasons(tmp_path: Path) -> None:
    run = Made()
    for rank in range(4):
        run.call(rank, "MPI_Isend", 2.0)
        run.call(rank, "MPI_File_write_all", 1.5)
        run.call(rank, "MPI_Iprobe", 1.5)
    assert said(run.write(tmp_path / "a.rankwise")) == (
        "MPI takes 50.0 % of the run, for several reasons: transfer 20.0 %, MPI-IO 15.0 %, unclassified"
        " 15.0 %."
    )


def test_a_single_rank(tmp_path: Path, golden: Golden) -> None:
    sentence = said(made(tmp_path / "a.rankwise", "MPI_Isend", 5.0, ranks=1))
    golden.says(sentence, "MPI .. 50.0 %")


def test_processors_come_before_what_follows_from_them(tmp_path: Path, golden: Golden) -> None:
    run = Made(8, cpus="0-1")
    for rank in range(8):
        run.call(rank, "MPI_Iprobe", 9.0)
    golden.says(said(run.write(tmp_path / "a.rankwise")), "8 .. 2")


def test_a_run_that_did_not_end(tmp_path: Path, golden: Golden) -> None:
    sentence = said(profiles.write_partial(tmp_path / "a.rankwise"))
    golden.says(sentence, "early .. 13.6 .. 92.5 .. --clock-sync")


def test_nothing_was_called(tmp_path: Path, golden: Golden) -> None:
    golden.says(said(profiles.write_empty(tmp_path / "a.rankwise")))


def test_the_heaviest_calls() -> None:
    run = Made()
    run.call(0, "MPI_Send", 1.0, size_bin=4)
    run.call(1, "MPI_Send", 2.0, size_bin=11)
    run.call(2, "MPI_Recv", 1.0, size_bin=4)
    with closing(run.seen.connection) as connection:
        calls = heaviest(connection)
        assert calls is not None
        assert (calls.procedure, calls.family, calls.size_bin) == ("MPI_Send", "W", 11)
        assert (calls.seconds, calls.percent_of_mpi) == (pytest.approx(3.0), pytest.approx(75.0))
        assert calls.percent_of_size == pytest.approx(200 / 3)
        assert calls.place is None


def test_without_calls_none_is_the_heaviest() -> None:
    run = Made()
    connection: sqlite3.Connection = run.seen.connection
    assert heaviest(connection) is None
