"""Communicators: the name, family, members and bytes of each one that programs/communicators.c makes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import marks
import pytest
from libraries import Mpi
from recording import Record, Recording

from rankwise.profile.join.members import parse

pytestmark = pytest.mark.each_family

EVERYONE = [0, 1, 2, 3, 4, 5]
BRIDGE_TO_FOUR = r"x3:0~[0-9a-f]{8}"


@dataclass(frozen=True)
class Made:
    """A communicator of the program.

    Attributes:
        name: pattern of its whole name.
        members: world ranks by rank; None = MPI may order them as it likes, and the program prints how.
        bytes: of the one MPI_Allreduce on it.
        remote: world ranks of the other group.
        remote_parent: the communicator that this was.
    """

    name: str
    procedure: str
    members: list[int] | None
    bytes: int
    parent: str = "W"
    remote: tuple[int, ...] = ()
    remote_parent: str = ""
    topology: str = ""
    dims: str = "[]"
    periods: str = "[]"
    reorder: int = 0
    freed: bool = False


def _self_made(rank: int) -> dict[str, Made]:
    parent = f"S.{rank}"
    return {
        f"self dup {rank}": Made(f"S.{rank}_d1", "MPI_Comm_dup", [rank], 100 + rank, parent),
        f"self split {rank}": Made(f"S.{rank}_s2.0", "MPI_Comm_split", [rank], 110 + rank, parent),
        f"self first idup {rank}": Made(f"S.{rank}_i3", "MPI_Comm_idup", [rank], 120 + rank, parent),
        f"self second idup {rank}": Made(f"S.{rank}_i4", "MPI_Comm_idup", [rank], 130 + rank, parent),
    }


def _alone(rank: int) -> Made:
    down = [4, 2, 0] if rank % 2 == 0 else [3, 1]
    child = f"W_s7.{down[0]}_d1"
    return Made(
        f"{child}_s1.{down.index(rank)}", "MPI_Comm_split", [rank], 44 + rank, parent=child, freed=True
    )


GROUP = r"~[0-9a-f]{8}"
SPLIT, DUP, IDUP = "MPI_Comm_split", "MPI_Comm_dup", "MPI_Comm_idup"
GRID = {"topology": "cart", "dims": "[3, 2]", "periods": "[0, 1]"}
LEFT, RIGHT = [0, 1], (2, 3, 4, 5)

# By the name that the program gives. The numbers follow from the order of the calls on the parent.
MADE = {
    "dup": Made("W_d1", DUP, EVERYONE, 10, freed=True),
    "dup with info": Made("W_d2", "MPI_Comm_dup_with_info", EVERYONE, 11, freed=True),
    "first idup": Made("W_i3", IDUP, EVERYONE, 12),
    "second idup": Made("W_i4", IDUP, EVERYONE, 13),
    "polled idup": Made("W_i5", IDUP, EVERYONE, 14),
    "evens": Made(r"W_c6\.0", "MPI_Comm_create", [0, 2, 4], 20),
    "five and three": Made(r"W_c6\.5", "MPI_Comm_create", [5, 3], 21),
    "pair": Made(f"W_g7:0{GROUP}", "MPI_Comm_create_group", [0, 1], 30),
    "three": Made(f"W_g7:0{GROUP}", "MPI_Comm_create_group", [0, 1, 2], 31),
    "three again": Made(f"W_g7:0{GROUP}#2", "MPI_Comm_create_group", [0, 1, 2], 32),
    "three in another order": Made(f"W_g7:0{GROUP}", "MPI_Comm_create_group", [0, 2, 1], 33),
    "pair, another tag": Made(f"W_g8:0{GROUP}", "MPI_Comm_create_group", [0, 1], 34),
    "the others": Made(f"W_g7:3{GROUP}", "MPI_Comm_create_group", [3, 4], 35),
    "down 4 2 0": Made(r"W_s7\.4", SPLIT, [4, 2, 0], 40, freed=True),
    "down 3 1": Made(r"W_s7\.3", SPLIT, [3, 1], 41, freed=True),
    "child of 4 2 0": Made(r"W_s7\.4_d1", DUP, [4, 2, 0], 42, parent="W_s7.4", freed=True),
    "child of 3 1": Made(r"W_s7\.3_d1", DUP, [3, 1], 43, parent="W_s7.3", freed=True),
    **{f"alone {rank}": _alone(rank) for rank in range(5)},
    "node": Made(r"W_t8\.0", "MPI_Comm_split_type", EVERYONE, 50),
    "2 x 2 of 6": Made(
        "W_a9", "MPI_Cart_create", [0, 1, 2, 3], 60, topology="cart", dims="[2, 2]", periods="[1, 0]"
    ),
    "3 x 2": Made("W_a10", "MPI_Cart_create", EVERYONE, 61, **GRID),
    **{
        f"row {row}": Made(
            rf"W_a10_u1\.{2 * row}",
            "MPI_Cart_sub",
            [2 * row, 2 * row + 1],
            62 + row,
            "W_a10",
            topology="cart",
            dims="[2]",
            periods="[1]",
            freed=True,
        )
        for row in range(3)
    },
    **{
        f"column {column}": Made(
            rf"W_a10_u2\.{column}",
            "MPI_Cart_sub",
            [column, column + 2, column + 4],
            65 + column,
            "W_a10",
            topology="cart",
            dims="[3]",
            periods="[0]",
            freed=True,
        )
        for column in range(2)
    },
    "dup of 3 x 2": Made("W_a10_d3", DUP, EVERYONE, 67, "W_a10", **GRID, freed=True),
    "idup of 3 x 2": Made("W_a10_i4", IDUP, EVERYONE, 68, "W_a10", **GRID, freed=True),
    "reordered grid": Made(
        "W_a11",
        "MPI_Cart_create",
        None,
        69,
        topology="cart",
        dims="[1, 3, 2]",
        periods="[1, 1, 1]",
        reorder=1,
    ),
    "ring of 4": Made("W_h12", "MPI_Graph_create", [0, 1, 2, 3], 70, topology="graph"),
    "adjacent": Made("W_j13", "MPI_Dist_graph_create_adjacent", EVERYONE, 71, topology="dist_graph"),
    "reordered graph": Made("W_r14", "MPI_Dist_graph_create", None, 72, topology="dist_graph", reorder=1),
    "left": Made(r"W_s15\.0", SPLIT, LEFT, 80),
    "right": Made(r"W_s15\.2", SPLIT, [*RIGHT], 81),
    "two and four": Made(BRIDGE_TO_FOUR, "MPI_Intercomm_create", LEFT, 82, "W_s15.0", RIGHT, "W_s15.2"),
    "dup of two and four": Made(f"{BRIDGE_TO_FOUR}_d1", DUP, LEFT, 83, BRIDGE_TO_FOUR, RIGHT, freed=True),
    "one and two, even": Made(rf"{BRIDGE_TO_FOUR}_s2\.0", SPLIT, [0], 84, BRIDGE_TO_FOUR, (2, 4), freed=True),
    "one and two, odd": Made(rf"{BRIDGE_TO_FOUR}_s2\.1", SPLIT, [1], 85, BRIDGE_TO_FOUR, (3, 5), freed=True),
    "left first": Made(
        f"{BRIDGE_TO_FOUR}_m3", "MPI_Intercomm_merge", EVERYONE, 86, BRIDGE_TO_FOUR, freed=True
    ),
    "right first": Made(
        f"{BRIDGE_TO_FOUR}_m4", "MPI_Intercomm_merge", [*RIGHT, *LEFT], 87, BRIDGE_TO_FOUR, freed=True
    ),
    "two and four again": Made(
        f"{BRIDGE_TO_FOUR}#2", "MPI_Intercomm_create", LEFT, 88, "W_s15.0", RIGHT, "W_s15.2"
    ),
    "two and four, another tag": Made(
        f"x4:0{GROUP}", "MPI_Intercomm_create", LEFT, 89, "W_s15.0", RIGHT, "W_s15.2"
    ),
    "lower half": Made(r"W_s16\.0", SPLIT, [0, 1, 2], 90),
    "upper half": Made(r"W_s16\.3", SPLIT, [3, 4, 5], 91),
    "three and three": Made(
        f"x3:0{GROUP}", "MPI_Intercomm_create", [0, 1, 2], 92, "W_s16.0", (3, 4, 5), "W_s16.3"
    ),
    **{name: made for rank in EVERYONE for name, made in _self_made(rank).items()},
    "freed early": Made("W_d17", DUP, EVERYONE, 150, freed=True),
    "made meanwhile": Made("W_d18", DUP, EVERYONE, 151),
    # What could steer a terminal or break a line is replaced; 63 bytes of a name are kept.
    'two "words", it\'s \ufffd[31mred\ufffd[0m\ufffd\ufffd': Made("W_d19", DUP, EVERYONE, 160),
    "Größe": Made("W_d20", DUP, EVERYONE, 161),
    "012345678901234567890123456789012345678901234567890123456789012": Made("W_d21", DUP, EVERYONE, 162),
    "at last": Made("W_d22", DUP, EVERYONE, 163),
}
PREDEFINED = {"W": EVERYONE, **{f"S.{rank}": [rank] for rank in EVERYONE}}


@pytest.fixture(scope="module")
def finished() -> dict[str, Recording]:
    return {}


@pytest.fixture
def done(mpi: Mpi, record: Record, finished: dict[str, Recording]) -> Recording:
    """One run with each MPI, shared by the tests."""
    if mpi.name not in finished:
        finished[mpi.name] = record("communicators.c", 6)
    return finished[mpi.name]


@pytest.fixture
def names(done: Recording) -> dict[str, str]:
    """Names by the user's names."""
    return dict(done.rows("SELECT user_name, name FROM communicators WHERE user_name <> ''"))  # type: ignore[arg-type]


