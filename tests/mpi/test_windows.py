"""Windows are told apart: each name, call, byte and pair of programs/windows.c, on every MPI."""

from __future__ import annotations

import json

import pytest
from libraries import Mpi
from recording import Record, Recording, rankwise

SIZE, LOOP, MOST, MOST_ROWS = 4, 10, 4096, 65536
INT = 4
EVERYONE = range(SIZE)
NAMED = {"W_w1": "halo", "W_w2": "table"}

RECORDED: dict[str, Recording] = {}  # once for all tests here, because it takes seconds


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("windows.c", SIZE)
    return RECORDED[mpi.name]


def own_windows() -> dict[str, int]:
    """The windows on MPI_COMM_SELF, and whose each is: odd ranks have two."""
    return {f"S.{rank}_w{number}": rank for rank in EVERYONE for number in range(1, 2 + rank % 2)}


def each(calls: int, sent: int = 0, received: int = 0) -> tuple[int, int, int]:
    return calls, sent * INT, received * INT


def everyone(calls: int, sent: int = 0, received: int = 0) -> dict[int, tuple[int, int, int]]:
    return dict.fromkeys(EVERYONE, each(calls, sent, received))


def test_names_members_and_parents(done: Recording) -> None:
    windows = done.rows(
        "SELECT windows.name, windows.family, parents.name, windows.user_name, windows.procedure,"
        " windows.size, windows.freed IS NOT NULL, windows.members_seen FROM communicators AS windows"
        " JOIN communicators AS parents ON parents.id = windows.parent WHERE windows.type = 'window'"
    )
    expected = {
        ("W_w1", "W_w1", "W", "halo", "MPI_Win_create", 4, 1, 4),
        ("W_w2", "W_w2", "W", "table", "MPI_Win_allocate", 4, 1, 4),
    }
    for number in range(1, LOOP + 1):
        expected.add((f"W_d1_w{number}", "W_d1_w*", "W_d1", "", "MPI_Win_create", 4, 1, 4))
    for part in range(2):
        expected.add((f"W_s2.{part}_w1", "W_s2_w1", f"W_s2.{part}", "", "MPI_Win_create", 2, 1, 2))
    for name, rank in own_windows().items():
        family = f"S_{name.partition('_')[2]}"
        expected.add((name, family, f"S.{rank}", "", "MPI_Win_create", 1, 1, 1))
    assert set(windows) == expected
    assert len(windows) == len(expected)
    # Windows are counted apart, so the communicators' own names are what they were without them.
    others = done.rows("SELECT name FROM communicators WHERE type = 'communicator' AND size > 0")
    assert {name for (name,) in others} == {"W", "W_d1", "W_s2.0", "W_s2.1"} | {f"S.{r}" for r in EVERYONE}
    members = done.communicators()
    assert members["W_s2.1_w1"] == members["W_s2.1"]
    assert members["W_d1_w3"] == "0-3"


def test_making_is_on_the_communicator_and_all_else_on_the_window(done: Recording) -> None:
    assert done.calls("MPI_Win_create", "W") == done.calls("MPI_Win_allocate", "W") == everyone(1)
    assert done.calls("MPI_Win_create", "W_d1") == everyone(LOOP)
    for name in NAMED:
        assert done.calls("MPI_Win_set_name", name) == done.calls("MPI_Win_free", name) == everyone(1)
    on_communicators = done.rows(
        "SELECT DISTINCT procedures.name FROM calls JOIN procedures ON procedures.id = calls.procedure"
        " JOIN communicators ON communicators.id = communicator"
        " WHERE class IN ('window', 'one-sided', 'one-sided synchronisation')"
        " AND communicators.type <> 'window'"
    )
    assert set(on_communicators) == {("MPI_Win_create",), ("MPI_Win_allocate",)}
    assert done.dropped == {}
    assert done.warnings == []


def test_two_windows_of_one_communicator(done: Recording) -> None:
    assert done.calls("MPI_Win_fence", "W_w1") == everyone(2)
    assert done.calls("MPI_Put", "W_w1") == everyone(1, 10)
    assert done.messages("W_w1", "one-sided") == {(r, (r + 1) % SIZE): (1, 10 * INT) for r in EVERYONE}
    for procedure in ("lock", "flush", "unlock"):
        assert done.calls(f"MPI_Win_{procedure}", "W_w2") == everyone(1)
    assert done.calls("MPI_Get", "W_w2") == everyone(3, 0, 15)
    assert done.calls("MPI_Rput", "W_w2") == everyone(1, 1)
    assert done.calls("MPI_Wait", "W_w2") == everyone(1)  # of a request on the window
    assert done.messages("W_w2", "one-sided", "MPI_Get") == {(0, r): (3, 15 * INT) for r in EVERYONE}
    assert done.messages("W_w2", "one-sided", "MPI_Rput") == {(r, 0): (1, INT) for r in EVERYONE}
    assert done.messages("W", "one-sided") == {}


def test_a_loop(done: Recording) -> None:
    for number in range(1, LOOP + 1):
        name = f"W_d1_w{number}"
        assert done.calls("MPI_Accumulate", name) == everyone(1, number)
        assert done.messages(name, "one-sided") == {(r, 0): (1, number * INT) for r in EVERYONE}


