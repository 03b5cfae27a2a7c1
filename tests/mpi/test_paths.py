"""Through which functions calls are made: programs/paths.c, whose ways to a library's only call are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile, Recording

LIBRARY = "libways.so.1"
SHARES = {"solve": 60, "norm": 30, "output": 10}
# Nothing but the tables for unwinding leads from function to function.
OPTIONS = ("-O2", "-g", "-fomit-frame-pointer")


def run_paths(mpi: Mpi, directory: Path, tens: int, *more: str, options: tuple[str, ...] = ()) -> Recording:
    """Compile, run, and give the profile back; `options` are of the library alone."""
    library, program = directory / LIBRARY, directory / "paths"
    shared = ("-shared", "-fPIC", f"-Wl,-soname,{LIBRARY}", *OPTIONS, *options)
    mpi.compile(library, PROGRAMS / "paths_library.c", options=shared)
    linked = (str(library), f"-Wl,-rpath,{directory}", "-lpthread")
    mpi.compile(program, PROGRAMS / "paths.c", *linked, options=OPTIONS)
    done = recording.run_on(mpi, mpi.launch(1, program, str(tens), *more), directory / "paths.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.dropped == {}
    return done


def shown(done: Recording, *more: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        done.shown("--by", "path", "--call", "Allreduce", "--json", *more)
    )["paths"]
    return rows


def names(row: dict[str, Any]) -> list[str]:
    return [frame["function"] for frame in row["frames"]]


def test_few_calls_are_all_in_the_sample(mpi: Mpi, tmp_path: Path) -> None:
    done = run_paths(mpi, tmp_path, 3)
    rows = shown(done)
    assert {row["function"] for row in rows} == {"sum_over_ranks"}
    by_name = {names(row)[0]: row for row in rows}
    assert by_name.keys() == SHARES.keys()
    for name, row in by_name.items():
        # (A function that is called in one place may have become a part of its caller.)
        assert names(row)[1] == "step" and names(row)[-1] == "main"
        assert row["ends"] == "whole"
        assert row["samples"] == round(row["calls"]) == 3 * SHARES[name] // 10
        assert row["share_of_calls"] == pytest.approx(dict.fromkeys(("percent", "low", "high"), SHARES[name]))


@pytest.mark.parametrize("threads", [[], ["threads"]], ids=["one thread", "threads"])
def test_shares_of_many_calls(mpi: Mpi, tmp_path: Path, threads: list[str]) -> None:
    done = run_paths(mpi, tmp_path, 5000, *threads)
    rows = shown(done)
    calls = 50_000 * (2 if threads else 1)
    assert sum(row["samples"] for row in rows) < calls / 20
    for row in rows:
        share, expected = row["share_of_calls"], SHARES[names(row)[0]]
        # Three times the half of a 95 % interval: about six standard deviations.
        assert abs(share["percent"] - expected) < 3 * (share["high"] - share["low"]) / 2
        assert share["high"] - share["low"] < 10
        assert row["calls"] == pytest.approx(calls * share["percent"] / 100)
    assert {names(row)[0] for row in rows} == SHARES.keys()
    if threads:
        assert {names(row)[-1] for row in rows} == {"work"}  # where the threads begin
    [site] = json.loads(done.shown("--by", "site", "--call", "Allreduce", "--json"))["sites"]
    assert site["library"] == "libways"
    assert site["caller"]["frame"]["function"] in SHARES


@pytest.mark.parametrize(
    "options",
    [("-fno-asynchronous-unwind-tables", "-fno-unwind-tables"), ("-DWRONG_TABLES",)],
    ids=["none", "wrong"],
)
def test_without_good_tables_the_path_ends(mpi: Mpi, tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run_paths(mpi, tmp_path, 3, options=options)
    [row] = shown(done)
    assert (row["frames"], row["ends"]) == ([], "cut")
    assert row["share_of_calls"]["percent"] == 100
    assert "?" in done.shown("--by", "path", "--call", "Allreduce")


@pytest.mark.parametrize("option", ["--no-paths", "--no-sites"])
def test_switched_off(mpi: Mpi, compiled: Compile, tmp_path: Path, option: str) -> None:
    command = mpi.launch(2, compiled(mpi, "waiting.c"))
    done = recording.run(command, tmp_path / "off.rankwise", mpi.env(), option)
    assert done.process.returncode == 0, done.process.stderr
    assert done.rows("SELECT COUNT(*) FROM paths") == [(0,)]
    assert done.rows("SELECT COUNT(*) > 0 FROM sites") == [(int(option == "--no-paths"),)]
    assert "--no-paths" in done.shown("--by", "path")
