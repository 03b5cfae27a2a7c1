"""Traits of calls that rule out some algorithms: operations and buffers."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from rankwise.records import dataclass


@dataclass(frozen=True)
class CallTraits:
    """What calls of one blocking collective on one communicator have had, any of them on any process.

    Attributes:
        not_commutative: an operation that is not commutative.
        rounds: an operation on numbers with a fraction, or of the program's own: its result may depend on the
            order of the operands.
        in_place: MPI_IN_PLACE.
    """

    not_commutative: bool
    rounds: bool
    in_place: bool


def traits(connection: sqlite3.Connection) -> Mapping[tuple[int, int], CallTraits]:
    """Return the traits of collectives by ids of communicator and procedure.

    One that is not there is not known: everything has to be thought possible.
    """
    rows = connection.execute(
        "SELECT communicator, procedure, not_commutative, rounds, in_place FROM collective_traits"
    )
    return {
        (communicator, procedure): CallTraits(*map(bool, values)) for communicator, procedure, *values in rows
    }
