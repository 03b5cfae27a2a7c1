"""Profiles compared: `rankwise diff`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TextIO

from rankwise.analysis.opened import opened_profile
from rankwise.comparison.compare import Comparison, compare
from rankwise.comparison.figures import METRICS, Figures, figures
from rankwise.comparison.several import Several, compare_several
from rankwise.errors import RankwiseError
from rankwise.reading.answers import TableView
from rankwise.reading.arguments import check_percentage, path_of
from rankwise.views.comparison.sentences import gate_line, limit_lines, side_lines
from rankwise.views.comparison.several import charts, limit_line, runs, side_line
from rankwise.views.comparison.several import view as several_view
from rankwise.views.comparison.view import view

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankwise.views.runs.chart import Chart
    from rankwise.views.view import View

    Linked = Callable[[str], str]

Files = str | PathLike[str] | Iterable[str | PathLike[str]]


def diff(before: Files, after: Files, *, fail_above: float | None = None, metric: str = "wall") -> Difference:
    """Compare runs: what became slower or faster, what explains it, and what of it is noise.

    Args:
        before: a profile, or several of the same job.
        after: the same for the other side.
        fail_above: percent; the answer has `failed` if the metric became worse by more than this.
        metric: `wall`, `mpi`, `other`, `init_finalize`, `mpi_percent`, `calls`, `bytes_sent`, `messages`.

    Raises:
        RankwiseError: a profile can't be read, a side has a run twice, or there is no such metric.
    """
    if fail_above is not None:
        check_percentage("fail_above", fail_above)
    if metric not in tuple(METRICS):
        raise RankwiseError(f"there is no metric {metric!r}: there are {', '.join(METRICS)}")
    sides = [
        [_figures(path) for path in _paths(name, side)]
        for name, side in (("before", before), ("after", after))
    ]
    if not all(sides):
        raise RankwiseError("a side has no profiles: each needs one at least")
    for side in sides:
        _check_runs(side)
    return Difference(compare(*sides), fail_above, metric)


def diff_sides(sides: Mapping[str, Files], *, reference: str = "") -> Differences:
    """Compare any number of sides with one of them.

    Args:
        sides: by name: a profile, or several of the same job.
        reference: name of the side that the others are compared with; '' = the first.

    Raises:
        RankwiseError: a profile can't be read, a side has a run twice or none, there are fewer than two,
            or no side has the name of the reference.
    """
    reference = reference or next(iter(sides), "")
    if reference not in sides:
        raise RankwiseError(f"there is no side {reference!r}: there are {', '.join(sides)}")
    if len(sides) < 2:
        raise RankwiseError("there is one side only: give two or more")
    read = {name: [_figures(path) for path in _paths(name, side)] for name, side in sides.items()}
    for name, side in read.items():
        if not side:
            raise RankwiseError(f"side {name} has no profiles: each needs one at least")
        _check_runs(side)
    return Differences(compare_several(read, reference))


class Difference(TableView):
    """Two sides compared.

    Attributes:
        found: everything, as objects.
        failed: the metric became worse by more than the limit.
    """

    def __init__(self, comparison: Comparison, fail_above: float | None, metric: str) -> None:
        """Take the comparison."""
        super().__init__(Path(comparison.after.profiles[0]), "diff", view(comparison))
        self.found = comparison
        self.failed = fail_above is not None and comparison.is_worse_by_more(metric, fail_above)
        self._fail_above, self._metric = fail_above, metric

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the lists of rows: the figures of the runs first."""
        return "run", "time_in_mpi", "efficiency", "findings", *self.found.rows

    @property
    def _content(self) -> Mapping[str, Any]:
        gate = {"metric": self._metric, "fail_above_percent": self._fail_above, "failed": self.failed}
        return {"title": self.title, **super()._content, **gate}

    def for_pipeline(self, path: str | PathLike[str]) -> str:
        """Return the comparison as a pipeline takes it, by the ending of a file's name.

        Args:
            path: ends with .md (a summary in Markdown), .xml (JUnit), .json (Code Quality) or .svg (a badge).

        Raises:
            RankwiseError: it has another ending.
        """
        from rankwise.render.export.compared import outcome_of
        from rankwise.render.export.pipeline import text_for

        gate = ""
        if self._fail_above is not None:
            gate = gate_line(self.found.figure(self._metric), self._fail_above, failed=self.failed)
        return text_for(PurePath(path), outcome_of(self.found, self._metric, gate, failed=self.failed))

    def _lines(self) -> list[tuple[str, str]]:
        lines = [(line, "") for line in (*side_lines(self.found), *limit_lines(self.found))]
        return [*lines, *((f"! {sentence}", "yellow") for sentence in self.found.unlike)]

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:
        super()._write(file, verbose=verbose, limit=limit)
        if self._fail_above is not None:
            from rankwise.render.terminal.page import Page

            page = Page(file)
            figure = self.found.figure(self._metric)
            line = gate_line(figure, self._fail_above, failed=self.failed)
            page.write(*page.wrapped(line, "bold red" if self.failed else "bold", indent=2))


