"""The order of MPI_COMM_WORLD that processes are to give themselves in MPI_Init: --place, and settings."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rankwise.launch import reorder
from rankwise.launch.detect import Kind

if TYPE_CHECKING:
    from rankwise.launch.plan import Plan

ORDER, TRAFFIC = "world.order", "world.traffic"
FILE_NAMES = (ORDER, TRAFFIC)
"""In the run directory, where src/runtime/world_order.cpp looks for them."""

_MAGIC = b"RANKTRAF"


def refusal(planned: Plan) -> str:
    """Say why the ranks of a launch can't get a new order; '' if they can, as far as that is known before."""
    contexts = planned.command.contexts
    if len({program for context in contexts for program in context.programs}) > 1:
        return "the command starts several programs, and their ranks can't change places: start a single one"
    for detection in planned.detections:
        if detection.kind is Kind.LINKED:
            return f"{detection.program} has MPI linked in statically, and can't participate"
    return ""


class WorldOrder(NamedTuple):
    """What `rankwise run` was asked for.

    Attributes:
        words: of the variable that the processes read.
        files: for the run directory, by name.
    """

    words: tuple[str, ...]
    files: Mapping[str, bytes]

    def settings(self) -> dict[str, str]:
        """Return the variable that src/runtime/world_order.cpp reads."""
        return {"RANKWISE_PLACE": " ".join(self.words)}


def given(order: Sequence[int], *, renumber: bool) -> WorldOrder:
    """Return an order that does not have to be computed.

    Args:
        order: by the rank that the launcher assigns: the new rank.
        renumber: the variables of the launcher have the new rank for the program.
    """
    text = "".join(f"{rank}\n" for rank in order)
    return WorldOrder(("order", *(["renumber"] if renumber else [])), {ORDER: text.encode()})


def by_traffic(ranks: int, entries: int, columns: Sequence[bytes], machine: str) -> WorldOrder:
    """Return an order that rank 0 computes when it is known where the ranks are.

    Args:
        ranks: of the job.
        entries: pairs of ranks.
        columns: bytes (double), sources and destinations (int32) of the pairs.
        machine: text of a machine.json; '' = the nodes and processors that the processes are on, as they
            find them.
    """
    files = {TRAFFIC: b"".join([struct.pack("=8siiq", _MAGIC, ranks, 0, entries), *columns])}
    if not machine:
        return WorldOrder(("traffic",), files)
    return WorldOrder(("traffic", "machine"), {**files, reorder.FILE_NAME: machine.encode()})
