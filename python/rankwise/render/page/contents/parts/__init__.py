"""The parts of a run in a report, one file each: a function `NAME_data(of)` in NAME.py, as a page shows it.

docs/develop/adding-a-page.md shows how to add one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

from rankwise.render.page.contents.subject import Subject


def _in_web(name: str) -> str:
    """Return the name of a part as in web/src: `timeLine` for time_line."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def parts_data(of: Subject) -> dict[str, Any]:
    """Return all parts of a run by their names, each as web/src/NAME/contract.ts declares it."""
    made: dict[str, Any] = {}
    for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        data: Callable[[Subject], dict[str, Any]] = getattr(
            importlib.import_module(f"{__name__}.{module}"), f"{module}_data"
        )
        made[_in_web(module)] = data(of)
    return made
