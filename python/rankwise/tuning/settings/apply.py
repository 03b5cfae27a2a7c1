"""Settings made into what an MPI library reads: its own files, and variables of the ranks."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.text.names import library_said
from rankwise.tuning.libraries import by_version, libraries
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.told import Told
from rankwise.whole_files import appearing

STEM = "settings"
"""Of the files' names in a directory of ours."""


def told(settings: Settings, library_path: Path | None = None) -> Told:
    """Return what the library that settings are for is told.

    Args:
        settings: to be told.
        library_path: the file with the MPI library that the program uses; needed where rules
            are made from what is in there.

    Raises:
        RankwiseError: the library can't be told them.
    """
    if not settings.rules:
        return Told(settings.environment)
    library = by_version(settings.about.library)
    if library.has_rules:
        return library.told(settings, library_path)
    known = ", ".join(one.label for one in libraries() if one.has_rules)
    raise RankwiseError(
        f"rules for {library_said(settings.about.library)!r} can't be written; they can for {known}"
    )


def untold(settings: Settings, library_path: Path | None = None) -> str:
    """Return why the library can't be told settings; '' if it can. See `told`."""
    try:
        told(settings, library_path)
    except RankwiseError as error:
        return str(error)
    return ""


def materialise(settings: Settings, directory: Path, library_path: Path | None = None) -> dict[str, str]:
    """Write the library's own files, and return the variables that the ranks get.

    Args:
        settings: that are to be in force.
        directory: of the files; it is there, all nodes see it, and it stays until the job has ended.
        library_path: see `told`.

    Raises:
        RankwiseError: the library can't be told them, or a file can't be written.
    """
    what = told(settings, library_path)
    path = directory.absolute() / f"{STEM}{what.suffix}"
    if what.suffix:
        with appearing(path, option="--run-dir") as (temporary,):
            temporary.write_text(what.text, encoding="ascii")
    return what.variables_for(str(path))
