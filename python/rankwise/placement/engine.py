"""The placement engine (src/placement) for Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event, Thread

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.engine_arguments import EngineArguments
from rankwise.placement.priced_slots import PricedSlots
from rankwise.profile.progress import Listener

_TELL_S = 0.1


@dataclass(frozen=True)
class Placement:
    """The result of a search.

    Attributes:
        slot: shape (ranks,): row of PricedSlots.objects of each rank; no two ranks have the same.
        cost: sum over all pairs of ranks of bytes x per_byte + messages x per_message, with what the
            network adds; if only the bottleneck was to be small, its load.
        natural: cost of rank r in slot r.
        present: cost of the present placement; None without one.
        load, natural_load, present_load: if both were to be small, loads of the most loaded links in these
            placements; else None.
    """

    slot: NDArray[np.int32]
    cost: float
    natural: float
    present: float | None
    load: float | None = None
    natural_load: float | None = None
    present_load: float | None = None


@dataclass(frozen=True)
class Link:
    """A link, and the load on it.

    Attributes:
        load: sum of bytes x their cost on it; on an object's link, of both directions.
        level: column of PricedSlots.objects with the object whose outward link this is;
            None: a link of the network.
        slot: one of the object's; None: a link of the network.
        routers: that it leads from and to; None if it is an object's.
    """

    load: float
    level: int | None = None
    slot: int | None = None
    routers: tuple[int, int] | None = None


def place(
    traffic: Traffic,
    slots: PricedSlots,
    *,
    present: ArrayLike | None = None,
    bottleneck: bool = False,
    extra: float | None = None,
    effort: int = 1,
    threads: int = 0,
    seed: int = 1,
    listener: Listener | None = None,
) -> Placement:
    """Find a slot for each rank; never dearer than the natural order or the present placement.

    With `extra`, neither of these is better in one objective and as good in the other.

    Args:
        traffic: between the ranks.
        slots: the allowed ones.
        present: slot of each rank now, shape (ranks,): of equally good placements, the result is the one
            with the fewest moves from it.
        bottleneck: make the load of the most loaded link small, and the cost of all where that is equal.
        extra: make both small: first the cost of all, then the load of the most loaded link, for which the
            cost may exceed the lowest one found by this share. None: one of them.
        effort: one of options.EFFORTS.
        threads: at most; 0: as many as there are processors. The result does not depend on it.
        seed: of all that is random; equal input and seed give the same result.
        listener: called, from another thread, with the approximate fraction of the work that is done.

    Raises:
        RankwiseError: the input contradicts itself, or there are more ranks than slots, or no memory.
    """
    arguments = EngineArguments()
    wishes = arguments.new("struct rankwise_wishes *")
    wishes.effort, wishes.threads, wishes.seed = effort, threads, seed
    wishes.present, wishes.node = arguments.integers(present, traffic.ranks), slots.node_level
    wishes.objective = arguments.library.RANKWISE_BOTTLENECK if bottleneck else arguments.library.RANKWISE_SUM
    slot = np.empty(max(traffic.ranks, 0), dtype=np.int32)
    costs, loads = (arguments.new("struct rankwise_costs *") for _ in range(2))
    wishes.progress = done = arguments.new("double *")
    inputs = arguments.traffic(traffic), arguments.slots(slots), wishes
    found = arguments.ffi.cast("int32_t *", slot.ctypes.data)
    with _heard(listener, lambda: done[0]):
        if extra is None:
            status = arguments.library.rankwise_place(*inputs, found, costs)
        else:
            status = arguments.library.rankwise_place_both(*inputs, extra, found, costs, loads)
    arguments.check(status)
    placement = Placement(slot, costs.found, costs.natural, None if present is None else costs.present)
    if extra is None:
        return placement
    present_load = None if present is None else loads.present
    return replace(placement, load=loads.found, natural_load=loads.natural, present_load=present_load)


def choose_pairs(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Solve the assignment problem: choose pairs, no two with the same row or column, for the most weight.

    Args:
        rows: of each pair, from 0 on, shape (P,).
        columns: of each pair, in the same form; no pair twice.
        weights: of each pair, in the same form, not negative.

    Returns:
        shape (P,): which are chosen.

    Raises:
        RankwiseError: the input contradicts itself, or no memory.
    """
    arguments, count = EngineArguments(), len(weights)
    pairs = arguments.new("struct rankwise_pairs *")
    pairs.rows, pairs.columns = int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1
    pairs.pairs, pairs.weight = count, arguments.numbers(weights, count)
    pairs.row, pairs.column = arguments.integers(rows, count), arguments.integers(columns, count)
    chosen = np.zeros(count, dtype=np.uint8)
    arguments.check(
        arguments.library.rankwise_choose_pairs(pairs, arguments.ffi.cast("uint8_t *", chosen.ctypes.data))
    )
    return chosen.astype(bool)


@contextmanager
def _heard(listener: Listener | None, fraction: Callable[[], float]) -> Iterator[None]:
    """Report the fraction that is done to a listener, repeatedly."""
    if listener is None:
        yield
        return
    ended = Event()

    def tell() -> None:
        while not ended.wait(_TELL_S):
            listener(fraction())

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def weigh(traffic: Traffic, slots: PricedSlots, slot: ArrayLike) -> tuple[float, Link | None]:
    """Return the sum of all costs of a placement, and its most loaded link; None if there are no links.

    Args:
        traffic: between the ranks.
        slots: the allowed ones.
        slot: of each rank, shape (ranks,).

    Raises:
        RankwiseError: the input contradicts itself.
    """
    arguments = EngineArguments()
    total, link = arguments.new("double *"), arguments.new("struct rankwise_link *")
    arguments.check(
        arguments.library.rankwise_weigh(
            arguments.traffic(traffic),
            arguments.slots(slots),
            arguments.integers(slot, traffic.ranks),
            total,
            link,
        )
    )
    if link.level >= 0:
        return total[0], Link(link.load, link.level, link.one)
    return total[0], Link(link.load, routers=(link.one, link.other)) if link.one >= 0 else None
