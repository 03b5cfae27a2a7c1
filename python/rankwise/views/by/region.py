"""The regions that the program names, as a tree."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from rankwise.analysis.calls.procedures import opening_and_closing_procedures
from rankwise.analysis.calls.regions import WHOLE_PROGRAM, Region, regions
from rankwise.analysis.calls.totals import Totals, opening_and_closing
from rankwise.records import dataclass
from rankwise.text.empty import NO_REGIONS
from rankwise.views.totals_columns import CALLS, OF_MPI, OF_RUN, SENT, TIME, apart_line, share_of_mpi
from rankwise.views.view import COUNT, SECONDS, SHARE, Column, Detail, Table, View, label, number

_OUTSIDE = "(outside)"
_STEP = "  "  # to the right, for each enclosing region that is shown


@dataclass(frozen=True)
class _Row:
    """A region with its name as it stands in the tree."""

    region: Region
    name: str

    @property
    def totals(self) -> Totals:
        return self.region.totals

    @property
    def is_outside(self) -> bool:
        """Whether it is what lies outside of all regions: its inclusive times are its exclusive ones."""
        return self.region.region == WHOLE_PROGRAM

    @property
    def wall(self) -> float | None:
        region = self.region
        return region.exclusive_wall_seconds if self.is_outside else region.wall_seconds

    @property
    def mpi(self) -> float:
        return self.totals.seconds if self.is_outside else self.region.inclusive_mpi_seconds

    @property
    def in_mpi(self) -> float | None:
        region = self.region
        return region.exclusive_percent_in_mpi if self.is_outside else region.percent_in_mpi


# (Exclusive values add up to the whole, inclusive ones don't: nested time is in several.)
_INCLUSIVE = (
    "summed over ranks, between MPI_Init and MPI_Finalize, including nested regions, which are indented below"
)
_EXCLUSIVE = f"{TIME.meaning}; without nested regions, as in all other columns"
_IN_MPI = replace(TIME, name="MPI excl.", meaning=_EXCLUSIVE)
_COLUMNS: list[Column[_Row]] = [
    label("region", lambda row: row.name, "name given by the program; (outside): not in any region"),
    number("entries", lambda row: row.region.entries, COUNT, "summed over ranks", obvious=True),
    Column("wall incl.", lambda row: row.wall, SECONDS, _INCLUSIVE),
    Column(
        "wall excl.",
        lambda row: row.region.exclusive_wall_seconds,
        SECONDS,
        _EXCLUSIVE,
        total=lambda rows: sum(row.region.exclusive_wall_seconds or 0.0 for row in rows),
    ),
    Column("MPI incl.", lambda row: row.mpi, SECONDS, _INCLUSIVE),
    _IN_MPI,
    Column(
        "% in MPI",
        lambda row: row.in_mpi,
        SHARE,
        "MPI incl. of wall incl., times the ranks' threads that call MPI",
    ),
    CALLS,
    SENT,
    OF_MPI,
    OF_RUN,
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row a region, if the program names any."""
    rows = regions(connection)
    used = [row for row in rows if row.entries or row.totals.calls]
    named = [row for row in used if row.region != WHOLE_PROGRAM]
    shown = _tree(rows, used) if named else []
    apart = apart_line(_COLUMNS, opening_and_closing(connection)) if shown else []
    most = max(named, key=lambda row: row.totals.seconds, default=None)
    return View(
        share_of_mpi(most.path, most.totals) if most else "",
        [Table(_COLUMNS, shown, NO_REGIONS, apart=apart)],
        {"regions": rows, "opening_and_closing": opening_and_closing_procedures(connection)},
    )


def _tree(regions_of_run: Sequence[Region], used: Sequence[Region]) -> list[_Row]:
    """Return the rows with their names: where an enclosing region isn't shown, its name is part of them."""
    known = {row.region: row for row in regions_of_run}
    depths: dict[int, int] = {}  # in the tree that is shown
    rows_of_tree = []
    for row in used:
        names, around = [row.name], row.parent
        while around and around not in depths:
            names.append(known[around].name)
            around = known[around].parent
        depths[row.region] = depths[around] + 1 if around else 0
        name = "/".join(reversed(names))
        rows_of_tree.append(
            _Row(row, _OUTSIDE if row.region == WHOLE_PROGRAM else _STEP * depths[row.region] + name)
        )
    return rows_of_tree
