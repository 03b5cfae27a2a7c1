"""The places of the ranks, now or when they ended, and the ranks that they wait for."""

from __future__ import annotations

from rankwise.analysis.last_calls import PlaceRow
from rankwise.render.terminal.tables import TextColumn, label
from rankwise.text.last_calls import held_text, place_text


def place_columns(head: str) -> list[TextColumn[PlaceRow]]:
    """Return the columns of a table of places; `head` says whether they are or were there."""
    return [
        label("ranks", lambda row: f"{row.ranks}"),
        TextColumn("n", lambda row: str(row.count), right=True),
        label(head, place_text),
        TextColumn("for", held_text, right=True),
        label("missing", lambda row: row.missing or "-"),
    ]
