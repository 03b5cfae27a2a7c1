"""Files with the placement of ranks for launchers, and the commands that use them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launchers import placings
from rankwise.launchers.binding import Binding
from rankwise.launchers.placing import Job, Written, job_of, lines
from rankwise.whole_files import appearing, refuse_existing

__all__ = ["LAUNCHERS", "Written", "check_output", "instructions", "write_all"]

LAUNCHERS: Mapping[str, tuple[Callable[[Job], Written], ...]] = {
    choice: placing.files for choice, placing in placings().items()
}
"""The placings of each launcher, by its name on the command line."""

_COLUMNS = [field.name for field in fields(Binding)]
EVERY = tuple(LAUNCHERS)


def instructions(
    bindings: Sequence[Binding],
    directory: Path,
    program_words: Sequence[str],
    launchers: Sequence[str] = EVERY,
) -> list[Written]:
    """Return what `write_all` writes, without writing it.

    Raises:
        RankwiseError: the bindings are not those of ranks 0, 1, ...
    """
    job = job_of(bindings, directory, program_words)
    files = dict.fromkeys(file for name in launchers for file in LAUNCHERS[name])
    return [file(job) for file in (*files, _table, _objects)]


def check_output(directory: Path, launchers: Sequence[str] = EVERY, *, force: bool) -> None:
    """Refuse files that are there; to be called before anything is computed.

    Args:
        directory: of the files.
        launchers: that files are written for.
        force: files may be replaced.

    Raises:
        RankwiseError: one is there and may not be replaced, or the directory is a file.
    """
    if directory.exists() and not directory.is_dir():
        raise RankwiseError(f"{directory} is a file: give a directory with -o")
    planned = instructions([Binding(0, "host")], directory, (), launchers)
    refuse_existing(*(written.path for written in planned), force=force)


def write_all(
    bindings: Sequence[Binding],
    directory: Path,
    program_words: Sequence[str],
    launchers: Sequence[str] = EVERY,
    *,
    force: bool = False,
) -> list[Written]:
    """Write files for launchers, and files for people and scripts: each appears as a whole.

    Args:
        bindings: of ranks 0, 1, ..., in any order.
        directory: of the files; it is made if it is not there.
        program_words: the program and its arguments, for the commands.
        launchers: keys of LAUNCHERS.
        force: replace files that are there.

    Raises:
        RankwiseError: the bindings are not those of ranks 0, 1, ..., or a file exists or can't be written.
    """
    instructed = instructions(bindings, directory, program_words, launchers)
    check_output(directory, launchers, force=force)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RankwiseError(
            f"{directory} can't be made: {error.strerror}; give another one with -o", 1
        ) from error
    with appearing(*(written.path for written in instructed)) as temporary:
        for path, written in zip(temporary, instructed, strict=True):
            path.write_text(written.text, encoding="utf-8")
    return instructed


def _table(job: Job) -> Written:
    """A line a rank, below one with the names of the columns."""
    rows = [",".join("" if value is None else str(value) for value in row.values()) for row in _rows(job)]
    return Written(job.directory / "placement.csv", "CSV", lines([",".join(_COLUMNS), *rows]))


def _objects(job: Job) -> Written:
    """A list with an object a rank."""
    rows = ",\n".join(f"  {json.dumps(row)}" for row in _rows(job))
    return Written(job.directory / "placement.json", "JSON", f"[\n{rows}\n]\n")


def _rows(job: Job) -> list[dict[str, int | str | None]]:
    return [
        {name: None if value == -1 else value for name, value in vars(binding).items()}
        for binding in job.bindings
    ]