def test_ranks_are_those_of_the_part(done: Recording) -> None:
    for part in range(2):
        name = f"W_s2.{part}_w1"
        pairs = {(rank, part): (1, 7 * INT) for rank in EVERYONE if rank % 2 == part}
        assert done.messages(name, "one-sided") == pairs
        assert done.calls("MPI_Put", name) == {rank: each(1, 7) for rank in EVERYONE if rank % 2 == part}


def test_own(done: Recording) -> None:
    for name, rank in own_windows().items():
        assert done.calls("MPI_Put", name) == {rank: each(1, 3)}
        assert done.messages(name, "one-sided") == {(rank, rank): (1, 3 * INT)}


def shown(done: Recording, *options: str) -> dict[str, list[dict[str, object]]]:
    process = rankwise("show", str(done.path), "--json", *options)
    assert process.returncode == 0, process.stderr
    answer: dict[str, list[dict[str, object]]] = json.loads(process.stdout)
    return answer


def test_shown_as_children_and_families(done: Recording) -> None:
    answer = shown(done, "--by", "communicator", "-v")
    families = {str(row["name"]): row for row in answer["families"]}
    assert families["W_d1_w*"]["communicators"] == LOOP
    assert families["W_s2_w1"]["communicators"] == 2
    assert families["S_w1"]["communicators"] == SIZE
    assert families["S_w2"]["communicators"] == SIZE // 2
    assert {name for name, row in families.items() if row["type"] == "window"} == {
        *NAMED, "W_d1_w*", "W_s2_w1", "S_w1", "S_w2",
    }  # fmt: skip
    for name, user_name in NAMED.items():
        assert families[name]["user_names"] == [user_name]
        assert families[name]["parent"] == "W"
        assert families[name]["type"] == "window"
    rows = {str(row["name"]): row for row in answer["communicators"]}
    assert rows["W_d1_w4"]["parent"] == "W_d1"
    assert (rows["W_d1_w4"]["type"], rows["W_d1"]["type"]) == ("window", "communicator")
    assert rows["W_d1_w4"]["calls"] == 4 * SIZE  # two fences, MPI_Accumulate, MPI_Win_free
    assert rows["W_d1_w4"]["bytes_sent"] == 4 * SIZE * INT


@pytest.mark.parametrize("name", ["W_w1", "halo"])
def test_selected(done: Recording, name: str) -> None:
    answer = shown(done, "--by", "call", "--communicator", name)
    calls = {str(row["procedure"]): row for row in answer["calls"]}
    assert set(calls) == {"MPI_Win_set_name", "MPI_Win_fence", "MPI_Put", "MPI_Win_free"}
    assert calls["MPI_Put"]["bytes_sent"] == SIZE * 10 * INT


def test_matrix_of_a_window(done: Recording) -> None:
    process = rankwise(
        "show", str(done.path), "--matrix", "--kind", "one-sided", "--communicator", "W_w1", "--json"
    )
    assert process.returncode == 0, process.stderr
    cells = [cell for cell in json.loads(process.stdout)["matrix"]["cells"] if cell["bytes"]]
    assert {(cell["source"], cell["destination"]): cell["bytes"] for cell in cells} == {
        (rank, (rank + 1) % SIZE): 10 * INT for rank in EVERYONE
    }


def test_more_than_have_records(record: Record) -> None:
    beyond = 4
    done = record("windows.c", 1, "many", str(MOST + beyond))
    assert done.dropped["windows"] == beyond
    assert set(done.dropped) <= {"windows", "site_rows"}  # sites begin no more rows sooner
    assert done.rows("SELECT COUNT(*) FROM communicators WHERE type = 'window'") == [(MOST,)]
    assert done.calls("MPI_Win_create", "S.0") == {0: (MOST + beyond, 0, 0)}
    # What has no record is on the communicator.
    assert done.calls("MPI_Put", "S.0") == {0: each(beyond, beyond)}
    assert done.calls("MPI_Win_fence", "S.0") == {0: (2 * beyond, 0, 0)}
    assert done.messages("S.0", "one-sided") == {(0, 0): (beyond, beyond * INT)}
    assert done.calls("MPI_Put") == {0: each(MOST + beyond, MOST + beyond)}


def test_more_than_have_rows(record: Record) -> None:
    # Put, Get, Accumulate, and both ways: Get_accumulate, Fetch_and_op, Compare_and_swap; to 2 ranks.
    windows, a_window = 4000, 2 * (3 + 2 * 3)
    done = record("windows.c", 2, "rows", str(windows))
    assert {"window_rows"} <= set(done.dropped) <= {"window_rows", "site_rows"}
    moved = dict(
        done.rows(
            "SELECT communicators.type, SUM(messages.messages) FROM messages"
            " JOIN communicators ON communicators.id = communicator"
            " WHERE messages.kind = 'one-sided' GROUP BY communicators.type"
        )
    )
    assert sum(moved.values()) == 2 * windows * a_window
    assert moved["communicator"] == done.dropped["window_rows"]
    # Messages inside the making of windows have rows, too: a few.
    assert 2 * (MOST_ROWS - 2 * windows) < moved["window"] <= 2 * MOST_ROWS
    assert done.calls("MPI_Put", "W") == {}
    assert done.warnings == []
