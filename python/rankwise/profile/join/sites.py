"""Where calls were made: the objects (programs, shared libraries) of all processes, and places in them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.rows import Rows
from rankwise.profile.collect.text import text_of
from rankwise.profile.join.objects import MAIN_LIBRARY, Object, main_library
from rankwise.profile.join.own_ids import own_ids
from rankwise.profile.join.python_functions import functions
from rankwise.profile.join.source_lines import MOST_SECONDS, sources
from rankwise.records import dataclass

UNKNOWN = layout.CONSTANTS["SITE_UNKNOWN"]

_BUILD_ID_BYTES = layout.CONSTANTS["MOST_BUILD_ID_BYTES"]
_LARGEST_OFFSET = (1 << 63) - 1  # that SQLite can hold


class Site(NamedTuple):
    """One row of the profile's table `sites`, in the order of its columns."""

    id: int
    object: int
    offset: int
    function: str | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Sites:
    """The call sites of a world.

    Attributes:
        objects: in the order of their numbers, from 1.
        rows: of `sites`, in the order of their numbers.
        ids: for each rank, the number in the profile by the site's index on that process; 0 = unknown.
        frames: the functions that calls came through; rows of the profile's table `frames`.
        frame_ids: as `ids`, of frames.
        files: the paths of the objects to open them by: as `os.fsdecode` has them, with nothing replaced.
    """

    objects: list[Object]
    rows: list[Site]
    ids: dict[int, NDArray[np.int64]]
    files: list[str]
    frames: list[Site] = field(default_factory=list)
    frame_ids: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    def ids_of(self, rank: int, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Translate a process's indices; one without a record is unknown."""
        return own_ids(self.ids[rank], indices, UNKNOWN)

    def object_of(self, site: int) -> Object:
        """Return the object of a known site, by its number in the profile."""
        return self.objects[self.rows[site - 1].object - 1]


def join_sites(world: Mapping[int, Counters]) -> Sites:
    """Join the sites of the processes of a world: the same place in the same object is one.

    Args:
        world: counters by rank.
    """
    objects: dict[tuple[bytes, str, int, int], int] = {}
    rows: dict[tuple[int, int], int] = {}
    frames: dict[tuple[int, int], int] = {}
    # Most processes have the same.
    known_tables: dict[tuple[bytes, ...], tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
    ids: dict[int, NDArray[np.int64]] = {}
    frame_ids: dict[int, NDArray[np.int64]] = {}
    for rank, counters in world.items():
        key = counters.objects.tobytes(), counters.sites.tobytes(), counters.frames.tobytes()
        if key not in known_tables:
            own = [objects.setdefault(key, len(objects) + 1) for key in map(_object_key, counters.objects)]
            known_tables[key] = _numbers(counters.sites, own, rows), _numbers(counters.frames, own, frames)
        ids[rank], frame_ids[rank] = known_tables[key]
    made = [Object(number, text_of(key[0]), *key[1:]) for key, number in objects.items()]
    sites = [Site(number, *fields) for fields, number in rows.items()]
    if main := main_library(made, _calls_of(made, sites, ids, world)):
        made[main.id - 1] = main._replace(is_program=MAIN_LIBRARY)
    return Sites(
        made,
        sites,
        ids,
        [os.fsdecode(name) for name, *_ in objects],
        [Site(number, *fields) for fields, number in frames.items()],
        frame_ids,
    )


def _calls_of(
    objects: Sequence[Object],
    sites: Sequence[Site],
    ids: Mapping[int, NDArray[np.int64]],
    world: Mapping[int, Counters],
) -> list[int]:
    """Return how many calls each object makes, summed over the ranks."""
    at = np.zeros(len(sites) + 1, np.int64)
    for rank, counters in world.items():
        own = counters.calls_at[: len(ids[rank])]
        np.add.at(at, ids[rank][: len(own)], own)
    calls = [0] * (len(objects) + 1)
    for site, number in zip(sites, at[1:].tolist(), strict=True):
        calls[site.object] += number
    return calls[1:]


def with_sources(sites: Sites, directory: str, started_ns: int) -> Sites:
    """Find out which lines of the source the sites and frames are, where their files are at hand.

    Args:
        sites: of a world.
        directory: that the job was started in.
        started_ns: when its first process was started, nanoseconds since 1970.
    """
    deadline = time.monotonic() + MOST_SECONDS
    rows = [*sites.rows, *sites.frames]
    for library, file in zip(sites.objects, sites.files, strict=True):
        here = [place for place, site in enumerate(rows) if site.object == library.id]
        path = Path(directory) / file
        if library.is_python:
            names = functions(path, [rows[place].offset for place in here], deadline, started_ns)
            for place, function in zip(here, names, strict=True):
                rows[place] = rows[place]._replace(
                    function=function, file=library.path, line=rows[place].offset
                )
            continue
        # A program may have left its directory before it opened a library: it takes a build id to tell.
        if not library.build_id and not library.path.startswith("/"):
            continue
        # (The call is before the address that it returns to, which may be in another function.)
        addresses = [rows[place].offset - 1 for place in here]
        resolved = sources(path, library.build_id, addresses, deadline, started_ns)
        for place, source in zip(here, resolved, strict=True):
            rows[place] = rows[place]._replace(**source._asdict())
    return replace(sites, rows=rows[: len(sites.rows)], frames=rows[len(sites.rows) :])


def _object_key(record: np.void) -> tuple[bytes, str, int, int]:
    build_id = record["build_id"][: min(int(record["build_id_bytes"]), _BUILD_ID_BYTES)]
    return (
        *(record["name"].split(b"\0", 1)[0], build_id.tobytes().hex()),
        *(int(record["kind"] == layout.CONSTANTS[kind]) for kind in ("OBJECT_PROGRAM", "OBJECT_PYTHON")),
    )


def _numbers(records: Rows, own: list[int], rows: dict[tuple[int, int], int]) -> NDArray[np.int64]:
    return np.array([UNKNOWN, *(_site(record, own, rows) for record in records)], np.int64)


def _site(record: Rows, own: list[int], rows: dict[tuple[int, int], int]) -> int:
    index, offset = int(record["object"]), int(record["offset"])
    if index >= len(own) or offset > _LARGEST_OFFSET:  # damaged
        return UNKNOWN
    return rows.setdefault((own[index], offset), len(rows) + 1)
