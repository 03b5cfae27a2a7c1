"""Call sites on both sides, matched by source line: any change of the program moves addresses."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Set

from rankwise.analysis.calls.places import Place, places_of_sites
from rankwise.analysis.calls.totals import JOIN_PROCEDURES, Totals, totals_by

SiteKey = tuple[str, ...]
"""Place, function, procedure. The place is `halo.c:42`; without a line the program or library."""

_LINE = re.compile(r"(.*):(\d+)")


def site_totals(connection: sqlite3.Connection) -> dict[SiteKey, Totals]:
    """Return the calls of each site; nothing if no site is known."""
    places = places_of_sites(connection)
    if not places:
        return {}
    totals_of_sites: dict[SiteKey, Totals] = {}
    groups = totals_by(connection, "calls.site, procedures.name", JOIN_PROCEDURES)
    for (site, procedure), totals in groups:
        place = places.get(site, Place())
        key = (place.library if place.file is None else place.name, place.function or "", procedure)
        totals_of_sites[key] = totals_of_sites.get(key, Totals()) + totals
    return totals_of_sites


def moved_sites(before: Set[SiteKey], after: Set[SiteKey]) -> dict[SiteKey, SiteKey]:
    """Match sites that differ only in their line, because the source above them has changed.

    Sites of one procedure in one function that are on one side only are matched in order, if both sides have
    the same number of them.

    Returns:
        key after → key before.
    """
    early, late = _by_function(before - after), _by_function(after - before)
    return {
        new: old
        for function in early.keys() & late.keys()
        if len(early[function]) == len(late[function])
        for old, new in zip(early[function], late[function], strict=True)
    }


def _by_function(sites: Iterable[SiteKey]) -> dict[SiteKey, list[SiteKey]]:
    """Return the sites with a known line by file, function and procedure, in the order of their lines."""
    lines_of_function: dict[SiteKey, list[tuple[int, SiteKey]]] = {}
    for place, function, procedure in sites:
        if function and (line := _LINE.fullmatch(place)):
            site_lines = lines_of_function.setdefault((line[1], function, procedure), [])
            site_lines.append((int(line[2]), (place, function, procedure)))
    return {
        function: [key for _, key in sorted(site_lines)] for function, site_lines in lines_of_function.items()
    }
