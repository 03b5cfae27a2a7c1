"""Reading one counters file: real values, and no damage that could stop the reader."""

from __future__ import annotations

import os
import random
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from synthetic import (
    FREQUENCY,
    IDS,
    LOADED_NS,
    PART,
    WORLD,
    Process,
    call,
    communicator,
    message,
    small_world,
    stamp,
    ticks,
)

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import Clock, Stamp, clocks, frequency, is_damaged, iso
from rankwise.profile.collect.counters import Counters, read_counters
from rankwise.profile.collect.keys import calls_key, messages_key, part
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.lifetime import Lifetime


def read(process: Process, directory: Path) -> Counters:
    return read_counters(process.write(directory, "one"))


def test_the_header_is_converted(tmp_path: Path) -> None:
    header = read(small_world()[2], tmp_path).header
    assert (header.state, header.abi, header.world_rank, header.world_size) == ("finalized", "openmpi", 2, 4)
    assert (header.host, header.job, header.executable) == ("node1", "job-1", "/home/me/solver")
    assert (header.cpus_allowed, header.cpu_at_start, header.cpu_at_stop) == ("0-3", 2, -1)
    assert header.stamps["stopped"] == Stamp(*stamp(10.0))
    assert header.dropped == (0,) * 16


def test_calls_are_in_the_order_of_their_keys(tmp_path: Path) -> None:
    counters = read(small_world()[0], tmp_path)
    assert counters.losses == ()
    assert counters.calls["key"].tolist() == sorted(
        [
            calls_key(0, WORLD, IDS["MPI_Send"], 7),
            calls_key(0, WORLD, IDS["MPI_Recv"], 7),
            calls_key(0, PART, IDS["MPI_Allreduce"], 4),
        ]
    )
    assert part(counters.calls["key"], "CALLS", "COMMUNICATOR").tolist() == [WORLD, WORLD, PART]
    assert counters.messages["bytes"].tolist() == [300]


def test_rows_of_several_threads_are_added_up(tmp_path: Path) -> None:
    process = Process(
        calls=[
            [call("MPI_Recv", calls=2, received=10, seconds=3.0, shortest=1.0, longest=2.0)],
            [call("MPI_Recv", calls=3, received=5, seconds=1.5, shortest=0.25, longest=1.0)],
            # Only corrections: their shortest call is none.
            [call("MPI_Recv", calls=-1, received=-4)],
        ],
        messages=[
            [message("MPI_Send", 3, 1, 10)],
            [message("MPI_Send", 3, 2, 5), message("MPI_Send", 1, 1, 1), message("MPI_Send", 7, 4, 0)],
        ],
    )
    counters = read(process, tmp_path)
    [row] = counters.calls
    assert (int(row["calls"]), int(row["bytes_received"])) == (4, 11)
    assert [int(row[name]) / FREQUENCY for name in ("ticks", "min_ticks", "max_ticks")] == [4.5, 0.25, 2.0]
    assert part(counters.messages["key"], "MESSAGES", "PEER").tolist() == [1, 3, 7]
    assert counters.messages["messages"].tolist() == [1, 3, 4]
    assert counters.messages["bytes"].tolist() == [1, 15, 0]


