"""Finds the algorithm that explains the messages of a collective."""

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
        name: of the algorithm. If several algorithms send these messages, the first in the order of the
            table.
        exact: messages and bytes of every pair of processes equal the model's; else only the messages do.
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
        procedure: e.g. MPI_Bcast, also nonblocking or persistent.
        processes: n, the number of processes of the communicator.
        root: rank in the communicator; None if the collective has no root.
        size: bytes, as in the size bins (docs/reference/profile-format.md, "Bytes"); None if it differs by
            process.
        messages: n x n, from row to column, by rank in the communicator.
        bytes: n x n, as for `messages`.

    Returns:
        None if nothing matches, if there is no message, or if no models exist for the procedure.
    """
    known = collective(procedure)
    if known is None or processes < 2 or not messages.any():
        return None
    recorded = Traffic(messages.astype(np.int64), bytes.astype(np.int64))
    # If the size is unknown, only counts matter: any size works that leaves no block empty.
    shape = Shape(processes, root or 0, processes * 1024 if size is None else size)
    matches = list(_matches(known, shape, size is not None, recorded))
    if not matches and known in PAIRS:
        # The first match with a pair is enough: for small n, many pairs match.
        matches = list(islice(_of_two(PAIRS[known], shape, size is not None, recorded), 1))
    if not matches and known in ON_ONE_NODE and size is not None:
        matches = list(_on_one_node(ON_ONE_NODE[known], shape, recorded))
    exact = [match.name for match in matches if match.exact]
    names = list(dict.fromkeys(exact or [match.name for match in matches]))
    return Named(names[0], bool(exact), tuple(names[1:])) if names else None


def _matches(known: str, shape: Shape, size_known: bool, recorded: Traffic) -> Iterator[Match]:
    for model in MODELS[known]:
        fitting = match(model, shape, size_known, recorded)
        if fitting:
            yield fitting


def _of_two(pair: Pair, shape: Shape, size_known: bool, recorded: Traffic) -> Iterator[Match]:
    """Subtract the messages of one collective of the pair, and name the algorithm of the other."""
    sizes = [shape.size * (shape.processes if of_all else 1) for of_all in pair.of_all]
    first, second = (Shape(shape.processes, 0, size) for size in sizes)
    for model in MODELS[pair.first]:
        remainder = _rest(model, first, size_known, recorded)
        for part_match in _matches(pair.second, second, size_known, remainder) if remainder else ():
            yield Match(
                f"{pair.first.lower()} ({model.name}) + {pair.second.lower()} ({part_match.name})",
                part_match.exact,
            )
    for model in MODELS[pair.second]:
        remainder = _rest(model, second, size_known, recorded)
        for part_match in _matches(pair.first, first, size_known, remainder) if remainder else ():
            yield Match(
                f"{pair.first.lower()} ({part_match.name}) + {pair.second.lower()} ({model.name})",
                part_match.exact,
            )


def _on_one_node(parts: OnOneNode, shape: Shape, recorded: Traffic) -> Iterator[Match]:
    """Subtract the messages that do not belong to the collective at process 0, and name its algorithm."""
    remainder = _rest(parts.model, shape, True, recorded)
    at_first = Shape(shape.processes, 0, shape.size if parts.size is None else parts.size)
    for part_match in _matches(parts.collective, at_first, True, remainder) if remainder else ():
        others = parts.model.name.removeprefix("node-aware: ")
        yield Match(
            f"node-aware: {others} + {parts.collective.lower()} ({part_match.name})", part_match.exact
        )


def _rest(model: Model, shape: Shape, size_known: bool, recorded: Traffic) -> Traffic | None:
    """Subtract the messages of a model; None if some are missing or nothing remains."""
    schedule = model.build(shape)
    if (
        schedule is None
        or (schedule.sent() > recorded.sent).any()
        or schedule.messages() == recorded.sent.sum()
    ):
        return None
    part = schedule.traffic()
    return recorded.without(part if size_known else Traffic(part.messages, np.zeros_like(part.bytes)))
