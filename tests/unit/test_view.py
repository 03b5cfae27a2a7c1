"""Views as data: every drawing finds all it needs in them."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import profiles
import pytest

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.to_json import to_json
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.view import show_view
from rankwise.views.by import VIEWS, view
from rankwise.views.view import (
    COUNT,
    FIGURES,
    SECONDS,
    Cell,
    Column,
    Detail,
    Table,
    View,
    label,
    legend,
    number,
)

WRITERS = [
    profiles.write_profile,
    profiles.write_partial,
    profiles.write_inside,
    profiles.write_with_files,
    profiles.write_hostile,
    profiles.write_large,
    profiles.write_empty,
]


def lines_of(shown: View, detail: Detail = Detail.BRIEF, limit: int = 0) -> list[str]:
    out = io.StringIO()
    show_view(Page(out), shown, detail, limit)
    return out.getvalue().splitlines()


@pytest.fixture(params=WRITERS)
def views(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str, Detail], View]]:
    with opened_profile(request.param(tmp_path / "a.rankwise")) as connection:
        yield lambda name, detail: view(name, connection, detail)


@pytest.mark.each_value
@pytest.mark.parametrize("name", VIEWS)
def test_every_column_says_what_it_holds(views: Callable[[str, Detail], View], name: str) -> None:
    for table in views(name, Detail.ALL).tables:
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names)
        for column in table.columns:
            assert column.meaning
            assert not column.meaning.endswith(".")
            for row in table.rows:
                cell = column.cell(row)
                assert (cell.value is None) or isinstance(cell.value, str | int | float)
                assert isinstance(cell.text, str)
            if table.rows and column.total:
                assert column.total_cell(table.rows).text
        assert table.empty.endswith(".")
        for line in table.apart:
            assert set(line) <= set(names)


@pytest.mark.each_value
@pytest.mark.parametrize("name", VIEWS)
def test_an_answer_is_a_part_of_the_whole(views: Callable[[str, Detail], View], name: str) -> None:
    whole = views(name, Detail.ALL)
    for detail in (Detail.BRIEF, Detail.VERBOSE):
        part = views(name, detail)
        assert part.data.items() <= whole.data.items()
        # Drawn from the whole it is the same.
        assert lines_of(part, detail) == lines_of(whole, detail)
    assert not whole.title.endswith(".")


def test_json_is_the_data_of_the_view(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = profiles.write_inside(tmp_path / "a.rankwise")
    for name in VIEWS:
        assert main(["show", str(path), "--by", name, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        with opened_profile(path) as connection:
            data = to_json(dict(view(name, connection, Detail.ALL).data))
        assert list(document) == ["trust", *data]
        assert json.loads(json.dumps(data)) == {key: document[key] for key in data}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("call", "46.6 % .. MPI"),
        ("rank", "3 .. MPI .. 1.71 s .. 1.28"),
        ("node", "25.0 % .. 800 KiB"),
        ("size", "8-15 B .. 46.6 % .. MPI"),
        ("region", "98.9 % .. MPI"),
        ("pair", "0 .. 1 .. 150 KiB .. 18.8 %"),
        ("file", ""),
    ],
)
def test_titles_are_findings(tmp_path: Path, name: str, title: str, golden: Golden) -> None:
    with opened_profile(profiles.write_profile(tmp_path / "a.rankwise")) as connection:
        golden.says(view(name, connection, Detail.BRIEF).title, title)


def test_where_all_ranks_are_alike_none_stands_out(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE ranks SET mpi = CASE rank WHEN 3 THEN 1.02 ELSE 1.0 END")
    with opened_profile(path) as connection:
        title = view("rank", connection, Detail.BRIEF).title
    assert title == "The time in MPI is balanced: 1.00 s a rank, at most 1.01 times the mean"


ROWS = [("a", 2, 0.5), ("b", 3, None), ("c", 4, 0.25)]
NAME: Column[tuple[str, int, float | None]] = label("name", lambda row: row[0], "who")
CALLS: Column[tuple[str, int, float | None]] = number("calls", lambda row: row[1], COUNT, "how many")
TIME: Column[tuple[str, int, float | None]] = Column(
    "time",
    lambda row: row[2],
    SECONDS,
    "how long; +: at least",
    mark=lambda row: "+" * (row[0] == "a"),
    note=lambda row: "not timed" if row[2] is None else "",
)


def test_cells_have_value_and_text() -> None:
    assert TIME.cell(ROWS[0]) == Cell("500 ms+", 0.5)
    assert TIME.cell(ROWS[1]) == Cell("", None, "not timed")
    assert label("n", lambda _: None, "none", kind=FIGURES).cell(ROWS[0]) == Cell("-", None)
    assert CALLS.total_cell(ROWS) == Cell("9", 9)
    assert TIME.total_cell(ROWS) == Cell()


def test_columns_that_mean_the_same_are_explained_together() -> None:
    least = Column("least", lambda row: row[2], SECONDS, "of one rank")
    most = Column("most", lambda row: row[2], SECONDS, "of one rank")
    assert legend([NAME, least, CALLS, most]) == "least, most: of one rank. calls: how many."


def test_notes_are_numbered_once_and_stand_below() -> None:
    table = Table([NAME, CALLS, TIME], ROWS, "Nothing.", notes=["All is said."])
    assert lines_of(View("", [table], {})) == [
        "name   calls     time",
        "a          2  500 ms+",
        "b          3      [1]",
        "c          4   250 ms",
        "total      9",
        "calls: how many. time: how long; +: at least. All is said. [1]: not timed.",
    ]


def test_parts_are_tables_of_their_own_and_explain_once() -> None:
    table = Table([NAME, CALLS], ROWS, "Nothing.", parts={"b": "B and more", "a": "A", "c": "C"})
    assert lines_of(View("", [table], {}), limit=1) == [
        "B and more",
        "calls",
        "    3",
        "",
        "2 other names",
        "name     calls",
        "a            2",
        "1 other      4",
        "total        6",
        "--limit 0 shows all rows.",
        "calls: how many.",
    ]


def test_what_is_explained_is_not_explained_again() -> None:
    first, second = Table([NAME, CALLS], ROWS, ""), Table([NAME, CALLS, TIME], ROWS, "", title="Again")
    assert lines_of(View("", [first, second], {}))[-1] == "time: how long; +: at least. [1]: not timed."


def test_the_total_is_of_all_rows_and_stands_above_what_is_apart() -> None:
    apart = [{"name": Cell("Init"), "calls": Cell("1", 1)}]
    table = Table([NAME, CALLS], ROWS, "", sums=[{"name": Cell("mean"), "calls": Cell("3", 3)}], apart=apart)
    assert lines_of(View("", [table], {}), limit=1)[1:6] == [
        "a             2",
        "2 others      7",
        "total         9",
        "mean          3",
        "Init          1",
    ]
    assert Table([NAME, CALLS], ROWS[:1], "").total_lines() == []


def test_columns_without_room_stand_below_with_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    names: Column[tuple[str, int, float | None]] = label("name", lambda row: f"a_long_{row[0]}", "who")
    more = [number(f"number {place}", lambda row: row[1], COUNT, "how many") for place in range(4)]
    assert lines_of(View("", [Table([names, *more], ROWS, "")], {}))[:12] == [
        "name      number 0  number 1  number 2",
        "a_long_a         2         2         2",
        "a_long_b         3         3         3",
        "a_long_c         4         4         4",
        "total            9         9         9",
        "",
        "name      number 3",
        "a_long_a         2",
        "a_long_b         3",
        "a_long_c         4",
        "total            9",
        "number 0, number 1, number 2, number 3:",
    ]


@pytest.mark.each_value
@pytest.mark.parametrize("verbose", [[], ["-v"]])
@pytest.mark.parametrize("name", VIEWS)
def test_eighty_columns_break_no_name(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    verbose: list[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for write in (profiles.write_inside, profiles.write_with_files, profiles.write_large):
        path = write(tmp_path / f"{write.__name__}.rankwise")
        assert main(["show", str(path), "--by", name, "--limit", "0", *verbose]) == 0
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= 80
        if not text.startswith("No "):
            detail = Detail.VERBOSE if verbose else Detail.BRIEF
            with opened_profile(path) as connection:
                tables = view(name, connection, detail).tables
                for table in (table for table in tables if table.detail & detail):
                    names = [column for column in table.columns_in(detail) if column.format.whole]
                    assert all(column.cell(row).text in text for column in names for row in table.rows)
