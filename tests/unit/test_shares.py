"""Times and their shares in random profiles: one rule in every view, read from the lines that are printed."""

from __future__ import annotations

import io
import json
import random
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import profiles
import pytest

from rankwise.__main__ import main
from rankwise.analysis.opened import opened_profile
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.summary import print_summary
from rankwise.render.terminal.view import show_table
from rankwise.views.by import view as made
from rankwise.views.view import Detail

VIEWS = ("communicator", "call", "size", "region")
SEEDS = range(12)
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
ROUNDING = 0.006  # of three significant digits
LEAST_SHARE = 0.051  # of one decimal


def write_random(path: Path, seed: int) -> float:
    """Write a profile of random calls, most of its time in MPI_Init; return its time in MPI."""
    draw = random.Random(seed)
    profiles.write_profile(path)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM calls")
    threads = draw.choice([1, 1, 4])
    places = [(profiles.NONE, 0, 1, 0), (profiles.NONE, 0, 8, 0), (profiles.NONE, 0, 5, 0)]
    places += [
        (communicator, region, procedure, size_bin)
        for communicator in range(profiles.SEVERAL, 9)
        for region in (0, profiles.SOLVE)
        for procedure in range(2, 8)
        for size_bin in (0, 4, 11)
        if draw.random() < 0.15
    ]
    total = 0.0
    for rank in range(4):
        opening = draw.uniform(0.5, 50.0)
        spent = 0.0
        for communicator, region, procedure, size_bin in places:
            is_apart = procedure in (1, 8)
            seconds = opening if is_apart else 10 ** draw.uniform(-6, 0)
            spent += 0.0 if is_apart else seconds
            facts = (
                rank,
                communicator,
                region,
                procedure,
                size_bin,
                draw.randint(1, 9),
                0,
                0,
                seconds,
                0.0,
                0.0,
            )
            connection.execute(f"INSERT INTO calls VALUES ({', '.join('?' * 11)}, 0, NULL)", facts)
        run = spent / threads * draw.choice([1.0, 1.5])
        connection.execute(
            "UPDATE ranks SET mpi = ?, init_finalize = ?, run = ?, wall = ?, threads = ? WHERE rank = ?",
            (spent, 2 * opening, run, run + 2 * opening, threads, rank),
        )
        total += spent
    connection.commit()
    connection.close()
    return total


def column(lines: list[str], head: str) -> list[str]:
    """Return the cells below a head: of right-aligned columns, which are two blanks apart."""
    end = lines[0].index(head) + len(head)
    return [re.split(" {2,}", line[:end])[-1] if len(line) >= end else "" for line in lines[1:]]


def seconds_of(cell: str) -> float:
    number, unit = cell.split()
    return float(number) * UNITS[unit]


def share_of(cell: str) -> float:
    return 0.0 if cell in ("-", "") or cell.startswith("<") else float(cell)


def near_share(share: float) -> object:
    """A share worked out from a time that is rounded, and rounded itself."""
    return pytest.approx(share, abs=LEAST_SHARE + ROUNDING * share)


def of_the_rest(lines: list[str], head: str) -> list[str]:
    """Return the cells of all rows that stand not apart."""
    cells = column(lines, head)
    apart = [line.lstrip().startswith(("Init", "Finalize", "total")) for line in lines[1:]]
    return [cell for cell, is_apart in zip(cells, apart, strict=True) if not is_apart]


def assert_consistent(lines: list[str], total: float, run: float) -> None:
    assert len(lines) > 1
    shares = [share_of(cell) for cell in of_the_rest(lines, "% of MPI")]
    assert sum(shares) == pytest.approx(100, abs=LEAST_SHARE * len(shares))
    apart = [line for line in lines if line.startswith(("Init", "Finalize"))]
    for head in ("% of MPI", "% of run"):
        if head in lines[0]:
            assert {column([lines[0], line], head)[0] for line in apart} <= {"-"}
    if "time (sum)" not in lines[0]:
        return
    times = [seconds_of(cell) for cell in of_the_rest(lines, "time (sum)")]
    assert sum(times) == pytest.approx(total, rel=ROUNDING)
    for line in lines:
        if line.lstrip().startswith("total"):
            assert seconds_of(column([lines[0], line], "time (sum)")[0]) == pytest.approx(total, rel=ROUNDING)
            assert share_of(column([lines[0], line], "% of MPI")[0]) == pytest.approx(100, abs=LEAST_SHARE)
    for time, share in zip(times, shares, strict=True):
        assert share == near_share(100 * time / total)
    if "% of run" in lines[0]:
        for time, cell in zip(times, of_the_rest(lines, "% of run"), strict=True):
            assert share_of(cell) == near_share(100 * time / run)


