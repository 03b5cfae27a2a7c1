"""Which parameters may make the program faster, from its profile and what its MPI library sends by."""

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
    """Return the variables of MPI_T whose values have to be known: to be given to Asker.ask."""
    return tuple(dict.fromkeys(name for library in libraries() for name in library.asked))


def propose(connection: sqlite3.Connection, layers: Layers) -> list[Parameter]:
    """Return the parameters worth a race, the one with the most to gain first.

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
    found = [*library.proposals(sent), *binding(connection, layers, library.binding_variable(layers.version))]
    return sorted((one for one in found if one.expected_seconds > 0), key=lambda one: -one.expected_seconds)
