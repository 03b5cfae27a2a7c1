"""Which parameters may make the program faster, from its profile and what its MPI library sends by."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from rankwise.analysis.messages.locality import locality
from rankwise.analysis.messages.sends import buffering
from rankwise.tuning.parameters.binding_proposals import binding
from rankwise.tuning.parameters.known_names import OPEN_MPI
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.message_sizes import MessageSize, message_sizes
from rankwise.tuning.parameters.parameter import Parameter

_WITHIN_NODE = ("sm", "vader")
_BETWEEN_NODES = ("tcp", "ofi", "uct", "openib", "usnic", "ugni", "portals4")
_CELL = "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE"
_CELL_FITS = ("MPIR_CVAR_CH4_PACK_BUFFER_SIZE", "MPIR_CVAR_CH4_AM_PACK_BUFFER_SIZE")  # MPICH 5; 4
_OFI = ("MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD", "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE")  # MPICH 5; 4
_INTEL_CELL, _INTEL_CONTROL = "I_MPI_SHM_CELL_FWD_SIZE", "MPIR_CVAR_INTEL_SHM_CELL_FWD_SIZE"
_UCX = "UCX_RNDV_THRESH"
_PML = f"{OPEN_MPI}pml"

ASKED = (
    *(
        f"btl_{btl}_{what}"
        for btl in _WITHIN_NODE + _BETWEEN_NODES
        for what in ("eager_limit", "max_send_size")
    ),
    *("pml", _CELL, *_CELL_FITS, *_OFI, _INTEL_CONTROL),
)
"""Variables of MPI_T whose values have to be known: to be given to Asker.ask."""

_HEADER = 64
"""Bytes, more than any btl puts before a message: its eager limit counts them."""

_LARGEST_EAGER = 1 << 20
_LEAST_UCX = 1 << 10
_LEAST_SHARE = 0.02  # of the time with messages, for a size to be worth a value
_MOST_VALUES = 3


def propose(connection: sqlite3.Connection, layers: Layers) -> list[Parameter]:
    """Return the parameters worth a race, the one with the most to gain first.

    Args:
        connection: the profile.
        layers: asked for ASKED.
    """
    sizes = message_sizes(connection)
    where = locality(connection)
    off = where.off_node_percent_of_message_bytes / 100
    label = layers.version.label
    found = [*_point_to_point_layer(connection, layers)]
    if layers.pml == "ob1":
        found += _of_btls(sizes, layers, 1 - off, _WITHIN_NODE)
        found += _of_btls(sizes, layers, off, _BETWEEN_NODES)
    if "ucx" in (layers.pml, layers.netmod):
        found += _of_ucx(sizes, layers, buffering(connection).largest_buffered)
    if layers.netmod == "ofi" and label != "Intel MPI":
        found += _of_ofi(sizes, layers, off)
    if label in ("MPICH", "Cray MPICH"):
        found += _of_cells(sizes, layers, 1 - off)
    if label == "Intel MPI":
        found += _of_intel(sizes, layers, 1 - off)
    found += binding(connection, layers)
    return sorted((one for one in found if one.expected_seconds > 0), key=lambda one: -one.expected_seconds)


def limit_for(size: int) -> int:
    """Return the least power of two that a message of this size fits under, with its header."""
    return int(1 << (size + _HEADER - 1).bit_length())


def _point_to_point_layer(connection: sqlite3.Connection, layers: Layers) -> Iterable[Parameter]:
    """Open MPI's other layers that are there: those of which it has registered variables."""
    if not layers.pml:
        return
    there = [
        name
        for name in ("ob1", "ucx")
        if name != layers.pml
        and (name == "ob1" or any(one.startswith(f"pml_{name}_") for one in layers.names))
    ]
    (seconds,) = connection.execute("SELECT AVG(mpi) FROM ranks").fetchone()
    if there:
        why = f"all messages go by pml {layers.pml}, and there are others"
        yield Parameter("pml", _PML, (None, *there), why, seconds or 0.0, "pml", present=layers.pml)


def _of_btls(
    sizes: Sequence[MessageSize], layers: Layers, share: float, btls: Sequence[str]
) -> Iterable[Parameter]:
    """Eager limits of those that are in use, up to the size in which they send what is longer."""
    for btl in (one for one in btls if one in layers.btls):
        name = f"btl_{btl}_eager_limit"
        present = int(layers.values.get(name, 0))
        most = int(layers.values.get(f"btl_{btl}_max_send_size", 0)) or _LARGEST_EAGER
        if present:
            yield from _raised(sizes, share, name, OPEN_MPI + name, present, most)


