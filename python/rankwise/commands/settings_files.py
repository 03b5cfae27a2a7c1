"""What a command does with settings that it has found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands.messages import say

if TYPE_CHECKING:
    from rankwise.tuning.settings.model import Settings


def write_settings(
    settings: Settings | None, path: Path | None, library: Path | None, *, force: bool
) -> list[Path]:
    """Say what settings change beside what they are for, and write them if the user wants that.

    Args:
        settings: that were found; None: none were.
        path: to write them to; None: they are not written.
        library: the file with the MPI library of the program; None: not known.
        force: replace files that exist.

    Returns:
        the files, the one for `rankwise run --with` first; empty if none were written.

    Raises:
        RankwiseError: they can't be written.
    """
    from rankwise.tuning.settings.apply import told
    from rankwise.tuning.settings.file import write_all

    if settings is None:
        return []
    for note in told(settings, library).notes:
        say(note)
    if path is None:
        return []
    return write_all(settings, path, force=force, library_path=library)
