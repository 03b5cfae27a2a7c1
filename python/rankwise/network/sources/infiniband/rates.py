"""The rate of an InfiniBand link, from the tools' words for its width and speed."""

from __future__ import annotations

import math

_LANE_GBIT = {
    "SDR": 2.5 * 8 / 10,
    "DDR": 5 * 8 / 10,
    "QDR": 10 * 8 / 10,
    "FDR10": 10.3125 * 64 / 66,
    "FDR": 14.0625 * 64 / 66,
    "EDR20": 20.625 * 64 / 66,
    "EDR": 25.78125 * 64 / 66,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
"""Data, Gbit/s a lane. InfiniBand Architecture Specification, volume 2: SDR to QDR send 8 bits as 10, FDR10
to EDR 64 as 66; later speeds are named by their data rate, without FEC."""

_ALSO = {
    "2.5": "SDR",
    "5": "DDR",
    "5.0": "DDR",
    "10": "QDR",
    "10.0": "QDR",
    "14": "FDR",
    "14.0625": "FDR",
    "25": "EDR",
    "25.78125": "EDR",
    "50": "HDR",
    "53.125": "HDR",
    "100": "NDR",
    "106.25": "NDR",
    "200": "XDR",
    "212.5": "XDR",
}
"""Speeds by number: the signalling rate of a lane, in full or cut."""

_WIDTHS = {f"{lanes}x": lanes for lanes in (1, 2, 4, 8, 12)}


def rate_of(width: str, speed: str) -> float:
    """Return bytes per second of data in one direction; nan if a word is unknown.

    Args:
        width: such as 4x.
        speed: such as EDR, 25, FDR10, 14.0625.
    """
    lanes = width_of(width) or math.nan
    return lanes * _LANE_GBIT.get(_ALSO.get(speed, speed.upper()), math.nan) * 1e9 / 8


def width_of(width: str) -> int:
    """Return the number of lanes; 0 if the word is unknown.

    Args:
        width: such as 4x.
    """
    return _WIDTHS.get(width.lower(), 0)
