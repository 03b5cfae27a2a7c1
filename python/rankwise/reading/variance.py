"""What goes with the run time of repeated runs: `rankwise variance`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.extras import NOTEBOOK, check
from rankwise.reading.configurations import RunsView, chosen_runs
from rankwise.reading.runs import Files
from rankwise.runs.correlation import trend
from rankwise.runs.groups import Chosen, Wanted
from rankwise.runs.load import Loaded
from rankwise.runs.variance import Relation, Variance
from rankwise.runs.variance import variance as variance_of
from rankwise.views.runs.variance import relation_name, short_name, view

_NAMED = 5  # candidates in an error


def variance(
    profiles: Files,
    *,
    program: str = "",
    ranks: int = 0,
    nodes: int = 0,
    library: str = "",
    tags: Mapping[str, str] | None = None,
) -> VarianceAnswer:
    """Find what goes with the run time of repeated runs of a configuration.

    Args:
        profiles: files or directories; the configuration with the most runs is shown.
        program: only this program, by its name or its name and arguments, with * and ?.
        ranks: only runs with this number of ranks; 0 = any.
        nodes: only runs on this number of nodes; 0 = any.
        library: only this MPI library: the beginning of its name and version.
        tags: only runs with these tags.

    Raises:
        RankwiseError: a path does not exist, or no run is left.
    """
    wanted = Wanted(program=program, ranks=ranks, nodes=nodes, library=library, tags=tags or {})
    loaded, chosen = chosen_runs(profiles, wanted)
    return VarianceAnswer(variance_of(chosen), loaded, chosen)


class VarianceAnswer(RunsView):
    """What goes with the run time.

    Attributes:
        found: everything, as objects.
    """

    def __init__(self, found: Variance, loaded: Loaded, chosen: Chosen) -> None:
        """Take the results."""
        super().__init__("variance", view(found), loaded, chosen)
        self.found = found

    def _lines(self) -> list[tuple[str, str]]:
        commits = {run.run.tags.get("commit", "") for run in self.found.chosen.runs}
        if len(commits) < 2:
            return super()._lines()
        line = f"! The runs are of {len(commits)} commits; choose one with --tag commit=VALUE"
        return [*super()._lines(), (line, "yellow")]

    def html_page(self, directory: Path) -> bytes:
        """Return it as a page for browsers, with charts.

        Args:
            directory: in which the page will be: links to reports are relative to it.
        """
        from rankwise.render.page.runs import runs_page
        from rankwise.views.runs.variance_charts import charts

        (line, _), *warned = self._lines()
        title = f"{self.found.chosen.configuration.program}: variance"
        warnings = [text.removeprefix("! ") for text, _ in warned]
        return runs_page(title, self._view, charts(self.found), [line], warnings, directory=directory)

    def plot(self, of: str = "", *, ax: Any = None) -> Any:
        """Draw the run time over what it goes with, a dot for each run.

        Args:
            of: name of a candidate, as in the table: `W_s2`, `Allreduce on W_s2`; '' = the best one.
            ax: to draw on; None = new ones.

        Returns:
            The axes.

        Raises:
            RankwiseError: matplotlib is not installed, or there is no such candidate.
        """
        check("matplotlib", NOTEBOOK)
        from rankwise.render.figures.plots.run_time import draw_run_time

        one = self._candidate(of)
        wall = [run.wall_seconds for run in self.found.runs]
        name = relation_name(one)
        offset, rise = trend(one.values, wall)
        title = (
            self.title
            if one == self.found.main
            else f"Run time and {name}: rank correlation {one.correlation:.2f}"
        )
        return draw_run_time(
            one.values,
            wall,
            name.removeprefix("the "),
            title,
            (offset, rise) if rise else None,
            ax,
            is_time=one.is_time,
        )

    def _candidate(self, name: str) -> Relation:
        relations = self.found.relations
        if not relations:
            raise RankwiseError("there is nothing to draw: no time and no counter differs between the runs")
        if not name:
            return self.found.main or relations[0]
        known = {short_name(one): one for one in reversed(relations)}
        if name not in known:
            some = ", ".join([*known][-1 : -_NAMED - 1 : -1])
            raise RankwiseError(f"no candidate is called {name!r}: there are {some}")
        return known[name]