def printed_members(done: Recording) -> dict[str, list[int]]:
    lines = re.findall(r"^members (.*):([ \d]+)$", done.process.stdout, re.MULTILINE)
    return {name: [int(rank) for rank in ranks.split()] for name, ranks in lines}


@marks.NEEDS_SHARED_MEMORY
def test_each_has_one_name_on_all_members(done: Recording, names: dict[str, str]) -> None:
    # Two that were taken for one would leave one name too few, one that was taken for two one too many.
    assert sorted(names) == sorted([*MADE, "the world"])
    assert names["the world"] == "W"
    assert {user for user, made in MADE.items() if not re.fullmatch(made.name, names[user])} == set()
    assert set(done.communicators()) == {*names.values(), *PREDEFINED}
    incomplete = done.rows(
        "SELECT name, members_seen FROM communicators WHERE id >= 3 AND members_seen <> size + remote_size"
    )
    assert incomplete == []


def test_families_are_those_of_one_role(done: Recording, names: dict[str, str]) -> None:
    families = dict(done.rows("SELECT name, family FROM communicators WHERE id >= 3"))
    for first, second in [
        ("evens", "five and three"),
        ("down 4 2 0", "down 3 1"),
        ("row 0", "row 2"),
        ("left", "right"),
        ("one and two, even", "one and two, odd"),
        ("pair", "three"),
        ("child of 4 2 0", "child of 3 1"),
    ]:
        assert families[names[first]] == families[names[second]]
    for first, second in [
        ("three", "three again"),
        ("left", "lower half"),
        ("row 0", "column 0"),
    ]:
        assert families[names[first]] != families[names[second]]


