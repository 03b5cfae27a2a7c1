"""What is found out about a job that is running, from files of which everything is known."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from live import Time, running, set_time, starting, write
from nodes_synthetic import node_file
from synthetic import LOADED_NS, PART, SECOND, WORLD, Process, call, endpoint, message, small_world, stamp

from golden import Golden
from rankwise._linux import News
from rankwise.errors import RankwiseError
from rankwise.live.picture import Hook, Picture, PlaceRow, SavedNode, WorldPicture
from rankwise.live.watch import Watch, _sleep
from rankwise.profile.collect import end_note, holders, launch_note
from rankwise.profile.collect.clock import iso
from rankwise.profile.collect.counters import Counters, read_counters
from rankwise.profile.collect.layout import CONSTANTS, THREAD


@pytest.fixture(autouse=True)
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return set_time(monkeypatch, 10.0)


def only(picture: Picture | None) -> WorldPicture:
    assert picture is not None
    [world] = picture.worlds
    return world


def first(directory: Path) -> WorldPicture:
    return only(Watch(directory, 2.0).look().picture)


def hanging() -> list:
    """Ranks 0 and 2 are in a barrier on their half; 1 waits for a message on the world; 3 computes."""
    world = small_world()
    for rank, (latest, inside, since, on) in enumerate(
        [(3.0, "MPI_Barrier", 4.0, PART), (3.5, "MPI_Recv", 5.0, WORLD), (3.0, "MPI_Barrier", 6.0, PART)]
    ):
        running(world[rank], latest, inside, since, on)
    running(world[3], 7.0)
    return world


def test_where_each_rank_is(tmp_path: Path) -> None:
    world = first(write(tmp_path / "run", hanging()))
    assert world.places == [
        PlaceRow(
            state="inside",
            procedure="MPI_Barrier",
            communicator="W_s1.0",
            ranks="0,2",
            count=2,
            seconds_min=4.0,
            seconds_max=6.0,
            missing="",
        ),
        PlaceRow(
            state="inside",
            procedure="MPI_Recv",
            communicator="W",
            ranks="1",
            count=1,
            seconds_min=5.0,
            seconds_max=5.0,
            missing="",
        ),
        PlaceRow(
            state="outside",
            procedure=None,
            communicator=None,
            ranks="3",
            count=1,
            seconds_min=3.0,
            seconds_max=3.0,
            missing="",
        ),
    ]
    rank = world.ranks[2]
    assert (rank.state, rank.procedure, rank.communicator, rank.seconds) == (
        *("inside", "MPI_Barrier", "W_s1.0", 4.0),
    )
    assert rank.since == iso(LOADED_NS + 6 * SECOND)
    assert (world.quiet_seconds, world.wall_seconds) == (3.0, 10.0)
    assert world.slowest[0] == 3


def test_who_is_missing_where_others_wait(tmp_path: Path) -> None:
    world = small_world(8)
    for process in world:
        running(process, 3.0, "MPI_Allreduce", 4.0)
    running(world[2], 3.0)
    running(world[5], 3.0, "MPI_Barrier", 4.0, PART)
    everybody_else = PlaceRow(
        state="inside",
        procedure="MPI_Allreduce",
        communicator="W",
        ranks="0-1,3-4,6-7",
        count=6,
        seconds_min=6.0,
        seconds_max=6.0,
        missing="2,5",
    )
    places = first(write(tmp_path / "run", world)).places
    assert places[0] == everybody_else
    assert [(place.ranks, place.missing) for place in places[1:]] == [("2", ""), ("5", "1,3,7")]


def test_ranks_that_have_not_come_so_far_or_have_ended(tmp_path: Path) -> None:
    world = small_world()
    finalized = world[0]
    aborted = running(world[1], 9.0)
    aborted.header["state"] = CONSTANTS["STATE_ABORTED"]
    live_world = first(write(tmp_path / "run", [finalized, aborted, starting(2, 4)]))
    assert [(place.state, place.ranks, place.seconds_max) for place in live_world.places] == [
        *[("finalized", "0", None), ("aborted", "1", None), ("starting", "2", 10.0)],
        ("no counters", "3", None),
    ]
    assert (live_world.ranks_seen, live_world.ranks_expected) == (3, 4)


def test_rates_and_shares_of_the_time_in_between(tmp_path: Path, time: Time) -> None:
    world = [running(process, 9.9) for process in small_world(2)]
    watch = Watch(write(tmp_path / "run", world), 2.0)
    before = watch.look()
    assert before.picture is not None
    assert before.picture.interval_seconds == 0.0
    # In 2 s rank 0 makes 10 sends of 1 kB that take 0.5 s; rank 1 nothing.
    world[0].calls[0][0] = call("MPI_Send", size_bin=7, calls=13, sent=10_300, seconds=0.8)
    world[0].messages[0][0] = message("MPI_Send", 1, 13, 10_300)
    write(tmp_path / "run", [running(process, 11.9) for process in world])
    time.seconds = 12.0
    picture = watch.look().picture
    live_world = only(picture)
    assert picture is not None
    assert picture.interval_seconds == 2.0
    assert (live_world.calls_per_second, live_world.bytes_sent_per_second) == (5.0, 5000.0)
    assert live_world.percent_in_mpi == pytest.approx(100 * 0.5 / 4)
    # Since the start: 1.9 s in MPI before, on each of two ranks.
    assert live_world.percent_in_mpi_from_start == pytest.approx(100 * (2 * 1.9 + 0.5) / (2 * 11.5))
    [send] = [row for row in live_world.calls if row.name == "MPI_Send"]
    assert live_world.calls[0] == send
    assert (send.calls_per_second, send.top, send.percent_of_mpi) == (5.0, "W", 100.0)
    assert send.seconds_per_call == pytest.approx(0.05)
    assert send.percent_of_run == pytest.approx(12.5)
    world_row = live_world.communicators[0]
    assert (world_row.name, world_row.calls_per_second) == ("W", 5.0)
    pair = live_world.pairs[0]
    assert (pair.source, pair.destination, pair.kind) == (0, 1, "point-to-point")
    assert (pair.messages_per_second, pair.bytes_per_second, pair.bytes_from_start) == (5.0, 5000.0, 10_300)
    assert [(kind.kind, kind.bytes_per_second) for kind in live_world.traffic] == [("point-to-point", 5000.0)]
    assert [rank.percent_in_mpi for rank in live_world.ranks] == pytest.approx([25.0, 0.0])
    assert live_world.slowest == [1, 0]


def test_a_call_that_has_not_ended_is_time_in_mpi(tmp_path: Path, time: Time) -> None:
    world = [running(process, 3.0) for process in small_world(2)]
    for process in world:
        process.calls = [[]]
    running(world[0], 3.0, "MPI_Barrier", 4.0)
    watch = Watch(write(tmp_path / "run", world), 2.0)
    live_world = only(watch.look().picture)
    assert [rank.percent_in_mpi_from_start for rank in live_world.ranks] == pytest.approx(
        [100 * 6 / 9.5, 0.0]
    )
    # It ends after 7.5 s, and is booked then; nothing counts twice.
    world[0].calls = [[call("MPI_Barrier", calls=1, seconds=7.5)]]
    write(tmp_path / "run", [running(process, 11.5) for process in world])
    time.seconds = 12.0
    live_world = only(watch.look().picture)
    assert live_world.ranks[0].percent_in_mpi == pytest.approx(75.0)
    assert live_world.ranks[0].percent_in_mpi_from_start == pytest.approx(100 * 7.5 / 11.5)


def test_init_and_finalize_are_no_time_in_mpi(tmp_path: Path) -> None:
    world = [running(process, 9.0) for process in small_world(1)]
    world[0].calls = [
        [call("MPI_Init", communicator=0, calls=1, seconds=1.0), call("MPI_Barrier", seconds=2.0)]
    ]
    live_world = first(write(tmp_path / "run", world))
    assert live_world.percent_in_mpi_from_start == pytest.approx(100 * 2 / 9.5)
    assert live_world.init_finalize_seconds == pytest.approx(1.0)
    [row] = live_world.calls
    assert (row.name, row.percent_of_mpi_from_start) == ("MPI_Barrier", 100.0)
    assert row.percent_of_run_from_start == pytest.approx(100 * 2 / 9.5)
    assert [row.name for row in live_world.communicators] == ["W"]


def test_init_that_has_not_ended(tmp_path: Path) -> None:
    live_world = first(write(tmp_path / "run", [starting(0, 1)]))
    assert (live_world.init_finalize_seconds, live_world.percent_in_mpi_from_start) == (10.0, 0.0)


def test_no_share_is_above_all_however_long_a_look_takes(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rank is in short calls all the time; reading it takes 0.3 s, its rows are of any instant in that."""
    begins = [0.15, 0.0, 0.3, 0.0, 0.15, 0.3]

    def read(path: Path, *, follow_links: bool) -> Counters:
        begin = begins.pop(0)
        time.seconds += begin
        write(tmp_path / "run", [busy(time.seconds)])
        counters = read_counters(path, follow_links=follow_links)
        time.seconds += 0.3 - begin
        return counters

    def busy(seconds: float) -> Process:
        process = running(small_world(1)[0], seconds - 0.01)
        process.calls = [[call("MPI_Send", calls=1000, seconds=seconds - 0.5)]]
        return process

    monkeypatch.setattr(holders, "read_counters", read)
    watch = Watch(write(tmp_path / "run", [busy(10.0)]), 2.0)
    shares = []
    while begins:
        time.seconds = round(time.seconds) + 1.0
        live_world = only(watch.look().picture)
        shares.append((live_world.percent_in_mpi, live_world.percent_in_mpi_from_start))
    assert max(max(pair) for pair in shares) <= 100 + 1e-6
    assert min(recent for recent, _ in shares[1:]) > 50  # 0.3 s at either end of 1 s are not certain


