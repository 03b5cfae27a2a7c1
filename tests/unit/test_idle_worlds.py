"""Worlds in which nothing was called leave no profile beside another one, and are told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from assembled import made, rows
from synthetic import LOADED_NS, SECOND, Process, call, small_world, stamp

from golden import Golden
from rankwise.profile.assemble import Assembly
from rankwise.profile.collect.layout import CONSTANTS


def alone(number: int, state: str, *calls: dict[str, int], **header: object) -> Process:
    """A process that is a world of its own, and is started after the others."""
    start = LOADED_NS + (60 + number) * SECOND
    stamps = {"loaded": stamp(0, start), "started": stamp(1, start)}
    return Process(
        {
            "state": CONSTANTS[f"STATE_{state.upper()}"],
            "pid": 1000 + number,
            "world_rank": -1 if state == "starting" else 0,
            "world_size": -1 if state == "starting" else 1,
            "launcher_rank": -1,
            "launcher_size": -1,
            **stamps,
            "latest": stamp(2, start),
            "job": b"",
            **header,
        },
        calls=[[call("MPI_Init", calls=1, seconds=0.5), *calls]],
    )


IDLE = [alone(1, "finalized"), alone(2, "running"), alone(3, "finalizing"), alone(4, "starting")]


def profiles(assembly: Assembly) -> list[str]:
    return [assembly.path.name, *(other.path.name for other in assembly.others)]


def test_only_those_that_call_have_a_profile(tmp_path: Path, golden: Golden) -> None:
    one_more = alone(5, "running", call("MPI_Barrier", seconds=0.1))
    assembly = made(tmp_path, [*small_world(), *IDLE, one_more])
    assert profiles(assembly) == ["solver.rankwise", "solver.2.rankwise"]
    assert [rows(tmp_path / name, "SELECT ranks_expected FROM run") for name in profiles(assembly)] == [
        [(4,)],
        [(1,)],
    ]
    assert assembly.idle == len(IDLE)
    golden.says(assembly.idle_text(), "4")


def test_one_stays_if_none_calls(tmp_path: Path, golden: Golden) -> None:
    assembly = made(tmp_path, IDLE[:2])
    assert profiles(assembly) == ["solver.rankwise"]
    golden.says(assembly.idle_text(), "1")


@pytest.mark.parametrize(
    "failed",
    [
        alone(9, "aborted"),
        alone(9, "starting", launcher_rank=0, launcher_size=2, job=b"another"),
    ],
    ids=["aborted", "one of a job"],
)
def test_what_went_wrong_is_kept(tmp_path: Path, failed: Process) -> None:
    assembly = made(tmp_path, [*small_world(), failed])
    assert (len(assembly.others), assembly.idle, assembly.idle_text()) == (1, 0, "")


def test_children_of_a_rank_of_a_job(tmp_path: Path) -> None:
    """They have the launcher's variables of their parent, and so its place in the job."""
    children = [alone(n, "starting", launcher_rank=1, launcher_size=4, job=b"job-1") for n in range(3)]
    assembly = made(tmp_path, [*small_world(), *children])
    assert (assembly.others, assembly.idle) == ((), 3)
