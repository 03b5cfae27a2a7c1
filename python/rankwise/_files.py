"""Finds the files that are shipped with the package and are not Python."""

from __future__ import annotations

from pathlib import Path

import rankwise
from rankwise.errors import RankwiseError

# Where files lie in the source tree, relative to a directory of rankwise.__path__, before they are installed.
_IN_SOURCE_TREE = {
    "share/format.h": "../../src/runtime/format.h",
    "include/": "../../include/rankwise/",
    "share/grafana/": "../../share/grafana/",
    "share/probes/": "../../src/probes/",
}


def installed(name: str) -> Path:
    """Find a shipped file.

    Args:
        name: relative to the package, e.g. ``share/format.h`` or ``lib/librankwise.so``.

    Raises:
        RankwiseError: the file is nowhere: the installation is incomplete.
    """
    # An editable installation has several directories: the sources and what was built from them.
    directories = [Path(directory) for directory in rankwise.__path__]
    places = [directory / name for directory in directories]
    for beginning, source in _IN_SOURCE_TREE.items():
        if name.startswith(beginning):
            places += [directory / (source + name.removeprefix(beginning)) for directory in directories]
    for place in places:
        if place.is_file():
            return place.resolve()
    raise RankwiseError(
        f"Rankwise's own file {name} is missing in {directories[0]}: install Rankwise again", exit_status=1
    )
