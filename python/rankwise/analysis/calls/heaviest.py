"""The calls with the most time in MPI: one procedure at one place on one family of communicators."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from rankwise.analysis.calls.places import Place, places_of_sites
from rankwise.analysis.calls.totals import JOIN_COMMUNICATORS, JOIN_PROCEDURES, totals_by
from rankwise.analysis.percent import percent
from rankwise.records import dataclass


@dataclass(frozen=True)
class Heaviest:
    """The calls with the most time in MPI.

    Attributes:
        family: of their communicators.
        procedure: full name.
        place: call site; None = unknown.
        seconds: summed over all ranks.
        percent_of_mpi: `seconds` in percent of all ranks' time in MPI.
        size_bin: the size bin that takes the largest share of `seconds`.
        percent_of_size: time in this bin in percent of `seconds`.
    """

    family: str
    procedure: str
    place: Place | None
    seconds: float
    percent_of_mpi: float
    size_bin: int
    percent_of_size: float


def heaviest(connection: sqlite3.Connection) -> Heaviest | None:
    """Return the calls with the most time in MPI; None if no time was spent in MPI."""
    places = places_of_sites(connection)
    seconds_by_size: dict[tuple[str, str, Place | None], dict[int, float]] = defaultdict(
        lambda: defaultdict(float)
    )
    everything = 0.0
    # (Without known places, the sums suffice, which are much fewer.)
    site, sums = ("calls.site", "calls") if places else ("NULL", "family_sums")
    family, join = ("communicators.family", JOIN_COMMUNICATORS) if places else ("calls.family", "")
    for (family_name, procedure, where, size_bin), totals in totals_by(
        connection, f"{family}, procedures.name, {site}, size_bin", f"{JOIN_PROCEDURES} {join}", sums=sums
    ):
        seconds_by_size[family_name, procedure, places.get(where)][size_bin] += totals.seconds
        everything += totals.seconds
    if everything <= 0:
        return None
    key, sizes = max(seconds_by_size.items(), key=lambda item: sum(item[1].values()))
    seconds = sum(sizes.values())
    size_bin = max(sizes, key=lambda bin_number: sizes[bin_number])
    return Heaviest(*key, seconds, percent(seconds, everything), size_bin, percent(sizes[size_bin], seconds))
