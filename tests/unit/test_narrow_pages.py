"""Views and findings on a narrow page: no line passes its edge, and no word is broken by letters."""

from __future__ import annotations

import io
import re
import sqlite3
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import profiles
import pytest
from rich.text import Text

from rankwise.__main__ import main
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.waiting.messages import Caused, MessageWaits, RankWaits
from rankwise.commands.show import VIEWS
from rankwise.launch import checkup
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.view import show_table
from rankwise.views.by import view
from rankwise.views.message_waits import message_wait_tables
from rankwise.views.view import Detail

NARROW, WIDE = 80, 5000
DEEP = "W_s1_a1_u1_d1_d2_d3"  # no narrow column has room for it
DIRECTORIES = "/".join(f"directory-{number}" for number in range(12))


def write_long(path: Path) -> Path:
    """Write the run with files in many directories, a name of many steps, and scattered members."""
    profiles.write_with_files(path)
    scattered = ",".join(str(number * number) for number in range(1, 60))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE files SET name = ? || '/out.dat' WHERE id = 1", (DIRECTORIES,))
        connection.execute("UPDATE communicators SET name = ?, family = ? WHERE name = 'W_a1'", (DEEP, DEEP))
        connection.execute("UPDATE communicators SET members = ? WHERE name = 'W_a1_u1.0'", (scattered,))
    return path


WRITERS = [
    profiles.write_profile,
    profiles.write_partial,
    profiles.write_inside,
    profiles.write_large,
    profiles.write_empty,
    write_long,
]


def words(text: str) -> set[str]:
    return set(re.split(r"(?:\s|[/,]|::)+", text))