def _of_cells(sizes: Sequence[MessageSize], layers: Layers, share: float) -> Iterable[Parameter]:
    present = int(layers.values.get(_CELL, 0))
    fits = [int(layers.values[name]) for name in _CELL_FITS if name in layers.values]
    if present and fits:  # MPICH does not start if a cell is larger than these
        yield from _raised(sizes, share, _CELL, _CELL, present, min(fits))


def _of_intel(sizes: Sequence[MessageSize], layers: Layers, share: float) -> Iterable[Parameter]:
    """Cells of shared memory; their size now is not told."""
    if _INTEL_CONTROL in layers.names:
        least = 16 << 10
        yield from _raised(sizes, share, _INTEL_CELL, _INTEL_CELL, least, _LARGEST_EAGER, _INTEL_CONTROL)


def _of_ofi(sizes: Sequence[MessageSize], layers: Layers, share: float) -> Iterable[Parameter]:
    name = next((one for one in _OFI if one in layers.names), "")
    if name:
        yield from _raised(sizes, share, name, name, _LEAST_UCX, _LARGEST_EAGER, told="")


def _raised(
    sizes: Sequence[MessageSize],
    share: float,
    name: str,
    variable: str,
    present: int,
    most: int,
    control: str = "",
    told: str | None = None,
) -> Iterable[Parameter]:
    """A limit that messages just above it would fit under.

    Args:
        sizes: of all messages.
        share: of their bytes that go where the limit counts.
        name: of the parameter.
        variable: that sets it.
        present: value; messages that fit under it stay as they are.
        most: that it may have.
        control: see Parameter.
        told: the present value for people; None = that.
    """
    over = [one for one in sizes if present < one.bytes + _HEADER and limit_for(one.bytes) <= most]
    values = _worth([(limit_for(one.bytes), one.seconds) for one in over], sizes)
    if not values or share <= 0:
        return
    covered = [one for one in over if limit_for(one.bytes) <= max(values)]
    yield Parameter(
        name,
        variable,
        (None, *map(str, values)),
        _why(covered, "too large to be sent at once (eager)"),
        share * sum(one.seconds for one in covered),
        "variable",
        control,
        str(present) if told is None else told,
        needs={_PML: (None,)} if variable.startswith(OPEN_MPI) else {},
    )


def _of_ucx(sizes: Sequence[MessageSize], layers: Layers, buffered: int | None) -> Iterable[Parameter]:
    """The size from which it sends by rendezvous, which it finds itself: above messages, and below them."""
    near = [one for one in sizes if _LEAST_UCX <= one.bytes <= _LARGEST_EAGER]
    above = [(limit_for(one.bytes), one.seconds) for one in near if buffered is None or one.bytes > buffered]
    below = [(1 << (one.bytes.bit_length() - 1), one.seconds) for one in near]
    values = sorted({*_worth(above, sizes, 2), *_worth(below, sizes, 2)})
    if not values:
        return
    yield Parameter(
        _UCX,
        _UCX,
        (None, *map(str, values)),
        _why(near, "of a size at which either protocol, eager or rendezvous, may be the faster one"),
        sum(one.seconds for one in near),
        present="auto",
        needs={_PML: (None,)} if layers.pml else {},
    )


def _worth(
    limits: Sequence[tuple[int, float]], sizes: Sequence[MessageSize], most: int = _MOST_VALUES
) -> list[int]:
    """Return the limits that stand for the most time, ascending; none that stands for next to nothing."""
    together: dict[int, float] = {}
    for limit, seconds in limits:
        together[limit] = together.get(limit, 0.0) + seconds
    least = _LEAST_SHARE * sum(one.seconds for one in sizes)
    worth = [limit for limit, seconds in together.items() if seconds > 0 and seconds >= least]
    return sorted(sorted(worth, key=lambda limit: -together[limit])[:most])


def _why(sizes: Sequence[MessageSize], what: str) -> str:
    low, high = sizes[0].bytes, sizes[-1].bytes
    between = f"{low} B" if low == high else f"{low} to {high} B"
    return f"{sum(one.messages for one in sizes)} messages of {between} are {what}"
