"""The sizes from which messages are sent another way, and better ones for a program's messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankwise.text.units import exact_byte_range_text
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.message_sizes import MessageSize
from rankwise.tuning.parameters.parameter import Parameter

LARGEST_EAGER = 1 << 20
"""Bytes, the largest proposed size of a message that is sent at once."""
LEAST_EAGER = 1 << 10
"""Bytes, the smallest limit to consider if the present one is unknown."""

_UCX = "UCX_RNDV_THRESH"
_HEADER = 64
"""Bytes, more than any btl's header: its eager limit includes them."""

_LEAST_SHARE = 0.02  # of the messages' time, for a size to get a value
_MOST_VALUES = 3


@dataclass(frozen=True)
class Sent:
    """The program's point-to-point messages.

    Attributes:
        layers: through which the library sends them.
        sizes: of the messages.
        between_nodes: share of their bytes that leaves its node.
        buffered: bytes of the largest message that was seen to be sent at once; None: unknown.
        mpi_seconds: inside MPI, averaged over ranks.
    """

    layers: Layers
    sizes: Sequence[MessageSize]
    between_nodes: float
    buffered: int | None
    mpi_seconds: float

    @property
    def within_node(self) -> float:
        """Share of the bytes that stays on its node."""
        return 1 - self.between_nodes


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A parameter for the size up to which messages are sent at once.

    Attributes:
        name: as the library calls it.
        variable: that sets it.
        present: its value; smaller messages are not affected.
        most: largest value.
        control: see Parameter.
        shown: the present value for people; None = `present`.
        needs: see Parameter.
    """

    name: str
    variable: str
    present: int
    most: int = LARGEST_EAGER
    control: str = ""
    shown: str | None = None
    needs: Mapping[str, tuple[str | None, ...]] | None = None


def limit_for(size: int) -> int:
    """Return the smallest power of two that includes a message of this size and its header."""
    return int(1 << (size + _HEADER - 1).bit_length())


def raised(limit: Limit, sent: Sent, share: float) -> Iterable[Parameter]:
    """Propose larger limits that would include messages just above the present one.

    Args:
        limit: as it is.
        sent: the messages.
        share: of their bytes that the limit applies to.
    """
    sizes = sent.sizes
    over = [
        size for size in sizes if limit.present < size.bytes + _HEADER and limit_for(size.bytes) <= limit.most
    ]
    values = _most_time([(limit_for(size.bytes), size.seconds) for size in over], sizes)
    if not values or share <= 0:
        return
    covered = [size for size in over if limit_for(size.bytes) <= max(values)]
    yield Parameter(
        name=limit.name,
        variable=limit.variable,
        values=(None, *map(str, values)),
        why=_why(covered, "too large to be sent at once (eager)"),
        expected_seconds=share * sum(size.seconds for size in covered),
        shows="variable",
        control=limit.control,
        present=str(limit.present) if limit.shown is None else limit.shown,
        needs=limit.needs or {},
    )


def rendezvous(sent: Sent, needs: Mapping[str, tuple[str | None, ...]] | None = None) -> Iterable[Parameter]:
    """Propose sizes from which UCX sends by rendezvous, above and below the messages'; its default is auto.

    Args:
        sent: the messages.
        needs: see Parameter.
    """
    sizes, buffered = sent.sizes, sent.buffered
    near = [size for size in sizes if LEAST_EAGER <= size.bytes <= LARGEST_EAGER]
    above = [
        (limit_for(size.bytes), size.seconds) for size in near if buffered is None or size.bytes > buffered
    ]
    below = [(1 << (size.bytes.bit_length() - 1), size.seconds) for size in near]
    values = sorted({*_most_time(above, sizes, 2), *_most_time(below, sizes, 2)})
    if not values:
        return
    yield Parameter(
        name=_UCX,
        variable=_UCX,
        values=(None, *map(str, values)),
        why=_why(near, "of a size at which either protocol, eager or rendezvous, may be faster"),
        expected_seconds=sum(size.seconds for size in near),
        present="auto",
        needs=needs or {},
    )


def _most_time(
    limits: Sequence[tuple[int, float]], sizes: Sequence[MessageSize], most: int = _MOST_VALUES
) -> list[int]:
    """Return the limits that affect the most time, ascending, without those that affect next to none."""
    together: dict[int, float] = {}
    for limit, seconds in limits:
        together[limit] = together.get(limit, 0.0) + seconds
    least = _LEAST_SHARE * sum(size.seconds for size in sizes)
    significant = [limit for limit, seconds in together.items() if seconds > 0 and seconds >= least]
    return sorted(sorted(significant, key=lambda limit: -together[limit])[:most])


def _why(sizes: Sequence[MessageSize], what: str) -> str:
    between = exact_byte_range_text(sizes[0].bytes, sizes[-1].bytes)
    return f"{sum(size.messages for size in sizes)} messages of {between} are {what}"
