"""Run times that were measured so far, in a file: the next call of the same command goes on from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError

_FORMAT, _VERSION = "rankwise-runs", 1
_LOOKS = "looks"  # in the place of an arm: the numbers of pairs at which there was a look


def directory_of(parent: Path, words: Sequence[object]) -> Path:
    """Return the directory that keeps the state of a task.

    Args:
        parent: of all such directories.
        words: that identify the task, as JSON knows them: other words have another directory.
    """
    return parent / hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


class SavedRuns:
    """Runs by race and arm, saved after each of them.

    Attributes:
        runs_before: that were there when it was opened.
    """

    def __init__(self, path: Path, about: Mapping[str, Any] | None = None, *, force: bool = False) -> None:
        """Open it, or begin a new one; its directory must exist when the first run is added.

        Args:
            path: of the file.
            about: what must be the same for its runs to count, as JSON knows it.
            force: begin again if the file is of something else.

        Raises:
            RankwiseError: the file can't be read, or is of something else.
        """
        self._path = path
        self._about = json.loads(json.dumps(about or {}))
        self._races: dict[str, dict[str, dict[int, float]]] = {}
        self._out: dict[str, dict[str, str]] = {}
        if self._path.exists():
            try:
                self._read()
            except RankwiseError:
                if not force:
                    raise
        self.runs_before = sum(len(runs) for race in self._races.values() for runs in race.values())

    def _read(self) -> None:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            if (
                content["format"] != _FORMAT
                or content["version"] != _VERSION
                or content["about"] != self._about
            ):
                raise RankwiseError(
                    f"{self._path} is of another race: give another directory with --keep, or --force to "
                    "start over"
                )
            self._races = {
                race: {
                    arm: {int(number): float(seconds) for number, seconds in runs.items()}
                    for arm, runs in arms.items()
                }
                for race, arms in content["runs"].items()
            }
            self._out = {race: dict(arms) for race, arms in content["out"].items()}
        except OSError as error:
            raise RankwiseError(f"{self._path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise RankwiseError(f"{self._path} is damaged: give --force to start over") from None

    def run(self, race: str, arm: str, number: int) -> float | None:
        """Return the seconds of a run; None if it was not made."""
        return self._races.get(race, {}).get(arm, {}).get(number)

    def out(self, race: str, arm: str) -> str | None:
        """Return why an arm is out of a race; None if it is not."""
        return self._out.get(race, {}).get(arm)

    def add(self, race: str, arm: str, number: int, seconds: float) -> None:
        """Add a run of an arm.

        Raises:
            RankwiseError: the file can't be written.
        """
        self._races.setdefault(race, {}).setdefault(arm, {})[number] = seconds
        self._write()

    def reject(self, race: str, arm: str, why: str) -> None:
        """Keep that an arm is out.

        Raises:
            RankwiseError: the file can't be written.
        """
        self._out.setdefault(race, {})[arm] = why
        self._write()

    def pairs(self, race: str, before: str, after: str) -> SavedPairs:
        """Return the pairs of two arms of a race, for a proof that goes on from them."""
        return SavedPairs(self, race, before, after)

    def _write(self) -> None:
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "about": self._about,
            "runs": self._races,
            "out": self._out,
        }
        temporary = self._path.with_suffix(".new")
        try:
            temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
            temporary.replace(self._path)
        except OSError as error:
            raise RankwiseError(f"{self._path}: {error.strerror}", 1) from None


class SavedPairs:
    """Pairs of saved runs and the looks at them, in their order: see tuning.proof.Kept."""

    def __init__(self, saved: SavedRuns, race: str, before: str, after: str) -> None:
        """Begin.

        Args:
            saved: that keeps the runs.
            race: that they belong to.
            before: the arm of each pair's first time.
            after: the arm of its second time.
        """
        self._saved, self._race, self._arms = saved, race, (before, after)
        self._pairs = 0  # that the proof has

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the whole pairs, and the looks."""
        recorded: list[Mapping[str, Any]] = []
        saved, race = self._saved, self._race
        while True:
            number = self._pairs + 1
            times = [saved.run(race, arm, number) for arm in self._arms]
            if None in times or any(saved.out(race, arm) for arm in self._arms):
                return recorded
            self._pairs = number
            recorded.append({"pair": times})
            if saved.run(race, _LOOKS, number) is not None:
                recorded.append({"look": number})

    def add(self, record: Mapping[str, Any]) -> None:
        """Keep a look; who makes the runs saves them."""
        if "look" in record:
            self._saved.add(self._race, _LOOKS, record["look"], 0.0)
