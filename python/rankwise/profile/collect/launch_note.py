"""Reads what `rankwise run` noted about the launch: launch.json in the run directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from rankwise.profile.collect.job_tags import tags_of_job
from rankwise.profile.collect.notes import read_note
from rankwise.profile.collect.text import harmless

FILE_NAME = "launch.json"


class LaunchNote(NamedTuple):
    """How the program was launched; unknown parts are empty.

    Attributes:
        command: the words after `--`.
        directory: working directory of the launch.
        launcher: mpirun, srun, ...
        job: job id of the scheduler or launcher.
        not_covered: MPI procedures that the program imports and Rankwise does not record, None if unknown.
        only: collectives whose messages inside were to be recorded, all if empty.
        rankwise_version: that launched it.
        tags: names and values that tell the run from others.
        run: which of the runs that have had this run directory, 0 = not known.
        warning: why the note could not be read, '' if it could or is not there.
    """

    command: tuple[str, ...] = ()
    directory: str = ""
    launcher: str = ""
    job: str = ""
    not_covered: tuple[str, ...] | None = None
    only: tuple[str, ...] = ()
    rankwise_version: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    run: int = 0
    warning: str = ""


def read_launch_note(run_directory: Path) -> LaunchNote:
    """Read the note of a run directory, if there is one; never fails."""
    path = run_directory / FILE_NAME
    if not os.path.lexists(path):
        return _without_launch(run_directory)
    try:
        note = read_note(path)
    except (OSError, ValueError) as error:
        why = harmless(str(error))
        return LaunchNote(warning=f"{FILE_NAME} cannot be read, the command is unknown: {why}")
    return LaunchNote(
        command=_words(note.get("command")),
        directory=_text(note.get("directory")),
        launcher=_text(note.get("launcher")),
        job=_text(note.get("job")),
        not_covered=None if note.get("not_covered") is None else _words(note["not_covered"]),
        only=_words(note.get("only")),
        rankwise_version=_text(note.get("rankwise_version")),
        tags=_pairs(note.get("tags")),
        run=_run(note.get("run")),
    )


def _without_launch(run_directory: Path) -> LaunchNote:
    """Return the note of a job that `rankwise run` did not launch: only its tags are known."""
    try:
        return LaunchNote(tags=tags_of_job(run_directory))
    except (OSError, ValueError) as error:
        return LaunchNote(warning=f"the tags of the job cannot be read: {harmless(str(error))}")


def _run(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 32 else 0


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        return ()
    return tuple((harmless(name), _text(text)) for name, text in value.items() if _text(text))


def _text(value: Any) -> str:
    return harmless(str(value)) if isinstance(value, str | int) else ""


def _words(value: Any) -> tuple[str, ...]:
    """Keep the words as they are: they are stored as JSON, where nothing does harm."""
    return tuple(str(word) for word in value) if isinstance(value, list) else ()