class Differences(TableView):
    """Any number of sides compared with one of them.

    Attributes:
        found: everything, as objects.
    """

    def __init__(self, several: Several) -> None:
        """Take the comparison."""
        profiles = several.sides[several.reference].profiles
        super().__init__(Path(profiles[0]), "diff", several_view(several))
        self.found = several

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the lists of rows: the figures of the runs first."""
        return "run", "efficiency", *self.found.rows

    def html_page(self, directory: Path) -> bytes:
        """Return the comparison as a page for browsers, with charts.

        Args:
            directory: in which the page will be: links to reports are relative to it.
        """
        from rankwise.render.page.runs import runs_page

        return runs_page(*self._sheet, directory=directory)

    def page_data(self, linked: Linked) -> dict[str, Any]:
        """Return the data of the comparison as a page of a report.

        Args:
            linked: path of a profile → address of its pages.
        """
        from rankwise.render.page.contents.sheet import sheet_data

        return sheet_data(*self._sheet, linked)

    @property
    def _sheet(self) -> tuple[str, View, list[Chart], list[str], list[str]]:
        """Title, tables, charts, facts and warnings of a page."""
        lines = [": ".join(line.split(maxsplit=1)) for line in self._sides()]
        view = self._view.with_table(runs(self.found))
        return " / ".join(self.found.sides), view, charts(self.found), lines, self._warnings()

    def _sides(self) -> list[str]:
        width = max(map(len, self.found.sides))
        lines = [side_line(name, side, width) for name, side in self.found.sides.items()]
        return lines + [limit_line(name, side, width) for name, side in self.found.sides.items()]

    def _warnings(self) -> list[str]:
        return [f"{name}: {sentence}" for name, said in self.found.unlike.items() for sentence in said]

    def _lines(self) -> list[tuple[str, str]]:
        warned = [(f"! {sentence}", "yellow") for sentence in self._warnings()]
        return [*((line, "") for line in self._sides()), *warned]


def _paths(name: str, side: Files) -> list[Path]:
    if isinstance(side, str | bytes | PathLike) or not isinstance(side, Iterable):
        return [path_of(name, side)]
    return [path_of(name, path) for path in side]


def _check_runs(side: list[Figures]) -> None:
    """Refuse a run that is on a side twice: noise is estimated from independent runs."""
    paths_by_run: dict[object, Path] = {}
    for run_figures in side:
        run = run_figures.run
        its_run = (run.job, run.started, run.wall_seconds, *run.command)
        for identity in (run_figures.path.resolve(), its_run):
            if first := paths_by_run.get(identity):
                raise RankwiseError(
                    f"{run_figures.path} is the same run as {first}:"
                    " each profile of a side is of a run of its own"
                )
        paths_by_run |= dict.fromkeys((run_figures.path.resolve(), its_run), run_figures.path)


def _figures(path: Path) -> Figures:
    with opened_profile(path) as connection:
        run_figures = figures(connection, path)
        view(
            compare([run_figures], [run_figures])
        )  # a text where a number should be leads to errors here, and names the file
        return run_figures
