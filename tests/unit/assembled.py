"""Makes profiles of worlds from `synthetic`, and reads them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from synthetic import Process, write_world

from rankwise.profile.assemble import Assembly, assemble
from rankwise.profile.database import open_profile


def made(tmp_path: Path, processes: list[Process], **options: Any) -> Assembly:
    """Make a profile, solver.rankwise, of these processes and those of earlier calls.

    Args:
        tmp_path: of the test.
        processes: of one world or several.
        options: of `assemble`.
    """
    write_world(tmp_path / "run", processes)
    return assemble(tmp_path / "run", tmp_path / "solver.rankwise", **{"exit_status": 0} | options)


def rows(profile: Path, sql: str) -> list[tuple[Any, ...]]:
    """Ask a profile."""
    with closing(open_profile(profile)) as connection:
        return connection.execute(sql).fetchall()
