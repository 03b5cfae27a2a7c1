"""Finds a better placement for the traffic of a run on a machine, and its saving."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.traffic import RunTraffic, Whereabouts
from rankwise.analysis.percent import percent
from rankwise.errors import RankwiseError
from rankwise.launchers.binding import Binding
from rankwise.placement.bindings import bindings_of
from rankwise.placement.engine import place
from rankwise.placement.options import EXTRA_PERCENT
from rankwise.placement.placement_cost import PlacementCost, placement_cost
from rankwise.placement.present_placement import (
    NoPresentPlacementError,
    PresentPlacement,
    find_present_placement,
    machine_of_run,
)
from rankwise.placement.prices import prices
from rankwise.placement.switch_links import SwitchLinks
from rankwise.profile.progress import Listener
from rankwise.topology.machine.model import SHAPE, Machine

WORTH = 1.0
"""Percent less on the most loaded link between switches that are worth a change."""


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """A placement, and its saving.

    Attributes:
        machine: that the ranks are placed on.
        objective: one of options.OBJECTIVES.
        unit: of costs.
        slot: shape (ranks,): index of the slot of each rank in Machine.slots.
        slot_before: in the same form, in the present placement, or in natural order without one.
        bindings: of the ranks.
        moved: ranks that are to be elsewhere than they were; none without a present placement.
        bound: ranks whose processors were known, of the present placement.
        present: cost of the present placement; None without one on this machine.
        absent: why it is missing, in words; '' if it is not.
        natural: of rank r in the r-th slot.
        cyclic: of ranks that go to the nodes in turn.
        found: of this one.
        gains: whether it is cheaper than the present one (or than the natural order without one), or spares
            the links between switches at the same cost; with the objective `both` also if its most loaded
            link has less load.
    """

    machine: Machine
    objective: str
    unit: str
    slot: NDArray[np.int64]
    slot_before: NDArray[np.int64]
    bindings: list[Binding]
    moved: list[int]
    bound: int
    present: PlacementCost | None
    absent: str
    natural: PlacementCost
    cyclic: PlacementCost
    found: PlacementCost
    gains: bool


def find_mapping(
    run: RunTraffic,
    where: Whereabouts,
    machine: Machine | None = None,
    *,
    objective: str = "hops",
    extra: float = EXTRA_PERCENT,
    nodes: str = "job",
    predict: bool = False,
    effort: int = 1,
    seed: int = 1,
    listener: Listener | None = None,
) -> Mapping:
    """Find a placement that is never dearer than the present one.

    Args:
        run: what the ranks sent each other.
        where: the places of the ranks in the run.
        machine: to place them on; None: the nodes of the run, as the run describes them.
        objective: one of options.OBJECTIVES.
        extra: percent of byte hops that the objective `both` may add.
        nodes: one of options.NODES.
        predict: the machine may be another one than the run's.
        effort: one of options.EFFORTS.
        seed: of all that is random.
        listener: called with the approximate fraction of the work that is done.

    Raises:
        RankwiseError: run and machine do not fit together, or costs are missing.
    """
    known = machine is not None
    machine = machine or machine_of_run(where)
    ranks = run.traffic.ranks
    present, absent = _present(where, machine, predict and known)
    slots = np.sort(present.slot) if present and nodes == "job" else np.arange(len(machine.slots))
    if ranks > len(slots):
        raise RankwiseError(
            f"{ranks} ranks do not fit into the machine's {len(slots)} slots: use a larger machine"
        )
    objects = machine.slots.numbers[slots]
    priced = prices(machine, objective, objects)
    now = np.searchsorted(slots, present.slot) if present else None
    placed = place(
        run.traffic,
        priced.slots(machine, slots),
        present=now,
        bottleneck=priced.bottleneck,
        extra=extra / 100 if objective == "both" else None,
        effort=effort,
        seed=seed,
        listener=listener,
    )
    switch_links = SwitchLinks(machine)

    def cost_of(slot: NDArray[np.int64]) -> PlacementCost:
        cost = placement_cost(run.traffic, machine, slot, priced)
        return replace(cost, between_switches=switch_links.most_loaded(run.traffic, slot))

    slot = slots[placed.slot]
    before = None if present is None else cost_of(present.slot)
    natural = cost_of(slots[:ranks])
    cyclic = placement_cost(run.traffic, machine, slots[_in_turn(machine.slots.host[slots])[:ranks]], priced)
    cost = cost_of(slot)
    slot_before = slots[:ranks] if present is None else present.slot
    gains = _gains(before or natural, cost, objective)
    if not gains:  # a change that gains nothing is none
        slot, cost = slot_before, before or natural
    return Mapping(
        machine=machine,
        objective=objective,
        unit=priced.unit,
        slot=slot,
        slot_before=slot_before,
        bindings=bindings_of(machine, slot),
        moved=_moved(slot, present),
        bound=present.bound if present else 0,
        present=before,
        absent=absent,
        natural=natural,
        cyclic=cyclic,
        found=cost,
        gains=gains,
    )


def _gains(before: PlacementCost, after: PlacementCost, objective: str) -> bool:
    is_better = after.cost < before.cost or (objective == "both" and after.load < before.load)
    return is_better or (after.cost == before.cost and spared_percent(before, after) >= WORTH)


def spared_percent(before: PlacementCost, after: PlacementCost) -> float:
    """Return the percentage that a placement takes off the most loaded link between switches; 0: unknown."""
    if before.between_switches is None:
        return 0.0
    load = after.between_switches.load if after.between_switches else 0.0
    return percent(before.between_switches.load - load, before.between_switches.load)


def _present(where: Whereabouts, machine: Machine, may_differ: bool) -> tuple[PresentPlacement | None, str]:
    """Return the present placement, or why it is missing, if that is allowed."""
    if any(source.kind == SHAPE for source in machine.sources):
        return None, "a shape has no hosts"  # its nodes' names are made up
    try:
        return find_present_placement(where, machine), ""
    except NoPresentPlacementError as error:
        if may_differ:
            return None, error.reason
        raise


def _in_turn(nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the order of slots in which each node has its first one, then its second one, and so on.

    Args:
        nodes: shape (slots,): the node of each; slots of a node are consecutive.
    """
    first = np.concatenate([[True], nodes[1:] != nodes[:-1]])
    starts = np.flatnonzero(first)
    place_in_node = np.arange(len(nodes)) - starts[np.cumsum(first) - 1]
    return np.argsort(place_in_node, kind="stable")


def _moved(slot: NDArray[np.int64], present: PresentPlacement | None) -> list[int]:
    if present is None:
        return []
    moved: list[int] = np.flatnonzero(slot != present.slot).tolist()
    return moved
