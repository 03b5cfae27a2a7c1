"""Which parameters may make the program faster, by its profile and the layers of its MPI library."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.messages.locality import locality
from rankwise.analysis.messages.sends import buffering
from rankwise.tuning.libraries import by_label, libraries
from rankwise.tuning.parameters.binding_proposals import binding
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.message_sizes import message_sizes
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.thresholds import Sent


def asked() -> tuple[str, ...]:
    """Return the variables of MPI_T whose values are needed, for Asker.ask."""
    return tuple(dict.fromkeys(name for library in libraries() for name in library.asked))


def propose(connection: sqlite3.Connection, layers: Layers) -> list[Parameter]:
    """Return the parameters worth a race, the largest possible gain first.

    Args:
        connection: the profile.
        layers: asked for `asked()`.
    """
    library = by_label(layers.version.label)
    (seconds,) = connection.execute("SELECT AVG(mpi) FROM ranks").fetchone()
    sent = Sent(
        layers,
        message_sizes(connection),
        locality(connection).off_node_percent_of_message_bytes / 100,
        buffering(connection).largest_buffered,
        seconds or 0.0,
    )
    proposals = [
        *library.proposals(sent),
        *binding(connection, layers, library.binding_variable(layers.version)),
    ]
    return sorted(
        (parameter for parameter in proposals if parameter.expected_seconds > 0),
        key=lambda parameter: -parameter.expected_seconds,
    )
