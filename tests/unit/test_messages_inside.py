"""Messages inside collectives: from the counters of each process to the tables of the profile."""

from __future__ import annotations

import random
import resource
from pathlib import Path
from typing import Any

import pytest
from assembled import made, made_of_damaged, rows
from synthetic import (
    IDS,
    OTHER,
    PART,
    WORLD,
    Process,
    communicator,
    endpoint,
    message,
    pattern,
    pattern_row,
    small_world,
)

from exhaustive import repeated
from golden import Golden
from rankwise.profile.collect.counters import read_counters
from rankwise.profile.collect.layout import CONSTANTS

INSIDE = CONSTANTS["MESSAGE_IN_COLLECTIVE"]
FIRST_ENDPOINT = CONSTANTS["FIRST_ENDPOINT"]
ACTIVE = {
    "transport": b"ucx",
    "transport_state": CONSTANTS["TRANSPORT_ACTIVE"],
    "transport_sees": CONSTANTS["SEES_BETWEEN_NODES"] | CONSTANTS["SEES_NONBLOCKING"],
}
WORLD_ID_IN_PROFILE = 3


def warnings(profile: Path) -> list[str]:
    return [text for (text,) in rows(profile, "SELECT text FROM warnings")]


def active_world(size: int = 4) -> list[Process]:
    """Make the small world with a hook on every rank and no messages of its own."""
    processes = small_world(size)
    for process in processes:
        process.header |= ACTIVE
        process.messages = []
    return processes


def messages_of(profile: Path) -> list[tuple[Any, ...]]:
    return rows(
        profile,
        "SELECT source, destination, communicator, procedures.name, messages, bytes FROM messages"
        " JOIN procedures ON procedures.id = procedure WHERE kind = 'in-collective'",
    )


def patterns_of(profile: Path) -> list[tuple[Any, ...]]:
    return rows(
        profile,
        "SELECT communicator, procedures.name, root, size, calls, kept_call, complete FROM patterns"
        " JOIN procedures ON procedures.id = procedure ORDER BY patterns.id",
    )


def test_addresses_become_ranks(tmp_path: Path) -> None:
    processes = active_world(3)
    # Rank 1 receives under two addresses; 99 is nobody's. Indices differ by process.
    processes[0].endpoints = [endpoint(21), endpoint(10, own=1), endpoint(99), endpoint(20), endpoint(30)]
    processes[1].endpoints = [endpoint(20, own=1), endpoint(21, own=1)]
    processes[2].endpoints = [endpoint(30, own=1)]
    processes[0].messages = [
        [
            message("MPI_Bcast", FIRST_ENDPOINT + index, 1, 100 + index, kind=INSIDE)
            for index in (0, 1, 2, 3, 4)
        ]
        + [message("MPI_Bcast", 1, 1, 1000, kind=INSIDE)]
    ]
    profile = made(tmp_path, processes).path
    assert messages_of(profile) == [
        (0, -1, WORLD_ID_IN_PROFILE, "MPI_Bcast", 1, 102),
        (0, 0, WORLD_ID_IN_PROFILE, "MPI_Bcast", 1, 101),
        (0, 1, WORLD_ID_IN_PROFILE, "MPI_Bcast", 3, 100 + 103 + 1000),
        (0, 2, WORLD_ID_IN_PROFILE, "MPI_Bcast", 1, 104),
    ]
    assert warnings(profile) == []


def test_an_address_that_two_claim_is_nobodys(tmp_path: Path) -> None:
    processes = active_world(3)
    processes[0].endpoints = [endpoint(5)]
    processes[1].endpoints = processes[2].endpoints = [endpoint(5, own=1)]
    processes[0].messages = [[message("MPI_Bcast", FIRST_ENDPOINT, 1, 8, kind=INSIDE)]]
    assert messages_of(made(tmp_path, processes).path) == [(0, -1, WORLD_ID_IN_PROFILE, "MPI_Bcast", 1, 8)]


def test_messages_without_a_call(tmp_path: Path, golden: Golden) -> None:
    processes = active_world(2)
    processes[0].messages = [[message(None, 1, 2, 16, OTHER, kind=INSIDE)]]
    processes[1].messages = [[message(None, 0, 2, 16, WORLD, kind=0), message(None, 0, 2, 16, WORLD, kind=2)]]
    profile = made(tmp_path, processes).path
    assert messages_of(profile) == [(0, 1, OTHER, "(not attributed)", 2, 16)]
    # No message of the program is without one.
    assert rows(profile, "SELECT COUNT(*) FROM messages") == [(1,)]
    golden.says("\n".join(warnings(profile)), "rank1.counters .. 2")