def tables_of(connection: sqlite3.Connection, view: str, *, verbose: bool, limit: int) -> Iterator[list[str]]:
    detail = Detail.VERBOSE if verbose else Detail.BRIEF
    for table in made(view, connection, detail).tables:
        if "% of MPI" in {column.name for column in table.columns} and not table.title and not table.parts:
            out = io.StringIO()
            bare = replace(table, columns=[replace(column, obvious=True) for column in table.columns])
            show_table(Page(out), bare, detail, limit)
            yield [line for line in out.getvalue().splitlines() if "--limit 0" not in line]


@pytest.fixture(params=SEEDS)
def drawn(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, float, float]:
    monkeypatch.setenv("COLUMNS", "250")
    path = tmp_path / "a.rankwise"
    total = write_random(path, request.param)
    with sqlite3.connect(path) as connection:
        (run,) = connection.execute("SELECT SUM(run * threads) FROM ranks").fetchone()
    return path, total, run


@pytest.mark.parametrize("limit", [0, 3])
def test_shares_are_those_of_the_times_in_every_view(drawn: tuple[Path, float, float], limit: int) -> None:
    path, total, run = drawn
    with opened_profile(path) as connection:
        for view in VIEWS:
            for verbose in (False, True):
                tables = list(tables_of(connection, view, verbose=verbose, limit=limit))
                assert len(tables) == 1
                assert_consistent(tables[0], total, run)


def test_the_summary_has_the_same_rule(drawn: tuple[Path, float, float]) -> None:
    path, total, run = drawn
    for verbose in (False, True):
        out = io.StringIO()
        print_summary(path, file=out, verbose=verbose)
        parts = [part.splitlines() for part in out.getvalue().split("\n\n")]
        tables = [part for part in parts if "% of MPI" in part[0]]
        assert len(tables) == 2
        for lines in tables:
            assert_consistent(lines, total, run)
        line = next(part[0] for part in parts if part[0].startswith("wall"))
        mpi, other = re.findall(r"(?:MPI|other) <?([\d.]+) %", line)
        assert float(mpi) == pytest.approx(100 * total / run, abs=LEAST_SHARE)
        assert float(mpi) <= 100
        assert float(mpi) + float(other) == pytest.approx(100, abs=2 * LEAST_SHARE)


def test_json_has_the_same_rule(drawn: tuple[Path, float, float], capsys: pytest.CaptureFixture[str]) -> None:
    path, total, run = drawn
    tables = {"communicator": ("families", "communicators", "communicator_calls"), "call": ("calls",)}
    tables |= {"size": ("sizes", "sizes_by_call"), "region": ("regions",)}
    apart = []
    for view, keys in tables.items():
        assert main(["show", str(path), "--by", view, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        for key in keys:
            rows = found[key]
            assert sum(row["seconds"] for row in rows) == pytest.approx(total)
            for row in rows:
                assert row["percent_of_mpi"] == pytest.approx(100 * row["seconds"] / total)
                assert row["percent_of_run"] == pytest.approx(100 * row["seconds"] / run)
        apart.append(found["opening_and_closing"])
    assert all(rows == apart[0] for rows in apart)
    assert {row["procedure"] for row in apart[0]} == {"MPI_Finalize", "MPI_Init"}


def test_no_share_of_a_rank_or_node_is_above_all(
    drawn: tuple[Path, float, float], capsys: pytest.CaptureFixture[str]
) -> None:
    path, total, _ = drawn
    for view, key in (("rank", "ranks"), ("node", "nodes")):
        assert main(["show", str(path), "--by", view, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)[key]
        assert sum(row["seconds"] for row in rows) == pytest.approx(total)
        assert all(0 < row["percent_of_own_run"] <= 100 + 1e-9 for row in rows)
