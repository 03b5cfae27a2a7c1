"""Finds the MPI processes on this node that run without the library although our variables reached them.

Such a process has the run directory in its environment and an MPI library in its memory, but not ours. What
it sees of the file system tells why: in a container the library may not be there.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import defaultdict
from pathlib import Path, PurePath

from rankwise.launchers import rank_variables
from rankwise.launchers.base import Preload
from rankwise.mpi_libraries import ANY

_FIRST_LOOK_S = 0.25  # each further one after twice the time: a long job has few


class Strangers:
    """Looks for them while the job runs.

    Args:
        preload: what they should have found.
    """

    def __init__(self, preload: Preload) -> None:
        self._library = preload.library
        self._directory = preload.directory
        self._mark = f"RANKWISE_DIR={preload.directory}"
        self._why: dict[int, str] = {}  # by rank
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="strangers", daemon=True)

    def start(self) -> None:
        """Begin to look, in a thread of its own."""
        self._thread.start()

    def told(self) -> str:
        """Stop looking, and tell which ranks were found, where and why; '' if none were."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(1.0)
        if not self._why:
            return ""
        from rankwise.profile.join.members import compact

        ranks = defaultdict(list)
        for rank, why in sorted(self._why.items()):
            ranks[why].append(rank)
        host = os.uname().nodename
        return "; ".join(
            f"rank{'s' * (len(some) > 1)} {compact(some)} on {host} without Rankwise: {why}"
            for why, some in ranks.items()
        )

    def look(self) -> None:
        """Look at all processes once."""
        for name in os.listdir("/proc"):  # noqa: PTH208 - the names are all that is wanted
            if name.isdecimal():
                with contextlib.suppress(OSError):  # it is somebody else's, or gone
                    self._look_at(Path("/proc", name))

    def _watch(self) -> None:
        seconds = _FIRST_LOOK_S
        while not self._over.wait(seconds):
            self.look()
            seconds *= 2

    def _look_at(self, process: Path) -> None:
        variables = (process / "environ").read_text(errors="surrogateescape").split("\0")
        if self._mark not in variables:
            return
        values = dict(v.partition("=")[::2] for v in variables)
        rank = next((values[name] for name in rank_variables() if name in values), "")
        maps = (process / "maps").read_text(errors="replace")
        files = {PurePath(line.split(maxsplit=5)[-1]).name for line in maps.splitlines() if "/" in line}
        counts = f"{self._directory}/" in maps
        if not rank.isdecimal() or counts or not any(ANY.match(name) for name in files):
            return  # no rank, or it counts, or it has not begun
        # (Where ours is loaded, before all that it is preloaded in front of, it tells itself what is wrong.)
        if self._library.name not in files:
            visible = (process / "root" / self._library.relative_to("/")).exists()
            self._why[int(rank)] = (
                "the library is visible there, and was not loaded"
                if visible
                else f"{self._library} is not visible there"
            )
