"""Traits of calls that rule out some algorithms: operations and buffers."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from rankwise.records import dataclass


@dataclass(frozen=True)
class CallTraits:
    """Traits of a blocking collective on a communicator, set if any call on any process has them.

    Attributes:
        not_commutative: the operation is not commutative.
        rounds: the operation rounds or is user-defined: its result may depend on the order of the operands.
        in_place: the buffer is MPI_IN_PLACE.
    """

    not_commutative: bool
    rounds: bool
    in_place: bool


def traits(connection: sqlite3.Connection) -> Mapping[tuple[int, int], CallTraits]:
    """Return the traits of collectives by ids of communicator and procedure.

    A collective that is missing is unknown: it may have any trait.
    """
    rows = connection.execute(
        "SELECT communicator, procedure, not_commutative, rounds, in_place FROM collective_traits"
    )
    return {
        (communicator, procedure): CallTraits(*map(bool, values)) for communicator, procedure, *values in rows
    }
