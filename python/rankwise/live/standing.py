"""Why a running job hangs, if it does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from rankwise.analysis.calls.places import Place as Source
from rankwise.analysis.hangs.find import find_hang
from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.hangs.waits import FOR_ALL, STARTED_FOR_ALL, Counts, Standing
from rankwise.analysis.last_calls import INSIDE, Place
from rankwise.live.difference import Difference
from rankwise.live.process import Process
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.communicators import CommunicatorTable
from rankwise.profile.join.objects import Object
from rankwise.profile.join.open_messages import open_messages
from rankwise.profile.join.sites import UNKNOWN, Site, Sites, with_sources

STILL_S = 5.0
"""Least seconds of all involved ranks in one place, as counters are read one after another."""

_COUNTED = {
    procedure.id: procedure.name for procedure in PROCEDURES if procedure.name in FOR_ALL | STARTED_FOR_ALL
}


def hang_now(
    members: Mapping[int, Process],
    places: Mapping[int, Place],
    communicators: Mapping[int, str],
    communicator_table: CommunicatorTable,
    sites: Sites,
    whole: Difference,
    directory: str,
    started_ns: int,
) -> Hang | None:
    """Return why a world hangs; None if it does not, or only for a short time.

    Args:
        members: processes by rank.
        places: of its ranks.
        communicators: members of each, compact, by their id.
        communicator_table: its communicators.
        sites: its call sites.
        whole: its calls and messages from its start.
        directory: in which the job was started.
        started_ns: start of the job, nanoseconds since 1970.
    """
    if not any(place.state == INSIDE and (place.seconds or 0.0) >= STILL_S for place in places.values()):
        return None
    counters = {rank: process.counters for rank, process in members.items()}
    standing = Standing(
        places,
        communicators,
        _counts(whole),
        open_messages(counters, communicator_table),
        ended=frozenset(),
        threaded=frozenset(
            rank for rank, process in counters.items() if (process.threads["alive"] != 0).sum() > 1
        ),
        vague=frozenset(rank for rank, process in counters.items() if any(process.header.dropped)),
    )
    names = {row.id: row.name for row in communicator_table.rows}
    hang = find_hang(
        standing, names, lambda rank: _site(rank, members.get(rank), sites, directory, started_ns)
    )
    return hang if hang and (hang.seconds or 0.0) >= STILL_S else None


def _counts(whole: Difference) -> Counts:
    counts: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)
    rows = np.flatnonzero(np.isin(whole.procedure, list(_COUNTED)))
    columns = (whole.rank, whole.communicator, whole.procedure, whole.calls)
    for rank, communicator, procedure, calls in zip(
        *(column[rows].tolist() for column in columns), strict=True
    ):
        counts[communicator, _COUNTED[procedure]][rank] = int(calls)
    return counts


def _site(rank: int, process: Process | None, sites: Sites, directory: str, started_ns: int) -> str:
    """Return the place in the source of the call that a rank is in."""
    if process is None or not process.calls_open:
        return ""
    index = part(np.array([process.calls_open[0].thread["inside_key"]], np.uint64), "CALLS", "SITE")
    number = int(sites.ids_of(rank, index)[0])
    if number == UNKNOWN:
        return ""
    site = sites.rows[number - 1]
    return _name(site.offset, sites.object_of(number), sites.files[site.object - 1], directory, started_ns)


@lru_cache(maxsize=256)
def _name(offset: int, where: Object, file: str, directory: str, started_ns: int) -> str:
    """Return the shortest name of a place, from the debug information, read once."""
    alone = Sites([where._replace(id=1)], [Site(1, 1, offset)], {}, [file])
    [row] = with_sources(alone, directory, started_ns).rows
    return Source(path=where.path, function=row.function, file=row.file, line=row.line, offset=offset).name
