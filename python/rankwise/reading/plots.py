"""Drawings of an open profile, with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from rankwise.analysis.opened import damage_told
from rankwise.analysis.selection import Selected
from rankwise.errors import RankwiseError
from rankwise.extras import NOTEBOOK, check
from rankwise.reading.answers import MatrixAnswer, TableView
from rankwise.views.view import Detail


class Answers(Protocol):
    """The data of the pictures: the answers of an open profile."""

    @property
    def path(self) -> Path:
        """The file."""

    def communicators(self, **part: Any) -> TableView:
        """Return families of communicators, each communicator, and the calls on each."""

    def sizes(self, **part: Any) -> TableView:
        """Return the calls by the size of their data."""

    def ranks(self, **part: Any) -> TableView:
        """Return the time of each rank."""

    def time(self, **part: Any) -> TableView:
        """Return the phases of the run, and what each rank did when."""

    def network(self, **part: Any) -> TableView:
        """Return the use of the nodes' network ports."""

    def matrix(self, ends: str, *, of: str, kind: str, **part: Any) -> MatrixAnswer:
        """Return the bytes between ranks."""


class Plots:
    """Each method draws on the axes that are given, else on new ones, and returns them.

    All take the selection of a part of the run, as `Profile.part` does, and raise RankwiseError: matplotlib
    is not installed, or the profile does not have the data.
    """

    def __init__(self, profile: Answers) -> None:
        """Draw this profile."""
        check("matplotlib", NOTEBOOK)
        self._profile = profile

    def matrix(
        self, ends: str = "rank", *, of: str = "bytes", kind: str = "all", ax: Any = None, **part: Any
    ) -> Any:
        """Draw the traffic between ranks, with logarithmic colours."""
        from rankwise.render.figures.plots.matrix import draw_matrix

        answer = self._profile.matrix(ends, of=of, kind=kind, **part)
        with damage_told(self._profile.path):
            return _named(draw_matrix(answer.found, of, ax), answer.selected)

    def communicators(self, *, of: str = "time", ax: Any = None, **part: Any) -> Any:
        """Draw the time on each family of communicators, by call.

        Args:
            of: `time`, `bytes` (sent) or `calls`.
            ax: to draw on; None = new ones.
            part: of the run.
        """
        from rankwise.render.figures.plots.communicators import MEASURES, draw_communicators

        if of not in MEASURES:
            raise RankwiseError(f"communicators are drawn by {', '.join(MEASURES)}, not by {of!r}")
        answer = self._profile.communicators(**part)
        objects = answer.objects
        parts = objects["families"], objects["communicators"], objects["communicator_calls"]
        with damage_told(self._profile.path):
            return _named(draw_communicators(*parts, ax, _time(answer.selected), of), answer.selected)

    def communicator_sizes(self, *, ax: Any = None, **part: Any) -> Any:
        """Draw how many communicators there are of each number of processes."""
        from rankwise.render.figures.plots.communicators import draw_communicator_sizes

        answer = self._profile.communicators(**part)
        with damage_told(self._profile.path):
            return _named(draw_communicator_sizes(answer.objects["communicators"], ax), answer.selected)

    def sizes(self, *, ax: Any = None, **part: Any) -> Any:
        """Draw the time of calls by the size of their data."""
        from rankwise.render.figures.plots.sizes import draw_sizes

        answer = self._profile.sizes(**part)
        rows, time = answer.objects["sizes_by_call"], _time(answer.selected)
        with damage_told(self._profile.path):
            return _named(draw_sizes(rows, ax, time), answer.selected)

    def balance(self, *, ax: Any = None, **part: Any) -> Any:
        """Draw what the time of each rank went to; of a part that is of some calls, the time in them."""
        from rankwise.render.figures.plots.balance import draw_balance
        from rankwise.render.figures.plots.call_times import draw_call_times

        answer = self._profile.ranks(detail=Detail.BRIEF, **part)
        draw = draw_call_times if answer.selected and answer.selected.of_calls else draw_balance
        with damage_told(self._profile.path):
            return _named(draw(answer.objects["ranks"], ax), answer.selected)

    def timeline(self, *, of: str = "mpi", ax: Any = None, **part: Any) -> Any:
        """Draw what each rank did when, by rank and time, and the phases of the run.

        Args:
            of: `mpi` (its share of the time), or a second's `bytes_sent`, `bytes_received`, `messages`
                or `calls`.
            ax: to draw on; None = new ones.
            part: of the run: ranks or nodes.
        """
        from rankwise.render.figures.plots.time_line import MEASURES, draw_time_line

        if of not in MEASURES:
            raise RankwiseError(f"a time line is of {', '.join(MEASURES)}, not of {of!r}")
        answer = self._profile.time(**part)
        with damage_told(self._profile.path):
            return _named(draw_time_line(answer.objects["time"], of, ax), answer.selected)

    def network(self, *, ax: Any = None) -> Any:
        """Draw the bytes that the nodes' network ports sent over time, and the ranks' messages among them."""
        from rankwise.render.figures.plots.network import draw_network

        answer = self._profile.network()
        with damage_told(self._profile.path):
            return draw_network(answer.objects["network_rates"], answer.title, ax)


def _time(part: Selected | None) -> str:
    from rankwise.render.figures.plots.canvas import IN_MPI, IN_THESE_CALLS

    return IN_THESE_CALLS if part and part.of_calls else IN_MPI


def _named(axes: Any, part: Selected | None) -> Any:
    """Return axes whose title names the part that is drawn on them."""
    from rankwise.render.figures.plots.canvas import name_part
    from rankwise.text.trust import selected_text

    if part:
        name_part(axes, selected_text(part))
    return axes