def at(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main([*arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.each_value
@pytest.mark.parametrize("detail", [[], ["-v"]])
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("writer", WRITERS)
def test_views_fit_and_break_between_words(
    writer: Callable[[Path], Path],
    name: str,
    detail: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("show", str(writer(tmp_path / "a.rankwise")), "--by", name, "--limit", "0", *detail)
    narrow, wide = (at(width, monkeypatch, capsys, *asked) for width in (NARROW, WIDE))
    assert max(map(len, narrow.splitlines())) <= NARROW
    assert words(narrow) <= words(wide)


def test_long_names_are_really_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write_long(tmp_path / "a.rankwise"))
    files = at(NARROW, monkeypatch, capsys, "show", path, "--by", "file", "-v")
    assert DIRECTORIES not in files
    assert {"directory-0", "directory-11", "out.dat"} <= words(files)
    made = at(NARROW, monkeypatch, capsys, "show", path, "--by", "communicator", "-v")
    assert {"1", "4", str(59 * 59)} <= words(made)


def test_names_in_scopes_are_broken_between_them() -> None:
    name = "LAMMPS_NS::ComputePressure::virial_compute"
    lines = Page(io.StringIO()).folded(Text(name), 30)
    assert [line.plain for line in lines] == ["LAMMPS_NS::ComputePressure::", "virial_compute"]


def test_what_tells_rows_apart_is_in_both_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(profiles.write_inside(tmp_path / "a.rankwise"))
    text = at(NARROW, monkeypatch, capsys, "show", path, "--by", "algorithm", "-v")
    heads = [line.split()[:5] for line in text.splitlines() if line.startswith("call ")]
    assert heads == [["call", "communicator", "ranks", "root", "size"]] * 2


def test_waits_for_messages_are_named_in_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    waiting = [
        RankWaits(
            rank=rank,
            host="node",
            communicator=on,
            procedure=procedure,
            seconds=0.1,
            certain_seconds=0.1,
            late_sender_seconds=0.05,
            late_receiver_seconds=0.0,
            error_seconds=0.01,
            sampled=1000,
            certain=1000,
        )
        for rank in (0, 1)
        for on in ("W", "W_a1")
        for procedure in ("MPI_Recv", "MPI_Waitall")
    ]
    caused = [Caused(late, 2, 0.1, 0.0, 0.05, 3) for late in (0, 1)]
    waits = MessageWaits(
        seconds=0.2,
        percent_certain=100.0,
        late_sender_seconds=0.1,
        late_receiver_seconds=0.0,
        error_seconds=0.0,
        waiting=waiting,
        caused=caused,
        origins=[],
    )
    _, who, for_whom = message_wait_tables(waits, Detail.ALL)
    for table, names in ((who, ["rank", "call", "communicator"]), (for_whom, ["late", "waits"])):
        file = io.StringIO()
        show_table(Page(file), table, Detail.VERBOSE, 0)
        parts = file.getvalue().removeprefix(f"{table.title}\n").split("\n\n")
        assert len(parts) > 1
        assert all(part.split()[: len(names)] == names for part in parts)


def test_numbers_stay_with_their_units() -> None:
    text = "Rank 0 comes late: others wait 133 ms, 99.6 % of all, for 4.00 KiB, 1.41 x as much, in 2 calls"
    page = Page(io.StringIO())
    for width in range(12, 60):
        lines = [line.plain for line in page.folded(page.text(text), width, units=True)]
        assert " ".join(" ".join(lines).split()) == text
        assert not any(re.match("(ms|%|KiB|x)[ ,]", line) for line in lines)
        assert max(map(len, map(str.rstrip, lines))) <= width


@pytest.mark.parametrize("name", VIEWS)
def test_no_two_rows_have_the_same_names(name: str, tmp_path: Path) -> None:
    with opened_profile(profiles.write_inside(tmp_path / "a.rankwise")) as connection:
        tables = view(name, connection, Detail.ALL).tables
    for table in tables:
        for detail in (Detail.BRIEF, Detail.VERBOSE):
            columns = table.columns_in(detail)
            keys = [*takewhile(lambda column: column.format.flexible or column.key, columns)] or columns[:1]
            rows = [tuple(key.cell(row).text for key in keys) for row in table.rows]
            assert len({*rows}) == len(rows) or not table.detail & detail


def test_doctor_goes_on_below_the_beginning_of_its_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cure = f"look for the library below /opt/{DIRECTORIES}/lib, and ask who has installed it"
    findings = [
        checkup.Finding("launcher", "mpirun, found on PATH, " * 6 + "is Open MPI's"),
        checkup.Finding("library", "does not load", cure),
    ]
    monkeypatch.setattr(checkup, "installation", lambda _: findings)
    narrow, wide = (at(width, monkeypatch, capsys, "doctor") for width in (NARROW, WIDE))
    assert wide.splitlines()[2] == f"            -> {cure}"
    assert max(map(len, narrow.splitlines())) <= NARROW
    assert words(narrow) == words(wide)
    first, second, *_ = narrow.splitlines()
    assert (first[:12], second[:12]) == ("  launcher  ", " " * 12)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        (["3", "0", "2", "1", "7", "0"], "each of 0-3,7"),
        (["0-3"], "0-3"),
        (["4", "0-3"], "0-3 | 4"),
        (["12-15", "8-11", "4-7", "0-3", "16-19"], "0-3 | 4-7 | 8-11 +2 more"),
        (["9"], "9"),
    ],
)
def test_groups_of_a_family(tmp_path: Path, members: list[str], text: str) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with sqlite3.connect(path) as connection:
        profiles.add_communicators(connection, {f"W_d1.{n}": group for n, group in enumerate(members)})
    assert made(path)["W_d1" if len(members) > 1 else "W_d1.0"]["members"] == text


def made(path: Path) -> dict[str, dict[str, object]]:
    """Return the rows of the table that says how the families were made."""
    with opened_profile(path) as connection:
        table = view("communicator", connection, Detail.BRIEF).tables[1]
    return {
        str(table.columns[0].value(row)): {column.name: column.value(row) for column in table.columns}
        for row in table.rows
    }


def test_a_name_of_some_is_not_lent_to_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE communicators SET user_name = '' WHERE name = 'W_a1_u1.2'")
        connection.execute("UPDATE communicators SET user_name = 'c' || id WHERE family = 'W_a1_u2'")
    text = at(NARROW, monkeypatch, capsys, "show", str(path), "--by", "communicator")
    assert "row" not in words(text.replace('"', " "))
    assert re.search('^W_a1_u2 "c[0-9]+" [+]1 names', text, re.MULTILINE)


def test_the_legend_says_windows_where_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    asked = ("show", str(path), "--by", "communicator")
    assert "windows" not in at(WIDE, monkeypatch, capsys, *asked)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE communicators SET type = 'window' WHERE family = 'W_a1_u2'")
    assert "windows" in at(WIDE, monkeypatch, capsys, *asked)
