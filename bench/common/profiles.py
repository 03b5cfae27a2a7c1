"""Many profiles of one program, as a folder of recorded runs has them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import large_profiles

from rankwise.diagnosis.kept import keep_diagnosis

GRID = large_profiles.Grid(4, 4, 4)
"""Ranks of each run."""
_FIRST = datetime(2026, 11, 1, tzinfo=timezone.utc)


def write_profiles(folder: Path, number: int) -> None:
    """Write copies of one profile, each started a minute after its predecessor.

    Args:
        folder: which is there.
        number: of profiles.
    """
    first = large_profiles.write_stencil(folder / "0.rankwise", GRID)
    with closing(sqlite3.connect(first)) as profile, profile:
        keep_diagnosis(profile)
    for copy in range(1, number):
        path = folder / f"{copy}.rankwise"
        path.write_bytes(first.read_bytes())
        started = (_FIRST + timedelta(minutes=copy)).isoformat()
        with closing(sqlite3.connect(path)) as profile, profile:
            profile.execute("UPDATE run SET started = ?", (started,))
