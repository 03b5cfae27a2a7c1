"""How many nodes the members of communicators are on."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_profile import Made

from rankwise.__main__ import main
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


@pytest.mark.parametrize(
    ("spans", "named", "expected"),
    [
        ("1", "", {"W_s1.4", "W_s1.6"}),
        ("2", "", {"W_s1.5"}),
        ("2-", "", {"W", "W_s1.5"}),
        ("1-2", "W_s1", {"W_s1.4", "W_s1.5", "W_s1.6"}),
        ("1-2", "W_s1.5,W", {"W_s1.5"}),
    ],
)
def test_communicators_are_selected_by_their_nodes(
    tmp_path: Path, spans: str, named: str, expected: set[str]
) -> None:
    whole = open_profile(with_three(tmp_path / "a.rankwise"))
    part = whole.part(communicator=named, spans=spans) if named else whole.part(spans=spans)
    rows = part.communicators().objects["communicators"]
    assert {row.name for row in rows if row.totals.calls} == expected
    answer = part.calls().data
    assert answer["selected"]["spans"] == spans
    assert answer["selected"]["percent_of_mpi"] == pytest.approx(100 * len(expected) / 4)


@pytest.mark.parametrize("words", [["--spans", "4"], ["--spans", "x"], ["--spans", "2", "--by", "time"]])
def test_what_is_refused(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    path = with_three(tmp_path / "a.rankwise")
    assert main(["show", str(path), *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def with_three(path: Path) -> Path:
    """A call on W, and on each of three communicators."""
    made = Made(6, HOSTS)
    made.call(0, "MPI_Bcast", 1.0)
    for key, members in enumerate(("0-1", "2-3,5", "4"), start=4):
        made.communicator(key, f"W_s1.{key}", family="W_s1", size=2, members=members)
        made.call(0, "MPI_Bcast", 1.0, communicator=key)
    return made.write(path)


def test_families_have_the_range_of_their_communicators(tmp_path: Path) -> None:
    objects = open_profile(with_three(tmp_path / "a.rankwise")).communicators().objects
    by_family = {row.family: (row.nodes_min, row.nodes_max) for row in objects["families"]}
    assert by_family == {"W": (3, 3), "W_s1": (1, 2)}
    assert {row.name: row.nodes for row in objects["communicators"]}["W_s1.5"] == 2
