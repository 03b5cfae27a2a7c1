"""MPI-IO: calls, bytes and files on every MPI. The numbers are those of programs/files.c."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile, Record, Recording

from rankwise.profile.collect.layout import CONSTANTS

RANKS = 3
EVERYONE = range(RANKS)
MANY, AT_ONCE = 300, 100  # files
FORMS = ["", "_at", "_all", "_at_all", "_shared", "_ordered"]
NONBLOCKING = ["", "_at", "_all", "_at_all", "_shared"]
SPLIT = ["_all", "_at_all", "_ordered"]

Finished = tuple[Recording, Path]  # and the directory of its files
RECORDED: dict[str, Finished] = {}  # once for all tests here


def arguments(mpi: Mpi, directory: Path) -> list[str]:
    # Open MPI 4.1 and 5.0 hang, also without Rankwise, in the wait for an MPI_File_iread_at beyond the end.
    return [str(directory), "", *(["blocking"] if mpi.family == "openmpi" else [])]


@pytest.fixture
def finished(record: Record, mpi: Mpi, tmp_path: Path) -> Finished:
    if mpi.name not in RECORDED:
        directory = tmp_path / "files"
        directory.mkdir()
        RECORDED[mpi.name] = record("files.c", RANKS, *arguments(mpi, directory)), directory
    return RECORDED[mpi.name]


@pytest.fixture
def done(finished: Finished) -> Recording:
    return finished[0]


Accesses = Callable[..., dict[int, tuple[int, int, int]]]


@pytest.fixture
def accesses(finished: Finished) -> Accesses:
    """(accesses, bytes read, bytes written) by rank, of the calls of a procedure on a file."""
    done, directory = finished

    def accesses_(file: str, procedure: str, mode: str = "%") -> dict[int, tuple[int, int, int]]:
        rows = done.rows(
            """SELECT rank, sum(accesses), sum(bytes_read), sum(bytes_written) FROM file_accesses
               JOIN files ON files.id = file JOIN procedures ON procedures.id = procedure
               WHERE files.name = ? AND procedures.name = ? AND mode LIKE ? GROUP BY rank""",
            str(directory / file),
            procedure,
            mode,
        )
        return {rank: (calls, read, written) for rank, calls, read, written in rows}  # type: ignore[misc]

    return accesses_


def expected_forms() -> list[tuple[str, int]]:
    """Every way to read or write with the base of its bytes; rank r moves base + r, then twice that."""
    names = [f"{{}}{form}" for form in FORMS] + [f"i{{}}{form}" for form in NONBLOCKING]
    names += [f"{{}}{form}_end" for form in SPLIT]
    return [(name, 100 + 10 * number) for number, name in enumerate(names)]


@pytest.mark.parametrize(("direction", "column"), [("read", 0), ("write", 1)])
def test_every_data_access(accesses: Accesses, direction: str, column: int) -> None:
    counted, expected = {}, {}
    for name, base in expected_forms():
        procedure = f"MPI_File_{name.format(direction)}"
        counted[procedure] = accesses("all", procedure)
        moved = {rank: 3 * (base + rank) for rank in EVERYONE}
        expected[procedure] = {rank: (2, 0, size) if column else (2, size, 0) for rank, size in moved.items()}
    for form in SPLIT:
        procedure = f"MPI_File_{direction}{form}_begin"
        counted[procedure] = accesses("all", procedure)
        expected[procedure] = dict.fromkeys(EVERYONE, (2, 0, 0))
    assert counted == expected


def test_the_same_calls_are_among_all_calls(done: Recording) -> None:
    only = ["write_at_all_end", "read_shared", "iwrite_all", "iread_at", "read_ordered_begin", "sync"]
    calls = {name: done.calls(f"MPI_File_{name}") for name in only}
    # (calls, written, read); also by the other parts of the program
    assert calls["write_at_all_end"] == {rank: (2, 3 * (220 + rank), 0) for rank in EVERYONE}
    assert calls["read_shared"] == {rank: (2, 0, 3 * (140 + rank)) for rank in EVERYONE}
    assert calls["iwrite_all"] == {rank: (2, 3 * (180 + rank), 0) for rank in EVERYONE}
    assert calls["iread_at"][0][:2] == (calls["iread_at"][0][0], 0)
    assert calls["read_ordered_begin"] == dict.fromkeys(EVERYONE, (2, 0, 0))
    assert calls["sync"] == dict.fromkeys(EVERYONE, (4, 0, 0))
    whole = done.rows(
        """SELECT procedures.name, sum(bytes_received), sum(bytes_sent) FROM calls
           JOIN procedures ON procedures.id = procedure WHERE class = 'input-output'
           GROUP BY procedure HAVING sum(bytes_received) + sum(bytes_sent) > 0 ORDER BY procedure"""
    )
    by_file = done.rows(
        """SELECT procedures.name, sum(bytes_read), sum(bytes_written) FROM file_accesses
           JOIN procedures ON procedures.id = procedure
           GROUP BY procedure HAVING sum(bytes_read) + sum(bytes_written) > 0 ORDER BY procedure"""
    )
    assert whole == by_file
    assert len(whole) == 2 * len(expected_forms())


def test_sizes_are_those_of_the_accesses(done: Recording) -> None:
    assert done.bins("MPI_File_write_ordered") == {8: 3, 9: 3}  # 150 to 152 and 300 to 304 bytes
    assert done.bins("MPI_File_iread_shared") == {8: 3, 9: 3}
    assert done.bins("MPI_File_write_at_all_begin") == {0: 6}
    assert done.bins("MPI_File_open").keys() == {0}


def test_other_calls_on_a_file(accesses: Accesses) -> None:
    once = dict.fromkeys(EVERYONE, (1, 0, 0))
    names = ["open", "close", "set_size", "preallocate", "get_size", "set_atomicity", "set_info"]
    names += ["sync", "get_position_shared", "seek_shared"]
    assert {name: accesses("all", f"MPI_File_{name}") for name in names} == dict.fromkeys(names, once)
    assert accesses("all", "MPI_File_seek") == dict.fromkeys(EVERYONE, (2, 0, 0))
    assert accesses("view", "MPI_File_set_view") == once


def test_beyond_the_end(mpi: Mpi, done: Recording, accesses: Accesses) -> None:
    assert accesses("short", "MPI_File_read") == dict.fromkeys(EVERYONE, (2, 100, 0))
    assert accesses("short", "MPI_File_read_at") == {rank: (1, 10 + rank, 0) for rank in EVERYONE}
    lines = [line.split() for line in done.process.stdout.splitlines()]
    counts = {int(rank): int(count) for rank, word, count in (line for line in lines if "told" in line)}
    # The library's own statuses; true is 20 + rank.
    assert all(count in (20 + rank, 100) for rank, count in counts.items())
    assert accesses("short", "MPI_File_read_at_all") == {rank: (1, counts[rank], 0) for rank in EVERYONE}
    nonblocking = {} if mpi.family == "openmpi" else {rank: (1, 30 + rank, 0) for rank in EVERYONE}
    assert accesses("short", "MPI_File_iread_at") == nonblocking


def test_nothing(accesses: Accesses) -> None:
    expected = {0: (1, 0, 0), 1: (1, 50, 0), 2: (1, 0, 0)}
    assert accesses("nothing", "MPI_File_write_at") == dict.fromkeys(EVERYONE, (1, 0, 0))
    assert accesses("nothing", "MPI_File_write_at_all")[1] == (1, 0, 50)
    assert accesses("nothing", "MPI_File_iwrite_at") == dict.fromkeys(EVERYONE, (1, 0, 0))
    assert accesses("nothing", "MPI_File_read_at_all") == expected
    assert accesses("nothing", "MPI_File_iread_at_all") == expected
    assert accesses("nothing", "MPI_File_read_ordered") == dict.fromkeys(EVERYONE, (1, 0, 0))


def test_derived_datatypes_and_views(accesses: Accesses) -> None:
    written, read = dict.fromkeys(EVERYONE, (1, 0, 200)), dict.fromkeys(EVERYONE, (1, 200, 0))
    assert accesses("view", "MPI_File_write_all") == written
    assert accesses("view", "MPI_File_write") == written
    assert accesses("view", "MPI_File_read_all") == read
    assert accesses("view", "MPI_File_read") == read


def test_files(finished: Finished) -> None:
    done, directory = finished
    names = ["all", "nothing", "short", "view", "twice", "half0", "half1", "gone", "self0", "self2", "errors"]
    rows = done.rows(
        """SELECT files.name, communicators.name, mode, opens FROM files
           JOIN communicators ON communicators.id = communicator WHERE files.id > 0 ORDER BY files.id"""
    )
    openings = {}
    for name, *facts in rows:
        openings.setdefault(Path(str(name)).name, []).append(tuple(facts))
    assert {Path(str(name)).parent for name, *_ in rows} == {directory}
    assert {name: sorted(openings[name]) for name in names} == {
        "all": [("W", "create rdwr", 3)],
        "nothing": [("W", "create rdwr", 3)],
        "short": [("W", "create rdwr", 3)],
        "view": [("W", "create rdwr", 3)],
        "twice": [("W", "create rdwr", 6), ("W", "rdonly", 3)],
        "half0": [("W_s1.1", "create wronly", 2)],
        "half1": [("W_s1.0", "create wronly", 1)],
        "gone": [("W_d2", "create wronly delete_on_close", 3)],
        "self0": [("S.0", "create wronly excl", 1)],
        "self2": [("S.2", "create wronly excl", 1)],
        "errors": [("W", "create wronly", 3), ("W", "rdonly", 3)],
    }
    assert len(openings) == len(names) + 1 + MANY + AT_ONCE


def test_one_file_twice(accesses: Accesses) -> None:
    assert accesses("twice", "MPI_File_open", "create%") == dict.fromkeys(EVERYONE, (2, 0, 0))
    assert accesses("twice", "MPI_File_write_at") == dict.fromkeys(EVERYONE, (3, 0, 60))
    assert accesses("twice", "MPI_File_read_at", "rdonly") == dict.fromkeys(EVERYONE, (1, 5, 0))
    assert accesses("twice", "MPI_File_read_at", "create%") == {}


def test_communicators(done: Recording, accesses: Accesses) -> None:
    assert done.calls("MPI_File_write_at", "W_s1.0_f1") == {0: (1, 40, 0)}
    assert done.calls("MPI_File_write_at", "W_s1.1_f1") == {1: (1, 41, 0), 2: (1, 42, 0)}
    assert done.calls("MPI_File_close", "W_s1.1_f1") == {1: (1, 0, 0), 2: (1, 0, 0)}
    # Freed before the file was used.
    assert done.calls("MPI_File_write_at", "W_d2_f1") == dict.fromkeys(EVERYONE, (1, 50, 0))
    assert accesses("gone", "MPI_File_close") == dict.fromkeys(EVERYONE, (1, 0, 0))
    assert done.calls("MPI_File_write_at", "S.2_f1") == {2: (1, 62, 0)}


def test_hundreds_of_files(done: Recording, accesses: Accesses) -> None:
    total = sum(range(MANY)) + sum(1000 + i for i in range(AT_ONCE)) + sum(range(AT_ONCE)) + 61
    on_self = done.rows(
        "SELECT rank, SUM(calls), SUM(bytes_sent) FROM calls"
        " JOIN communicators AS files ON files.id = communicator"
        " JOIN communicators AS parents ON parents.id = files.parent"
        " JOIN procedures ON procedures.id = calls.procedure"
        " WHERE parents.name = 'S.1' AND procedures.name = 'MPI_File_write_at' GROUP BY rank"
    )
    assert on_self == [(1, MANY + 2 * AT_ONCE + 1, total)]
    for number in (0, 1, 7, 299):
        assert accesses(f"many{number}", "MPI_File_write_at") == {1: (1, 0, number)}
    for number in range(0, AT_ONCE, 9):
        assert accesses(f"once{number}", "MPI_File_write_at") == {1: (2, 0, 1000 + 2 * number)}
    assert done.calls("MPI_File_delete", "(none)") == {
        rank: (1 + (MANY // 10 if rank == 1 else 0), 0, 0) for rank in EVERYONE
    }


def test_failed_calls_move_nothing(done: Recording, accesses: Accesses) -> None:
    assert accesses("errors", "MPI_File_write_at") == dict.fromkeys(EVERYONE, (1, 0, 0))
    assert accesses("errors", "MPI_File_read_at") == dict.fromkeys(EVERYONE, (1, 0, 0))
    # One open failed, on MPI_COMM_SELF.
    opens = done.rows("SELECT sum(opens) FROM files")[0][0]
    assert sum(calls for calls, _, _ in done.calls("MPI_File_open").values()) == opens + RANKS


def test_nothing_contradicts_itself(done: Recording) -> None:
    assert done.warnings == []
    assert done.dropped == {}
    assert done.rows("SELECT partial, not_covered FROM run") == [(0, "[]")]


def test_results_are_the_same(mpi: Mpi, compiled: Compile, finished: Finished, tmp_path: Path) -> None:
    done, directory = finished
    plain = tmp_path / "plain"
    plain.mkdir()
    words = mpi.launch(RANKS, compiled(mpi, "files.c"), *arguments(mpi, plain))
    process = subprocess.run(words, capture_output=True, text=True, timeout=60, env=mpi.env(), check=True)
    assert process.stdout.count("\n") == 5 * RANKS
    assert sorted(done.process.stdout.splitlines()) == sorted(process.stdout.splitlines())
    contents = [{file.name: file.read_bytes() for file in place.iterdir()} for place in (directory, plain)]
    assert contents[0].keys() == contents[1].keys()
    assert {name for name in contents[0] if len(contents[0][name]) != len(contents[1][name])} == set()


def by_procedure(done: Recording) -> dict[str, list[tuple[int, int, int]]]:
    """(accesses, bytes read, bytes written) of each rank, of calls on files that moved anything."""
    rows = done.rows(
        """SELECT procedures.name, accesses, bytes_read, bytes_written FROM file_accesses
           JOIN procedures ON procedures.id = procedure WHERE bytes_read + bytes_written > 0 ORDER BY rank"""
    )
    amounts: dict[str, list[tuple[int, int, int]]] = {}
    for name, *numbers in rows:
        amounts.setdefault(str(name).removeprefix("MPI_File_"), []).append(tuple(numbers))  # type: ignore[arg-type]
    return amounts


@pytest.mark.parametrize("mpi", [mpi for mpi in libraries.ALL if mpi.mpifort], ids=lambda mpi: mpi.name)
def test_fortran(record: Record, tmp_path: Path) -> None:
    done = record("fortran_files.f90", 2, str(tmp_path))
    assert by_procedure(done) == {
        "write_at_all": [(1, 0, 800), (1, 0, 800)],
        "iwrite_at": [(1, 0, 80), (1, 0, 88)],
        "write_ordered_end": [(1, 0, 160), (1, 0, 160)],
        "read_all": [(1, 240, 0), (1, 240, 0)],
        "read": [(1, 96, 0), (1, 96, 0)],
    }
    assert done.rows("SELECT name, mode, opens FROM files WHERE id > 0") == [
        (str(tmp_path / "fortran"), "create rdwr", 2)
    ]
    assert done.calls("MPI_File_open") == {0: (2, 0, 0), 1: (2, 0, 0)}
    assert done.warnings == []
    assert done.dropped == {}


# Open MPI 4.1 writes paths into rooms of 256 bytes: with long ones it aborts, also without Rankwise.
ROOMY = [mpi for mpi in libraries.ONE_OF_EACH if mpi.family == "mpich"]


@pytest.mark.parametrize("mpi", ROOMY, ids=lambda mpi: mpi.name)
def test_more_files_than_there_is_room_for(record: Record, tmp_path: Path) -> None:
    most, more = CONSTANTS["MOST_FILES"], 7
    done = record("many_files.c", 1, str(tmp_path), str(most + more))
    assert done.dropped == {"files": more}
    assert done.rows("SELECT COUNT(*), SUM(opens) FROM files WHERE id > 0") == [(most, most)]
    assert done.rows("SELECT name FROM files WHERE id = 1") == [("…" + "0" * CONSTANTS["MOST_FILE_BYTES"],)]
    assert done.rows("SELECT COUNT(DISTINCT name_hash) FROM files WHERE id > 0") == [(most,)]
    written = """SELECT SUM(accesses), SUM(bytes_written) FROM file_accesses
                 JOIN procedures ON procedures.id = procedure WHERE procedures.name = 'MPI_File_write' AND """
    assert done.rows(written + "file > 0") == [(most, 10 * most)]
    assert done.rows(written + "file = 0") == [(more, 10 * more)]
    assert done.calls("MPI_File_write") == {0: (most + more, 10 * (most + more), 0)}