@marks.NEEDS_SHARED_MEMORY
def test_members_are_exact_and_in_order(done: Recording, names: dict[str, str]) -> None:
    printed = printed_members(done)
    expected = {names[user]: made.members or printed[user] for user, made in MADE.items()} | PREDEFINED
    assert {name: parse(str(text)) for name, text in done.communicators().items()} == expected
    sizes = dict(done.rows("SELECT name, size FROM communicators WHERE id >= 3"))
    assert sizes == {name: len(members) for name, members in expected.items()}
    remote = dict(done.rows("SELECT name, remote_size FROM communicators WHERE remote_size <> 0"))
    assert remote == {names[user]: len(made.remote) for user, made in MADE.items() if made.remote}
    others = done.rows("SELECT name, remote_members FROM communicators WHERE id >= 3")
    expected_there = {names[user]: list(made.remote) for user, made in MADE.items()}
    assert {name: parse(str(text)) for name, text in others} == expected_there | {
        key: [] for key in PREDEFINED
    }


def test_where_each_comes_from(done: Recording, names: dict[str, str]) -> None:
    rows = done.rows(
        """SELECT child.user_name, child.procedure, coalesce(parent.name, ''), child.topology, child.dims,
           child.periods, child.reorder, child.freed IS NOT NULL, coalesce(other.name, '')
           FROM communicators AS child LEFT JOIN communicators AS parent ON parent.id = child.parent
           LEFT JOIN communicators AS other ON other.id = child.remote_parent
           WHERE child.user_name NOT IN ('', 'the world')"""
    )
    bridge = names["two and four"]
    expected = {
        (
            user,
            made.procedure,
            bridge if made.parent == BRIDGE_TO_FOUR else made.parent,
            made.topology,
            made.dims,
            made.periods,
            made.reorder,
            int(made.freed),
            made.remote_parent,
        )
        for user, made in MADE.items()
    }
    assert set(rows) == expected


@marks.NEEDS_SHARED_MEMORY
def test_bytes_of_each(done: Recording, names: dict[str, str]) -> None:
    for user, made in MADE.items():
        members = [*(made.members or EVERYONE), *made.remote]
        assert done.calls("MPI_Allreduce", names[user]) == dict.fromkeys(
            sorted(members), (1, made.bytes, 0)
        ), user


