"""Durations on the command line: 90, 0.5s, 20min, 1.5h."""

from __future__ import annotations

import argparse
import math
import re

_UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


def duration(text: str) -> float:
    """Return the seconds of a duration.

    Raises:
        ArgumentTypeError: it is none, or not above 0.
    """
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)", text.strip().lower(), re.ASCII)
    if not match or match[2] not in _UNITS:
        raise argparse.ArgumentTypeError(f"{text} is not a duration: give one such as 90s, 20min or 1.5h")
    seconds = float(match[1]) * _UNITS[match[2]]
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: give a duration above 0")
    return seconds
