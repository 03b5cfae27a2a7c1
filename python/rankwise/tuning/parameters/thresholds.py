"""The sizes from which messages are sent in another way, and what a program's messages say for other ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankwise.text.units import exact_byte_range_text
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.message_sizes import MessageSize
from rankwise.tuning.parameters.parameter import Parameter

LARGEST_EAGER = 1 << 20
"""Bytes, the largest message that is proposed to be sent at once."""
LEAST_EAGER = 1 << 10
"""Bytes, the smallest limit that is thought of where the present one is not known."""

_UCX = "UCX_RNDV_THRESH"
_HEADER = 64
"""Bytes, more than any btl puts before a message: its eager limit counts them."""

_LEAST_SHARE = 0.02  # of the time with messages, for a size to be worth a value
_MOST_VALUES = 3


@dataclass(frozen=True)
class Sent:
    """The program's point-to-point messages.

    Attributes:
        layers: what the library sends them by.
        sizes: of them.
        between_nodes: share of their bytes that leaves its node.
        buffered: bytes of the largest message that was seen to be sent at once; None: not known.
        mpi_seconds: inside of MPI, mean over the ranks.
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
    """A parameter that says up to which size messages are sent at once.

    Attributes:
        name: as the library calls it.
        variable: that sets it.
        present: value; messages that fit under it stay as they are.
        most: that it may have.
        control: see Parameter.
        shown: the present value for people; None = that.
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
    """Return the least power of two that a message of this size fits under, with its header."""
    return int(1 << (size + _HEADER - 1).bit_length())


def raised(limit: Limit, sent: Sent, share: float) -> Iterable[Parameter]:
    """Propose a limit that messages just above it would fit under.

    Args:
        limit: as it is.
        sent: the messages.
        share: of their bytes that go where the limit counts.
    """
    sizes = sent.sizes
    over = [
        one for one in sizes if limit.present < one.bytes + _HEADER and limit_for(one.bytes) <= limit.most
    ]
    values = _worth([(limit_for(one.bytes), one.seconds) for one in over], sizes)
    if not values or share <= 0:
        return
    covered = [one for one in over if limit_for(one.bytes) <= max(values)]
    yield Parameter(
        name=limit.name,
        variable=limit.variable,
        values=(None, *map(str, values)),
        why=_why(covered, "too large to be sent at once (eager)"),
        expected_seconds=share * sum(one.seconds for one in covered),
        shows="variable",
        control=limit.control,
        present=str(limit.present) if limit.shown is None else limit.shown,
        needs=limit.needs or {},
    )


def rendezvous(sent: Sent, needs: Mapping[str, tuple[str | None, ...]] | None = None) -> Iterable[Parameter]:
    """Propose a size from which UCX sends by rendezvous, which it finds itself: above messages, and below.

    Args:
        sent: the messages.
        needs: see Parameter.
    """
    sizes, buffered = sent.sizes, sent.buffered
    near = [one for one in sizes if LEAST_EAGER <= one.bytes <= LARGEST_EAGER]
    above = [(limit_for(one.bytes), one.seconds) for one in near if buffered is None or one.bytes > buffered]
    below = [(1 << (one.bytes.bit_length() - 1), one.seconds) for one in near]
    values = sorted({*_worth(above, sizes, 2), *_worth(below, sizes, 2)})
    if not values:
        return
    yield Parameter(
        name=_UCX,
        variable=_UCX,
        values=(None, *map(str, values)),
        why=_why(near, "of a size at which either protocol, eager or rendezvous, may be faster"),
        expected_seconds=sum(one.seconds for one in near),
        present="auto",
        needs=needs or {},
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
    between = exact_byte_range_text(sizes[0].bytes, sizes[-1].bytes)
    return f"{sum(one.messages for one in sizes)} messages of {between} are {what}"
