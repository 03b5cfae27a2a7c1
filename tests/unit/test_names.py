"""Communicator names without messages."""

from __future__ import annotations

from typing import Any

from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.families import family_of, without_loops
from rankwise.profile.join.names import LONGEST_NAME, Name, Origin, name_communicators

SEVERAL = CONSTANTS["COMMUNICATOR_ONE_OF_SEVERAL"]
BY_GROUP = CONSTANTS["COMMUNICATOR_BY_GROUP"]
UNKNOWN = CONSTANTS["COMMUNICATOR_UNKNOWN_ORIGIN"]


def origin(identity: int, letter: str, parent: int = 0, **members: Any) -> Origin:
    fields = {"sequence": 0, "leader": 0, "tag": 0, "flags": 0, "group_hash": 0, "world_rank": 0} | members
    return Origin(id=identity, parent_id=parent, letter=letter, **fields)


W = origin(1, "W")


def names(*origins: Origin) -> dict[int, str]:
    return {identity: name.name for identity, name in name_communicators(origins).items()}


def test_world_and_selves() -> None:
    named = name_communicators([W, origin(2, "S", world_rank=0), origin(3, "S", world_rank=7)])
    assert named == {1: Name("W", "W"), 2: Name("S.0", "S"), 3: Name("S.7", "S")}


def test_children_are_called_after_their_ancestors() -> None:
    named = name_communicators(
        [
            origin(30, "u", 20, sequence=2, leader=0, flags=SEVERAL),
            W,
            origin(20, "a", 1, sequence=1),
            origin(40, "s", 1, sequence=2, leader=4, flags=SEVERAL),
            origin(50, "d", 60, sequence=1),
            origin(60, "S", world_rank=3),
        ]
    )
    assert named[20] == Name("W_a1", "W_a1")
    assert named[30] == Name("W_a1_u2.0", "W_a1_u2")
    assert named[40] == Name("W_s2.4", "W_s2")
    assert named[50] == Name("S.3_d1", "S_d1")


def test_named_by_group_where_no_call_is_collective_over_the_parent() -> None:
    by_group = {"tag": 7, "leader": 2, "group_hash": 0xFEEDFACE89ABCDEF, "flags": BY_GROUP}
    assert names(
        W,
        origin(2, "g", 1, sequence=1, **by_group),
        origin(3, "g", 1, sequence=2, **by_group),
        origin(4, "i", 0, sequence=1, **by_group),
    ) == {1: "W", 2: "W_g7:2~89abcdef", 3: "W_g7:2~89abcdef#2", 4: "i7:2~89abcdef"}


def test_a_family_is_what_was_made_alike_on_all_parts_of_the_parents() -> None:
    halves = [origin(10 + leader, "s", 1, sequence=1, leader=leader, flags=SEVERAL) for leader in (0, 4)]
    parts = [
        origin(20 + 2 * half + leader, "s", 10 + 4 * half, sequence=2, leader=leader, flags=SEVERAL)
        for half in (0, 1)
        for leader in (0, 1)
    ]
    duplicates = [origin(part.id + 20, "d", part.id, sequence=1) for part in parts]
    by_group = {"tag": 7, "sequence": 2, "flags": BY_GROUP}
    groups = [
        origin(60 + half, letter, parent, leader=half, group_hash=0xAB00 + half, **by_group)
        for half, (letter, parent) in enumerate((("g", 10), ("g", 14), ("x", 0), ("x", 0)))
    ]
    merged = [origin(70 + half, "m", 62 + half, sequence=3) for half in (0, 1)]
    strangers = [origin(80 + number, "?", flags=UNKNOWN, group_hash=number, sequence=2) for number in (1, 2)]
    lost = [
        origin(90 + number, "s", 0xABC + number, sequence=1, leader=1, flags=SEVERAL) for number in (0, 1)
    ]
    named = name_communicators([W, *halves, *parts, *duplicates, *groups, *merged, *strangers, *lost])
    by_family: dict[str, list[str]] = {}
    for name, family in named.values():
        by_family.setdefault(family, []).append(name)
        assert family_of(name) == family
    assert {family: len(members) for family, members in by_family.items()} == {
        "W": 1,
        "W_s1": 2,
        "W_s1_s2": 4,
        "W_s1_s2_d1": 4,
        "W_s1_g7#2": 2,
        "x7#2": 2,
        "x7#2_m3": 2,
        "U#2": 2,
        "?_s1": 2,
    }
    assert named[62].name == "x7:2~0000ab02#2"
    assert named[71].name == "x7:3~0000ab03#2_m3"


