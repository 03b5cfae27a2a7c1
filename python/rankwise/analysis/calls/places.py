"""Places in the code: of calls, and of the functions on their call paths."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from rankwise.profile.join.objects import NAMELESS, Object


class Place(NamedTuple):
    """Where calls are made, as in `SiteRow`; sites at the same place in the source are merged."""

    path: str = ""
    library: str = ""
    is_program: bool = False
    function: str | None = None
    file: str | None = None
    line: int | None = None
    offset: int | None = None

    @property
    def name(self) -> str:
        """The shortest name that locates it."""
        if self.file is not None:
            return f"{self.file.rpartition('/')[2] or NAMELESS}:{self.line}"
        return f"{self.path.rpartition('/')[2]}+{self.offset:#x}" if self.path else ""


def places_of_sites(connection: sqlite3.Connection) -> dict[int, Place]:
    """Return the place of each site of the profile, by id."""
    return _places(connection, "sites")


def places_of_frames(connection: sqlite3.Connection) -> dict[int, Place]:
    """Return the place of each frame of the profile, by id."""
    return _places(connection, "frames")


def _places(connection: sqlite3.Connection, table: str) -> dict[int, Place]:
    places: dict[int, Place] = {}
    for number, offset, function, file, line, *object_fields in connection.execute(
        f"SELECT {table}.id, offset, function, file, line, objects.id, path, build_id, is_program, is_python"
        f" FROM {table} JOIN objects ON objects.id = object"
    ):
        image = Object(*object_fields)
        place = Place(image.path, image.shown, bool(image.is_program), function, file, line, offset)
        places[number] = place if file is None else place._replace(offset=None)
    return places
