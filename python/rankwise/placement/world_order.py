"""What `rankwise run --place FILE` asks of the processes, from the kinds of files that it takes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from rankwise.analysis.messages.traffic import run_traffic
from rankwise.analysis.opened import opened_messages
from rankwise.errors import RankwiseError
from rankwise.launch import reorder
from rankwise.launch.world_order import WorldOrder, by_traffic, given

_LONGEST = 1 << 24  # bytes of an order: some million ranks
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def asked(file: Path, machine: Path | None, *, renumber: bool) -> WorldOrder:
    """Return the order of a file.

    Args:
        file: a profile, a matrix of messages, or an order as Cray MPICH reads it.
        machine: a machine.json; None = the nodes and processors of the ranks.
        renumber: see `given`.

    Raises:
        RankwiseError: the file is none of these, or the options do not go together.
    """
    order = _order_in(file)
    if order is not None:
        if machine is not None:
            raise RankwiseError(f"{file} is an order, which needs no machine: remove --machine")
        return given(order, renumber=renumber)
    if renumber:
        raise RankwiseError(
            "--renumber needs the new ranks before MPI_Init: give --place an order, which "
            "`rankwise map --launcher cray` writes"
        )
    described = reorder.asked(reorder=True, machine=machine)
    with opened_messages(file) as opened:
        traffic = run_traffic(opened.connection).traffic
    columns = (
        np.asarray(traffic.bytes, np.float64).tobytes(),
        np.asarray(traffic.source, np.int32).tobytes(),
        np.asarray(traffic.destination, np.int32).tobytes(),
    )
    return by_traffic(
        traffic.ranks, len(np.asarray(traffic.source)), columns, described.machine if described else ""
    )


def _order_in(file: Path) -> list[int] | None:
    """Read MPICH_RANK_ORDER: the new ranks of the processes in the order of their ranks, A-B for several.

    Returns:
        None: it is another file.

    Raises:
        RankwiseError: it consists of ranks, but not each once, and can't be a matrix either.
    """
    try:
        if not file.is_file() or file.stat().st_size > _LONGEST:
            return None
        text = file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    lines = [line.split("#")[0] for line in text.splitlines()]
    order: list[int] = []
    for word in " ".join(lines).replace(",", " ").split():
        match = _RANGE.fullmatch(word)
        if not match or len(word) > 20:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last <= _LONGEST:
            return None
        order += range(first, last + 1)
    if not order or sorted(order) == list(range(len(order))):
        return order or None
    rows = [line.replace(",", " ").split() for line in lines if line.strip()]
    if all(len(row) == len(rows) for row in rows):  # a matrix of messages
        return None
    raise RankwiseError(f"{file} is no order: it does not contain each rank from 0 to {len(order) - 1} once")
