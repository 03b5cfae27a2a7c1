"""Why a running job stands still: made-up processes, and a clock that the test sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from live import Time, running, set_time, write
from synthetic import IDS, PART, WORLD, Process, loaded_object, small_world

from rankwise.analysis.hangs.model import Hang
from rankwise.live.watch import Watch
from rankwise.profile.collect.keys import calls_key
from rankwise.profile.collect.layout import CONSTANTS


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return set_time(monkeypatch, 20.0)


def hang(directory: Path) -> Hang | None:
    picture = Watch(directory, 2.0).look().picture
    assert picture is not None
    [world] = picture.worlds
    return world.hang


def receives(process: Process, source: int, since: float) -> Process:
    """Make it one that waits for a message of another rank with tag 7."""
    running(process, 3.0, "MPI_Recv", since, WORLD)
    process.threads[0]["inside_source"] = (source + 1) << CONSTANTS["PARTNER_TAG_BITS"] | 7
    return process


def test_ranks_that_wait_for_each_other_while_others_go_on(tmp_path: Path, time: Time) -> None:
    world = small_world()
    running(world[0], 19.9)
    running(world[3], 19.9)
    receives(world[1], 2, 4.0)
    receives(world[2], 1, 5.0)
    reason = hang(write(tmp_path / "run", world))
    assert reason is not None
    assert (reason.kind, reason.is_deadlock, reason.root) == ("cycle", True, "1-2")
    assert reason.seconds == pytest.approx(time.seconds - 5.0)
    assert reason.lost_percent_of_run is None


def test_only_what_has_lasted_is_told(tmp_path: Path, time: Time) -> None:
    world = small_world(2)
    receives(world[0], 1, 4.0)
    receives(world[1], 0, time.seconds - 1.0)
    assert hang(write(tmp_path / "run", world)) is None


def test_who_has_come_to_a_collective_is_counted(tmp_path: Path, time: Time) -> None:
    """Rank 0 has one more Allreduce behind it than rank 2, and so is not missing in that of rank 2."""
    world = [running(process, 3.0, "MPI_Allreduce", 4.0, PART) for process in small_world()]
    [row] = [cell for cell in world[0].calls[0] if cell["key"] == calls_key(0, PART, IDS["MPI_Allreduce"], 4)]
    row["calls"] += 1
    running(world[0], 3.0)
    assert hang(write(tmp_path / "run", world)) is None
    row["calls"] -= 1
    reason = hang(write(tmp_path / "run", world))
    assert reason is not None
    assert (reason.kind, reason.waiting, reason.root) == ("computing", "2", "0")
    assert time.seconds > 5.0


def test_the_place_in_the_source(tmp_path: Path, time: Time) -> None:
    world = small_world(2)
    for rank, process in enumerate(world):
        receives(process, 1 - rank, 4.0)
        process.objects = [loaded_object(b"/nowhere/solver", b"\1" * 20, CONSTANTS["OBJECT_PROGRAM"])]
        process.sites = [{"object": 0, "offset": 0x1234}]
        process.threads[0]["inside_key"] = calls_key(0, WORLD, IDS["MPI_Recv"], 0, CONSTANTS["FIRST_SITE"])
    reason = hang(write(tmp_path / "run", world))
    assert reason is not None
    assert [step.site for step in reason.steps] == ["solver+0x1234"] * 2
    assert time.seconds > 5.0
