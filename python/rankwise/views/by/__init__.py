"""The views of a profile, one file each: a function `view(connection, detail)` that makes it.

docs/develop/adding-a-view.md says how another one is added.
"""

from __future__ import annotations

import importlib
import pkgutil
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.views.view import Detail, View

_ORDER = (
    "communicator",
    "call",
    "site",
    "path",
    "library",
    "size",
    "pair",
    "collective",
    "algorithm",
    "waiting",
    "time",
    "rank",
    "node",
    "network",
    "region",
    "counter",
    "file",
)


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Sort names of views without importing them: most commands need one of them, or none."""
    by_name = sorted(names)
    return tuple(sorted(by_name, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER)))


VIEWS = _in_order(module.name for module in pkgutil.iter_modules(__path__))


def view(name: str, connection: sqlite3.Connection, detail: Detail) -> View:
    """Return one of `VIEWS`, with the tables and columns of the detail that is asked for."""
    made: View = importlib.import_module(f"rankwise.views.by.{name}").view(connection, detail)
    return made
