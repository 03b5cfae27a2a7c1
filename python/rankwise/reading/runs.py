"""Many profiles listed: `rankwise list`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.reading.answers import TableView
from rankwise.reading.arguments import path_of
from rankwise.runs.choice import SORTS, Choice, chosen
from rankwise.runs.files import profiles_in
from rankwise.runs.headline import Headline, headlines
from rankwise.runs.unreadable import Unreadable
from rankwise.views.runs.list import page_view, view
from rankwise.views.runs.unreadable import unreadable_lines

Files = str | PathLike[str] | Iterable[str | PathLike[str]]


def open_many(
    profiles: Files,
    *,
    program: str = "",
    ranks: int = 0,
    since: str = "",
    tags: Mapping[str, str] | None = None,
    sort: str = "started",
) -> RunList:
    """List runs: job, date, user, program, ranks, time, efficiency and verdict of each.

    Args:
        profiles: files, and directories that are searched for *.rankwise.
        program: only of this program; * and ? as in a shell.
        ranks: only with this number of ranks; 0 = any.
        since: only from this date on, ISO 8601 as far as it goes: `2026-11`, `2026-11-20T12:00`.
        tags: only with these tags.
        sort: `started`, `program`, `ranks`, `nodes`, `wall`, `mpi`, `efficiency`, `file`.

    Raises:
        RankwiseError: a file does not exist, no profile was found, or none can be read.
    """
    if sort not in SORTS:
        raise RankwiseError(f"there is no order {sort!r}: there are {', '.join(SORTS)}")
    found = profiles_in(paths_of("profiles", profiles))
    read = headlines(found.files)
    if not read.runs:
        raise RankwiseError(read.unreadable[0].reason)
    runs = chosen(read.runs, Choice(program=program, ranks=ranks, since=since, tags=tags or {}), sort)
    return RunList(runs, [*read.unreadable, *found.unreadable], len(read.runs) - len(runs))


def paths_of(name: str, files: Files) -> list[Path]:
    """Return the paths that an argument gives: one, or several."""
    if isinstance(files, str | bytes | PathLike) or not isinstance(files, Iterable):
        return [path_of(name, files)]
    return [path_of(name, path) for path in files]


class RunList(TableView):
    """Runs, a line each.

    Attributes:
        runs: the runs, as objects.
        unreadable: files and directories that could not be read, and why.
    """

    def __init__(self, runs: list[Headline], unreadable: list[Unreadable], left_out: int) -> None:
        """Take the runs in the order of showing."""
        super().__init__(Path(runs[0].file if runs else ""), "runs", view(runs, unreadable, left_out))
        self.runs = runs
        self.unreadable = unreadable

    def _lines(self) -> list[tuple[str, str]]:
        return [(f"! {line}", "yellow") for line in unreadable_lines(self.unreadable)]

    def html_page(self, directory: Path) -> bytes:
        """Return the list as a page, whose lines open the reports that are beside the profiles.

        Args:
            directory: in which the page will be: links are relative to it.
        """
        from rankwise.render.page.runs import runs_page

        warnings = [line.removeprefix("! ") for line, _ in self._lines()]
        return runs_page(self.title or "Runs", page_view(self._view), warnings=warnings, directory=directory)
