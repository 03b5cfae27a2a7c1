"""The runs of a whole computing centre: `rankwise centre`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from rankwise.centre import questions
from rankwise.centre.asked import Asked
from rankwise.centre.described import described
from rankwise.centre.engines import ENGINES, opened
from rankwise.centre.engines.engine import Rows
from rankwise.centre.store import Store
from rankwise.errors import RankwiseError
from rankwise.reading.answers import TableView
from rankwise.reading.arguments import path_of
from rankwise.views.centre import hosts, jobs, programs, rows, trends, users, waste
from rankwise.views.centre.common import Next
from rankwise.views.view import View

ROWS = 10
"""Rows of a question's tables, as a rule."""


def open_centre(store: str | PathLike[str], *, engine: str = "duckdb") -> Centre:
    """Open the data set of all runs of a centre, to ask questions; nothing in it is changed.

    Args:
        store: folder that `rankwise centre ingest` filled.
        engine: `duckdb`, or `spark` for the Spark session of this process.

    Raises:
        RankwiseError: the folder has no data set, a file is damaged, or the engine is not installed.
    """
    if engine not in ENGINES:
        raise RankwiseError(f"there is no engine {engine!r}: there are {' and '.join(ENGINES)}")
    path = path_of("store", store)
    return Centre(path, engine)


class Centre:
    """A data set of all runs of a centre. Its methods answer questions.

    The options of questions restrict the runs: `since` and `until` (2026, 2026-11, 2026-11-20; UTC, both
    included), `user`, `program`, `cluster`, and by the accounting `account` and `partition`. `rows` is the
    most rows of a table, 0 = all.
    """

    def __init__(self, path: Path, engine: str) -> None:
        """Open it; see `open_centre`."""
        self.path = path
        self._engine = opened(engine, Store(path))

    def waste(self, *, rows: int = ROWS, **options: str) -> CentreAnswer:
        """Return where node hours could be saved: by kind of waste, and by program."""
        found = questions.waste(self._engine, _asked(options), rows)
        return CentreAnswer(self.path, "waste", waste.view(found), waste.next_commands(found))

    def programs(self, *, rows: int = ROWS, **options: str) -> CentreAnswer:
        """Return the programs that could save most, and what another MPI library or kernel changed."""
        found = questions.programs(self._engine, _asked(options), rows)
        return CentreAnswer(self.path, "programs", programs.view(found), programs.next_commands(found))

    def jobs(self, *, rows: int = ROWS, **options: str) -> CentreAnswer:
        """Return the jobs that could have saved most."""
        found = questions.jobs(self._engine, _asked(options), rows)
        return CentreAnswer(self.path, "jobs", jobs.view(found), jobs.next_commands(found))

    def users(self, *, rows: int = ROWS, **options: str) -> CentreAnswer:
        """Return the users that could save most."""
        found = questions.users(self._engine, _asked(options), rows)
        return CentreAnswer(self.path, "users", users.view(found), users.next_commands(found))

    def hosts(self, **options: str) -> CentreAnswer:
        """Return hosts that are slow in many runs, and ports that are blocked or count errors in many."""
        found = questions.hosts(self._engine, _asked(options))
        return CentreAnswer(self.path, "hosts", hosts.view(found), ())

    def trends(self, *, rows: int = ROWS, **options: str) -> CentreAnswer:
        """Return months: node hours, the recorded share, efficiency, waste, and the largest changes."""
        found = questions.trends(self._engine, _asked(options), rows)
        return CentreAnswer(self.path, "trends", trends.view(found), ())

    def sql(self, query: str) -> CentreAnswer:
        """Return the answer to a query over the tables and views of the data set.

        Raises:
            RankwiseError: it is wrong, or does something else than read.
        """
        return CentreAnswer(self.path, "rows", rows.view(self._engine.ask_sql(query)), ())

    def tables(self) -> CentreAnswer:
        """Return the tables and views that `sql` knows, with their columns."""
        found = Rows(["table", "column", "type", "meaning"], [tuple(line) for line in described()])
        return CentreAnswer(self.path, "rows", rows.view(found), ())

    def close(self) -> None:
        """End; answers stay as they are."""
        self._engine.close()

    def __enter__(self) -> Centre:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<centre {str(self.path)!r}>"


class CentreAnswer(TableView):
    """An answer about the runs of a centre.

    Attributes:
        next: commands that explain what it shows.
    """

    def __init__(self, path: Path, name: str, view: View, following: Sequence[Next]) -> None:
        """Take the answer."""
        super().__init__(path, name, view)
        self.next = [each.command for each in following]
        self._following = following

    @property
    def _content(self) -> Mapping[str, Any]:
        return {**super()._content, "next": self.next} if self._following else super()._content

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:
        super()._write(file, verbose=verbose, limit=limit)
        if self._following:
            from rankwise.render.terminal.page import Page

            page = Page(file)
            page.write(page.text(""), page.text("Next, on the profiles that show it best:"))
            for each in self._following:
                page.write(page.text(f"  {each.command}  # {each.what}"))


def _asked(options: Mapping[str, str]) -> Asked:
    try:
        return Asked(**options)
    except TypeError as error:
        raise RankwiseError(
            "options are since, until, user, program, cluster, account and partition"
        ) from error