def test_what_a_loop_makes_is_one_family() -> None:
    grids = [origin(10 + number, "c", 1, sequence=number, leader=0, flags=SEVERAL) for number in range(1, 9)]
    rows = [origin(30 + grid.id, "s", grid.id, sequence=2, leader=0, flags=SEVERAL) for grid in grids]
    columns = [origin(60 + grid.id, "s", grid.id, sequence=3, leader=0, flags=SEVERAL) for grid in grids]
    few = [origin(100 + number, "d", 1, sequence=8 + number) for number in range(1, 8)]
    by_group = {"tag": 7, "leader": 2, "group_hash": 1, "flags": BY_GROUP}
    again = [origin(120 + number, "g", 1, sequence=number, **by_group) for number in range(1, 10)]
    named = name_communicators([W, *grids, *rows, *columns, *few, *again])
    by_family: dict[str, int] = {}
    for _, family in named.values():
        by_family[family] = by_family.get(family, 0) + 1
    assert by_family == {
        "W": 1,
        "W_c*": 8,
        "W_c*_s2": 8,
        "W_c*_s3": 8,
        **{f"W_d{number}": 1 for number in range(9, 16)},
        "W_g7": 1,
        "W_g7#*": 8,
    }
    assert named[11].name == "W_c1.0"
    fewer = name_communicators([W, *grids[1:], *rows])
    assert fewer[42] == Name("W_c2.0_s2.0", "W_c2_s2")
    families = {family_of(name) or "" for name, _ in named.values()}
    assert set(without_loops(families).values()) == set(by_family)
    assert without_loops(["W_d1_…~0000000000000029", ""]) == {
        "W_d1_…~0000000000000029": "W_d1_…~0000000000000029",
        "": "",
    }


def test_families_of_all_names() -> None:
    for name, family in (
        ("W", "W"),
        ("(several)", "(several)"),
        ("S.12", "S"),
        ("U~00012345", "U"),
        ("W_i3", "W_i3"),
        ("forg.app/all-of-us.2:0~89abcdef#3_s1.4", "forg.app/all-of-us.2#3_s1"),
        ("y---:2~89abcdef", "y---"),
        ("W_g-5:0~89abcdef", "W_g-5"),
        ("W_d1~0000000000000021_d1", "W_d1_d1"),
        ("S.0~0000000000000021", "S"),
        ("?0000000000000006_d1_d2", "?_d1_d2"),
        ("W_?1", "W_?1"),
        ("", ""),
        ("_" * 200, "_" * 200),
        ("_a1" * 300_000, None),
        ("W_d1_…~0000000000000029", None),
    ):
        assert family_of(name) == family


def test_a_text_for_a_tag() -> None:
    by_group = {"leader": 2, "group_hash": 0xFEEDFACE89ABCDEF, "flags": BY_GROUP}
    assert names(
        origin(2, "f", 0, sequence=1, string_tag="org.app/all_of:us", **by_group),
        origin(3, "f", 0, sequence=2, string_tag="org.app/all_of:us", **by_group),
        origin(4, "y", 0, sequence=1, string_tag="\ufffd#~", **by_group),
    ) == {2: "forg.app/all-of-us:2~89abcdef", 3: "forg.app/all-of-us:2~89abcdef#2", 4: "y---:2~89abcdef"}


def test_unknown_origins_and_missing_parents() -> None:
    assert names(
        origin(2, "?", flags=UNKNOWN, group_hash=0x12345, sequence=1),
        origin(3, "?", flags=UNKNOWN, group_hash=0x12345, sequence=2),
        origin(4, "d", 0xABC, sequence=3),
    ) == {2: "U~00012345", 3: "U~00012345#2", 4: "?0000000000000abc_d3"}


def test_two_never_share_a_name() -> None:
    twins = [origin(0x20, "d", 1, sequence=1), origin(0x21, "d", 1, sequence=1)]
    assert names(W, *twins, origin(0x30, "d", 0x21, sequence=1)) == {
        1: "W",
        0x20: "W_d1~0000000000000020",
        0x21: "W_d1~0000000000000021",
        0x30: "W_d1~0000000000000021_d1",
    }


def test_ten_thousand_nested_duplicates_keep_short_and_different_names() -> None:
    chain = [W] + [origin(number, "d", number - 1, sequence=1) for number in range(2, 10_002)]
    named = names(*reversed(chain))
    assert named[4] == "W_d1_d1_d1"
    assert len(set(named.values())) == 10_001
    assert max(map(len, named.values())) <= LONGEST_NAME
    assert named[40] == "W" + "_d1" * 39
    assert named[41] == "W" + "_d1" * 33 + "_…~0000000000000029"
    assert named[10_001] == "W" + "_d1" * 33 + "_…~0000000000002711"


def test_siblings_with_long_names_stay_one_family() -> None:
    chain = [W] + [origin(number, "d", number - 1, sequence=1) for number in range(2, 41)]
    siblings = [origin(100 + leader, "s", 40, sequence=3, leader=leader, flags=SEVERAL) for leader in (0, 5)]
    named = name_communicators([*chain, *siblings])
    assert named[100].name != named[105].name
    assert named[100].family == named[105].family
    assert named[100].family.endswith("_d1_…~ece0ed54217d0114")
    assert len(named[100].family) <= LONGEST_NAME
    others = [origin(100 + leader, "s", 40, sequence=4, leader=leader, flags=SEVERAL) for leader in (0, 5)]
    assert name_communicators([*chain, *others])[100].family != named[100].family
    assert family_of(named[100].name) is None


def test_descending_from_oneself_is_broken_up() -> None:
    named = names(
        W, origin(5, "d", 6, sequence=1), origin(6, "d", 5, sequence=2), origin(7, "d", 7, sequence=1)
    )
    assert named == {
        1: "W",
        5: "?0000000000000006_d1",
        6: "?0000000000000006_d1_d2",
        7: "?0000000000000007_d1",
    }


def test_a_damaged_letter_does_no_harm() -> None:
    assert names(W, origin(2, "\x1b", 1, sequence=1)) == {1: "W", 2: "W_?1"}
