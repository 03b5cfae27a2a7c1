"""Models of the collectives with a root: Bcast, Reduce, Scatter, Gather."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from rankwise.analysis.collectives.algorithms import folds, halving, pairs, scattering, trees
from rankwise.analysis.collectives.algorithms.model import Builder, Model, Shape
from rankwise.analysis.collectives.algorithms.schedule import Integers, Schedule

Tree = Callable[[int], Integers | None]

Step = Callable[[Integers, int], Schedule]

RADICES = (3, 4, 8)
MOST_CHAINS = 8


def _with(tree: Callable[[int, int], Integers], width: int) -> Tree:
    """A tree with this many children or chains at the root; None if all are the root's children."""
    return lambda processes: tree(processes, width) if processes > width + 1 else None


TREES: dict[str, Tree] = {
    "linear": trees.linear,
    "binomial tree": partial(trees.k_nomial, radix=2),
    "binomial tree, doubling": partial(trees.k_nomial_doubling, radix=2),
    "chain": trees.chain,
    "binary tree": partial(trees.dealt, children=2),
    "binary tree by level": partial(trees.by_level, children=2),
    **{f"{k}-nomial tree": _with(trees.k_nomial, k) for k in RADICES},
    **{f"{k}-nomial tree, growing": _with(trees.k_nomial_doubling, k) for k in RADICES},
    **{f"{k}-ary tree": _with(trees.dealt, k) for k in RADICES},
    **{f"{k}-ary tree by level": _with(trees.by_level, k) for k in RADICES},
    **{f"{k} chains": _with(trees.chains, k) for k in range(2, MOST_CHAINS + 1)},
}


def down(tree: Tree) -> Builder:
    """The whole buffer, from parent to child."""
    return _along(
        tree, lambda parents, shape: trees.down(parents, shape.root, shape.size).segmented(shape.segments)
    )


def up(tree: Tree) -> Builder:
    """The whole buffer, from child to parent."""
    return _along(
        tree, lambda parents, shape: trees.up(parents, shape.root, shape.size).segmented(shape.segments)
    )


def up_and_down(tree: Tree) -> Builder:
    """From child to parent, then back, through process 0."""
    return _along(
        tree, lambda parents, shape: trees.up(parents, 0, shape.size).then(trees.down(parents, 0, shape.size))
    )


def _scatter(tree: Tree) -> Builder:
    return _along(
        tree, lambda parents, shape: trees.down(parents, shape.root, trees.subtrees(parents) * shape.size)
    )


def _gather(tree: Tree) -> Builder:
    return _along(
        tree, lambda parents, shape: trees.up(parents, shape.root, trees.subtrees(parents) * shape.size)
    )


def _along(tree: Tree, build: Callable[[Integers, Shape], Schedule]) -> Builder:
    def along(shape: Shape) -> Schedule | None:
        parents = tree(shape.processes)
        return None if parents is None else build(parents, shape)

    return along


def _swapped(build: Builder) -> Builder:
    """The same with the root and process 0 swapped, instead of all ranks shifted by the root."""

    def swapped(shape: Shape) -> Schedule | None:
        if shape.root == 0:
            return None
        schedule = build(replace(shape, root=0))
        ranks = np.arange(shape.processes)
        ranks[[0, shape.root]] = shape.root, 0
        return None if schedule is None else schedule.renamed(ranks)

    return swapped


def _trees(way: Callable[[Tree], Builder]) -> list[Model]:
    """A model for each tree, and for each way to place the root."""
    shifted = [Model(name, way(tree), segmented=True) for name, tree in TREES.items()]
    return shifted + [replace(model, build=_swapped(model.build)) for model in shifted]


def _scatter_allgather(shape: Shape, *, scatter: Step, allgather: Step) -> Schedule | None:
    blocks = shape.blocks(shape.processes)
    if scatter is scattering.scatter_without_empty and blocks.all():
        return None  # the same as with empty ones
    return scatter(blocks, shape.root).then(allgather(blocks, shape.root))


def _in_order(shape: Shape) -> Schedule:
    last = shape.processes - 1
    schedule = trees.up(trees.in_order(shape.processes), 0, shape.size).segmented(shape.segments)
    if shape.root != last:
        schedule.send(last, shape.root, shape.size)
    return schedule


def _split_binary(shape: Shape) -> Schedule | None:
    if shape.processes < 3:
        return None
    return scattering.split_binary(shape.processes, shape.root, shape.blocks(2), shape.segments)


def _rabenseifner(shape: Shape) -> Schedule:
    fold = folds.odd_waits(shape.processes)
    before = Schedule(shape.processes)
    before.send(fold.outside, fold.partner, shape.size)
    return halving.reduce(shape.processes, fold, shape.root, shape.blocks(len(fold.inside)), before)


def _rabenseifner_halved(shape: Shape) -> Schedule:
    fold = folds.odd_waits(shape.processes)
    before = halving.halved_fold(shape.processes, fold, shape.size, int(shape.blocks(2)[0]))
    return halving.reduce(shape.processes, fold, shape.root, shape.blocks(len(fold.inside)), before)


def _with_sync(shape: Shape) -> Schedule:
    return pairs.gather_with_sync(shape.processes, shape.root, shape.size)


def _to_first(shape: Shape) -> Schedule:
    schedule = Schedule(shape.processes)
    if shape.root != 0:
        schedule.send(shape.root, 0, shape.size)
    return schedule


def _from_first(shape: Shape) -> Schedule:
    schedule = Schedule(shape.processes)
    if shape.root != 0:
        schedule.send(0, shape.root, shape.size)
    return schedule


TO_FIRST = Model("root to process 0", _to_first)
FROM_FIRST = Model("process 0 to root", _from_first)

BCAST = [
    *_trees(down),
    Model("split binary tree", _split_binary, cuts=True, segmented=True),
    *(
        Model(
            f"scatter + {name} allgather",
            partial(_scatter_allgather, scatter=scatter, allgather=allgather),
            cuts=True,
            drops_empty=scatter is scattering.scatter_without_empty,
        )
        for scatter in (scattering.scatter, scattering.scatter_without_empty, scattering.scatter_too_much)
        for name, allgather in (
            ("ring", scattering.ring),
            ("recursive doubling", scattering.recursive_doubling),
        )
    ),
]

REDUCE = [
    *_trees(up),
    Model("in-order binary tree", _in_order, segmented=True),
    Model("Rabenseifner", _rabenseifner, cuts=True),
    Model("Rabenseifner", _rabenseifner_halved, cuts=True),
]

SCATTER = [
    Model("binomial tree", _scatter(TREES["binomial tree"])),
    Model("binomial tree", _swapped(_scatter(TREES["binomial tree"]))),
    Model("linear", _scatter(trees.linear)),
]

GATHER = [
    Model("binomial tree", _gather(TREES["binomial tree"])),
    Model("binomial tree", _swapped(_gather(TREES["binomial tree"]))),
    Model("linear", _gather(trees.linear)),
    Model("linear with synchronisation", _with_sync),
]
