"""`rankwise run` behind a launcher: what its variables tell, and how the processes of a job meet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Thread

import pytest

from rankwise.launch.meeting import Meeting, name_of
from rankwise.launchers.membership import Membership, membership

OPEN_MPI = {
    "OMPI_COMM_WORLD_RANK": "5",
    "OMPI_COMM_WORLD_SIZE": "8",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "4",
    "PMIX_NAMESPACE": "77",
}
HYDRA = {"PMI_RANK": "5", "PMI_SIZE": "8", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "4", "PMI_JOBID": "77"}
MVAPICH = {f"MV2_COMM_WORLD_{name}": n for name, n in (("RANK", "5"), ("SIZE", "8"), ("LOCAL_RANK", "1"))}
SLURM = {
    "SLURM_PROCID": "5",
    "SLURM_NTASKS": "8",
    "SLURM_LOCALID": "1",
    "SLURM_JOB_ID": "7",
    "SLURM_STEP_ID": "0",
    "SLURM_STEP_NUM_TASKS": "8",
    "SLURM_STEP_TASKS_PER_NODE": "2(x2),4",
    "SLURM_NODEID": "2",
}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (OPEN_MPI, (5, 8, 1, 4, "77")),
        (HYDRA, (5, 8, 1, 4, "77")),
        (SLURM, (5, 8, 1, 4, "7.0")),
        (SLURM | {"SLURM_NODEID": "1"}, (5, 8, 1, 2, "7.0")),
        (SLURM | OPEN_MPI, (5, 8, 1, 4, "77")),  # mpirun in a job of Slurm
        (MVAPICH | {"SLURM_JOB_ID": "7"}, (5, 8, 1, -1, "7.")),
    ],
)
def test_what_a_rank_is_told(environment: Mapping[str, str], expected: tuple[object, ...]) -> None:
    assert membership(environment) == expected


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"PMIX_RANK": "0"},
        OPEN_MPI | {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"},  # as without a launcher
        OPEN_MPI | {"OMPI_COMM_WORLD_RANK": "8"},
        {"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_JOB_ID": "7"},  # a batch script
        SLURM | {"SLURM_STEP_ID": str(0xFFFFFFFB)},
        SLURM | {"SLURM_STEP_ID": str(0xFFFFFFFA), "SLURM_STEP_NUM_TASKS": "1"},  # a shell of salloc
    ],
)
def test_who_is_no_rank(environment: Mapping[str, str]) -> None:
    assert membership(environment) is None


def of(rank: int, size: int, local_rank: int = -1, on_node: int = -1) -> Membership:
    return Membership(rank, size, local_rank, on_node, "job")


def test_on_one_node_nobody_is_waited_for(tmp_path: Path) -> None:
    leader, other = (Meeting.enter(tmp_path / "run", of(rank, 2, rank, 2)) for rank in (1, 0))
    assert (leader.leads, other.leads) == (True, False)
    assert leader.is_complete(0)
    leader.decide({"A": "b"})
    assert other.decided(0) == {"A": "b"}
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["meeting.json"]


@pytest.mark.parametrize("is_told", [True, False])
def test_nodes_that_meet(tmp_path: Path, is_told: bool) -> None:
    """Two nodes of two ranks; where the launcher tells nothing of nodes, each rank answers for itself."""
    members = [of(rank, 4, rank % 2, 2) if is_told else of(rank, 4) for rank in range(4)]
    first, *others = (Meeting.enter(tmp_path / "run", member) for member in members)
    assert first.leads
    decisions: dict[int, object] = {}
    threads = [
        Thread(target=lambda meeting=meeting: decisions.update({meeting.member.rank: meeting.decided(20)}))
        for meeting in others
    ]
    for thread in threads:
        thread.start()
    assert first.is_complete(20)
    first.decide({"A": "b"})
    for thread in threads:
        thread.join()
    assert decisions == {rank: {"A": "b"} for rank in (1, 2, 3)}


def test_nodes_that_do_not_see_each_other(tmp_path: Path) -> None:
    """Each node has a directory of its own under one name: both leaders see that others are missing."""
    for node, first in (("a", 0), ("b", 2)):
        leader = Meeting.enter(tmp_path / node, of(first + 1, 4, 1, 2))
        other = Meeting.enter(tmp_path / node, of(first, 4, 0, 2))
        assert (leader.leads, other.leads) == (True, False)
        assert other.decided(0) is None
        assert not leader.is_complete(0)
        assert leader.has_first_rank() == (first == 0)  # so that one line is told, and not two
        leader.decide(None)
        assert other.decided(0) is None


def test_a_leader_that_is_gone(tmp_path: Path) -> None:
    Meeting.enter(tmp_path / "run", of(0, 2, 0, 2))
    other = Meeting.enter(tmp_path / "run", of(1, 2, 1, 2))
    (tmp_path / "run").rmdir()
    assert other.decided(0) is None


def test_names() -> None:
    assert name_of("hydra n1:3456") == "hydra_n1_3456"
    assert name_of("prterun-n1-12@1") == "prterun-n1-12@1"
