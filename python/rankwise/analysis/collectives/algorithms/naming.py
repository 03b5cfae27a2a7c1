"""Which algorithm explains the messages of a collective."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.collectives.algorithms.model import Match, Model, Shape, match
from rankwise.analysis.collectives.algorithms.schedule import Traffic
from rankwise.analysis.collectives.algorithms.table import (
    MODELS,
    ON_ONE_NODE,
    PAIRS,
    OnOneNode,
    Pair,
    collective,
)
from rankwise.records import dataclass


@dataclass(frozen=True)
class Named:
    """The algorithm of a collective, as shown by its messages.

    Attributes:
        name: of the algorithm. Where several algorithms send these messages, the first in the order of the
            table.
        exact: messages and bytes of every pair of processes are those of the model; else the messages alone
            are.
        also: names of the other algorithms that send the same messages.
    """

    name: str
    exact: bool
    also: tuple[str, ...] = ()


def name_of(
    procedure: str,
    processes: int,
    root: int | None,
    size: int | None,
    messages: NDArray[np.int64],
    bytes: NDArray[np.int64],  # noqa: A002
) -> Named | None:
    """Name the algorithm of a call of a collective.

    Args:
        procedure: e.g. MPI_Bcast; nonblocking and persistent ones, too.
        processes: n, of the communicator.
        root: rank in the communicator; None where there is none.
        size: bytes, as in the size bins (docs/reference/profile-format.md, "Bytes"); None if it isn't the
            same everywhere.
        messages: n x n, from row to column, by rank in the communicator.
        bytes: likewise.

    Returns:
        None if nothing matches, if there is no message, or if there are no models of the procedure.
    """
    known = collective(procedure)
    if known is None or processes < 2 or not messages.any():
        return None
    seen = Traffic(messages.astype(np.int64), bytes.astype(np.int64))
    # Where the size is unknown, only counts matter: any size will do that leaves no block empty.
    shape = Shape(processes, root or 0, processes * 1024 if size is None else size)
    matches = list(_matches(known, shape, size is not None, seen))
    if not matches and known in PAIRS:
        # Of the ways to make it of two others, the first one is enough: there are many where n is small.
        matches = list(islice(_of_two(PAIRS[known], shape, size is not None, seen), 1))
    if not matches and known in ON_ONE_NODE and size is not None:
        matches = list(_on_one_node(ON_ONE_NODE[known], shape, seen))
    exact = [match.name for match in matches if match.exact]
    names = list(dict.fromkeys(exact or [match.name for match in matches]))
    return Named(names[0], bool(exact), tuple(names[1:])) if names else None


def _matches(known: str, shape: Shape, size_known: bool, seen: Traffic) -> Iterator[Match]:
    for model in MODELS[known]:
        fitting = match(model, shape, size_known, seen)
        if fitting:
            yield fitting


def _of_two(pair: Pair, shape: Shape, size_known: bool, seen: Traffic) -> Iterator[Match]:
    """Take away what one of the two sends, and name the rest as the other one."""
    sizes = [shape.size * (shape.processes if of_all else 1) for of_all in pair.of_all]
    first, second = (Shape(shape.processes, 0, size) for size in sizes)
    for model in MODELS[pair.first]:
        rest = _rest(model, first, size_known, seen)
        for part_match in _matches(pair.second, second, size_known, rest) if rest else ():
            yield Match(
                f"{pair.first.lower()} ({model.name}) + {pair.second.lower()} ({part_match.name})",
                part_match.exact,
            )
    for model in MODELS[pair.second]:
        rest = _rest(model, second, size_known, seen)
        for part_match in _matches(pair.first, first, size_known, rest) if rest else ():
            yield Match(
                f"{pair.first.lower()} ({part_match.name}) + {pair.second.lower()} ({model.name})",
                part_match.exact,
            )


def _on_one_node(parts: OnOneNode, shape: Shape, seen: Traffic) -> Iterator[Match]:
    """Take away what is beside the collective at process 0, and name the rest."""
    rest = _rest(parts.model, shape, True, seen)
    at_first = Shape(shape.processes, 0, shape.size if parts.size is None else parts.size)
    for part_match in _matches(parts.collective, at_first, True, rest) if rest else ():
        beside = parts.model.name.removeprefix("node-aware: ")
        yield Match(
            f"node-aware: {beside} + {parts.collective.lower()} ({part_match.name})", part_match.exact
        )


def _rest(model: Model, shape: Shape, size_known: bool, seen: Traffic) -> Traffic | None:
    """Subtract the messages of a model; None if some are missing."""
    schedule = model.build(shape)
    if schedule is None or (schedule.sent() > seen.sent).any() or schedule.messages() == seen.sent.sum():
        return None
    part = schedule.traffic()
    return seen.without(part if size_known else Traffic(part.messages, np.zeros_like(part.bytes)))
