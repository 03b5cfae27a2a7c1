"""Data classes of `rankwise.records` are what `dataclasses` would make of them."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import field

import pytest

from rankwise.records import dataclass


@dataclass(frozen=True)
class Point:
    """A frozen one."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Named(Point):
    """One with a base, and members by keyword."""

    name: str


@dataclass
class Bag:
    """One that changes."""

    things: list[int] = field(default_factory=list)


def test_members_come_in_order_with_their_defaults() -> None:
    assert [member.name for member in dataclasses.fields(Named)] == ["x", "y", "note", "name"]
    assert dataclasses.asdict(Named(1, name="a")) == {"x": 1, "y": 2, "note": "", "name": "a"}
    assert Bag().things is not Bag().things
    with pytest.raises(TypeError):
        Named(1, 2, "", "a")  # type: ignore[misc]


def test_objects_of_one_class_are_compared() -> None:
    assert Point(1, note="a") == Point(1, note="b")
    assert Point(1) != Point(2)
    assert Point(1) != Named(1, name="")
    assert Bag([1]) == Bag([1])


def test_only_frozen_ones_can_be_keys() -> None:
    assert len({Point(1), Point(1, note="a"), Point(2)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Bag())


def test_it_is_shown_as_it_is_made() -> None:
    assert repr(Point(1, note="a")) == "Point(x=1, y=2)"


def test_it_can_be_changed_in_a_copy_and_sent_to_another_process() -> None:
    there = Named(1, name="a")
    assert dataclasses.replace(there, name="b") == Named(1, name="b")
    assert pickle.loads(pickle.dumps(there)) == there
