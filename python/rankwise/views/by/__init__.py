"""The views of a profile, one file each: a function `view(connection, detail)` that makes it."""

from __future__ import annotations

import importlib
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.views.view import Detail, View

VIEWS = (
    "communicator",
    "call",
    "site",
    "library",
    "size",
    "pair",
    "collective",
    "algorithm",
    "waiting",
    "time",
    "rank",
    "node",
    "region",
    "counter",
    "file",
)


def view(name: str, connection: sqlite3.Connection, detail: Detail) -> View:
    """Return one of `VIEWS`, with the tables and columns of the detail that is asked for."""
    made: View = importlib.import_module(f"rankwise.views.by.{name}").view(connection, detail)
    return made
