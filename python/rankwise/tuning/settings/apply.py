"""Translates settings into an MPI library's own files, and variables of the ranks."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.text.names import library_said
from rankwise.tuning.libraries import by_version, libraries
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.translation import Translation
from rankwise.whole_files import appearing

STEM = "settings"
"""Of the files' names in Rankwise's directory."""


def translate(settings: Settings, library_path: Path | None = None) -> Translation:
    """Translate settings for their library.

    Args:
        settings: to be translated.
        library_path: the file with the MPI library that the program uses; needed if rules are
            made from its contents.

    Raises:
        RankwiseError: the library can't take them.
    """
    if not settings.rules:
        return Translation(settings.environment)
    library = by_version(settings.about.library)
    if library.has_rules:
        return library.translate(settings, library_path)
    known = ", ".join(known.label for known in libraries() if known.has_rules)
    raise RankwiseError(
        f"rules for {library_said(settings.about.library)!r} can't be written; they can for {known}"
    )


def untranslatable(settings: Settings, library_path: Path | None = None) -> str:
    """Return why the library can't take settings; '' if it can. See `translate`."""
    try:
        translate(settings, library_path)
    except RankwiseError as error:
        return str(error)
    return ""


def materialise(settings: Settings, directory: Path, library_path: Path | None = None) -> dict[str, str]:
    """Write the library's own files, and return the variables that the ranks get.

    Args:
        settings: to be in force.
        directory: of the files; it exists, all nodes see it, and it stays until the job has ended.
        library_path: see `translate`.

    Raises:
        RankwiseError: the library can't take them, or a file can't be written.
    """
    translation = translate(settings, library_path)
    path = directory.absolute() / f"{STEM}{translation.suffix}"
    if translation.suffix:
        with appearing(path, option="--run-dir") as (temporary,):
            temporary.write_text(translation.text, encoding="ascii")
    return translation.variables_for(str(path))