def test_an_endpoint_without_a_record_is_damage(tmp_path: Path) -> None:
    processes = active_world(2)
    processes[0].endpoints = [endpoint(5)]
    processes[0].messages = [[message("MPI_Bcast", FIRST_ENDPOINT + 1, 1, 8, kind=INSIDE)]]
    processes[1].messages = [[message("MPI_Bcast", FIRST_ENDPOINT, 1, 8, kind=INSIDE)]]
    profile = made(tmp_path, processes).path
    assert messages_of(profile) == []
    assert len(warnings(profile)) == 2


def test_what_is_unknown_inside_collectives_says_nothing_of_the_programs_messages(tmp_path: Path) -> None:
    processes = small_world(2)
    processes[0].calls[0][0]["bytes_sent"] = 299
    processes[0].messages[0].append(
        message("MPI_Bcast", CONSTANTS["PEER_UNKNOWN"], 1, 8, kind=INSIDE),
    )
    assert warnings(made(tmp_path, processes).path) == [
        "on W, 599 bytes were sent point-to-point but 600 bytes were received"
    ]


def test_patterns_are_joined(tmp_path: Path) -> None:
    processes = active_world()
    for rank, process in enumerate(processes):
        # Indices of patterns differ by process; the shape tells which belong together.
        shapes = [
            pattern("MPI_Bcast", 64, calls=9, kept=2, root=1),
            pattern("MPI_Reduce_scatter", -1, calls=3, kept=2),
        ]
        process.patterns = shapes if rank % 2 else shapes[::-1]
        bcast = 0 if rank % 2 else 1
        if rank == 1:
            process.pattern_rows = [
                *(pattern_row(bcast, peer, 1, 64, call=1) for peer in (0, 2, 3)),
                *(pattern_row(bcast, peer, 1, 64, call=2) for peer in (0, 2)),
                pattern_row(bcast, 2, 1, 6, call=2),
            ]
        if rank == 2:
            process.pattern_rows = [pattern_row(bcast, 3, 1, 64, call=2)]
    profile = made(tmp_path, processes).path
    assert patterns_of(profile) == [
        (WORLD_ID_IN_PROFILE, "MPI_Bcast", 1, 64, 9, 2, 1),
        (WORLD_ID_IN_PROFILE, "MPI_Reduce_scatter", None, None, 3, 2, 1),
    ]
    assert rows(profile, "SELECT * FROM pattern_messages") == [
        (1, 1, 0, 1, 64),
        (1, 1, 2, 2, 70),
        (1, 2, 3, 1, 64),
    ]
    assert warnings(profile) == []


def test_patterns_have_ranks_of_their_communicator(tmp_path: Path) -> None:
    processes = active_world()
    for rank, process in enumerate(processes):
        process.patterns = [pattern("MPI_Allreduce", 8, PART)]
        process.pattern_rows = [pattern_row(0, (rank + 2) % 4, 1, 8)]
    profile = made(tmp_path, processes).path
    names = dict(
        rows(profile, "SELECT patterns.id, name FROM patterns JOIN communicators AS c ON c.id = communicator")
    )
    assert sorted(names.values()) == ["W_s1.0", "W_s1.1"]
    assert rows(profile, "SELECT * FROM pattern_messages") == [
        (number, source, 1 - source, 1, 8) for number in (1, 2) for source in (0, 1)
    ]
    assert {complete for *_, complete in patterns_of(profile)} == {1}


INCOMPLETE = {
    "one kept nothing": lambda world: world[2].patterns[0].update(kept=0),
    "one lost a message": lambda world: world[2].patterns[0].update(lost=1),
    "one did not call it": lambda world: world[2].patterns.clear(),
    "one has it twice": lambda world: world[2].patterns.append(world[2].patterns[0]),
    "one was not read": lambda world: world.pop(2),
    "one had no hook": lambda world: world[2].header.update(transport_state=CONSTANTS["TRANSPORT_NONE"]),
    "one was killed in it": lambda world: world[2].header.update(state=CONSTANTS["STATE_RUNNING"]),
    "a peer is not known": lambda world: world[0].pattern_rows.append(
        pattern_row(0, CONSTANTS["PEER_UNKNOWN"], 1, 8)
    ),
    "a peer had no room": lambda world: world[0].pattern_rows.append(
        pattern_row(0, CONSTANTS["PEER_OTHER"], 1, 8)
    ),
}


