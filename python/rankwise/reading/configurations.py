"""The runs of one configuration among many profiles, for `rankwise history` and `rankwise variance`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.reading.answers import TableView
from rankwise.reading.runs import Files, paths_of
from rankwise.runs.files import profiles_in
from rankwise.runs.groups import Chosen, Wanted, largest_group
from rankwise.runs.load import Loaded, load
from rankwise.views.runs.chosen import configuration_line, left_out_lines
from rankwise.views.view import View


def chosen_runs(profiles: Files, wanted: Wanted) -> tuple[Loaded, Chosen]:
    """Return all runs and files, and the runs of the largest wanted configuration.

    Args:
        profiles: a file or a directory, or several.
        wanted: the configuration.

    Raises:
        RankwiseError: a path does not exist, or no run is left.
    """
    found = profiles_in(paths_of("profiles", profiles))
    loaded = load(found.files, found.unreadable)
    if not loaded.runs:
        more = f" ({len(loaded.unreadable) - 1} more)" if len(loaded.unreadable) > 1 else ""
        raise RankwiseError(f"{loaded.unreadable[0].reason}{more}")
    return loaded, largest_group(loaded.runs, wanted)


class RunsView(TableView):
    """An answer in tables about the runs of one configuration."""

    def __init__(self, name: str, view: View, loaded: Loaded, chosen: Chosen) -> None:
        """Take the view."""
        runs = [*chosen.runs, *chosen.partial]
        super().__init__(runs[0].path if runs else Path(), name, view)
        self._loaded, self._chosen = loaded, chosen

    @property
    def _content(self) -> Mapping[str, Any]:
        unreadable = [{"path": str(each.path), "reason": each.reason} for each in self._loaded.unreadable]
        repeated = [str(path) for path in self._loaded.repeated]
        return {"title": self.title, **super()._content, "unreadable": unreadable, "repeated": repeated}

    def _lines(self) -> list[tuple[str, str]]:
        out = left_out_lines(self._chosen, self._loaded.unreadable, len(self._loaded.repeated))
        return [(configuration_line(self._chosen), ""), *((f"! {line}", "yellow") for line in out)]
