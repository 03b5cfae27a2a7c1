"""Texts for call paths: how calls reach the places that make them."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.paths import CUT, MORE, PYTHON, UNKNOWN, Caller, Frame, PathRow, Share
from rankwise.text.units import percent_text, share_error_text

NOT_KNOWN = "(not known)"
CALLED_BY = " < "
_MAIN = ("main", "MAIN__")
_ENDS = {MORE: "...", CUT: "?", PYTHON: "(Python)", UNKNOWN: NOT_KNOWN}


def way_text(row: PathRow) -> str:
    """Return the functions that a call comes through, from the inside out: `reduce < solve < main`."""
    more = _ENDS.get(row.ends)
    return CALLED_BY.join([*row.functions, *([more] if more else [])])


def share_text(share: Share, decimals: int = 1) -> str:
    """Return a share with its error, in percent: `60.2 +- 1.3`."""
    return f"{percent_text(share.percent, decimals)}{error_text(share, decimals)}"


def error_text(share: Share, decimals: int = 1) -> str:
    """Return what follows a share: its error, nothing where the share is exact."""
    return share_error_text(share.percent, share.low, share.high, decimals)


def short_place_text(place: Frame) -> str:
    """Return the function that a place is in; in the main program, which is long, the place itself."""
    return place.function if place.function and place.function not in _MAIN else place.name


def place_text(place: Frame) -> str:
    """Return a place with the function that it is in: `solve, solver.c:12`."""
    return (
        f"{place.function}, {place.name}" if place.function and place.file else place.function or place.name
    )


def callers_text(callers: Sequence[Caller], most: int = 3) -> str:
    """Return who calls a place, with their shares of its time: `solve, solver.c:12 (60.2 +- 1.3 %); ...`."""
    texts = [f"{place_text(caller.frame)} ({share_text(caller.share)} %)" for caller in callers[:most]]
    return "; ".join(texts) + (f"; {len(callers) - most} others" if len(callers) > most else "")