@pytest.mark.parametrize("change", INCOMPLETE.values(), ids=INCOMPLETE)
def test_patterns_that_are_not_complete(tmp_path: Path, change: Any) -> None:
    processes = active_world()
    for process in processes:
        process.patterns = [pattern("MPI_Bcast", 8, root=0)]
    processes[0].pattern_rows = [pattern_row(0, 1, 1, 8)]
    assert patterns_of(made(tmp_path, processes).path)[0][-1] == 1
    change(processes)
    for file in (tmp_path / "run").iterdir():
        file.unlink()
    assert [pattern[-1] for pattern in patterns_of(made(tmp_path, processes).path)] == [0]


def test_a_call_that_was_left_before_the_kill_is_complete(tmp_path: Path) -> None:
    processes = active_world(2)
    for process in processes:
        process.patterns = [pattern("MPI_Bcast", 8, root=0, calls=5, kept=2)]
        process.header["state"] = CONSTANTS["STATE_RUNNING"]
    processes[1].patterns[0]["calls"] = 4
    assert patterns_of(made(tmp_path, processes).path) == [(WORLD_ID_IN_PROFILE, "MPI_Bcast", 0, 8, 5, 2, 1)]


def test_all_keep_the_latest_that_every_member_kept(tmp_path: Path) -> None:
    processes = active_world(2)
    for rank, process in enumerate(processes):
        process.patterns = [pattern("MPI_Bcast", 8, root=0, calls=2, kept=2 - rank)]
    processes[0].pattern_rows = [pattern_row(0, 1, call, 8, call=call) for call in (1, 2)]
    profile = made(tmp_path, processes).path
    assert patterns_of(profile) == [(WORLD_ID_IN_PROFILE, "MPI_Bcast", 0, 8, 2, 1, 1)]
    assert rows(profile, "SELECT * FROM pattern_messages") == [(1, 0, 1, 1, 8)]


def test_intercommunicators_have_no_matrix(tmp_path: Path) -> None:
    processes = active_world(2)
    inter = CONSTANTS["COMMUNICATOR_INTER"]
    for rank, process in enumerate(processes):
        process.communicators.append(
            communicator(77, "i", 0, 1, process.communicators[0]["id"], remote_size=1, flags=inter, leader=0)
        )
        process.patterns = [pattern("MPI_Allreduce", 8, PART + 1)]
        process.pattern_rows = [pattern_row(0, 1 - rank, 1, 8)]
    profile = made(tmp_path, processes).path
    assert [row[1:] for row in patterns_of(profile)] == [("MPI_Allreduce", None, 8, 1, 0, 0)]
    assert rows(profile, "SELECT * FROM pattern_messages") == []


def test_communicators_without_a_record_have_no_patterns(tmp_path: Path) -> None:
    processes = active_world(2)
    for process in processes:
        process.patterns = [pattern("MPI_Bcast", 8, OTHER, root=0), pattern("MPI_Bcast", 8, 4711, root=0)]
    profile = made(tmp_path, processes).path
    assert patterns_of(profile) == []
    assert warnings(profile) == []


IMPOSSIBLE = {
    "procedure": {"procedure": IDS["MPI_Send"]},
    "no procedure": {"procedure": 60000},
    "root": {"root": 2},
    "size": {"size": 2**63},
    "calls": {"calls": 2**63},
    "no calls": {"calls": 0},
    "kept": {"kept": CONSTANTS["MOST_KEPT_CALLS"] + 1},
}


