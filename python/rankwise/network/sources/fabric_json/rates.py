"""Rates and widths of links in fabric.json; rates in the unit that has the exact value."""

from __future__ import annotations

import math

from rankwise.topology.machine.fields import Field

UNITS = {"gbit": 1e9 / 8, "mb_s": 1e6, "bytes_s": 1.0}
"""Keys, and how many bytes a second their 1 is."""
MOST_WIDTH = 12
"""Lanes of a cable."""


def rate_from(keys: dict[str, Field], default: float) -> float:
    """Return bytes per second; the default if no rate is given, nan if it is given as unknown."""
    units = [unit for unit in UNITS if unit in keys]
    if not units:
        return default
    field = keys[units[0]]
    if len(units) > 1:
        raise keys[units[1]].error(f"there is `{units[0]}` already")
    if field.value is None:
        return math.nan
    rate = field.number() * UNITS[units[0]]
    if not 0 < rate < math.inf:
        raise field.error("must be a number above 0, or null")
    return rate


def width_from(keys: dict[str, Field]) -> int:
    """Return the width of a cable; 0 if none is given."""
    return keys["width"].whole(1, MOST_WIDTH) if "width" in keys else 0


def plain_rate(rate: float) -> dict[str, float | int | None]:
    """Return the key and the value of a rate."""
    if math.isnan(rate):
        return {"gbit": None}
    for unit, scale in UNITS.items():
        value = rate / scale
        if value * scale == rate:
            return {unit: int(value) if value.is_integer() else value}
    raise AssertionError
