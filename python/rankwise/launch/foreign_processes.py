"""Finds the MPI processes on this node that run without the library although our variables reached them.

Such a process has the run directory in its environment and an MPI library in its memory, but not ours. What
it sees of the file system shows why: in a container the library may not be there.

Looking at a process blocks changes to its memory, and takes a processor. So there is no look while all ranks
count, and never at a rank that does; the looking process has the lowest priority.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from pathlib import Path, PurePath

from rankwise._linux import close_all_but, stand_back
from rankwise.launchers import rank_variables
from rankwise.launchers.base import Preload
from rankwise.mpi_libraries import ANY
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.glimpse import ranks_of_job
from rankwise.profile.collect.node_memory import COUNTERS_NAME

_FIRST_LOOK_S = 2.0
_RARER, _MUCH_RARER = 2, 8  # times as long until the next look, where a rank is missing, and where none is
_PATIENCE_S = 1.0  # at the end, with a look that is not over
_READ_BYTES = 1 << 16


class ForeignProcesses:
    """Looks for unrecorded MPI processes while the job runs.

    Args:
        preload: the library that they should have loaded.

    Attributes:
        descriptor: none; see launch/job.py.
        due: when it is time to see whether a rank is missing.
    """

    descriptor: int | None = None

    def __init__(self, preload: Preload) -> None:
        self._library = preload.library
        self._directory = preload.directory
        self._mark = f"RANKWISE_DIR={preload.directory}"
        self._why: dict[int, str] = {}  # by rank
        self._looking: _Child | None = None
        self._pause_s = _FIRST_LOOK_S
        self.due: float | None = None

    def start(self) -> None:
        """Have a first look later on."""
        self.due = time.monotonic() + self._pause_s

    def step(self) -> None:
        """Look, in a separate process, if a rank is missing."""
        if self._looking and self._looking.is_over():
            self._take()
        counting = _counting(self._directory)
        is_missing = not counting or len(counting) < ranks_of_job(counting[0])
        self._pause_s *= _RARER if is_missing else _MUCH_RARER
        self.due = time.monotonic() + self._pause_s
        if is_missing and not self._looking:
            self._looking = _Child(lambda: self._reasons({_pid_of(path) for path in counting}))

    def report(self) -> str:
        """Stop looking, and report which ranks were found, where and why; '' if none were."""
        self.due = None
        self._take()
        if not self._why:
            return ""
        from rankwise.profile.join.members import compact

        host = os.uname().nodename
        return "; ".join(
            f"rank{'s' * (len(some) > 1)} {compact(some)} on {host} without Rankwise: {why}"
            for why, some in self._by_reason().items()
        )

    def look(self, counting: Collection[int] = ()) -> None:
        """Look at all processes once, except those that count."""
        for name in os.listdir("/proc"):  # noqa: PTH208 - the names are all that is wanted
            if name.isdecimal() and int(name) not in counting:
                with contextlib.suppress(OSError):  # it is somebody else's, or gone
                    self._look_at(Path("/proc", name))

    def _reasons(self, counting: Collection[int]) -> bytes:
        self.look(counting)
        return json.dumps(self._by_reason()).encode()

    def _by_reason(self) -> dict[str, list[int]]:
        ranks = defaultdict(list)
        for rank, why in sorted(self._why.items()):
            ranks[why].append(rank)
        return ranks

    def _take(self) -> None:
        """Take what the latest look has found."""
        if self._looking:
            reasons = json.loads(self._looking.end() or b"{}")
            self._why |= {rank: why for why, ranks in reasons.items() for rank in ranks}
            self._looking = None

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
            return  # no rank, or it counts already, or it has not begun
        # (A library of ours that is loaded too early reports the problem itself.)
        if self._library.name not in files:
            visible = (process / "root" / self._library.relative_to("/")).exists()
            self._why[int(rank)] = (
                "the library is visible there but was not loaded"
                if visible
                else f"{self._library} is not visible there"
            )


class _Child:
    """A process that computes something at lower priority than the ranks.

    Args:
        find: returns it; it must need no module that is not loaded.
    """

    def __init__(self, find: Callable[[], bytes]) -> None:
        self._told, tell = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                close_all_but(tell)
                stand_back()
                os.write(tell, find())
            finally:
                os._exit(0)
        os.close(tell)

    def is_over(self) -> bool:
        """Whether it has ended."""
        return bool(select.select([self._told], [], [], 0)[0])

    def end(self) -> bytes:
        """Wait for the child briefly, and return its findings; b'' = unknown."""
        answer = (
            os.read(self._told, _READ_BYTES) if select.select([self._told], [], [], _PATIENCE_S)[0] else b""
        )
        os.close(self._told)
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        return answer


def _counting(run_directory: Path) -> list[Path]:
    """Return the counters of the processes on this node."""
    return [path for memory in node_memory.of_run(run_directory) for path in memory.counters()]


def _pid_of(counters: Path) -> int:
    match = COUNTERS_NAME.fullmatch(counters.name)
    return int(match["pid"]) if match else 0
