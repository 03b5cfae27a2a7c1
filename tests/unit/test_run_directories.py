"""From run directories to profiles: several worlds, files that cannot be read, damage, size."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from assembled import made, made_of_damaged, rows
from synthetic import (
    call,
    small_world,
    stamp,
    write_world,
)

from exhaustive import repeated
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.profile.assemble import assemble
from rankwise.profile.collect.keys import calls_key
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.programs import program_name
from rankwise.profile.join.members import parse
from rankwise.profile.store.database import MOST_RANKS


def test_an_unreadable_file_is_a_missing_rank_and_a_warning(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(2)
    processes[1].header["table_digest"] = 1
    assembly = made(tmp_path, processes)
    golden.says(assembly.reason, "1 .. 2 .. 1")
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    golden.says(warning, "Rankwise .. 0.1.0")


def test_several_worlds_in_one_run_directory(tmp_path: Path) -> None:
    later = small_world(2)
    stamps = ("loaded", "started", "latest", "stopping", "stopped")
    for process in later:
        offset = 60.0  # a minute after, in the same job
        process.header |= {
            name: stamp(offset + at) for at, name in zip((0, 0.5, 9, 9.5, 10), stamps, strict=True)
        }
    other_job = small_world(3)
    for process in other_job:
        process.header |= {"job": b"job-2", "loaded": stamp(30.0)}
    run = tmp_path / "run"
    write_world(run, small_world(2), "a")
    write_world(run, later, "b")
    write_world(run, other_job, "c")
    (tmp_path / "solver.2.rankwise").write_text("somebody's")
    assembly = made(tmp_path, [])
    assert assembly.ranks_seen == 2
    assert [(other.path.name, other.ranks_seen) for other in assembly.others] == [
        ("solver.3.rankwise", 3),
        ("solver.4.rankwise", 2),
    ]
    assert (tmp_path / "solver.2.rankwise").read_text() == "somebody's"
    forced = assemble(run, assembly.path, exit_status=0, force=True)
    assert [other.path.name for other in forced.others] == ["solver.2.rankwise", "solver.3.rankwise"]


def test_profiles_of_several_worlds_are_named_after_their_programs(tmp_path: Path) -> None:
    run = tmp_path / "run"
    lines = (b"./ocean\0-n\0002\0", b"python3\0-m\0mpi4py\0air.py\0", b"./ocean\0", b"")
    for number, line in enumerate(lines):
        world = small_world(2)
        for process in world:
            process.header |= {"job": b"job-%d" % number, "loaded": stamp(number / 10)}
            process.arguments = line
        world[1].arguments = b"./ice\0" if number == 2 else line
        write_world(run, world, "abcd"[number])
    (tmp_path / "air.7.rankwise").write_text("somebody's")
    named: list[list[str]] = []

    def by_program(words: Sequence[str], _: int) -> Path:
        named.append(list(words))
        return tmp_path / f"{program_name(words)}.7.rankwise"

    for force, air in ((False, "air.7.2"), (True, "air.7")):
        made = assemble(run, tmp_path / "x.rankwise", exit_status=0, force=force, by_program=by_program)
        paths = [made.path, *(other.path for other in made.others)]
        assert [path.name for path in paths] == [
            f"{stem}.rankwise" for stem in ("ocean.7", air, "ocean.7.2", "solver.7")
        ]
        for path in paths:
            path.unlink()
    assert named[:4] == [
        ["./ocean", "-n", "2"],
        ["python3", "-m", "mpi4py", "air.py"],
        ["./ocean"],
        ["/home/me/solver"],
    ]
    alone = assemble(write_world(tmp_path / "one", small_world(2)), tmp_path / "x.rankwise", exit_status=0)
    assert alone.path == tmp_path / "x.rankwise"


def test_the_programs_of_a_world(tmp_path: Path) -> None:
    world = small_world(4)
    for process, line in zip(
        world, (b"./ocean\0a\0", b"./ocean\0b\0", b"./air\0\0\0", b"./ice"), strict=True
    ):
        process.arguments = line
    assert rows(made(tmp_path, world).path, "SELECT programs FROM run") == [
        ('[["./ocean", "a"], ["./air", "", ""], ["./ice"]]',)
    ]


@pytest.mark.parametrize("line", [b"\0", b"\0" * 5000, b"\x1b[2J\n\xff" * 5000, b"a\0" * 5000, b"..\0"])
def test_hostile_command_lines(line: bytes, tmp_path: Path) -> None:
    world = small_world(1)
    world[0].arguments = line
    assembly = made(tmp_path, world)
    [(text,)] = rows(assembly.path, "SELECT programs FROM run")
    assert len(text) < 20_000
    [words] = json.loads(text)
    assert words[0]
    assert all(word.isprintable() for word in words)
    name = program_name(words)
    assert name.isprintable()
    assert (tmp_path / name).parent == tmp_path
    assert len(name) <= 60


def test_a_later_run_does_not_fill_the_holes_of_an_earlier_one(tmp_path: Path) -> None:
    later = small_world(2)
    for process in later:
        process.header |= {name: stamp(60) for name in ("loaded", "started", "latest", "stopping", "stopped")}
    write_world(tmp_path / "run", small_world(2)[:1], "a")
    assembly = made(tmp_path, later)
    assert (assembly.ranks_seen, [other.ranks_seen for other in assembly.others]) == (1, [2])


def test_processes_that_do_not_know_their_rank_are_kept(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(3)
    processes[1].header |= {"world_rank": -1, "world_size": 0, "state": CONSTANTS["STATE_STARTING"]}
    assembly = made(tmp_path, processes)
    assert assembly.ranks_seen == 3
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    golden.says(warning, "4001 .. node1 .. 1")


def test_nothing_to_read(tmp_path: Path, golden: Golden) -> None:
    (tmp_path / "run").mkdir()
    output = tmp_path / "x.rankwise"
    with pytest.raises(RankwiseError) as error:
        assemble(tmp_path / "run", output, exit_status=0)
    golden.says(error.value, "MPI")
    with pytest.raises(RankwiseError, match="cannot be read: No such file"):
        assemble(tmp_path / "nowhere", output, exit_status=0)
    (tmp_path / "run" / "a.counters").write_bytes(b"")
    with pytest.raises(RankwiseError) as error:
        assemble(tmp_path / "run", output, exit_status=0)
    golden.says(error.value)
    assert not output.exists()


def test_an_output_that_cannot_be_written(tmp_path: Path, golden: Golden) -> None:
    write_world(tmp_path / "run", small_world(2))
    with pytest.raises(RankwiseError) as error:
        assemble(tmp_path / "run", tmp_path / "nowhere" / "x.rankwise", exit_status=0)
    golden.says(error.value, "No .. -o")
    (tmp_path / "x.rankwise").mkdir()
    with pytest.raises(RankwiseError, match=r"cannot be written: Is a directory"):
        assemble(tmp_path / "run", tmp_path / "x.rankwise", exit_status=0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "x.rankwise"]


@repeated(40, 120)
def test_flipped_bits_still_make_a_profile(tmp_path: Path, times: int) -> None:
    generator = random.Random(7)

    def damaged(data: bytearray) -> bytearray:
        for _ in range(generator.choice((0, 1, 8, 40))):
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        return data

    assembled = 0
    for assembly in made_of_damaged(tmp_path, small_world(), times, damaged):
        assembled += 1
        for profile in (assembly, *assembly.others):
            for (members,) in rows(profile.path, "SELECT members FROM communicators WHERE size < 1000"):
                parse(members)
    assert assembled > times * 5 / 6


def test_a_size_that_no_world_has_leaves_a_profile_that_opens(tmp_path: Path) -> None:
    """The others know the size; what opens profiles takes no more ranks than what makes them."""
    processes = small_world()
    processes[0].header["world_size"] = MOST_RANKS + 1
    [(ranks,)] = rows(made(tmp_path, processes).path, "SELECT ranks_expected FROM run")
    assert ranks == len(processes)


def test_rows_of_unknown_procedures_and_communicators(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(1)
    processes[0].calls[0] += [
        call("MPI_Barrier", communicator=100),
        call("MPI_Barrier", communicator=200),
        call("MPI_Barrier") | {"key": calls_key(0, 3, 2047, 0)},
    ]
    processes[0].messages = []
    processes[0].calls[0][:3] = []
    assembly = made(tmp_path, processes)
    assert rows(assembly.path, "SELECT communicator, calls FROM calls") == [(2, 2)]
    [(warning,)] = rows(assembly.path, "SELECT text FROM warnings")
    golden.says(warning, "rank0.counters: 1")


def test_a_thousand_ranks_in_seconds(tmp_path: Path) -> None:
    world = small_world(1000)
    for process in world:
        process.calls[0] += [
            call("MPI_Isend", size_bin=size_bin % 60, region=size_bin) for size_bin in range(200)
        ]
    write_world(tmp_path / "run", world)
    started = time.process_time()
    assembly = assemble(tmp_path / "run", tmp_path / "x.rankwise", exit_status=0)
    assert time.process_time() - started < 10
    assert rows(assembly.path, "SELECT COUNT(*) FROM ranks") == [(1000,)]
    members = dict(rows(assembly.path, "SELECT name, members FROM communicators WHERE size > 1"))
    assert members == {"W": "0-999", "W_s1.0": "0-998:2", "W_s1.1": "1-999:2"}