@pytest.mark.parametrize("members", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_patterns(tmp_path: Path, members: dict[str, int], golden: Golden) -> None:
    processes = active_world(2)
    for process in processes:
        process.patterns = [pattern("MPI_Bcast", 8, root=0)]
    processes[0].patterns[0] |= members
    processes[0].pattern_rows = [pattern_row(0, 1, 1, 8)]
    profile = made(tmp_path, processes).path
    assert patterns_of(profile) == [(WORLD_ID_IN_PROFILE, "MPI_Bcast", 0, 8, 1, 1, 0)]
    golden.says("\n".join(warnings(profile)), "rank0.counters .. 2")


IMPOSSIBLE_ROWS = {
    "pattern": {"pattern": 1},
    "no call": {"call": 0},
    "call": {"call": CONSTANTS["MOST_KEPT_CALLS"] + 1},
    "peer": {"peer": 2},
    "endpoint": {"peer": FIRST_ENDPOINT},
    "messages": {"messages": 2**63},
    "bytes": {"bytes": 2**64 - 1},
}


@pytest.mark.parametrize("members", IMPOSSIBLE_ROWS.values(), ids=IMPOSSIBLE_ROWS)
def test_impossible_rows_of_patterns(tmp_path: Path, members: dict[str, int], golden: Golden) -> None:
    processes = active_world(2)
    for process in processes:
        process.patterns = [pattern("MPI_Bcast", 8, root=0)]
    processes[0].pattern_rows = [pattern_row(0, 1, 1, 8) | members]
    profile = made(tmp_path, processes).path
    assert rows(profile, "SELECT * FROM pattern_messages") == []
    golden.says("\n".join(warnings(profile)), "rank0.counters .. 1")


def test_a_damaged_size_of_the_world_takes_no_memory(tmp_path: Path) -> None:
    [process] = active_world(1)
    process.header["world_size"] = 10_000_000
    process.patterns = [pattern("MPI_Bcast", 8, root=0)]
    process.pattern_rows = [pattern_row(0, 9_999_999, 1, 8)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    profile = made(tmp_path, [process]).path
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB
    assert rows(profile, "SELECT destination FROM pattern_messages") == [(9_999_999,)]
    assert [complete for *_, complete in patterns_of(profile)] == [0]


@repeated(30, 80)
def test_damage_is_survived(tmp_path: Path, times: int) -> None:
    generator = random.Random(4)
    processes = active_world(2)
    for rank, process in enumerate(processes):
        process.endpoints = [endpoint(number, own=number == rank) for number in range(2)]
        process.messages = [[message("MPI_Bcast", FIRST_ENDPOINT + 1, 4, 32, kind=INSIDE)]]
        process.patterns = [pattern("MPI_Bcast", 8, root=0), pattern("MPI_Allreduce", 8)]
        process.pattern_rows = [pattern_row(index, FIRST_ENDPOINT + 1 - rank, 1, 8) for index in (0, 1)]

    def damaged(data: bytearray) -> bytearray:
        for _ in range(generator.choice((1, 8, 40))):
            # Endpoints and patterns are at the end.
            data[-generator.randrange(1, 600)] ^= 1 << generator.randrange(8)
        return data[: generator.randrange(len(data) - 600, len(data) + 1)]

    assert sum(1 for _ in made_of_damaged(tmp_path, processes, times, damaged)) > 0.75 * times


def test_a_hole_before_endpoints_is_told(tmp_path: Path, golden: Golden) -> None:
    [process] = active_world(1)
    process.endpoints = [endpoint(1, own=1), endpoint(2)]
    data = process.to_bytes()
    path = tmp_path / "cut.counters"
    path.write_bytes(data[: len(data) - 3 * 24])  # and the room for two more
    counters = read_counters(path)
    assert len(counters.endpoints) == 1
    [loss] = counters.losses
    golden.says(loss, "cut.counters: .. 1 .. 2")


def test_the_hook_is_told_of_every_rank(tmp_path: Path) -> None:
    processes = active_world(2)
    processes[1].header |= {"transport_sees": 0xFF, "transport_state": 77, "transport_note": b"why\x1b"}
    profile = made(tmp_path, processes).path
    assert rows(profile, "SELECT transport, transport_state, transport_sees, transport_note FROM ranks") == [
        ("ucx", "active", "between-nodes nonblocking", ""),
        ("ucx", "unknown", "between-nodes within-node nonblocking", "why\ufffd"),
    ]


def hooks(*states: tuple[str, bytes]) -> list[Process]:
    processes = active_world(len(states))
    for process, (state, note) in zip(processes, states, strict=True):
        process.header |= {"transport_state": CONSTANTS[f"TRANSPORT_{state}"], "transport_note": note}
        if state == "NONE":
            process.header["transport"] = b""
    return processes


def test_a_hook_that_all_had_or_had_not_is_no_warning(tmp_path: Path) -> None:
    for state in ("NONE", "ACTIVE", "DISABLED"):
        assert warnings(made(tmp_path, hooks((state, b""), (state, b""))).path) == []


def test_a_hook_that_was_refused_or_stopped_is_one_warning_for_all(tmp_path: Path, golden: Golden) -> None:
    note = b"the self-test found 3 messages instead of 2"
    for state in ("REFUSED", "STOPPED"):
        [warning] = warnings(made(tmp_path, hooks((state, note), (state, note))).path)
        golden.says(warning, f"ucx: {note.decode()}")


def test_ranks_that_differ_are_told(tmp_path: Path, golden: Golden) -> None:
    processes = hooks(("ACTIVE", b""), ("STOPPED", b"a tag is new"), ("ACTIVE", b""), ("NONE", b""))
    golden.says("\n".join(warnings(made(tmp_path, processes).path)), "1 .. 0,2 .. 3 .. 1")


def test_a_rank_that_did_not_leave_init_has_no_hook_yet(tmp_path: Path) -> None:
    processes = hooks(("ACTIVE", b""), ("NONE", b""))
    processes[1].header["state"] = CONSTANTS["STATE_STARTING"]
    assert warnings(made(tmp_path, processes).path) == []
