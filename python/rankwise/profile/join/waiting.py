"""Data of a waiting process; a separate module, as the others take time to load."""

from __future__ import annotations

from typing import NamedTuple

ANY = -1
"""In place of a rank: MPI_ANY_SOURCE; of a tag: MPI_ANY_TAG."""
SEVERAL = -2
"""In place of a rank: several requests wait for several ranks."""

ALL = -1
"""In place of a rank: not all that the other one has sent, or received, is known."""

POLLS_S = 0.5
"""Seconds from a polling call to the end within which a rank is taken to have polled up to its end."""


class Partner(NamedTuple):
    """The rank that a call waits for.

    Attributes:
        rank: in MPI_COMM_WORLD, or ANY, SEVERAL.
        tag: of the message, or ANY; None = not known, or not the same of all.
    """

    rank: int
    tag: int | None


class OpenMessage(NamedTuple):
    """One row of the profile's table `open_messages`, in the order of its columns.

    Attributes:
        source: world rank, or ALL.
        destination: world rank, or ALL.
        communicator: its id in the profile; None with ALL.
        tag: None with ALL.
        sent: None = not known.
        received: counts receives that wait, too; None = not known.
    """

    source: int
    destination: int
    communicator: int | None
    tag: int | None
    sent: int | None
    received: int | None
