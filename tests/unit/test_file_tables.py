"""Files and the calls on them: from the counters of each process to the tables of the profile."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from assembled import made, made_of_damaged, rows
from synthetic import IDS, SELF, WORLD_ID, Process, access, communicator, file, small_world

from exhaustive import repeated
from golden import Golden
from rankwise.profile.collect.counters import read_counters
from rankwise.profile.collect.layout import CONSTANTS

MOST_BYTES = CONSTANTS["MOST_FILE_BYTES"]


def world_with_files() -> list[Process]:
    """Both ranks write one file on the world and one each on MPI_COMM_SELF."""
    processes = small_world(2)
    for rank, process in enumerate(processes):
        shared = file(b"out.dat", mode=CONSTANTS["MODE_CREATE"] | CONSTANTS["MODE_RDWR"])
        own = file(b"log", SELF, name_hash=8, opens=2, mode=CONSTANTS["MODE_WRONLY"])
        process.files = [shared, own] if rank == 0 else [own, shared]
        first, second = (1, 2) if rank == 0 else (2, 1)
        process.threads = [{"tid": 100 + thread, "alive": 1} for thread in range(2)]
        process.accesses = [
            [
                access("MPI_File_open", first),
                access("MPI_File_write_at_all", first, 3, written=300, seconds=0.5),
                access("MPI_File_open", second, 2),
            ],
            [access("MPI_File_write_at_all", first, 1, written=100 + rank, seconds=0.25)],
        ]
    return processes


def test_files_are_joined_by_name_and_communicator(tmp_path: Path) -> None:
    profile = made(tmp_path, world_with_files()).path
    files = rows(
        profile,
        "SELECT files.name, communicators.name, mode, opens, name_hash FROM files"
        " JOIN communicators ON communicators.id = communicator ORDER BY files.id",
    )
    assert files == [
        ("(other)", "(other)", "", 0, ""),
        ("out.dat", "W", "create rdwr", 2, f"{7:016x}"),
        ("log", "S.0", "wronly", 2, f"{8:016x}"),
        ("log", "S.1", "wronly", 2, f"{8:016x}"),
    ]


def test_a_file_has_one_name_whatever_its_numbers(tmp_path: Path) -> None:
    processes = world_with_files()
    for rank, process in enumerate(processes):
        facts = {"procedure": IDS["MPI_File_open"], "sequence": 2 + rank, "user_name": b"out.dat"}
        flags = CONSTANTS["COMMUNICATOR_FILE"]
        process.communicators.append(communicator(77, "f", rank, 2, WORLD_ID, flags=flags, **facts))
        process.files[rank]["own"] = CONSTANTS["FIRST_COMMUNICATOR"] + len(process.communicators) - 1
    profile = made(tmp_path, processes).path
    assert rows(
        profile,
        "SELECT files.name, own.name, own.family, own.type, own.user_name, own.members, parents.name"
        " FROM files JOIN communicators AS own ON own.id = named"
        " JOIN communicators AS parents ON parents.id = own.parent",
    ) == [("out.dat", "W_f2", "W_f2", "file", "out.dat", "0-1", "W")]
    assert rows(profile, "SELECT COUNT(*) FROM files WHERE id > 0 AND named IS NULL") == [(2,)]


def test_accesses_of_the_threads_are_added_up(tmp_path: Path) -> None:
    profile = made(tmp_path, world_with_files()).path
    accesses = rows(
        profile,
        "SELECT rank, files.name, procedures.name, accesses, bytes_read, bytes_written, seconds"
        " FROM file_accesses JOIN files ON files.id = file JOIN procedures ON procedures.id = procedure"
        " WHERE bytes_written > 0 ORDER BY rank",
    )
    assert accesses == [
        (0, "out.dat", "MPI_File_write_at_all", 4, 0, 400, pytest.approx(0.75)),
        (1, "out.dat", "MPI_File_write_at_all", 4, 0, 401, pytest.approx(0.75)),
    ]


def test_names_that_are_cut_to_the_same_stay_apart(tmp_path: Path) -> None:
    [process] = small_world(1)
    tail = b"x" * (MOST_BYTES - 1)
    process.files = [file(b"/a/\xc3\xa4" + tail, name_hash=1), file(b"/b/\xc3\xa4" + tail, name_hash=2)]
    process.files.append(file(b"y" * MOST_BYTES, name_hash=3))
    names = [name for (name,) in rows(made(tmp_path, [process]).path, "SELECT name FROM files WHERE id > 0")]
    # The first byte that is left is the second of a letter's two.
    assert names == ["\N{HORIZONTAL ELLIPSIS}" + tail.decode()] * 2 + ["y" * MOST_BYTES]


def test_names_are_data(tmp_path: Path) -> None:
    [process] = small_world(1)
    hostile = b"'; DROP TABLE files; --\x1b[2J\n<script>\xff"
    process.files = [file(hostile)]
    names = rows(made(tmp_path, [process]).path, "SELECT name FROM files WHERE id > 0")
    assert names == [("'; DROP TABLE files; --\ufffd[2J\ufffd<script>\ufffd",)]


def test_accesses_of_files_without_a_record(tmp_path: Path) -> None:
    [process] = small_world(1)
    process.files = [file(b"a")]
    process.accesses = [[access("MPI_File_read", index, read=10) for index in (0, 1, 2, 4097)]]
    profile = made(tmp_path, [process]).path
    assert rows(profile, "SELECT file, accesses, bytes_read FROM file_accesses") == [(0, 3, 30), (1, 1, 10)]


def test_no_files_no_rows(tmp_path: Path) -> None:
    profile = made(tmp_path, small_world(2)).path
    assert rows(profile, "SELECT * FROM files") == []
    assert rows(profile, "SELECT * FROM file_accesses") == []


@repeated(30, 80)
def test_damage_is_survived(tmp_path: Path, times: int) -> None:
    generator = random.Random(3)

    def damaged(data: bytearray) -> bytearray:
        for _ in range(generator.choice((1, 8, 40))):
            # Files and accesses are at the end.
            data[-generator.randrange(1, 4000)] ^= 1 << generator.randrange(8)
        return data[: generator.randrange(4000, len(data) + 1)]

    assert sum(1 for _ in made_of_damaged(tmp_path, world_with_files(), times, damaged)) > 0.75 * times


def test_a_hole_before_files_is_told(tmp_path: Path, golden: Golden) -> None:
    [process] = small_world(1)
    process.files = [file(b"a"), file(b"b")]
    data = process.to_bytes()
    path = tmp_path / "cut.counters"
    path.write_bytes(data[: len(data) - 3 * 256])  # and the room for two more
    counters = read_counters(path)
    assert len(counters.files) == 1
    [loss] = counters.losses
    golden.says(loss, "cut.counters: .. 1 .. 2")
