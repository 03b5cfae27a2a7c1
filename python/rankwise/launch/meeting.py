"""`mpirun -n 4 rankwise run ./app`: the processes of a launch agree on one run directory.

The first process that makes the directory leads. On several nodes it waits until every node has left a mark
there, since all nodes must see the directory. Then it writes its decision. The others wait
for that.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launchers.membership import Membership

DECISION = "meeting.json"
"""The decision: the variables of all processes, or null."""

MARKS = "*.mark"
"""A mark contains how many ranks its writer represents, and is named by its rank."""

PATIENCE_S = 30.0  # for processes whose launch takes longer, and for file systems that show files late
_FIRST_STEP_S, _LONGEST_STEP_S = 0.005, 0.25


class Meeting(NamedTuple):
    """The run directory of a launch, from the view of one of its processes.

    Attributes:
        path: of the directory; the same in all processes.
        member: this process.
        leads: whether it has made the directory.
    """

    path: Path
    member: Membership
    leads: bool

    @classmethod
    def enter(cls, path: Path, member: Membership) -> Meeting:
        """Make the directory, unless it exists.

        Raises:
            RankwiseError: it can't be made.
        """
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            return cls(path, member, leads=False)
        except OSError as error:
            raise RankwiseError(f"{path}: {error.strerror}; give another path with --run-dir") from None
        return cls(path, member, leads=True)

    def is_complete(self, seconds: float = PATIENCE_S) -> bool:
        """Wait for all nodes and for the leader; return whether all have arrived."""
        if self.member.on_node == self.member.size:
            return True
        self._mark()
        return any(self._marked() >= self.member.size for _ in _steps(seconds))

    def has_first_rank(self) -> bool:
        """Whether rank 0 has arrived."""
        return self.member.rank == 0 or (self.path / MARKS.replace("*", "0")).exists()

    def decide(self, variables: Mapping[str, str] | None) -> None:
        """Publish the environment for all processes; None: they run unrecorded."""
        new = self.path / f"{DECISION}.new"
        new.write_text(json.dumps(None if variables is None else dict(variables)), encoding="utf-8")
        new.replace(self.path / DECISION)
        for mark in self.path.glob(MARKS):
            mark.unlink(missing_ok=True)

    def decided(self, seconds: float = PATIENCE_S) -> dict[str, str] | None:
        """Wait for what the leader decides; None: this process runs unrecorded."""
        with suppress(OSError, ValueError):  # the directory is gone: the leader was
            if self.member.on_node != self.member.size and not (self.path / DECISION).exists():
                self._mark()
            for _ in _steps(seconds):
                if self._is_there(DECISION):
                    decision = json.loads((self.path / DECISION).read_text(encoding="utf-8"))
                    return (
                        None
                        if decision is None
                        else {str(name): str(value) for name, value in decision.items()}
                    )
        return None

    def _is_there(self, name: str) -> bool:
        # A network file system goes on saying that a file is not there until its directory is opened.
        os.close(os.open(self.path, os.O_RDONLY | os.O_DIRECTORY))
        return (self.path / name).exists()

    def _mark(self) -> None:
        if self.member.speaks_for:
            new = self.path / f"{self.member.rank}.new"
            new.write_text(str(self.member.speaks_for), encoding="ascii")
            new.replace(self.path / MARKS.replace("*", str(self.member.rank)))

    def _marked(self) -> int:
        return sum(int(mark.read_text(encoding="ascii")) for mark in self.path.glob(MARKS))


def name_of(job: str) -> str:
    """Make a part of a file's name of what identifies a launch."""
    return re.sub(r"[^A-Za-z0-9_.@+-]", "_", job)[:100]


def _steps(seconds: float) -> Iterator[None]:
    """Yield again and again until the time is over, ever more slowly, and once after that."""
    end, step = time.monotonic() + seconds, _FIRST_STEP_S
    while True:
        yield
        remaining_s = end - time.monotonic()
        if remaining_s <= 0:
            return
        time.sleep(min(step, remaining_s))
        step = min(1.5 * step, _LONGEST_STEP_S)
