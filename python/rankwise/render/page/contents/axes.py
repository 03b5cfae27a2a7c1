"""The axes of a report's numbers: ranks, communicators, procedures, sizes, regions, sites."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.calls.communicators import communicators
from rankwise.analysis.calls.families import families
from rankwise.analysis.calls.places import Place, places_of_sites
from rankwise.analysis.calls.regions import OTHER
from rankwise.render.page.container import Container
from rankwise.render.page.contents.site_names import site_names
from rankwise.text.names import call_name, name_and_role
from rankwise.text.safe import safe
from rankwise.text.units import bin_text

_MOST_COMMUNICATORS = 1000
_OUTSIDE = "outside of regions"

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Axes:
    """The axes of a report, and the index on each axis of the profile's numbers.

    Attributes:
        ranks: size of MPI_COMM_WORLD.
        hosts: names, in the order of their first ranks.
        host_of: shape (ranks,): index into hosts; their number if the host is unknown.
        communicators: names, most time first: of each communicator, or, if there are very many, of each
            family.
        each: whether each communicator has its own index.
        communicator_of: id in the profile → index.
        procedure_of: id in the profile → index.
        size_of: size bin → index.
        region_of: id in the profile → index.
        places: that call MPI; the first: unknown.
        site_of: id of a site, None = unknown → index of its place.
        data: of the page, as web/src/contract.ts declares it.
    """

    ranks: int
    hosts: list[str]
    host_of: NDArray[np.int64]
    communicators: list[str]
    each: bool
    communicator_of: dict[int, int]
    procedure_of: dict[int, int]
    size_of: dict[int, int]
    region_of: dict[int, int]
    places: list[Place]
    site_of: dict[int | None, int]
    data: dict[str, Any]


class _Listed(NamedTuple):
    """A communicator or family on the axis."""

    name: str
    label: str
    family: str
    parent: str | None


def axes(connection: sqlite3.Connection, container: Container) -> Axes:
    """Return the axes of a profile; their numbers go into the container."""
    (ranks,) = connection.execute("SELECT ranks_expected FROM run").fetchone()
    hosts, host_of = _hosts(connection, ranks)
    listed, each, communicator_of = _communicators(connection)
    names = [row.name for row in listed]
    procedures = connection.execute("SELECT id, name, class FROM procedures ORDER BY name").fetchall()
    sizes = [size for (size,) in connection.execute("SELECT DISTINCT size_bin FROM calls ORDER BY size_bin")]
    regions = connection.execute(
        "SELECT id, name, parent, path FROM regions"
        " WHERE id != ? OR EXISTS (SELECT 1 FROM calls WHERE region = ?) ORDER BY path, id",
        (OTHER, OTHER),  # there in each profile, for calls that had no room elsewhere
    ).fetchall()
    region_of = _numbered(region for region, *_ in regions)
    places, site_of = _places(connection)
    column = container.column
    data = {
        "ranks": ranks,
        "hosts": _safe(hosts),
        "hostOf": column(host_of),
        "communicators": {
            "each": each,
            "name": _safe(names),
            "label": _safe(row.label for row in listed),
            "family": _safe(row.family for row in listed),
            "parent": column([names.index(row.parent) if row.parent in names else -1 for row in listed]),
        },
        "procedures": {
            "name": _safe(call_name(name) for _, name, _ in procedures),
            "class": [kind for *_, kind in procedures],
            "apart": column([kind == "environment" for *_, kind in procedures]),
        },
        "sizes": [bin_text(size) for size in sizes],
        "regions": {
            "name": _safe(path or name if region else _OUTSIDE for region, name, _, path in regions),
            "parent": column([region_of.get(parent, -1) for _, _, parent, _ in regions]),
        },
        "sites": site_names(places),
    }
    return Axes(
        ranks=ranks,
        hosts=hosts,
        host_of=host_of,
        communicators=names,
        each=each,
        communicator_of=communicator_of,
        procedure_of=_numbered(procedure for procedure, *_ in procedures),
        size_of=_numbered(sizes),
        region_of=region_of,
        places=places,
        site_of=site_of,
        data=data,
    )


def _hosts(connection: sqlite3.Connection, ranks: int) -> tuple[list[str], NDArray[np.int64]]:
    rows = connection.execute("SELECT rank, host FROM ranks ORDER BY rank").fetchall()
    numbers = _numbered(dict.fromkeys(host for _, host in rows))
    host_of = np.full(ranks, len(numbers), np.int64)
    for rank, host in rows:
        host_of[rank] = numbers[host]
    return list(numbers), host_of


def _communicators(connection: sqlite3.Connection) -> tuple[list[_Listed], bool, dict[int, int]]:
    rows = connection.execute("SELECT id, name, family FROM communicators ORDER BY id").fetchall()
    each = len(rows) <= _MOST_COMMUNICATORS
    if each:
        listed = [
            _Listed(row.name, name_and_role(row), row.family, row.parent) for row in communicators(connection)
        ]
        names = {key: name for key, name, _ in rows}
    else:
        listed = [
            _Listed(row.family, name_and_role(row), row.family, row.parent) for row in families(connection)
        ]
        names = {key: family for key, _, family in rows}
    # Without a call, (none), (several) and (other) are in no list, but messages may be on them.
    known = {row.name for row in listed}
    listed += [_Listed(name, name, name, None) for name in dict.fromkeys(names.values()) if name not in known]
    numbers = _numbered(row.name for row in listed)
    return listed, each, {key: numbers[name] for key, name in names.items()}


def _places(connection: sqlite3.Connection) -> tuple[list[Place], dict[int | None, int]]:
    """Return the places that call MPI, the unknown one first, and the index of each site."""
    place_of = places_of_sites(connection)
    numbers = _numbered(dict.fromkeys([Place(), *place_of.values()]))
    return list(numbers), {None: 0, **{site: numbers[place] for site, place in place_of.items()}}


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    return {key: number for number, key in enumerate(keys)}


def _safe(texts: Iterable[str]) -> list[str]:
    return [safe(text, "utf-8") for text in texts]
