"""The launch inside a script: the launcher's process is looked at while the script runs.

A script may load modules, set variables and go to other directories before it starts its program. All of that
is seen in the process of the launcher, however the script came there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from rankwise.launch.commandline import parse
from rankwise.launchers import is_launcher

# Between looks, before a launcher is seen and afterwards: at the descendants of the script, and at all
# processes, among which may be launchers whose parents have ended.
_DESCENDANTS_S, _DESCENDANTS_LATER_S = 0.01, 0.1  # a quick launch takes some 50 ms
_ALL_S, _ALL_LATER_S = 0.1, 0.5
_PARENT, _SESSION = 1, 3  # proc_pid_stat(5), counted from the state


@dataclass(frozen=True)
class Inner:
    """A launch as it was seen.

    Attributes:
        words: of the command; it can be given where the script was.
        environment: of the launcher, without what Rankwise had added.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass
class LaunchWatch:
    """Looks for launchers among the processes of a session.

    Attributes:
        added: variables that Rankwise has set for the run, with the user's own value; None: there was none.
        found: launches, in the order in which they were seen.
    """

    added: Mapping[str, str | None] = field(default_factory=dict)
    found: dict[int, Inner] = field(default_factory=dict)
    _due: float = 0.0

    @property
    def pause_s(self) -> float:
        """Return how long to wait until the next look."""
        return _DESCENDANTS_LATER_S if self.found else _DESCENDANTS_S

    def look(self, session: int) -> None:
        """Look at the descendants of a process, and from time to time at its whole session.

        Args:
            session: the process, which leads a session.
        """
        parents: dict[int, int] = {}  # the launchers' parents
        if (now := time.monotonic()) >= self._due:
            self._due = now + (_ALL_LATER_S if self.found else _ALL_S)
            for name in os.listdir("/proc"):  # noqa: PTH208 - the names are all that is wanted
                if name.isdecimal():
                    self._look_at(int(name), session, parents)
        else:
            self._look_below(session, session, parents)
        for pid in (pid for pid in parents if pid not in self.found and parents[pid] not in parents):
            with suppress(OSError):
                self.found[pid] = self._inner(Path("/proc", str(pid)))

    @property
    def launches(self) -> list[Inner]:
        """Return the distinct launches."""
        return list({inner.words: inner for inner in self.found.values()}.values())

    def _look_below(self, pid: int, session: int, parents: dict[int, int]) -> None:
        """Look at a process and its descendants, but not below launchers, where the ranks are."""
        self._look_at(pid, session, parents)
        if pid in parents:
            return
        with suppress(OSError, ValueError):  # it is gone, or the kernel has no such file
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                self._look_below(int(child), session, parents)

    def _look_at(self, pid: int, session: int, parents: dict[int, int]) -> None:
        process = Path("/proc", str(pid))
        with suppress(OSError, IndexError, ValueError):  # it is gone
            fields = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
            words = _words(process) if int(fields[_SESSION]) == session else []
            if words and is_launcher(PurePath(words[0]).name):
                parents[pid] = int(fields[_PARENT])

    def _inner(self, process: Path) -> Inner:
        words, directory = _words(process), (process / "cwd").readlink()
        entries = (process / "environ").read_bytes().split(b"\0")
        environment = dict(os.fsdecode(entry).partition("=")[::2] for entry in entries if entry)
        for name, own in self.added.items():
            environment.pop(name, None)
            if own is not None:
                environment[name] = own
        return Inner(_elsewhere(words, directory), environment)


def _words(process: Path) -> list[str]:
    return [os.fsdecode(word) for word in (process / "cmdline").read_bytes().split(b"\0")[:-1]]


def _elsewhere(words: list[str], directory: Path) -> tuple[str, ...]:
    """Return a launch that can be started here as it was in another directory."""
    if directory == Path.cwd():
        return tuple(words)
    line = parse([_absolute(words[0], directory), *words[1:]])
    contexts = (
        context._replace(program=(_absolute(context.program[0], directory), *context.program[1:]))
        if context.program
        else context
        for context in line.contexts
    )
    return ("env", "-C", str(directory), *line._replace(contexts=tuple(contexts)).words)


def _absolute(word: str, directory: Path) -> str:
    return str(directory / word) if "/" in word else word