def test_constructors_are_booked_on_the_parent(done: Recording) -> None:
    by_all = dict.fromkeys(EVERYONE, (1, 0, 0))
    assert done.calls("MPI_Comm_dup_with_info", "W") == by_all
    assert done.calls("MPI_Comm_create", "W") == by_all  # also by rank 1, which got nothing
    assert done.calls("MPI_Cart_create", "W") == dict.fromkeys(EVERYONE, (3, 0, 0))
    assert done.calls("MPI_Comm_idup", "W") == dict.fromkeys(EVERYONE, (3, 0, 0))
    assert done.calls("MPI_Comm_split", "W") == dict.fromkeys(EVERYONE, (3, 0, 0))
    groups = [[0, 1], [0, 1, 2], [0, 1, 2], [0, 2, 1], [0, 1], [3, 4]]
    assert done.calls("MPI_Comm_create_group", "W") == {
        rank: (sum(rank in group for group in groups), 0, 0) for rank in range(5)
    }
    assert done.calls("MPI_Cart_sub", "W_a10") == dict.fromkeys(EVERYONE, (2, 0, 0))


def test_messages_on_intercommunicators_go_to_the_other_group(done: Recording, names: dict[str, str]) -> None:
    assert done.messages(names["two and four"]) == {(5, 1): (1, 100), (0, 4): (1, 200)}
    assert done.messages(names["dup of two and four"]) == {(3, 0): (1, 300)}
    assert done.messages(names["three and three"]) == {(2, 3): (1, 400)}
    assert done.calls("MPI_Recv", names["two and four"]) == {1: (1, 0, 100), 4: (1, 0, 200)}


def test_messages_to_oneself(done: Recording) -> None:
    for rank in EVERYONE:
        assert done.messages(f"S.{rank}_d1") == {(rank, rank): (1, 33)}


def test_messages_outlive_their_communicator(done: Recording, names: dict[str, str]) -> None:
    sizes = {rank: 100000 + rank for rank in EVERYONE}
    freed = names["freed early"]
    assert done.calls("MPI_Isend", freed) == {rank: (1, size, 0) for rank, size in sizes.items()}
    assert done.calls("MPI_Irecv", freed) == {rank: (1, 0, sizes[(rank + 5) % 6]) for rank in EVERYONE}
    assert done.messages(freed) == {(rank, (rank + 1) % 6): (1, size) for rank, size in sizes.items()}
    assert done.calls("MPI_Waitall", freed) == dict.fromkeys(EVERYONE, (1, 0, 0))


def test_messages_beside_an_idup(done: Recording) -> None:
    assert done.messages("W") == {(rank, (rank + 1) % 6): (1, 30) for rank in EVERYONE}
    assert done.calls("MPI_Irecv", "W") == dict.fromkeys(EVERYONE, (1, 0, 30))


def test_nothing_contradicts_itself(done: Recording) -> None:
    assert done.warnings == []
    assert done.dropped == {}
    assert done.rows("SELECT partial, ranks_seen, ranks_expected FROM run") == [(0, 6, 6)]
    assert done.rows("SELECT calls FROM calls WHERE communicator = 2") == []


def test_two_thousand(record: Record) -> None:
    done = record("communicators.c", 2, "many", "2000")
    expected = {"W": "0-1"}
    for i in range(2000):
        if i % 2 == 0:
            expected[f"W_d{i + 1}"] = "0-1"
        else:
            expected |= {f"W_s{i + 1}.{rank}": f"{rank}" for rank in (0, 1)}
    assert done.communicators() == expected
    assert done.dropped == {}
    assert done.warnings == []
    assert done.rows("SELECT name FROM communicators WHERE id > 3 AND freed IS NULL") == []
    sizes = done.rows(
        """SELECT communicators.name, rank, calls, bytes_sent FROM calls
           JOIN communicators ON communicators.id = calls.communicator
           JOIN procedures ON procedures.id = calls.procedure WHERE procedures.name = 'MPI_Allreduce'"""
    )
    assert set(sizes) == {
        (name, rank, 1, int(re.findall(r"\d+", name)[0]))
        for name, members in expected.items()
        if name != "W"
        for rank in parse(members)
    }


def test_long_ancestry(record: Record) -> None:
    done = record("communicators.c", 2, "deep", "60")
    rows = done.rows("SELECT id, name, parent, members FROM communicators WHERE id >= 3 ORDER BY id")
    assert len(rows) == 61
    names = [str(name) for _, name, _, _ in rows]
    assert names[:3] == ["W", "W_d1", "W_d1_d1"]
    assert all(len(name) <= 120 for name in names)
    assert [parent for _, _, parent, _ in rows[1:]] == [number for number, _, _, _ in rows[:-1]]
    assert {members for _, _, _, members in rows} == {"0-1"}
    assert done.calls("MPI_Allreduce") == done.calls("MPI_Allreduce", names[-1])
