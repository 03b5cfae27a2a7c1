from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import profiles
import pytest
from terminals import Terminal

from golden import Golden, assert_facts
from rankwise.render.terminal.summary import print_summary

ALL = [
    profiles.write_profile,
    profiles.write_partial,
    profiles.write_hostile,
    profiles.write_large,
    profiles.write_empty,
]


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


def summary_of(path: Path, *, verbose: int | None = None) -> str:
    """Return the screen of -v; for a partial run the first screen."""
    if verbose is None:
        with closing(sqlite3.connect(path)) as connection:
            (partial,) = connection.execute("SELECT partial FROM run").fetchone()
        verbose = 0 if partial else 1
    out = io.StringIO()
    print_summary(path, file=out, verbose=verbose)
    return out.getvalue()


@pytest.mark.parametrize("write", ALL)
def test_fits_one_plain_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], Path]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = summary_of(write(Path("heat.4711.rankwise"))).splitlines()
    assert len(lines) <= (24 if any(line.startswith("PARTIAL") for line in lines) else 30)
    assert max(map(len, lines)) <= 80
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_says_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    monkeypatch.chdir(tmp_path)
    text = summary_of(profiles.write_profile(Path("a.rankwise")))
    lines = text.splitlines()
    assert lines[0] == "rankwise 0.1.0  mpirun -n 4 ./heat --steps 100"
    assert lines[1] == "4 ranks / 2 nodes  job 4711  2026-11-21 10:02  Open MPI 4.1.4"
    assert lines[2] == "complete: 4/4 ranks, 0 records dropped, not covered: none"
    assert lines[3] == "own cost 0.02 % of wall (a rank: 617 calls x 1.00 us + set-up 1.38 ms)"
    assert "wall 10.0 s (Init, Finalize 140 ms)  .......#  compute, other 86.4 %  MPI 13.6 %" in lines
    words = [line.split() for line in lines]
    assert [
        "W_a1_u1",
        '"row"',
        "2",
        "x",
        "2",
        "40",
        "2.50",
        "MiB",
        "29.9",
        "Alltoallv",
        "64-128",
        "KiB",
    ] in words
    assert ["Allreduce", "400", "3.12", "KiB", "2.50", "s", "46.6", "6.3"] in words
    assert ["2", "others", "820", "40", "B", "260", "ms", "4.9", "0.7"] in words
    assert "in MPI    most rank 3 (nodeb) 1.71 s   least rank 0 (nodea) 970 ms" in lines
    assert "off node  25.0 % of the 800 KiB of point-to-point bytes" in lines
    golden.says(lines[-1], "next .. a.rankwise --by")


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ((), "show a.rankwise --by communicator"),
        (("UPDATE run SET partial = 1",), "show a.rankwise --by rank"),
        (
            ("DELETE FROM calls WHERE procedure NOT IN (1, 8)",),
            "show a.rankwise --by rank",
        ),
        (  # 9.9 s between MPI_Init and MPI_Finalize
            ("UPDATE ranks SET mpi = 4.93 WHERE rank = 3", "UPDATE ranks SET mpi = 0.986 WHERE rank <> 3"),
            "explain a.rankwise",
        ),
        (  # all send to all: a simple other order of the ranks would not help
            (
                "DELETE FROM messages",
                "INSERT INTO messages SELECT a.rank, b.rank, 3, 'point-to-point', 3, 1, 100"
                " FROM ranks AS a, ranks AS b WHERE a.rank <> b.rank",
            ),
            "map a.rankwise",
        ),
        (  # with one rank a node, they can't
            (
                "DELETE FROM messages WHERE source / 2 = destination / 2",
                "UPDATE ranks SET host = 'node' || rank",
            ),
            "show a.rankwise --by communicator",
        ),
        (
            ("UPDATE procedures SET class = 'input-output' WHERE class = 'collective'",),
            "show a.rankwise --by file",
        ),
        (
            ("UPDATE calls SET communicator = (SELECT id FROM communicators WHERE name = 'W')",),
            "show a.rankwise --by call",
        ),
    ],
)
def test_what_to_look_at_next_is_what_stands_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: tuple[str, ...],
    command: str,
    golden: Golden,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    path = profiles.write_profile(Path("a.rankwise"))
    with sqlite3.connect(path) as connection:
        for change in changes:
            connection.execute(change)
    last = summary_of(path).splitlines()[-1]
    assert last.startswith(f"next:     rankwise {command}   # ")
    golden.says(last)
    # It is there to be copied: without a reason rather than broken.
    monkeypatch.setenv("COLUMNS", "40")
    assert summary_of(path).splitlines()[-1] == f"next:     rankwise {command}"


