"""Runs of one configuration over time: `rankwise history`."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, TextIO

from rankwise.errors import RankwiseError
from rankwise.reading.arguments import check_percentage
from rankwise.reading.configurations import RunsView, chosen_runs
from rankwise.reading.runs import Files
from rankwise.runs.groups import Chosen, Wanted
from rankwise.runs.history import BY, History
from rankwise.runs.history import history as history_of
from rankwise.runs.load import Loaded
from rankwise.views.runs.history import gate_line, runs, view


def history(
    profiles: Files,
    *,
    by: str = "",
    fail_above: float | None = None,
    program: str = "",
    ranks: int = 0,
    nodes: int = 0,
    library: str = "",
    tags: Mapping[str, str] | None = None,
) -> HistoryAnswer:
    """Find since when the runs of a configuration have been slower or faster, and what explains it.

    Args:
        profiles: files or directories; the configuration with the most runs is shown.
        by: `commit`, `day` or `run`: which runs are taken together; '' = commits if the runs have
            several, else runs.
        fail_above: percent; the answer has `failed` if the newest change is to the worse by more than this.
        program: only this program, by its name or its name and arguments, with * and ?.
        ranks: only runs with this number of ranks; 0 = any.
        nodes: only runs on this number of nodes; 0 = any.
        library: only this MPI library: the beginning of its name and version.
        tags: only runs with these tags.

    Raises:
        RankwiseError: a path does not exist, no run is left, or an argument is wrong.
    """
    if fail_above is not None:
        check_percentage("fail_above", fail_above)
    if by not in ("", *BY):
        raise RankwiseError(f"by: {by!r} is none of {', '.join(BY)}")
    wanted = Wanted(program=program, ranks=ranks, nodes=nodes, library=library, tags=tags or {})
    loaded, chosen = chosen_runs(profiles, wanted)
    return HistoryAnswer(history_of(chosen, by), loaded, chosen, fail_above)


class HistoryAnswer(RunsView):
    """The history of a configuration.

    Attributes:
        found: everything, as objects.
        failed: the newest change is to the worse by more than the limit.
    """

    def __init__(self, found: History, loaded: Loaded, chosen: Chosen, fail_above: float | None) -> None:
        """Take the history."""
        super().__init__("history", view(found), loaded, chosen)
        self.found = found
        self.failed = fail_above is not None and found.is_worse_by_more(fail_above)
        self._fail_above = fail_above

    @property
    def _gate(self) -> str:
        if self._fail_above is None:
            return ""
        return gate_line(self.found, self._fail_above, failed=self.failed)

    @property
    def _content(self) -> Mapping[str, Any]:
        gate = {"metric": "wall", "fail_above_percent": self._fail_above, "failed": self.failed}
        return {**super()._content, **gate}

    def html_page(self, directory: Path) -> bytes:
        """Return the history as a page for browsers, with charts.

        Args:
            directory: in which the page will be: links to reports are relative to it.
        """
        from rankwise.render.page.runs import runs_page
        from rankwise.views.runs.history_charts import charts

        (line, _), *warned = self._lines()
        lines = [line, self._gate] if self._gate else [line]
        title = f"{self.found.chosen.configuration.program}: history"
        view = self._view.with_table(runs(self.found))
        warnings = [text.removeprefix("! ") for text, _ in warned]
        return runs_page(title, view, charts(self.found), lines, warnings, directory=directory)

    def for_pipeline(self, path: str | PathLike[str]) -> str:
        """Return the history as a pipeline takes it, by the ending of a file's name.

        Args:
            path: ends with .md (a summary in Markdown), .xml (JUnit), .json (Code Quality) or .svg (a badge).

        Raises:
            RankwiseError: it has another ending.
        """
        from rankwise.render.export.developed import outcome_of
        from rankwise.render.export.pipeline import text_for

        return text_for(PurePath(path), outcome_of(self.found, self._gate, failed=self.failed))

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:
        super()._write(file, verbose=verbose, limit=limit)
        if self._gate:
            from rankwise.render.terminal.page import Page

            page = Page(file)
            page.write(*page.wrapped(self._gate, "bold red" if self.failed else "bold", indent=2))
