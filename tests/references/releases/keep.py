"""Keep a profile for the tests of all later versions.

    python tests/references/releases/keep.py PROFILE

It is written as SQL, which git shows, beside this file; its name is that of the version that recorded it.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

PRAGMAS = ("application_id", "user_version")  # what a dump leaves out


def keep(profile: Path, directory: Path) -> Path:
    """Write the SQL that makes the profile again."""
    with closing(sqlite3.connect(f"{profile.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        (version,) = connection.execute("SELECT rankwise_version FROM run").fetchone()
        pragmas = [
            f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};" for name in PRAGMAS
        ]
        kept = directory / f"{version}.sql"
        kept.write_text("\n".join([*pragmas, *connection.iterdump()]) + "\n", encoding="utf-8")
    return kept


if __name__ == "__main__":
    print(keep(Path(sys.argv[1]), Path(__file__).parent))
