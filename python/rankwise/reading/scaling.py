"""How a program scales: `rankwise scaling`."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.reading.answers import TableView
from rankwise.reading.runs import Files, paths_of
from rankwise.runs.files import profiles_in
from rankwise.runs.load import LoadedAs, load_with
from rankwise.runs.scaling import Asked, Scaling, scaling_of
from rankwise.runs.scaling_figures import BY, ScalingRun, reader
from rankwise.views.runs.scaling import runs, view
from rankwise.views.runs.scaling_charts import charts
from rankwise.views.runs.scaling_sentences import head_lines, warning_lines
from rankwise.views.runs.unreadable import unreadable_lines

KINDS = ("strong", "weak")


def scaling(
    profiles: Files,
    *,
    kind: str | None = None,
    reference: int | None = None,
    program: str = "",
    parameter: str = "",
    by: str = BY[0],
    at: int | None = None,
) -> ScalingAnswer:
    """Show how a program scales with the number of ranks, and what stops scaling.

    Args:
        profiles: files, and directories that are searched.
        kind: `strong` or `weak`; None = by the useful time.
        reference: number of ranks; None = the fewest.
        program: only runs of this one; * and ? as in a shell.
        parameter: name of a tag with numbers, the second parameter of models.
        by: `communicator`, `call`, `region` or `site`.
        at: number of ranks that times are predicted for.

    Raises:
        RankwiseError: no profile can be read, the runs can't be compared, or an argument has a wrong value.
    """
    if kind is not None and kind not in KINDS:
        raise RankwiseError(f"there is no kind of scaling {kind!r}: there are {', '.join(KINDS)}")
    if by not in BY:
        raise RankwiseError(f"there is no table by {by!r}: there are {', '.join(BY)}")
    for name, number in (("reference", reference), ("at", at)):
        if number is not None and not (isinstance(number, int) and number > 0):
            raise RankwiseError(f"{name}: {number!r} is not a number of ranks, such as 1024")
    files = profiles_in(paths_of("profiles", profiles))
    loaded = load_with(files.files, reader(sites=by == "site"), files.unreadable)
    if not loaded.runs:
        raise RankwiseError(loaded.unreadable[0].reason)
    asked = Asked(
        kind="strong" if kind == "strong" else "weak" if kind else None,
        reference=reference,
        program=program,
        parameter=parameter,
        by=by,
        at=at,
    )
    return ScalingAnswer(scaling_of(loaded.runs, asked), loaded)


class ScalingAnswer(TableView):
    """How a program scales.

    Attributes:
        found: everything, as objects.
        unreadable: profiles and directories that are left out, and why.
    """

    def __init__(self, found: Scaling, loaded: LoadedAs[ScalingRun]) -> None:
        """Take the result, and the figures behind it."""
        super().__init__(loaded.runs[0].path, "scaling", view(found))
        self.found = found
        self.unreadable = loaded.unreadable
        self._repeated = loaded.repeated

    def html_page(self, directory: Path) -> bytes:
        """Return it as a page for browsers, with charts.

        Args:
            directory: in which the page will be: links to reports are relative to it.
        """
        from rankwise.render.page.runs import runs_page

        return runs_page(
            f"{self.found.program}: scaling",
            self._view.with_table(runs(self.found)),
            charts(self.found),
            head_lines(self.found),
            self._warnings(),
            directory=directory,
        )

    def _warnings(self) -> list[str]:
        left_out = [f"left out: {path} is the same run as another file" for path in self._repeated]
        return [*unreadable_lines(self.unreadable), *left_out, *warning_lines(self.found)]

    def _lines(self) -> list[tuple[str, str]]:
        return [
            *((line, "") for line in head_lines(self.found)),
            *((f"! {line}", "yellow") for line in self._warnings()),
        ]
