"""The tables and views of the data set in words."""

from __future__ import annotations

from typing import NamedTuple

from rankwise.centre.engines.engine import MONTH
from rankwise.centre.queries import VIEWS, view
from rankwise.centre.schema import TABLES, Type


class Described(NamedTuple):
    """A column, or a whole view.

    Attributes:
        table: the table or view.
        column: its column; '' = a view.
        type: of the column in SQL; '' = a view.
        meaning: of the column, or of a row of the view.
    """

    table: str
    column: str
    type: str
    meaning: str


def described() -> list[Described]:
    """Return the columns of all tables, and the views."""
    columns = []
    for table in TABLES:
        columns += [
            Described(table.name, column.name, column.type.value, column.meaning) for column in table.columns
        ]
        columns.append(Described(table.name, MONTH, Type.TEXT.value, "of the start, UTC: 2026-11"))
    return [*columns, *(Described(name, "", "", view(name).row) for name in VIEWS)]
