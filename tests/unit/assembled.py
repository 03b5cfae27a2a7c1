"""Makes profiles of worlds from `synthetic`, and reads them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from synthetic import Process, write_world

from rankwise.errors import RankwiseError
from rankwise.profile.assemble import Assembly, assemble
from rankwise.profile.store.database import open_profile


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


def made_of_damaged(
    tmp_path: Path, processes: Sequence[Process], times: int, damaged: Callable[[bytearray], bytearray]
) -> Iterator[Assembly]:
    """Yield the profiles that can be made of damaged counters, one after the other; all are sound.

    Args:
        tmp_path: of the test.
        processes: of one world or several.
        times: to try it.
        damaged: changes the counters of a process.
    """
    originals = [process.to_bytes() for process in processes]
    run = tmp_path / "run"
    run.mkdir()
    for _ in range(times):
        for rank, original in enumerate(originals):
            (run / f"rank{rank}.counters").write_bytes(damaged(bytearray(original)))
        try:
            assembly = assemble(run, tmp_path / "x.rankwise", exit_status=None, force=True)
        except RankwiseError:
            continue
        for profile in (assembly, *assembly.others):
            with closing(sqlite3.connect(profile.path)) as connection:
                assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        yield assembly
