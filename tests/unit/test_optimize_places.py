"""The step `map` of `rankwise optimize`: places for launchers that take them, else the order of the ranks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from profiles import write_traffic
from settings_made import settings

from rankwise.errors import RankwiseError
from rankwise.optimization.places import Places
from rankwise.optimization.step import Now, Promise, Unable
from rankwise.placement.mapping import Mapping
from rankwise.placement.new_ranks import new_ranks
from rankwise.tuning.as_launched import as_launched
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rank_order import RankOrder
from rankwise.tuning.target import Target

HOSTS = ["a", "b", "a", "b"]
UNKNOWN = ["./ourlaunch", "./app"]
SLURM = ["srun", "-n", "4", "./app"]
SEVERAL = ["srun", "-n", "1", "./a", ":", "-n", "3", "./b"]
STATIC = "./app has MPI linked in statically"


@pytest.fixture
def parted(tmp_path: Path) -> Path:
    """A run whose partners were on two nodes."""
    messages = [(0, 1, "point-to-point", 1, 1000), (2, 3, "point-to-point", 1, 1000)]
    return write_traffic(tmp_path / "parted.rankwise", HOSTS, messages)


class StopError(RankwiseError):
    """Enough is known."""


def changed(places: Places, profile: Path, said: list[str]) -> Settings:
    """What a step would try."""
    tried: list[Settings] = []

    def combined(added: Settings) -> None:
        tried.append(added)
        raise StopError("enough")

    now = SimpleNamespace(
        profile=profile, kept=settings(), store=profile.parent, combined=combined, say=said.append
    )
    with pytest.raises(StopError):
        places.attempt(cast(Now, now))
    [added] = tried
    return added


def test_the_launcher_places_the_ranks(parted: Path) -> None:
    said: list[str] = []
    added = changed(Places(SLURM, {}, None), parted, said)
    assert (added.order, said) == (None, [])
    hosts = [binding.host for binding in added.bindings]
    assert hosts[0] == hosts[1] != hosts[2] == hosts[3]


def test_the_order_if_the_launcher_does_not(parted: Path) -> None:
    said: list[str] = []
    added = changed(Places(UNKNOWN, {}, None), parted, said)
    assert added.bindings == ()
    assert added.order is not None
    hosts = [HOSTS[launched] for launched in added.order.launched]
    assert hosts[0] == hosts[1] != hosts[2] == hosts[3]
    assert added.order.node == (0, 1, 0, 1)
    [line] = said
    assert "./ourlaunch" in line
    assert "order of MPI_COMM_WORLD" in line


@pytest.mark.parametrize(
    ("words", "no_order", "why"),
    [
        (UNKNOWN, "", ""),
        (SLURM, STATIC, ""),
        (UNKNOWN, STATIC, STATIC),
        (SEVERAL, "", "several programs"),  # which of them has which ranks must not change
    ],
)
def test_promises(words: list[str], no_order: str, why: str, parted: Path) -> None:
    promise = Places(words, {}, None, no_order=no_order).promise(parted)
    if why:
        assert isinstance(promise, Unable)
        assert why in promise.why
    else:
        assert isinstance(promise, Promise)


def test_the_effect_of_a_placement() -> None:
    """The process that is in the slot of a rank gets this rank."""
    before, after = np.array([4, 1, 3, 2]), np.array([1, 2, 4, 3])
    mapping = cast(Mapping, SimpleNamespace(slot=after, slot_before=before, present=object()))
    order = new_ranks(mapping)
    assert [after[rank] for rank in order] == before.tolist()
    for lacks in (
        SimpleNamespace(slot=after, slot_before=before, present=None),
        SimpleNamespace(slot=after + 1, slot_before=before, present=object()),
    ):
        with pytest.raises(RankwiseError):
            new_ranks(cast(Mapping, lacks))


def test_groups_of_the_same_processes() -> None:
    """A probe in the program's place has the launcher's ranks."""
    grouping = Grouping(((0, 1), (3, 2)), late=((1, 0.5), (3, 0.25)))
    cell = Cell(
        procedure="MPI_Bcast",
        processes=2,
        low=8,
        high=8,
        size=8,
        calls=1,
        seconds=1.0,
        tunable_seconds=1.0,
        groupings=(grouping,),
    )
    [target] = as_launched([Target((cell,))], RankOrder((2, 0, 3, 1), (0, 0, 1, 1)))
    [launched] = target.first.groupings
    assert launched.groups == ((1, 3), (2, 0))
    assert launched.late == ((2, 0.25), (3, 0.5))
    assert as_launched([Target((cell,))], None) == [Target((cell,))]