def test_findings_take_the_place_of_what_to_look_at_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    path = profiles.write_profile(Path("a.rankwise"))
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM messages WHERE source / 2 = destination / 2")
        connection.execute("UPDATE ranks SET cpus_allowed = '0'")
    lines = summary_of(path).splitlines()
    foot = "\n".join(lines[-7:])
    assert_facts(foot, "50.0 % .. 2 .. 1 .. 1 .. rankwise show a.rankwise --by rank -v")
    assert_facts(foot, '3.0 % .. W_a1 "grid" .. 100.0 % .. rankwise run --reorder -- mpirun -n 4 ./heat')
    assert lines[-1].startswith("next:     rankwise explain a.rankwise   # ")
    golden.says(foot)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET partial = 1")
    golden.says(summary_of(path).splitlines()[-1])
    assert "findings:" not in summary_of(path)
    assert "findings:" in summary_of(path, verbose=2)


def test_efficiency_is_told_where_there_are_several_ranks(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    # 9.86 s of run, of which 0.97 to 1.71 s in MPI.
    assert "\nefficiency 0.86 = load balance 0.96 x communication 0.90\n" in summary_of(path)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM ranks WHERE rank > 0")
    assert "\nefficiency" not in summary_of(path)


def test_on_one_node_nothing_leaves_it(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE ranks SET host = 'nodea'")
    assert "off node" not in summary_of(path)


def test_one_rank_is_neither_most_nor_least(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM ranks WHERE rank > 0")
        connection.execute("UPDATE run SET ranks_expected = 1, ranks_seen = 1")
    assert "most rank" not in summary_of(path)


def calls_shown(path: Path, calls: dict[str, tuple[int, float]]) -> list[str]:
    """First words of the table of calls of a run that made these: name → bytes sent and seconds."""
    profiles.write_profile(path)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM calls")
        for key, (name, (sent, seconds)) in enumerate(calls.items(), start=300):
            connection.execute("INSERT INTO procedures VALUES (?, ?, 'collective')", (key, f"MPI_{name}"))
            connection.execute(
                "INSERT INTO calls (rank, communicator, region, procedure, size_bin, calls, bytes_sent,"
                " bytes_received, seconds, min, max) VALUES (0, 3, 0, ?, 0, 1, ?, 0, ?, 0.1, 0.1)",
                (key, sent, seconds),
            )
    lines = summary_of(path).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("call "))
    return [" ".join(line.split("  ")[0].split()) for line in lines[first + 1 : lines.index("", first)]]


def test_rows_go_by_share(tmp_path: Path) -> None:
    path = tmp_path / "a.rankwise"
    few = {"A": (0, 90.0), "B": (0, 4.0), "C": (0, 3.0), **{f"D{number}": (0, 0.2) for number in range(15)}}
    assert calls_shown(path, few) == ["A", "B", "C", "15 others"]
    path.unlink()
    similar = {f"A{number:02}": (0, 10.0 - number / 100) for number in range(30)}
    assert calls_shown(path, similar) == [*list(similar)[:9], "21 others"]
    path.unlink()
    assert calls_shown(path, dict(list(similar.items())[:10])) == list(similar)[:10]
    path.unlink()  # what sends, but takes no time
    sends = {**few, "S": (1000, 0.01)}
    assert calls_shown(path, sends) == ["A", "B", "C", "S", "15 others"]
    path.unlink()  # the others of 94 % have more than the row before them
    many = {"A": (0, 80.0), "B": (0, 14.0), "C": (0, 2.0), **{f"D{number}": (0, 0.8) for number in range(5)}}
    assert calls_shown(path, many) == ["A", "B", "C", "D0", "D1", "D2", "D3", "D4"]


def wall_line(path: Path, wall: float, init_finalize: float, mpi: float) -> str:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET wall = ?", (wall,))
        connection.execute(
            "UPDATE ranks SET run = ?, mpi = ?, init_finalize = ?",
            (wall - init_finalize, (wall - init_finalize) * mpi / 100, init_finalize),
        )
    return next(line for line in summary_of(path).splitlines() if line.startswith("wall "))


def test_the_time_between_init_and_finalize_has_two_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    words = "compute, other 73.9 %  MPI 26.1 %"
    assert wall_line(path, 0.892, 0.382, 26.1) == f"wall 892 ms (Init, Finalize 382 ms)  ......##  {words}"
    words = "other 73.9 %  MPI 26.1 %"
    assert (
        wall_line(path, 12345.0, 1.25, 26.1)
        == f"wall 12345 s (Init, Finalize 1.25 s)  ............####  {words}"
    )
    words = "other 0.0 %  MPI 100.0 %"
    assert (
        wall_line(path, 0.892, 0.001, 100.0) == f"wall 892 ms (Init, Finalize 1.00 ms)  {'#' * 16}  {words}"
    )
    words = "compute, other 0.0 %  MPI 0.0 %"  # nothing in between
    assert wall_line(path, 0.5, 0.5, 0.0) == f"wall 500 ms (Init, Finalize 500 ms)  {'.' * 10}  {words}"
    monkeypatch.setenv("COLUMNS", "120")
    words = "compute, other 73.9 %  MPI 26.1 %"
    bar = "...............#####"
    assert wall_line(path, 0.892, 0.382, 26.1) == f"wall 892 ms (Init, Finalize 382 ms)  {bar}  {words}"
    monkeypatch.setenv("COLUMNS", "55")
    assert wall_line(path, 0.892, 0.382, 26.1) == "wall 892 ms (Init, Finalize 382 ms)  MPI 26.1 %"


def test_nothing_between_init_and_finalize(tmp_path: Path, golden: Golden) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM calls WHERE procedure NOT IN (1, 8)")
        connection.execute("UPDATE ranks SET mpi = 0")
    golden.says(summary_of(path), "MPI .. MPI_Init .. MPI_Finalize")


def test_one_of_several_worlds(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "heat.rankwise")
    assert "world 1 of" not in summary_of(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET world = 2, worlds = 3")
    assert "world 2 of 3" in summary_of(path)


def test_verbose_shows_the_spread_of_init_and_finalize(tmp_path: Path) -> None:
    text = summary_of(profiles.write_profile(tmp_path / "a.rankwise"), verbose=2)
    assert "init, finalize 560 ms 140 ms 140 ms 0 140 ms 0" in " ".join(text.split())


def test_partial_comes_first_and_says_why(tmp_path: Path) -> None:
    text = summary_of(profiles.write_partial(tmp_path / "a.rankwise"))
    assert "PARTIAL: rank 2 (nodeb) ended inside MPI_Allreduce on W\n" in text
    assert_facts(text, "10.0 s .. Init .. Finalize 140 ms")
    assert "11 records dropped, not covered: Put, Get, Win_fence and 2 more" in text
    assert "exit status 137" in text
    assert any(line.startswith("! rank 2: ") for line in text.splitlines())
    assert "complete" not in text


def test_verbose_cuts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    text = summary_of(profiles.write_large(tmp_path / "a.rankwise"), verbose=2)
    assert "others" not in text
    assert all(f"\n{profiles.large_name(number)} " in text for number in range(1, 41))
    assert all(f"\nExtra_{number:02} " in text for number in range(1, 41))
    assert ["[total]", "<avg>", "min", "rank", "max", "rank"] in [
        line.split()[-6:] for line in text.splitlines()
    ]
    partial = summary_of(profiles.write_partial(tmp_path / "p.rankwise"), verbose=2)
    assert "(call rows 7, requests 4)" in partial
    assert "Put, Get, Win_fence, Win_create, Win_free" in partial


def test_a_recovered_run_shows_its_executable(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET command = '[]'")
    assert summary_of(path).startswith("rankwise 0.1.0  /home/user/heat\n")


def test_many_long_warnings_leave_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = profiles.write_partial(Path("a.rankwise"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET partial_reason = ?, job = ?", ("why " * 100, "j" * 100))
        connection.execute("UPDATE ranks SET host = host || '.a-very-long-name-of-a-cluster.example.org'")
        connection.executemany("INSERT INTO warnings (text) VALUES (?)", [("word " * 50,)] * 20)
    lines = summary_of(path).splitlines()
    assert len(lines) <= 24
    assert "! 22 warnings in full: rankwise show a.rankwise -vv" in lines
    assert sum("others" in line for line in lines) == 2


def test_hostile_names_are_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    path = profiles.write_hostile(tmp_path / "a.rankwise")
    text = summary_of(path, verbose=2)
    assert text.isascii()
    assert "\x1b" not in text
    assert '"\\x1b[2J\\x1b]0;owned\\x07"' in text
    assert "[bold red]:boom:\\u202eevil" in text

    terminal = Terminal()
    print_summary(path, file=terminal, verbose=2)
    shown = terminal.getvalue()
    assert "\x1b[2J" not in shown
    assert "\x1b]0;" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    assert "Höhe 高" in shown


def test_colour_only_on_a_terminal_that_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    coloured = Terminal()
    print_summary(path, file=coloured, verbose=1)
    assert "\x1b[1m" in coloured.getvalue()
    assert "█" in coloured.getvalue()

    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    print_summary(path, file=plain, verbose=1)
    assert plain.getvalue() == summary_of(path)


def test_goes_to_stderr_by_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(profiles.write_profile(tmp_path / "a.rankwise"), verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rankwise 0.1.0")