def test_rows_that_corrections_emptied_are_gone_but_not_their_time(tmp_path: Path) -> None:
    process = Process(
        calls=[
            [call("MPI_Irecv", size_bin=0, calls=2, seconds=0.5, longest=0.3), call("MPI_Barrier")],
            [
                call("MPI_Irecv", size_bin=0, calls=-2),
                call("MPI_Irecv", size_bin=4, calls=2, received=20),
                call("MPI_Ibarrier", calls=0),
            ],
        ]
    )
    counters = read(process, tmp_path)
    rows = {
        (int(procedure), int(size_bin)): row
        for row, procedure, size_bin in zip(
            counters.calls,
            part(counters.calls["key"], "CALLS", "PROCEDURE"),
            part(counters.calls["key"], "CALLS", "BIN"),
            strict=True,
        )
    }
    assert set(rows) == {(IDS["MPI_Irecv"], 4), (IDS["MPI_Barrier"], 0)}
    moved = rows[IDS["MPI_Irecv"], 4]
    assert (int(moved["calls"]), int(moved["bytes_received"])) == (2, 20)
    assert (int(moved["ticks"]), int(moved["max_ticks"])) == (FREQUENCY // 2, FREQUENCY * 3 // 10)


def test_a_row_that_gets_the_time_of_an_emptied_one_keeps_its_longest_call(tmp_path: Path) -> None:
    process = Process(
        calls=[
            [
                call("MPI_Irecv", size_bin=0, calls=0, seconds=0.25, longest=0.25),
                call("MPI_Irecv", size_bin=4, calls=2, received=20, seconds=0.75, longest=0.5),
            ]
        ]
    )
    [row] = read(process, tmp_path).calls
    assert [int(row[name]) / FREQUENCY for name in ("ticks", "max_ticks")] == [1.0, 0.5]


def test_bytes_without_a_call_stay(tmp_path: Path) -> None:
    counters = read(Process(calls=[[call("MPI_Recv", calls=0, received=20), call("MPI_Barrier")]]), tmp_path)
    rows = sorted((int(row["calls"]), int(row["bytes_received"])) for row in counters.calls)
    assert rows == [(0, 20), (1, 0)]


def test_a_process_that_never_stopped_lived_until_it_was_last_seen(tmp_path: Path) -> None:
    counters = read(Process(header={"stopping": (0, 0, 0), "stopped": (0, 0, 0)}), tmp_path)
    assert Lifetime.of(counters).wall == 9.0


def test_a_number_that_stays_negative_is_told(tmp_path: Path) -> None:
    counters = read(Process(calls=[[call("MPI_Recv", calls=2, received=-7)]]), tmp_path)
    assert counters.calls["bytes_received"].tolist() == [0]
    assert counters.losses == ("one.counters: impossible numbers of bytes_received were set to 0",)


def test_texts_do_no_harm(tmp_path: Path) -> None:
    process = Process(header={"host": b"node\x1b[2J\n\xff", "job": b"x" * 64})
    header = read(process, tmp_path).header
    assert header.host == "node\ufffd[2J\ufffd\ufffd"
    assert header.job == "x" * 64  # without a NUL at its end


def test_keys_hold_their_largest_parts() -> None:
    keys = np.array(
        [calls_key(4095, 2**22 - 1, 2047, 127), messages_key(2, 2**22 - 1, 2047, 2**28 - 1)], np.uint64
    )
    names = ("REGION", "COMMUNICATOR", "PROCEDURE", "BIN")
    assert [int(part(keys, "CALLS", name)[0]) for name in names] == [4095, 2**22 - 1, 2047, 127]
    names = ("KIND", "COMMUNICATOR", "PROCEDURE", "PEER")
    assert [int(part(keys, "MESSAGES", name)[1]) for name in names] == [2, 2**22 - 1, 2047, 2**28 - 1]


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("magic", b"ELF", ""),
        (
            "version",
            1,
            "1 .. 2 .. 0.1.0",
        ),
        ("byte_order", 0x04030201, "another byte order"),
        ("header_bytes", 8, ""),
        ("section_bytes", 31, ""),
        (
            "table_digest",
            12345,
            "MPI .. 0.1.0",
        ),
    ],
)
def test_what_is_not_understood_is_refused(
    tmp_path: Path, member: str, value: object, message: str, golden: Golden
) -> None:
    with pytest.raises(RankwiseError) as error:
        read(Process(header={member: value}), tmp_path)
    golden.says(error.value, message)


def test_what_is_no_file_is_refused(tmp_path: Path, golden: Golden) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(RankwiseError) as error:
            read_counters(tmp_path / name)
        golden.says(error.value)
    with pytest.raises(RankwiseError, match="cannot be read: No such file"):
        read_counters(tmp_path / "nothing")


def test_a_communicator_without_an_id_is_told(tmp_path: Path, golden: Golden) -> None:
    counters = read(Process(communicators=[communicator(1, "W", 0, 1), {}, {}]), tmp_path)
    [loss] = counters.losses
    golden.says(loss, "one.counters: .. (other) .. 2")


def test_a_section_of_a_later_kind_is_passed_over(tmp_path: Path, golden: Golden) -> None:
    data = bytearray(small_world()[0].to_bytes())
    data[layout.HEADER.itemsize : layout.HEADER.itemsize + 4] = (99).to_bytes(4, "little")
    path = tmp_path / "later.counters"
    path.write_bytes(data)
    counters = read_counters(path)
    [loss] = counters.losses
    golden.says(loss, "later.counters: ")
    assert len(counters.threads) == 0 and len(counters.calls) == 3


def test_used_is_clipped_to_the_capacity(tmp_path: Path, golden: Golden) -> None:
    # Behind the calls of the first thread lie those of another one, which are not to be read twice.
    process = Process(calls=[[call("MPI_Send"), call("MPI_Recv")], [call("MPI_Send", calls=5)]])
    data = bytearray(process.to_bytes())
    fields = layout.SECTION.fields
    assert fields is not None
    used = layout.HEADER.itemsize + 3 * layout.SECTION.itemsize + fields["used"][1]
    data[used : used + 4] = (1000).to_bytes(4, "little")
    path = tmp_path / "one.counters"
    path.write_bytes(data)
    counters = read_counters(path)
    assert sorted(counters.calls["calls"].tolist()) == [1, 6]
    [loss] = counters.losses
    golden.says(loss, "one.counters: .. 996 .. 1000")


