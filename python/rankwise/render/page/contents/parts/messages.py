"""All messages of a run, from rank to rank, by communicator, call and kind, for the page Matrix."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.collectives.asked import hidden_collectives
from rankwise.analysis.messages.kinds import KINDS
from rankwise.render.page.blocks import Blocks, BlockSums
from rankwise.render.page.container import Container
from rankwise.render.page.contents.axes import Axes
from rankwise.render.page.contents.subject import Subject
from rankwise.text.safe import safe

_PORTION = 500_000  # rows at a time
# Source, destination, communicator, procedure and kind as one number, messages, bytes.
_COLUMNS = 5
_PROCEDURES = 1 << 11
_MISSING = (
    "No messages were recorded: the program itself sent none, and none were visible inside collectives. "
    "`rankwise show F.rankwise --by collective` shows why."
)


def messages_data(of: Subject) -> dict[str, Any]:
    """Return the traffic between ranks; if there are very many pairs, neighbouring ranks are merged."""
    sums = _Sums(of.axes)
    for portion in _portions(of.connection):
        sums.add(portion)
    column = of.container.column
    communicator, procedure, kind = np.array(list(sums.groups), np.int64).reshape(-1, 3).T
    ranks = sums.ranks.sums
    # If no ranks are merged, the page sums up the nodes itself.
    nodes = sums.nodes.sums if ranks.together > 1 else None
    return {
        "missing": "" if sums.groups else _MISSING,
        "kinds": list(KINDS),
        "groups": {
            "communicator": column(communicator),
            "procedure": column(procedure),
            "kind": column(kind),
        },
        "ranks": _pairs(ranks, sums.unplaced, of.container),
        "nodes": nodes and _pairs(nodes, sums.unplaced + sums.without_node, of.container),
        "hidden": _hidden(of),
    }


class _Sums:
    """The traffic between pairs of ranks, and of nodes.

    Attributes:
        groups: communicator, procedure and kind, as indices into the axes, and the number of the group.
        ranks, nodes: sums; those of nodes only if both hosts are known.
        unplaced: shape (2, G): bytes and messages from or to processes that are no ranks of the world.
        without_node: shape (2, G): bytes and messages of ranks whose host is unknown.
    """

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self._of_key: dict[int, int] = {}
        self.groups: dict[tuple[int, int, int], int] = {}
        self.ranks, self.nodes = BlockSums(), BlockSums()
        self.unplaced = self.without_node = np.zeros((2, 0))

    def add(self, rows: NDArray[np.int64]) -> None:
        """Add rows, shape (E, 5)."""
        source, destination, keys, messages, sizes = rows.T
        group = self._groups(keys)
        amounts = np.stack([sizes, messages]).astype(np.float64)
        end = self._axes.ranks
        inside = (source >= 0) & (source < end) & (destination >= 0) & (destination < end)
        self.unplaced = self._more(self.unplaced, group[~inside], amounts[:, ~inside])
        source, destination, group, amounts = (
            source[inside],
            destination[inside],
            group[inside],
            amounts[:, inside],
        )
        self.ranks.add(source, destination, group, amounts)
        from_host, to_host = self._axes.host_of[source], self._axes.host_of[destination]
        known = (from_host < len(self._axes.hosts)) & (to_host < len(self._axes.hosts))
        self.without_node = self._more(self.without_node, group[~known], amounts[:, ~known])
        self.nodes.add(from_host[known], to_host[known], group[known], amounts[:, known])

    def _groups(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        unique, places = np.unique(keys, return_inverse=True)
        for key in unique.tolist():
            if key not in self._of_key:
                call, kind = divmod(key, len(KINDS))
                communicator, procedure = divmod(call, _PROCEDURES)
                axes = self._axes
                group = axes.communicator_of[communicator], axes.procedure_of[procedure], kind
                self._of_key[key] = self.groups.setdefault(group, len(self.groups))
        numbers = np.array([self._of_key[key] for key in unique.tolist()], np.int64)
        return numbers[places.reshape(-1)]

    def _more(
        self, before: NDArray[np.float64], group: NDArray[np.int64], amounts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        sums = np.zeros((2, len(self.groups)))
        sums[:, : before.shape[1]] = before
        for row, amount in zip(sums, amounts, strict=True):
            row += np.bincount(group, amount, len(self.groups))
        return sums


def _portions(connection: sqlite3.Connection) -> Iterator[NDArray[np.int64]]:
    """Read the messages, which may be many millions of rows."""
    numbers = " ".join(f"WHEN '{kind}' THEN {number}" for number, kind in enumerate(KINDS))
    rows = connection.execute(
        f"SELECT source, destination, (communicator * {_PROCEDURES} + procedure) * {len(KINDS)}"
        f" + CASE kind {numbers} END, messages, bytes FROM messages"
    )
    while len(table := np.fromiter(chain.from_iterable(islice(rows, _PORTION)), np.int64)):
        yield table.reshape(-1, _COLUMNS)


def _pairs(pair_blocks: Blocks, unplaced: NDArray[np.float64], container: Container) -> dict[str, Any]:
    column = container.column
    sizes, messages = unplaced
    return {
        "together": pair_blocks.together,
        "source": column(pair_blocks.source, ascending=True),
        "destination": column(pair_blocks.destination, ascending=True),
        "group": column(pair_blocks.group),
        "bytes": column(pair_blocks.bytes),
        "messages": column(pair_blocks.messages),
        "unplaced": {"bytes": column(sizes), "messages": column(messages)},
    }


def _hidden(of: Subject) -> dict[str, Any]:
    """Return the collectives whose messages are not all visible, and why."""
    rows = hidden_collectives(of.connection)
    axes = of.axes
    names = {name: number for number, name in enumerate(axes.communicators)}
    procedures = {
        name: axes.procedure_of[key] for key, name in of.connection.execute("SELECT id, name FROM procedures")
    }
    texts = list(dict.fromkeys(row.visibility.text for row in rows))
    column = of.container.column
    return {
        "communicator": column([names[row.communicator if axes.each else row.family] for row in rows]),
        "procedure": column([procedures[row.procedure] for row in rows]),
        "why": column([texts.index(row.visibility.text) for row in rows]),
        "texts": [safe(text, "utf-8") for text in texts],
    }
