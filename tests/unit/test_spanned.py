"""How many nodes the members of communicators are on."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_profile import Made

from rankwise.analysis.calls.spanned import Spanned
from rankwise.reading.profile import open_profile

HOSTS = ["a", "a", "b", "b", "c", "c"]


@pytest.mark.parametrize(
    ("groups", "nodes"),
    [
        (("0-5",), 3),
        (("0-1",), 1),
        (("1-0:-1",), 1),
        (("5-1:-2",), 3),
        (("0-4:2",), 3),
        (("0,1", "4-5"), 2),
        (("0", ""), 1),
        (("0,?",), None),
        (("0-6",), None),
        (("",), None),
    ],
)
def test_nodes_of_groups(groups: tuple[str, ...], nodes: int | None) -> None:
    assert Spanned(Made(6, HOSTS).connection).nodes(*groups) == nodes


def test_a_rank_whose_counters_are_missing_is_on_an_unknown_node() -> None:
    made = Made(6, HOSTS)
    made.connection.execute("DELETE FROM ranks WHERE rank = 2")
    spanned = Spanned(made.connection)
    assert spanned.nodes("0-3") is None
    assert spanned.nodes("0-1,3") == 2


def test_families_have_the_range_of_their_communicators(tmp_path: Path) -> None:
    made = Made(6, HOSTS)
    for key, members in enumerate(("0-1", "2-3,5", "4"), start=4):
        made.communicator(key, f"W_s1.{key}", family="W_s1", size=2, members=members)
        made.call(0, "MPI_Bcast", 1.0, communicator=key)
    objects = open_profile(made.write(tmp_path / "a.rankwise")).communicators().objects
    by_family = {row.family: (row.nodes_min, row.nodes_max) for row in objects["families"]}
    assert by_family == {"W": (3, 3), "W_s1": (1, 2)}
    assert {row.name: row.nodes for row in objects["communicators"]}["W_s1.5"] == 2
