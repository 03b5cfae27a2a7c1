"""Processes that are spawned or connected: each world has a profile of its own, and none a foreign rank."""

from __future__ import annotations

from pathlib import Path

import pytest
from recording import Record, Recording

pytestmark = pytest.mark.each_family

FACTS = "SELECT world, worlds, ranks_expected, ranks_seen, partial FROM run"
OUTSIDE = -1  # the destination of messages to another world


@pytest.fixture(autouse=True)
def _intel_spawns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intel MPI spawns only when it is told before that it will."""
    monkeypatch.setenv("I_MPI_SPAWN", "on")


def world(done: Recording, number: int) -> Recording:
    """The profile of a further world of the same run."""
    return Recording(done.process, done.path.with_name(f"{done.path.stem}.{number}.rankwise"))


def names(done: Recording) -> dict[str, tuple[str, int, int]]:
    """Members, size and remote size of the communicators by name."""
    query = "SELECT name, members, size, remote_size FROM communicators WHERE id >= 3"
    return {name: facts for name, *facts in done.rows(query)}  # type: ignore[misc]


def check_spawned(done: Recording, number: int, size: int) -> None:
    """Check a world that talked to its parent: `size` processes, spawned by 2."""
    assert done.rows(FACTS) == [(number, 3, size, size, 0)]
    last = size - 1
    everybody = f"0-{last}"
    assert names(done) == {
        "W": [everybody, size, 0],
        "P": [everybody, size, 2],
        "P_m1": [f"?x2,{everybody}", size + 2, 0],
    }
    assert done.messages("P") == {(last, OUTSIDE): (1, 7)}
    ring = {(rank, rank + 1): (1, 10) for rank in range(last)}
    assert done.messages("P_m1") == {**ring, (last, OUTSIDE): (1, 10)}
    assert done.calls("MPI_Recv", "P") == {last: (1, 0, 100)}
    assert done.calls("MPI_Intercomm_merge", "P") == dict.fromkeys(range(size), (1, 0, 0))
    assert done.warnings == []


def test_spawned_worlds_are_kept_apart(record_if_able: Record) -> None:
    done = record_if_able("dynamic.c", 2, "spawn")
    assert done.rows("SELECT world, worlds, ranks_expected, ranks_seen, partial FROM run") == [
        (1, 3, 2, 2, 0)
    ]
    assert names(done) == {
        "W": ["0-1", 2, 0],
        "W_p1": ["0-1", 2, 3],
        "W_p1_m1": ["0-1,?x3", 5, 0],
        "W_p2": ["0-1", 2, 2],
        "W_p2_m1": ["0-1,?x2", 4, 0],
    }
    for name in ("W_p1", "W_p2"):
        assert done.messages(name) == {(1, OUTSIDE): (1, 100)}
        assert done.messages(f"{name}_m1") == {(0, 1): (1, 10), (1, OUTSIDE): (1, 10)}
        assert done.calls("MPI_Recv", name) == {1: (1, 0, 7)}
        assert done.calls("MPI_Comm_disconnect", name) == dict.fromkeys(range(2), (1, 0, 0))
    assert done.calls("MPI_Comm_spawn") == dict.fromkeys(range(2), (1, 0, 0))
    assert done.calls("MPI_Comm_spawn_multiple") == dict.fromkeys(range(2), (1, 0, 0))
    assert done.warnings == []
    check_spawned(world(done, 2), 2, 3)
    check_spawned(world(done, 3), 3, 2)
    assert not world(done, 4).path.exists()


def check_pair(done: Recording, prefix: str) -> None:
    """Check an intercommunicator of processes 0 and 1, who came to it separately."""
    [name] = [name for name in done.communicators() if name.startswith(prefix)]
    assert names(done)[name] == ["0", 1, 1]
    assert done.messages(name) == {(0, 1): (1, 60)}
    assert done.calls("MPI_Recv", name) == {1: (1, 0, 60)}
    assert done.rows("SELECT worlds, ranks_seen FROM run") == [(1, 2)]
    assert done.warnings == []


def test_ports(record_if_able: Record) -> None:
    done = record_if_able("dynamic.c", 2, "ports")
    check_pair(done, "k0:0~")
    assert done.calls("MPI_Comm_accept", "S.0") == {0: (1, 0, 0)}
    assert done.calls("MPI_Comm_connect", "S.1") == {1: (1, 0, 0)}


def test_join(record_if_able: Record, tmp_path: Path) -> None:
    done = record_if_able("dynamic.c", 2, "join", str(tmp_path / "s"))
    check_pair(done, "q0:0~")
    assert done.calls("MPI_Comm_join", "(none)") == dict.fromkeys(range(2), (1, 0, 0))