def test_sections_that_lie_upon_each_other_do_not_fill_the_memory(tmp_path: Path, golden: Golden) -> None:
    process = Process(calls=[[call("MPI_Send")]] * 20)
    data = bytearray(process.to_bytes())
    directory = np.frombuffer(data, layout.SECTION, len(process.sections()), layout.HEADER.itemsize)
    rows = directory[directory["kind"] == CONSTANTS["SECTION_CALLS"]]
    rows["offset"], rows["used"], rows["capacity"] = rows["offset"][0], 1 << 20, 1 << 20
    directory[directory["kind"] == CONSTANTS["SECTION_CALLS"]] = rows
    path = tmp_path / "one.counters"
    path.write_bytes(data)
    golden.says("\n".join(read_counters(path).losses), "one.counters: ")


def test_communicators_after_a_hole_are_passed_over(tmp_path: Path, golden: Golden) -> None:
    # Two sections of communicators, the first of which lies outside of the file.
    process = Process(communicators=[communicator(1, "W", 0, 1)])
    data = bytearray(process.to_bytes())
    directory = np.frombuffer(data, layout.SECTION, 3, layout.HEADER.itemsize)
    directory["kind"][[0, 1]] = CONSTANTS["SECTION_COMMUNICATORS"]
    directory["offset"][0] = 1 << 60
    path = tmp_path / "one.counters"
    path.write_bytes(data)
    counters = read_counters(path)
    assert len(counters.communicators) == 0
    assert len(counters.losses) == 2
    for loss in counters.losses:
        golden.says(loss, "one.counters: .. communicators")


def test_a_file_cut_anywhere_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    data = small_world()[0].to_bytes()
    path = tmp_path / "cut.counters"
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        if length < layout.HEADER.itemsize:
            with pytest.raises(RankwiseError, match="cut short"):
                read_counters(path)
            continue
        counters = read_counters(path)
        assert counters.losses or length > len(data) - 2 * layout.MESSAGES.itemsize - 1
        assert counters.header.world_size == 4


def test_flipped_bits_are_survived(tmp_path: Path) -> None:
    original = small_world()[0].to_bytes()
    generator = random.Random(20)
    path = tmp_path / "flipped.counters"
    read_well = 0
    for _ in range(400):
        data = bytearray(original)
        for _ in range(generator.choice((1, 4, 64))):
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        path.write_bytes(data)
        try:
            read_counters(path)
        except RankwiseError:
            continue
        read_well += 1
    assert read_well > 100


def test_the_clock_comes_from_the_widest_pair_of_stamps() -> None:
    stamps = [Stamp(*stamp(0.0)), Stamp(0, 0, 0), Stamp(*stamp(4.0)), Stamp(0, 0, 0), Stamp(*stamp(1.0))]
    assert frequency(stamps) == FREQUENCY
    [clock] = clocks([stamps])
    assert clock.seconds(np.array([FREQUENCY * 3], np.uint64)).tolist() == [3.0]
    assert clock.realtime_ns(ticks(2.5)) == LOADED_NS + 2_500_000_000
    since = clock.since(LOADED_NS - 1_000_000_000, np.array([ticks(0.25), ticks(0.0) - FREQUENCY], np.uint64))
    assert since.tolist() == [1.25, 0.0]


def test_a_process_that_ended_at_once_takes_the_others_clock() -> None:
    short = [Stamp(*stamp(0.0)), Stamp(*stamp(0.00009))]
    assert [clock.ticks_per_second for clock in clocks([short, [Stamp(*stamp(0)), Stamp(*stamp(1))]])] == [
        2e9,
        2e9,
    ]
    usual = [Stamp(*stamp(0)), Stamp(*stamp(1))]
    faster = [Stamp(*stamp(0)), Stamp(stamp(1)[0] + FREQUENCY, *stamp(1)[1:])]
    middle, *_ = clocks([short, faster, usual, usual])
    assert middle.ticks_per_second == 2e9
    assert [clock.ticks_per_second for clock in clocks([short])] == [1e9]
    assert [clock.anchor for clock in clocks([[]])] == [Stamp(0, 0, 0)]


def test_a_clock_is_damaged_only_where_its_stamps_contradict_each_other() -> None:
    damaged = [Stamp(2**63, 10**9, 0), Stamp(1, 2 * 10**9, 0)]
    whole, short = [Stamp(*stamp(0.0)), Stamp(*stamp(1.0))], [Stamp(*stamp(0.0)), Stamp(*stamp(0.00009))]
    assert [is_damaged(stamps) for stamps in (damaged, whole, short, [])] == [True, False, False, False]


def test_a_damaged_stamp_is_no_frequency() -> None:
    assert frequency([Stamp(2**63, 10**9, 0), Stamp(1, 2 * 10**9, 0)]) is None


def test_instants_are_iso_8601_with_a_time_zone() -> None:
    for realtime_ns in (LOADED_NS + 250_000_000, 0):
        instant = datetime.fromisoformat(iso(realtime_ns))
        assert instant.tzinfo is not None
        assert instant.timestamp() == realtime_ns / 10**9
    assert iso(-(2**63)) == iso(0)
    assert iso(2**63).startswith("2262-")
    assert iso(2**100).startswith("9999-")
    assert Clock(1e9, Stamp(0, 0, 0)).realtime_ns(2**64) == 2**64
