"""What a reader must know to trust a placement."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.columns import decoded_list
from rankwise.analysis.messages.traffic import RunTraffic
from rankwise.analysis.overview import trust
from rankwise.placement.mapping import Mapping


def notes(
    connection: sqlite3.Connection, run: RunTraffic, mapping: Mapping, *, machine_given: bool, inside: bool
) -> list[str]:
    """Return sentences.

    Args:
        connection: the profile.
        run: its messages.
        mapping: the placement.
        machine_given: the machine is not the one derived from the profile.
        inside: messages inside collectives are included.
    """
    said = []
    if not machine_given:
        said.append(
            "The machine is taken from the profile, which only shows which ranks share a node. "
            "--machine gives more detail."
        )
    elif mapping.present is None:
        said.append(f"There is no present placement to compare with: {mapping.absent}.")
    elif mapping.bound < len(mapping.bindings):
        loose = len(mapping.bindings) - mapping.bound
        said.append(
            f"{loose} ranks were not bound to processors: they are assumed to be in order within their nodes."
        )
    return said + profile_notes(connection, run, inside=inside)


def profile_notes(connection: sqlite3.Connection, run: RunTraffic, *, inside: bool) -> list[str]:
    """Return those sentences that hold for all machines; arguments as of `notes`."""
    said = _inside(connection) if inside else []
    if run.unplaced_messages:
        said.append(
            f"Excluded: {run.unplaced_messages} messages ({run.unplaced_bytes} bytes) from or to unknown "
            "processes."
        )
    return said


def is_complete(connection: sqlite3.Connection, run: RunTraffic, *, inside: bool) -> bool:
    """Return whether all messages of the run were counted; arguments as of `notes`."""
    return trust(connection).complete and not profile_notes(connection, run, inside=inside)


def _inside(connection: sqlite3.Connection) -> list[str]:
    """Say which messages inside collectives the profile can't have."""
    said = []
    (only,) = connection.execute("SELECT only FROM run").fetchone()
    if names := decoded_list(only):
        said.append(f"Inside collectives, only the messages of {', '.join(names)} were recorded.")
    blind, half = connection.execute(
        "SELECT TOTAL(transport_state <> 'active'),"
        " TOTAL(transport_state = 'active' AND transport_sees NOT LIKE '%within-node%') FROM ranks"
    ).fetchone()
    if blind:
        said.append(
            f"Inside collectives, the messages of {blind:.0f} ranks were not recorded: they are missing."
        )
    if half:
        said.append(
            f"Inside collectives, what {half:.0f} ranks sent within their node was not seen, so it may seem"
            " that they need not be together; record with `rankwise run --see-all`, or take --kind program."
        )
    return said
