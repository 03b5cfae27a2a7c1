"""Calls by call site, and by the program or library that makes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Hashable
from dataclasses import field
from typing import TypeVar

from rankwise.analysis.calls.bins import OTHER
from rankwise.analysis.calls.paths import Caller, callers
from rankwise.analysis.calls.places import Place, places_of_sites
from rankwise.analysis.calls.spread import Spread, spread
from rankwise.analysis.calls.totals import BETWEEN, JOIN_COMMUNICATORS, JOIN_PROCEDURES, Totals, totals_by
from rankwise.records import dataclass

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class SiteRow:
    """The calls of a procedure at a place.

    Attributes:
        site: the shortest name that locates it; '' = unknown.
        path: of the program or library.
        library: name of the program or library.
        is_program: whether it is the program itself.
        function: None = unknown.
        file: source file; None = unknown.
        line: in the source file; None = unknown.
        offset: in the program or library, bytes; None if the line is known.
        procedure: name.
        families: of their communicators, most time first.
        ranks: number of ranks that called it there.
        over_ranks: seconds of all ranks; 0 for ranks that never called it there.
        caller: main caller of a place in a library; None = unknown, or the place is in the program.
    """

    site: str
    path: str
    library: str
    is_program: bool
    function: str | None
    file: str | None
    line: int | None
    offset: int | None
    procedure: str
    families: list[str]
    ranks: int
    totals: Totals
    over_ranks: Spread
    caller: Caller | None


@dataclass(frozen=True)
class LibraryRow:
    """The calls that a library, or the program, makes.

    Attributes:
        library: its name; '' = unknown.
        is_program: whether it is the program itself.
        path: of its file; if several have the same name, the file with the most time.
        sites: number of places that call MPI.
        procedure: with the most time of its calls.
        ranks: number of ranks on which it calls MPI.
        over_ranks: seconds of all ranks; 0 for ranks on which it never calls MPI.
    """

    library: str
    is_program: bool
    path: str
    sites: int
    procedure: str
    ranks: int
    totals: Totals
    over_ranks: Spread


@dataclass
class _Sum:
    totals: Totals = field(default_factory=Totals)
    seconds: dict[int, float] = field(default_factory=dict)
    families: dict[str, None] = field(default_factory=dict)  # most time first, and so are places
    places: dict[Place, None] = field(default_factory=dict)
    procedures: dict[str, float] = field(default_factory=dict)


def sites(connection: sqlite3.Connection) -> list[SiteRow]:
    """Return each place and procedure, most time first; empty if no place is known."""
    everyone = _everyone(connection)
    of_places = callers(connection)
    return [
        SiteRow(
            site=place.name,
            **place._asdict(),
            procedure=procedure,
            families=list(sums.families),
            ranks=len(sums.seconds),
            totals=sums.totals,
            over_ranks=spread(everyone | sums.seconds),
            caller=next(iter(of_places.get((place, procedure), [])), None),
        )
        for (place, procedure), sums in _sums(connection, lambda place, procedure: (place, procedure))
    ]


def libraries(connection: sqlite3.Connection) -> list[LibraryRow]:
    """Return each library, and the program, most time first; empty if no place is known."""
    everyone = _everyone(connection)
    return [
        LibraryRow(
            name,
            is_program,
            next(iter(sums.places)).path,
            len(sums.places),
            max(sums.procedures, key=lambda procedure: sums.procedures[procedure]),
            len(sums.seconds),
            sums.totals,
            spread(everyone | sums.seconds),
        )
        for (name, is_program), sums in _sums(connection, lambda place, _: (place.library, place.is_program))
    ]


def _everyone(connection: sqlite3.Connection) -> dict[int, float]:
    return {rank: 0.0 for (rank,) in connection.execute("SELECT rank FROM ranks")}


def _sums(connection: sqlite3.Connection, key_of: Callable[[Place, str], Key]) -> list[tuple[Key, _Sum]]:
    """Add up the calls of each key, most time first."""
    places = places_of_sites(connection)
    if not places:
        return []
    sums_by_key: dict[Key, _Sum] = {}
    for (site, procedure, family), totals in totals_by(
        connection,
        "calls.site, procedures.name, communicators.family",
        f"{JOIN_PROCEDURES} {JOIN_COMMUNICATORS}",
    ):
        place = places.get(site, Place())
        into = sums_by_key.setdefault(key_of(place, procedure), _Sum())
        into.totals += totals
        into.procedures[procedure] = into.procedures.get(procedure, 0.0) + totals.seconds
        into.families[family] = None
        into.places[place] = None
    for site, procedure, rank, seconds in connection.execute(
        f"SELECT calls.site, procedures.name, rank, SUM(seconds) FROM calls {JOIN_PROCEDURES}"
        f" WHERE {BETWEEN} GROUP BY calls.site, calls.procedure, rank"
    ):
        of_ranks = sums_by_key[key_of(places.get(site, Place()), procedure)].seconds
        of_ranks[rank] = of_ranks.get(rank, 0.0) + seconds
    return sorted(sums_by_key.items(), key=lambda item: item[1].totals.order)


def heaviest_place(
    connection: sqlite3.Connection,
    procedures: Collection[str],
    family: str = "",
    bins: tuple[int, int] = (0, OTHER),
) -> Place | None:
    """Return the place with the most time in some calls; None = unknown.

    Args:
        connection: to the profile.
        procedures: full names.
        family: of the communicators; '' = any.
        bins: the smallest and the largest size bin.
    """
    places = places_of_sites(connection)
    if not places:
        return None
    marks = ", ".join("?" * len(procedures))
    seconds: dict[Place, float] = {}
    for site, took in connection.execute(
        f"SELECT calls.site, SUM(seconds) FROM calls {JOIN_PROCEDURES} {JOIN_COMMUNICATORS}"
        f" WHERE procedures.name IN ({marks}) AND ? IN ('', family) AND size_bin BETWEEN ? AND ?"
        " GROUP BY calls.site",
        (*procedures, family, *bins),
    ):
        place = places.get(site, Place())
        seconds[place] = seconds.get(place, 0.0) + took
    most = max(seconds, key=lambda place: seconds[place], default=Place())
    return most if most.name else None
