"""Tags of jobs that are recorded without `rankwise run`: the run directories are in a directory of the tags.

`rankwise env --tag` makes it below the directory of jobs: tags.uUSER.DIGEST, with the tags in tags.json.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from rankwise.profile.collect.notes import read_note
from rankwise.profile.collect.text import harmless

_PREFIX = "tags."
_FILE = "tags.json"
_DIGITS = 12


def make_directory_of_tags(jobs: Path, tags: Mapping[str, str]) -> Path:
    """Make the directory of jobs with these tags, below the directory of jobs, and return it.

    Raises:
        OSError: it can't be made.
    """
    import hashlib  # which takes time to load, and most runs have no such directory

    content = json.dumps({"tags": dict(sorted(tags.items()))}, indent=1)
    digest = hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]
    directory = jobs / f"{_PREFIX}u{os.geteuid()}.{digest}"
    directory.mkdir(mode=0o700, exist_ok=True)
    note = directory / _FILE
    if not note.exists():
        unfinished = directory / f"{_FILE}.{os.getpid()}"
        unfinished.write_text(f"{content}\n", encoding="utf-8")
        unfinished.replace(note)  # at once: other shells may be making it, too
    return directory


def directories_of_tags(jobs: Path) -> list[Path]:
    """Return this user's directories of tags below a directory of jobs.

    Raises:
        OSError: it can't be read.
    """
    with os.scandir(jobs) as entries:
        return [
            Path(entry.path)
            for entry in entries
            if entry.name.startswith(f"{_PREFIX}u{os.geteuid()}.")
            and entry.is_dir(follow_symlinks=False)
            and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
        ]


def tags_of_job(run_directory: Path) -> tuple[tuple[str, str], ...]:
    """Return the tags of a run directory: none if it is in no directory of tags.

    Raises:
        OSError: the note of the tags can't be read.
        ValueError: it holds something else.
    """
    directory = run_directory.parent
    if not directory.name.startswith(_PREFIX):
        return ()
    tags = read_note(directory / _FILE).get("tags")
    if not isinstance(tags, dict):
        raise ValueError("it holds no tags")
    return tuple((harmless(name), harmless(str(value))) for name, value in tags.items())
