"""Files have names, and are told apart: each name, call and byte of programs/named_files.c, on every MPI."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from libraries import Mpi
from recording import Record, Recording, rankwise

from rankwise.profile.collect.layout import CONSTANTS

SIZE, STEPS = 4, 10
EVERYONE = range(SIZE)
LONGEST = 63  # bytes of a path beside a name

RECORDED: dict[str, tuple[Recording, Path]] = {}  # once for all tests here


@pytest.fixture
def recorded(record: Record, mpi: Mpi, tmp_path: Path) -> tuple[Recording, Path]:
    if mpi.name not in RECORDED:
        # A long path, of which the end is beside the names.
        directory = tmp_path / ("d" * 40)
        directory.mkdir()
        RECORDED[mpi.name] = record("named_files.c", SIZE, str(directory)), directory
    return RECORDED[mpi.name]


@pytest.fixture
def done(recorded: tuple[Recording, Path]) -> Recording:
    return recorded[0]


def own_files() -> dict[str, int]:
    """The files on MPI_COMM_SELF, and whose each is: odd ranks have two."""
    return {f"S.{rank}_f{number}": rank for rank in EVERYONE for number in range(1, 2 + rank % 2)}


def everyone(calls: int, sent: int = 0, received: int = 0) -> dict[int, tuple[int, int, int]]:
    return dict.fromkeys(EVERYONE, (calls, sent, received))


def expected() -> dict[str, tuple[str, str, str, int]]:
    """By name: family, parent, last step of the path, members."""
    files = {
        "W_f1": ("W_f1", "W", "shared", SIZE),
        "W_f2": ("W_f2", "W", "second", SIZE),
        "W_f3": ("W_f3", "W", "shared", SIZE),
        "W_s1.0_f1": ("W_s1_f1", "W_s1.0", "even", 2),
        "W_s1.1_f1": ("W_s1_f1", "W_s1.1", "odd", 2),
    }
    for number in range(1, STEPS + 1):
        files[f"W_d2_f{number}"] = ("W_d2_f*", "W_d2", f"step{number}", SIZE)
    for name, rank in own_files().items():
        number = name[-1]
        files[name] = (f"S_f{number}", f"S.{rank}", f"own{rank}.{number}", 1)
    return files


def test_names_are_the_same_on_all_ranks(recorded: tuple[Recording, Path]) -> None:
    done, directory = recorded
    rows = done.rows(
        "SELECT files.name, files.family, parents.name, files.user_name, files.size, files.members_seen,"
        " files.procedure, files.freed IS NOT NULL FROM communicators AS files"
        " JOIN communicators AS parents ON parents.id = files.parent WHERE files.type = 'file'"
    )
    files = {str(name): tuple(facts) for name, *facts in rows}
    assert files == {
        name: (family, parent, cut(f"{directory}/{last}"), size, size, "MPI_File_open", 1)
        for name, (family, parent, last, size) in expected().items()
    }
    assert len(rows) == len(files)
    # Files are counted apart, so the communicators' own names are what they were without them.
    others = done.rows("SELECT name FROM communicators WHERE type = 'communicator' AND size > 0")
    assert {name for (name,) in others} == {"W", "W_s1.0", "W_s1.1", "W_d2"} | {f"S.{r}" for r in EVERYONE}
    members = done.communicators()
    assert members["W_s1.1_f1"] == members["W_s1.1"]
    assert members["W_d2_f3"] == "0-3"


def cut(path: str) -> str:
    mark = "\N{HORIZONTAL ELLIPSIS}"
    return path if len(path) <= LONGEST else mark + path[-(LONGEST - len(mark.encode())) :]


def test_the_table_of_files_has_the_names(recorded: tuple[Recording, Path]) -> None:
    done, directory = recorded
    rows = done.rows(
        "SELECT own.name, files.name, communicators.name, mode, opens FROM files"
        " JOIN communicators ON communicators.id = communicator"
        " LEFT JOIN communicators AS own ON own.id = named WHERE files.id > 0"
    )
    assert {(name, path, on, opens) for name, path, on, _, opens in rows} == {
        (name, f"{directory}/{last}", parent, size * (2 if name == "W_f1" else 1))
        for name, (_, parent, last, size) in expected().items()
    }
    assert {name for name, _, _, mode, _ in rows if mode == "rdonly"} == {"W_f3"}


def test_opening_is_on_the_communicator_and_all_else_on_the_file(done: Recording) -> None:
    assert done.calls("MPI_File_open", "W") == everyone(4)
    assert done.calls("MPI_File_open", "W_d2") == everyone(STEPS)
    assert done.calls("MPI_File_write_at", "W_f1") == {rank: (3, 31 + rank, 0) for rank in EVERYONE}
    assert done.calls("MPI_File_sync", "W_f1") == everyone(1)
    assert done.calls("MPI_File_close", "W_f1") == everyone(2)
    assert done.calls("MPI_File_write_at", "W_f2") == everyone(1, 5)
    assert done.calls("MPI_File_read_at_all", "W_f3") == everyone(1, 0, 4)
    for number in range(1, STEPS + 1):
        assert done.calls("MPI_File_write_at", f"W_d2_f{number}") == everyone(1, number)
    for part in range(2):
        on_it = {rank: (1, 7, 0) for rank in EVERYONE if rank % 2 == part}
        assert done.calls("MPI_File_write_at", f"W_s1.{part}_f1") == on_it
    for name, rank in own_files().items():
        assert done.calls("MPI_File_iwrite_at", name) == {rank: (1, 3, 0)}
        assert done.calls("MPI_Wait", name) == {rank: (1, 0, 0)}  # of a request on the file
    elsewhere = done.rows(
        "SELECT DISTINCT procedures.name FROM calls JOIN procedures ON procedures.id = calls.procedure"
        " JOIN communicators ON communicators.id = communicator"
        " WHERE class = 'input-output' AND type <> 'file'"
    )
    assert elsewhere == [("MPI_File_open",)]
    assert done.dropped == {}
    assert done.warnings == []


def test_what_the_library_sends_for_a_file_is_on_it(done: Recording) -> None:
    caused = done.rows(
        "SELECT DISTINCT type FROM messages JOIN communicators ON communicators.id = communicator"
        " JOIN procedures ON procedures.id = messages.procedure WHERE class = 'input-output'"
        " AND procedures.name <> 'MPI_File_open'"
    )
    assert caused in ([], [("file",)])


def shown(done: Recording, *options: str) -> dict[str, list[dict[str, object]]]:
    process = rankwise("show", str(done.path), "--json", *options)
    assert process.returncode == 0, process.stderr
    answer: dict[str, list[dict[str, object]]] = json.loads(process.stdout)
    return answer


def test_shown_as_children_and_families(done: Recording) -> None:
    answer = shown(done, "--by", "communicator", "-v")
    families = {str(row["name"]): row for row in answer["families"]}
    files = {name: row["communicators"] for name, row in families.items() if row["type"] == "file"}
    assert files == {
        "W_f1": 1, "W_f2": 1, "W_f3": 1, "W_s1_f1": 2, "W_d2_f*": STEPS, "S_f1": SIZE, "S_f2": SIZE // 2,
    }  # fmt: skip
    rows = {str(row["name"]): row for row in answer["communicators"]}
    assert (rows["W_d2_f4"]["parent"], rows["W_d2_f4"]["type"]) == ("W_d2", "file")
    assert rows["W_d2_f4"]["calls"] == 2 * SIZE  # MPI_File_write_at, MPI_File_close
    assert rows["W_d2_f4"]["bytes_sent"] == 4 * SIZE


def test_shown_with_the_last_steps_of_their_paths(done: Recording) -> None:
    printed = rankwise("show", str(done.path), "--by", "communicator").stdout
    for text in ('W_f2 "second" ', 'W_d2_f[*] "step1" [+]9 names ', 'S_f1 "own[0-3].1" [+]3 names '):
        assert re.search(f"^{text}", printed, re.MULTILINE)


def test_by_file(done: Recording) -> None:
    answer = shown(done, "--by", "file", "-v")
    names = {Path(str(row["file"])).name: row["names"] for row in answer["files"]}
    assert names["shared"] == ["W_f1", "W_f3"]
    assert names["step4"] == ["W_d2_f4"]
    assert names["own3.2"] == ["S.3_f2"]
    calls = {(row["name"], row["procedure"]): row["bytes_written"] for row in answer["file_calls"]}
    assert calls["W_f2", "MPI_File_write_at"] == 5 * SIZE
    printed = rankwise("show", str(done.path), "--by", "file").stdout
    assert "W_f1 +1" in printed


def test_selected(done: Recording) -> None:
    calls = {
        str(row["procedure"]): row for row in shown(done, "--communicator", "W_f1", "--by", "call")["calls"]
    }
    assert set(calls) == {"MPI_File_write_at", "MPI_File_sync", "MPI_File_close"}
    assert calls["MPI_File_write_at"]["bytes_sent"] == sum(31 + rank for rank in EVERYONE)
    [file] = shown(done, "--communicator", "W_f1", "--by", "file")["files"]
    assert (file["names"], file["opens"], file["bytes_read"]) == (["W_f1"], 2 * SIZE, 0)
    assert file["bytes_written"] == calls["MPI_File_write_at"]["bytes_sent"]
    on_parts = shown(done, "--communicator", "W_s1", "--by", "file")["files"]  # that were opened on it
    assert {Path(str(row["file"])).name for row in on_parts} == {"odd", "even"}


def test_no_rows_of_its_own(record: Record, tmp_path: Path) -> None:
    done = record("named_files.c", 1, str(tmp_path), "rows")
    (calls,) = done.rows("SELECT COUNT(*) FROM calls")[0]
    assert calls > CONSTANTS["MOST_ROWS_FOR_FILES"]
    # Sites begin no more rows at a quarter of that.
    assert set(done.dropped) == {"file_names", "site_rows"}
    assert done.dropped["file_names"] == 1
    assert done.rows("SELECT COUNT(*) FROM communicators WHERE type = 'file'") == [(0,)]
    assert done.rows("SELECT opens, named FROM files WHERE id > 0") == [(1, None)]
    # As if there were no names: all is on the communicator.
    assert done.calls("MPI_File_write_at", "W") == {0: (1, 9, 0)}
    assert done.calls("MPI_File_close", "W") == {0: (1, 0, 0)}
