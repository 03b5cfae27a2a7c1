"""The steps kept and dropped so far, in a directory of the user: a further call continues from there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.optimization.attempts import Attempt
from rankwise.optimization.step import Promise
from rankwise.trials.interval import Interval
from rankwise.trials.saved_runs import directory_of
from rankwise.tuning.settings.file import read, write
from rankwise.tuning.settings.model import Settings
from rankwise.whole_files import appearing

DIRECTORY = "rankwise-optimize"
_STATE = "state.json"
_FORMAT, _VERSION = "rankwise-optimize", 1


class Saved:
    """The state of an optimisation; it is on disk after each change.

    Attributes:
        directory: of it.
        attempts: steps that were kept or dropped.
        kept: settings of the kept steps together; None if none was kept.
        hosts: that the program ran on; empty: it has not run.
    """

    def __init__(self, parent: Path, command: Sequence[str], library: str, asked: Mapping[str, Any]) -> None:
        """Open it; nothing is made before there is something to save.

        Args:
            parent: directory of all states.
            command: of the program with this state.
            library: of the program with this state.
            asked: options that must be the same for its proofs to count, as JSON knows them.

        Raises:
            RankwiseError: it can't be read, or is of other wishes.
        """
        self.directory = directory_of(parent, [list(command), library])
        self.attempts: list[Attempt] = []
        self.kept: Settings | None = None
        self.hosts: tuple[str, ...] = ()
        self._command, self._library = list(command), library
        self._asked = json.loads(json.dumps(asked))
        self._kept_file = ""
        if (self.directory / _STATE).exists():
            self._read(self.directory / _STATE)

    @property
    def is_new(self) -> bool:
        """Whether nothing was saved yet."""
        return not self.hosts

    def check_hosts(self, hosts: Sequence[str]) -> None:
        """Refuse to go on elsewhere than where it was begun.

        Raises:
            RankwiseError: it was begun elsewhere.
        """
        if self.hosts and set(self.hosts) != set(hosts):
            raise RankwiseError(
                f"earlier steps were measured on {_some(self.hosts)}, but the program now runs on "
                f"{_some(hosts)}: run it there, or remove {self.directory} to start over"
            )

    def begin(self, hosts: Sequence[str]) -> None:
        """Keep where the program runs.

        Raises:
            RankwiseError: it can't be written.
        """
        self.hosts = tuple(hosts)
        self._write()

    def add(self, attempt: Attempt, kept: Settings | None = None) -> None:
        """Add a step.

        Args:
            attempt: of it.
            kept: all settings that are kept now, if this step is.

        Raises:
            RankwiseError: it can't be written.
        """
        self.attempts.append(attempt)
        if kept is not None:
            self.kept, self._kept_file = kept, f"kept-{len(self.attempts)}.json"
            write(kept, self.directory / self._kept_file, force=True)
        self._write()

    def remove(self) -> None:
        """Remove it all, and the parent if that was the last one."""
        shutil.rmtree(self.directory, ignore_errors=True)
        with suppress(OSError):
            self.directory.parent.rmdir()

    def _write(self) -> None:
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "command": self._command,
            "library": self._library,
            "asked": self._asked,
            "hosts": list(self.hosts),
            "kept": self._kept_file,
            "tried": [asdict(attempt) for attempt in self.attempts],
        }
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RankwiseError(f"{self.directory} can't be made: {error.strerror}", 1) from None
        with appearing(self.directory / _STATE) as (temporary,):
            temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    def _read(self, path: Path) -> None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if (content["format"], content["version"]) != (_FORMAT, _VERSION):
                raise RankwiseError(f"{path} is of another version: remove {self.directory} to start over")
            if content["asked"] != self._asked:
                raise RankwiseError(
                    f"{self.directory} was started with other options ({_text(content['asked'])}): give the "
                    "same, or remove it to start over"
                )
            self.attempts = [_attempt(attempt) for attempt in content["tried"]]
            self.hosts, self._kept_file = tuple(content["hosts"]), str(content["kept"])
            if self._kept_file:
                self.kept = read(self.directory / self._kept_file)
        except OSError as error:
            raise RankwiseError(f"{path} can't be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise RankwiseError(f"{path} is damaged: remove {self.directory} to start over") from None


def _attempt(fields: Mapping[str, Any]) -> Attempt:
    promise = Promise(**fields["promise"]) if fields["promise"] else None
    interval = Interval(**fields["interval"]) if fields["interval"] else None
    return Attempt(**{**fields, "promise": promise, "interval": interval})


def _text(asked: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in asked.items() if value not in (None, False, ""))


def _some(hosts: Sequence[str]) -> str:
    ordered = sorted(hosts)
    return (
        ", ".join(ordered) if len(ordered) <= 4 else f"{', '.join(ordered[:3])} and {len(ordered) - 3} others"
    )
