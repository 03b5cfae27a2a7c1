"""The call sites of a finding, and the callers, if the calls are in a library."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from rankwise.analysis.calls.bins import OTHER
from rankwise.analysis.calls.paths import callers_of
from rankwise.analysis.calls.sites import heaviest_place
from rankwise.findings.finding import Fact
from rankwise.records import dataclass
from rankwise.text.paths import callers_text, place_text

_MOSTLY = 50.0  # percent of the time at the place: then the title names the caller


@dataclass(frozen=True)
class Where:
    """A place in words.

    Attributes:
        text: for a title, in brackets and with a space before it; '' = unknown.
        facts: for the evidence.
    """

    text: str = ""
    facts: Sequence[Fact] = ()


def where(
    connection: sqlite3.Connection,
    procedures: Collection[str],
    family: str = "",
    bins: tuple[int, int] = (0, OTHER),
) -> Where:
    """Return the place where most of the time in some calls is spent, as `heaviest_place`."""
    place = heaviest_place(connection, procedures, family, bins)
    if place is None:
        return Where()
    callers = callers_of(connection, place, procedures)
    if not callers:
        return Where(f" ({place.name})")
    first = callers[0]
    by = f", called by {place_text(first.frame)}" if first.share.low >= _MOSTLY else ""
    return Where(f" ({place.name}{by})", [Fact(f"{place.name} is called by", callers_text(callers))])
