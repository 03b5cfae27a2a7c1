"""What the page Matrix is given: all messages, once each, and the same sums as `rankwise show --matrix`."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import large_profiles
import numpy as np
import profiles
import pytest
from large_profiles import Grid
from numpy.typing import NDArray

from rankwise.analysis.opened import opened_profile
from rankwise.reading.profile import open_profile
from rankwise.render.page.blocks import BlockSums, blocks
from rankwise.render.page.container import Container
from rankwise.render.page.contents.parts import messages
from rankwise.render.page.contents.parts.messages import messages_data
from rankwise.render.page.contents.subject import subject

_TYPES = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "i32": np.int32, "f32": np.float32}
_NAMES = ("source", "destination", "group", "bytes", "messages")


class Given:
    """What was put into a report."""

    def __init__(self, path: Path) -> None:
        self._container = Container()
        with opened_profile(path) as connection:
            of = subject(path, connection, self._container)
            self.axes = of.axes
            self.data = messages_data(of)

    def column(self, of: dict[str, Any]) -> NDArray[Any]:
        kind, start, length, delta = of["column"]
        typed = np.dtype(_TYPES[kind])
        planes = np.frombuffer(bytes(self._container._bytes), np.uint8, length * typed.itemsize, start)
        numbers = np.ascontiguousarray(planes.reshape(typed.itemsize, length).T).view(typed)[:, 0]
        return np.cumsum(numbers, dtype=typed) if delta else numbers

    def pairs(self, of: str, kind: str = "all") -> dict[tuple[int, int], tuple[float, float]]:
        """Bytes and messages of pairs."""
        columns = [self.column(self.data[of][name]).tolist() for name in _NAMES]
        kinds = self.column(self.data["groups"]["kind"])
        amounts: dict[tuple[int, int], tuple[float, float]] = {}
        for source, destination, group, size, number in zip(*columns, strict=True):
            if kind in ("all", self.data["kinds"][kinds[group]]):
                before = amounts.get((source, destination), (0.0, 0.0))
                amounts[source, destination] = before[0] + size, before[1] + number
        return amounts


def shown(path: Path, ends: str, kind: str = "all") -> dict[tuple[int, int], tuple[float, float]]:
    cells = open_profile(path).matrix(ends, kind=kind).data["matrix"]["cells"]
    return {(cell["source"], cell["destination"]): (cell["bytes"], cell["messages"]) for cell in cells}


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    return profiles.write_inside(tmp_path / "inside.rankwise")


@pytest.mark.parametrize("kind", ["all", "point-to-point", "in-collective", "one-sided"])
def test_pairs_are_those_of_the_terminal(inside: Path, kind: str) -> None:
    assert Given(inside).pairs("ranks", kind) == shown(inside, "rank", kind)


def test_groups_tell_communicator_and_call(inside: Path) -> None:
    given = Given(inside)
    groups = [given.column(given.data["groups"][name]).tolist() for name in ("communicator", "procedure")]
    names = given.axes.data["procedures"]["name"]
    named = {
        (given.axes.communicators[communicator], names[call])
        for communicator, call in zip(*groups, strict=True)
    }
    assert named == {("W_a1", "Isend"), ("W", "Allreduce"), ("(other)", "(not attributed)")}


def test_collectives_that_are_not_visible_are_told(inside: Path) -> None:
    given = Given(inside)
    hidden = given.data["hidden"]
    numbers = zip(
        given.column(hidden["communicator"]).tolist(), given.column(hidden["procedure"]).tolist(), strict=True
    )
    names = given.axes.data["procedures"]["name"]
    named = [(given.axes.communicators[communicator], names[call]) for communicator, call in numbers]
    assert len(named) == open_profile(inside).matrix().data["matrix"]["hidden_collectives"]
    assert ("W_a1_u1.0", "Alltoallv") in named


def test_what_has_no_row_is_told_apart(inside: Path) -> None:
    with sqlite3.connect(inside) as connection:
        connection.execute("INSERT INTO messages VALUES (0, -1, 3, 'point-to-point', 3, 7, 70)")
        connection.execute("INSERT INTO messages VALUES (-2, 1, 3, 'point-to-point', 3, 2, 20)")
        connection.execute("INSERT INTO messages VALUES (3, 3, 3, 'point-to-point', 3, 1, 5)")
    given = Given(inside)
    unplaced = given.data["ranks"]["unplaced"]
    assert given.column(unplaced["bytes"]).sum() == 90
    assert given.column(unplaced["messages"]).sum() == 9
    assert given.pairs("ranks")[3, 3] == (5, 1)
    assert given.pairs("ranks") == shown(inside, "rank")


def test_blocks_of_ranks_have_nodes_beside_them(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = large_profiles.kept_stencil(tmp_path_factory, Grid(8, 4, 4))
    monkeypatch.setattr(messages, "BlockSums", lambda: BlockSums(500))
    monkeypatch.setattr(messages, "_PORTION", 300)
    given = Given(path)
    together = given.data["ranks"]["together"]
    assert together > 1
    expected: dict[tuple[int, int], tuple[float, float]] = {}
    for (source, destination), (size, number) in shown(path, "rank").items():
        block = source // together, destination // together
        before = expected.get(block, (0.0, 0.0))
        expected[block] = before[0] + size, before[1] + number
    assert given.pairs("ranks") == expected
    assert given.pairs("nodes") == shown(path, "node")


def test_portions_add_up_as_the_whole_does() -> None:
    random = np.random.default_rng(1)
    source, destination = random.integers(0, 100, (2, 5000))
    group, amounts = random.integers(0, 3, 5000), random.integers(0, 9, (2, 5000)).astype(float)
    whole = blocks(source, destination, group, amounts, most=800)
    sums = BlockSums(800)
    for part in np.array_split(np.arange(5000), 7):
        sums.add(source[part], destination[part], group[part], amounts[:, part])
    for name in ("together", *_NAMES):
        assert np.array_equal(getattr(sums.sums, name), getattr(whole, name))
    assert len(whole.source) <= 800


def test_a_run_without_messages_says_so(tmp_path: Path) -> None:
    given = Given(profiles.write_empty(tmp_path / "empty.rankwise"))
    assert "rankwise show F.rankwise --by collective" in given.data["missing"]
