"""Both objectives in one search, and separately: byte hops, load of the most loaded link, CPU time."""

from __future__ import annotations

import time

import numpy as np

from placement.graphs import graph
from placement.machine import DISTANCES, objects
from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.engine import Placement, place, weigh
from rankwise.placement.options import EXTRA_PERCENT
from rankwise.placement.priced_slots import PricedSlots

_KINDS = ("halo 2-D 5", "halo 3-D 7", "NAS CG", "geometric, weighted", "power law, weighted", "collectives")
_RANKS = (1024, 4096)
_LINKS = (1.0, 1.0, 0.0)  # of switches, nodes, packages: those inside nodes do not count
_CPU_AIM = 1.5  # times the search for the lowest byte hops
_NUMBERS = ("hops", "load", "hops", "load", "CPU x", "hops", "load", "CPU x")
HEAD = (
    f"{'':<19} {'':>6}  {'lowest hops':^19}  {'both':^23}  {'lowest load':^23}\n"
    f"{'graph':<19} {'ranks':>6}  {_NUMBERS[0]:>9} {_NUMBERS[1]:>9}  "
    + "  ".join(" ".join(f"{name:>7}" for name in names) for names in (_NUMBERS[2:5], _NUMBERS[5:]))
)


def print_both(effort: int, threads: int, seed: int) -> None:
    """Place some graphs on the tree with each objective, print the table.

    Args:
        effort: of the engine.
        threads: of the engine.
        seed: of the order of the ranks.
    """
    print("\nByte hops and the load of the most loaded link, as multiples of those with the lowest hops")
    print(f"{HEAD}  (aims: hops <= {1 + EXTRA_PERCENT / 100:g}, load <= 1, CPU <= {_CPU_AIM})")
    for ranks in _RANKS:
        for kind in _KINDS:
            _print_row(kind, ranks, effort, threads, seed)


def _print_row(kind: str, ranks: int, effort: int, threads: int, seed: int) -> None:
    given = graph(kind, ranks, seed)
    traffic = Traffic(ranks, given.one, given.other, given.bytes.astype(np.float64))
    places = PricedSlots(objects(ranks), DISTANCES, per_link_byte=np.tile(_LINKS, (len(objects(ranks)), 1)))

    def measured(*, bottleneck: bool = False, extra: float | None = None) -> tuple[float, float, float]:
        start = time.process_time()
        placed: Placement = place(
            traffic, places, bottleneck=bottleneck, extra=extra, effort=effort, threads=threads
        )
        spent = time.process_time() - start
        total, hottest = weigh(traffic, places, placed.slot)
        return total, hottest.load if hottest else 0.0, spent

    alone, both, relieved = measured(), measured(extra=EXTRA_PERCENT / 100), measured(bottleneck=True)
    hops, load, cpu = (now / before for now, before in zip(both, alone, strict=True))
    over = hops > 1 + EXTRA_PERCENT / 100 or load > 1 or cpu > _CPU_AIM
    columns = [
        " ".join(f"{now / before:>7.3f}" for now, before in zip(each, alone, strict=True))
        for each in (both, relieved)
    ]
    print(
        f"{kind:<19} {ranks:>6}  {alone[0]:>9.4g} {alone[1]:>9.4g}  {'  '.join(columns)}{'  over' * over}",
        flush=True,
    )
