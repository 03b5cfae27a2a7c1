"""Where ranks are, or were when they ended, in words."""

from __future__ import annotations

from rankwise.analysis.last_calls import PlaceRow
from rankwise.profile.join.waiting import ANY, SEVERAL
from rankwise.text.units import second_text

_ALIKE = 0.02  # two times that differ by less, of the longer one, are shown as one
_WHO = {ANY: "any", SEVERAL: "several"}


def place_text(row: PlaceRow) -> str:
    """Return `MPI_Recv on W from 2, tag 7`, `polls MPI_Test on W`, `outside of MPI`."""
    if row.procedure is None:
        return {"outside": "outside of MPI", "starting": "MPI_Init"}.get(row.state, row.state)
    on = f" on {row.communicator}" if row.communicator else ""
    polls = "polls " if row.state == "polling" else ""
    return f"{polls}{row.procedure}{on}{_partners(row)}"


def _partners(row: PlaceRow) -> str:
    parts = [
        f"{preposition} {_WHO.get(who, who)}" + ("" if tag is None or tag == ANY else f", tag {tag}")
        for preposition, who, tag in (
            ("to", row.destination, row.destination_tag),
            ("from", row.source, row.source_tag),
        )
        if who is not None
    ]
    return f" {'; '.join(parts)}" if parts else ""


def held_text(row: PlaceRow) -> str:
    """Return for how long they have been there; of several from the last to the first that came."""
    if row.seconds_min is None or row.seconds_max is None:
        return "-"
    if row.seconds_max - row.seconds_min <= _ALIKE * row.seconds_max:
        return second_text(row.seconds_max)
    return f"{second_text(row.seconds_min)} - {second_text(row.seconds_max)}"