def test_a_rank_that_waits_is_exact_however_long_a_look_takes(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(path: Path, *, follow_links: bool) -> Counters:
        time.seconds += 0.3
        return read_counters(path, follow_links=follow_links)

    process = running(small_world(1)[0], 3.0, "MPI_Barrier", 3.0)
    monkeypatch.setattr(holders, "read_counters", read)
    watch = Watch(write(tmp_path / "run", [process]), 2.0)
    watch.look()
    assert only(watch.look().picture).percent_in_mpi == pytest.approx(100)


def test_a_long_call_that_ends_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = running(small_world(1)[0], 3.0, "MPI_Barrier", 3.0)
    waits.calls = [[]]
    ended = running(small_world(1)[0], 9.99)
    ended.calls = [[call("MPI_Barrier", calls=1, seconds=6.99)]]
    path = write(tmp_path / "run", [waits]) / "rank0.counters"
    pread = os.pread

    def as_it_ends(descriptor: int, count: int, offset: int) -> bytes:
        if count == len(waits.threads) * THREAD.itemsize:
            data = pread(descriptor, count, offset)
            path.write_bytes(ended.to_bytes())  # after its thread was read, before its rows
            return data
        return pread(descriptor, count, offset)

    monkeypatch.setattr(os, "pread", as_it_ends)
    live_world = first(tmp_path / "run")
    assert live_world.percent_in_mpi_from_start == pytest.approx(100 * 6.99 / 9.5)  # and not twice that
    assert live_world.places[0].state == "outside"


def test_a_rank_that_only_polls(tmp_path: Path, time: Time) -> None:
    world = [running(process, 9.9) for process in small_world(2)]
    watch = Watch(write(tmp_path / "run", world), 2.0)
    watch.look()
    for process in world:
        process.calls[0].append(call("MPI_Iprobe", calls=1000, seconds=0.1))
    world[1].calls[0][0] = call("MPI_Send", size_bin=7, calls=4, sent=400, seconds=0.3)
    # The one rank is seen inside of it by chance.
    write(tmp_path / "run", [running(world[0], 11.9, "MPI_Iprobe", 11.95), running(world[1], 11.9)])
    time.seconds = 12.0
    live_world = only(watch.look().picture)
    assert [
        (place.state, place.procedure, place.communicator, place.seconds_max) for place in live_world.places
    ] == [
        ("polling", "MPI_Iprobe", "W", None),
        ("outside", None, None, pytest.approx(0.1)),
    ]
    assert live_world.ranks[0].percent_in_mpi == pytest.approx(7.5)


def test_a_polling_call_that_lasts(tmp_path: Path) -> None:
    world = [running(process, 9.0) for process in small_world(2)]
    for process in world:
        process.calls = [[call("MPI_Testall", calls=1000, seconds=1.0)]]
    running(world[1], 9.0, "MPI_Testall", 7.0)
    live_world = first(write(tmp_path / "run", world))
    assert [(rank.state, rank.procedure, rank.seconds) for rank in live_world.ranks] == [
        ("outside", None, pytest.approx(1.0)),
        ("inside", "MPI_Testall", pytest.approx(3.0)),
    ]
    assert [rank.percent_in_mpi_from_start for rank in live_world.ranks] == pytest.approx(
        [100 * 1 / 9.5, 100 * 4 / 9.5]
    )


def test_a_node_whose_clock_is_ahead(tmp_path: Path) -> None:
    world = [running(process, 9.0) for process in small_world(2)]
    late = LOADED_NS + 60 * SECOND
    world[1].header |= {"host": b"node2", "latest": stamp(9.0, late), "loaded": stamp(0.0, late)}
    world[1].header |= {"started": stamp(0.5, late)}
    live_world = first(write(tmp_path / "run", world))
    # Not -59 s: its own clock says that no time has passed since.
    assert [rank.seconds for rank in live_world.ranks] == [1.0, 0.0]
    assert live_world.nodes == 2


def test_endpoints_are_ranks(tmp_path: Path) -> None:
    inside = CONSTANTS["MESSAGE_IN_COLLECTIVE"]
    world = [running(process, 9.0) for process in small_world(2)]
    for rank, process in enumerate(world):
        process.endpoints = [endpoint(100 + rank, own=1), endpoint(101 - rank), endpoint(999)]
        peers = [CONSTANTS["FIRST_ENDPOINT"] + index for index in (1, 2)]
        process.messages = [[message("MPI_Bcast", peer, 2, 20, kind=inside) for peer in peers]]
    pairs = first(write(tmp_path / "run", world)).pairs
    assert {(pair.source, pair.destination, pair.kind, pair.bytes_from_start) for pair in pairs} == {
        (0, 1, "in-collective", 20),
        (1, 0, "in-collective", 20),
    }


def test_why_messages_inside_collectives_are_not_seen(tmp_path: Path, golden: Golden) -> None:
    world = [running(process, 9.0) for process in small_world(3)]
    for process in world[:2]:
        process.header |= {"transport": b"ucx", "transport_state": CONSTANTS["TRANSPORT_ACTIVE"]}
        process.header["transport_sees"] = CONSTANTS["SEES_WITHIN_NODE"]
    world[2].header |= {"transport_state": CONSTANTS["TRANSPORT_REFUSED"], "transport_note": b"odd table"}
    seen, refused = first(write(tmp_path / "run", world)).inside_collectives
    assert seen == Hook("0-1", "ucx", ["within_node"], "")
    assert replace(refused, not_visible="") == Hook("2", "", [], "")
    golden.says(refused.not_visible, "(odd table)")


def test_several_worlds(tmp_path: Path) -> None:
    own, other = ([running(process, 9.0) for process in small_world(2)] for _ in range(2))
    for process in other:
        process.header["job"] = b"job-2"
    picture = Watch(write(tmp_path / "run", [*own, *other]), 2.0).look().picture
    assert picture is not None
    assert [(world.world, world.worlds, world.job) for world in picture.worlds] == [
        (1, 2, "job-1"),
        (2, 2, "job-2"),
    ]


def test_files_that_are_not_whole(tmp_path: Path) -> None:
    directory = write(tmp_path / "run", hanging())
    whole = (directory / "rank3.counters").read_bytes()
    (directory / "new.counters").touch()
    for length in range(0, len(whole), 101):
        (directory / "rank3.counters").write_bytes(whole[:length])
        picture = Watch(directory, 2.0).look().picture
        assert picture is not None
        assert picture.warnings
        assert picture.worlds[0].places[0].ranks == "0,2"


def test_nothing_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.counters").write_bytes(b"something else" * 200)
    watch = Watch(tmp_path / "run", 2.0)
    assert watch.look().picture is None  # a process may be about to begin its file
    with pytest.raises(RankwiseError, match=r"a\.counters"):
        watch.look()


def test_nothing_is_changed(tmp_path: Path) -> None:
    def state() -> dict[str, tuple[int, str]]:
        return {
            path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(directory.iterdir())
        }

    directory = write(tmp_path / "run", hanging())
    before = state()
    watch = Watch(directory, 2.0)
    for _ in range(3):
        watch.look()
    assert state() == before


# --- The end ---


def test_a_job_without_a_note_ends_with_its_ranks(tmp_path: Path) -> None:
    looks = Watch(write(tmp_path / "run", hanging()), 2.0).looks()
    assert not next(looks).last
    write(tmp_path / "run", small_world())
    look = next(looks)
    assert look.last
    assert look.picture is not None
    assert look.picture.over
    assert only(look.picture).quiet_seconds is None
    assert next(looks, None) is None


def test_a_launched_job_may_start_a_further_program(tmp_path: Path, time: Time) -> None:
    directory = write(tmp_path / "run", small_world())  # ended at 10 s
    (directory / launch_note.FILE_NAME).write_text("{}")
    time.seconds = 11.0
    watch = Watch(directory, 2.0)
    assert not watch.look().last
    time.seconds = 21.0
    assert watch.look().last


def test_an_aborted_job_ends_with_its_last_heartbeat(tmp_path: Path, time: Time) -> None:
    world = hanging()
    world[3].header["state"] = CONSTANTS["STATE_ABORTED"]
    watch = Watch(write(tmp_path / "run", world), 2.0)
    assert not watch.look().last
    time.seconds = 18.0
    assert watch.look().last


def test_a_hanging_job_has_not_ended(tmp_path: Path, time: Time) -> None:
    time.seconds = 10_000.0
    assert not Watch(write(tmp_path / "run", hanging()), 2.0).look().last


def test_the_job_says_that_it_has_ended(tmp_path: Path) -> None:
    directory = write(tmp_path / "run", hanging())
    watch = Watch(directory, 2.0)
    watch.look()
    (directory / end_note.FILE_NAME).touch()
    look = watch.look()
    assert look.last
    assert only(look.picture).ranks_seen == 4


@pytest.mark.parametrize("what", ["the directory", "a file"])
def test_the_last_picture_stays_when_the_files_go(tmp_path: Path, time: Time, what: str) -> None:
    directory = write(tmp_path / "run", hanging())
    watch = Watch(directory, 2.0)
    watch.look()
    time.seconds = 12.0
    watch.look()
    if what == "a file":
        (directory / "rank1.counters").unlink()
    else:
        shutil.rmtree(directory)
    look = watch.look()
    assert look.last
    assert look.picture is not None
    assert look.picture.interval_seconds == 2.0
    assert only(look.picture).ranks_seen == 4


def test_waiting_ends_with_the_job(tmp_path: Path, time: Time) -> None:
    directory = write(tmp_path / "run", hanging())
    looks = Watch(directory, 3600.0).looks()
    next(looks)
    (directory / end_note.FILE_NAME).touch()
    assert next(looks).last
    assert time.seconds < 20.0


def test_waiting_ends_as_soon_as_the_job_does(tmp_path: Path) -> None:
    """Nobody looks meanwhile: the kernel tells."""
    news = News()
    news.watch(tmp_path)
    (tmp_path / end_note.FILE_NAME).touch()
    _sleep(36_000.0, news)
    assert news.read() == []
    news.close()


def test_a_job_that_has_not_begun(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    watch = Watch(tmp_path / "run", 2.0)
    assert watch.look() == watch.look()
    write(tmp_path / "run", [starting(0, 2), starting(1, 2)])
    [place] = only(watch.look().picture).places
    assert (place.state, place.ranks) == ("starting", "0-1")


def test_a_node_that_is_seen_as_it_was_saved(tmp_path: Path, time: Time) -> None:
    """Where its ranks are is told as of then, and how long ago that was."""
    images = {f"node1.{number}.0.counters": process.to_bytes() for number, process in enumerate(hanging())}
    saved = node_file(images, is_final=0, host=b"node1", saved_realtime_ns=LOADED_NS + 8 * SECOND)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "node1.1.2.3.node").write_bytes(saved)
    time.seconds = 10.5
    look = Watch(tmp_path / "run", 2.0).look()
    assert look.picture is not None
    assert look.picture.saves == [SavedNode("node1", 2.5)]
    assert [rank.seconds for rank in only(look.picture).ranks] == [4.0, 3.0, 2.0, 1.0]
