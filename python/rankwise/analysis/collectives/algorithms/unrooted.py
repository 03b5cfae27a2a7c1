"""Models of the collectives without a root: Allgather, Alltoall, Allreduce, Reduce_scatter, Scan, Barrier."""

from __future__ import annotations

from functools import partial

from rankwise.analysis.collectives.algorithms import bruck, doubling, folds, halving, pairs, rings, trees
from rankwise.analysis.collectives.algorithms.model import Model, Shape
from rankwise.analysis.collectives.algorithms.rooted import RADICES, TREES, up_and_down
from rankwise.analysis.collectives.algorithms.schedule import Schedule


def _ring(shape: Shape, *, step: int, first: int = 0) -> Schedule:
    return rings.around(shape.equal_blocks(), first, step).segmented(shape.segments)


def _neighbour_exchange(shape: Shape) -> Schedule | None:
    return rings.neighbour_exchange(shape.processes, shape.size)


def _allgather_doubling(shape: Shape) -> Schedule:
    schedule = Schedule(shape.processes)
    for part in doubling.exchanges(shape.processes):
        schedule.send(part.source, part.destination, (part.last - part.first) * shape.size)
    return schedule


def _allgather_bruck(shape: Shape, *, radix: int) -> Schedule | None:
    return bruck.allgather(shape.processes, shape.size, radix)


def _sparbit(shape: Shape) -> Schedule:
    return bruck.sparbit(shape.processes, shape.size)


def _alltoall_bruck(shape: Shape, *, radix: int, direction: int = 1) -> Schedule | None:
    return bruck.alltoall(shape.processes, shape.size, radix, direction)


def _everybody(shape: Shape, *, itself: bool = False) -> Schedule:
    return pairs.everybody(shape.processes, shape.size, itself=itself)


def _folded(shape: Shape, *, fold: folds.Folding) -> Schedule:
    return doubling.folded(shape.processes, fold(shape.processes), shape.size)


def _rabenseifner(shape: Shape, *, fold: folds.Folding) -> Schedule:
    folded = fold(shape.processes)
    return halving.allreduce(shape.processes, folded, shape.size, shape.blocks(len(folded.inside)))


def _rabenseifner_halved(shape: Shape) -> Schedule:
    folded = folds.odd_waits(shape.processes)
    given = int(shape.blocks(2)[0])
    return halving.allreduce_halved(
        shape.processes, folded, shape.size, given, shape.blocks(len(folded.inside))
    )


def _allreduce_ring(shape: Shape) -> Schedule:
    blocks = shape.blocks(shape.processes)
    return rings.around(blocks, first=0).segmented(shape.segments).then(rings.around(blocks, first=1))


def _recursive_halving(shape: Shape) -> Schedule:
    return halving.reduce_scatter(shape.processes, folds.even_waits(shape.processes), shape.size)


def _butterfly(shape: Shape) -> Schedule:
    return halving.butterfly(shape.processes, folds.even_waits(shape.processes), shape.size)


def _butterfly_in_place(shape: Shape) -> Schedule | None:
    return halving.butterfly_in_place(shape.processes, shape.size)


def _reduce_scatter_doubling(shape: Shape) -> Schedule:
    return halving.reduce_scatter_doubling(shape.processes, shape.size)


def _scan_linear(shape: Shape) -> Schedule:
    return trees.down(trees.chain(shape.processes), 0, shape.size).segmented(shape.segments)


def _scan_exchanging(shape: Shape) -> Schedule:
    return doubling.scan_exchanging(shape.processes, shape.size)


def _scan_upwards(shape: Shape) -> Schedule:
    return doubling.scan_upwards(shape.processes, shape.size)


def _scan_on_node(shape: Shape) -> Schedule:
    """After the scan, the last process sends the node's sum to the first process, for subsequent nodes."""
    schedule = doubling.scan_exchanging(shape.processes, shape.size)
    schedule.send(shape.processes - 1, 0, shape.size)
    return schedule


def _dissemination(shape: Shape) -> Schedule:
    return doubling.dissemination(shape.processes, shape.size)


def _double_ring(shape: Shape) -> Schedule:
    return rings.laps(shape.processes, 2, shape.size)


DISSEMINATION = Model("dissemination", _dissemination)
BARRIER = [
    DISSEMINATION,
    *(
        Model("recursive doubling", partial(_folded, fold=fold))
        for fold in (folds.last_wait, folds.even_waits)
    ),
    Model("double ring", _double_ring),
    *(Model(name, up_and_down(tree)) for name, tree in TREES.items()),
]

ALLGATHER = [
    Model("ring", partial(_ring, step=1), segmented=True),
    Model("ring, backwards", partial(_ring, step=-1)),
    Model("neighbour exchange", _neighbour_exchange),
    Model("recursive doubling", _allgather_doubling),
    Model("Bruck", partial(_allgather_bruck, radix=2)),
    *(Model(f"Bruck, radix {k}", partial(_allgather_bruck, radix=k)) for k in RADICES),
    Model("Sparbit", _sparbit),
    Model("linear", _everybody),
]

ALLTOALL = [
    Model("linear or pairwise", _everybody),
    Model("linear or pairwise, itself included", partial(_everybody, itself=True)),
    Model("Bruck", partial(_alltoall_bruck, radix=2)),
    Model("Bruck, backwards", partial(_alltoall_bruck, radix=2, direction=-1)),
    *(Model(f"Bruck, radix {k}", partial(_alltoall_bruck, radix=k)) for k in RADICES),
]

ALLREDUCE = [
    Model("recursive doubling", partial(_folded, fold=folds.even_waits)),
    Model("Rabenseifner", partial(_rabenseifner, fold=folds.even_waits), cuts=True),
    Model("Rabenseifner", _rabenseifner_halved, cuts=True),
    Model("ring", _allreduce_ring, cuts=True, segmented=True),
]

REDUCE_SCATTER = [
    Model("recursive halving", _recursive_halving),
    Model("butterfly", _butterfly),
    Model("butterfly", _butterfly_in_place),
    Model("recursive doubling", _reduce_scatter_doubling),
    Model("ring", partial(_ring, step=1, first=-1)),
    Model("pairwise", _everybody),
]

SCAN_ON_NODE = Model("node-aware: recursive doubling", _scan_on_node)
SCAN = [
    Model("linear", _scan_linear, segmented=True),
    Model("recursive doubling", _scan_exchanging),
    Model("distance doubling", _scan_upwards),
    SCAN_ON_NODE,
]
