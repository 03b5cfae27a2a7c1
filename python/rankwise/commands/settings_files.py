"""What a command does with settings that it has found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.commands.messages import say
from rankwise.errors import RankwiseError

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
    from rankwise.tuning.settings.apply import translate
    from rankwise.tuning.settings.file import write_all

    if settings is None:
        return []
    for note in translate(settings, library).notes:
        say(note)
    if path is None:
        return []
    return write_all(settings, path, force=force, library_path=library, launch=_launch(settings, path))


class Writing(NamedTuple):
    """What became of the settings that a measurement has proven.

    Attributes:
        files: that were written, the one for `rankwise run --with` first; empty if none were.
        failed: why they could not be written; None: they were, or should not be.
    """

    files: list[Path]
    failed: RankwiseError | None = None

    def check(self, store: Path) -> None:
        """Say that they could not be written, after all that was measured is printed.

        Args:
            store: that keeps what was measured.

        Raises:
            RankwiseError: they could not.
        """
        if self.failed:
            raise RankwiseError(
                f"{self.failed}; what was measured is kept in {store}, and the same command, with another "
                "path if necessary, continues from there",
                self.failed.exit_status,
            ) from self.failed


def try_to_write(
    settings: Settings | None, path: Path | None, library: Path | None, *, force: bool
) -> Writing:
    """Write settings as `write_settings` does; a failure must not cost what was measured."""
    try:
        return Writing(write_settings(settings, path, library, force=force))
    except RankwiseError as error:
        return Writing([], error)


def _launch(settings: Settings, path: Path) -> str:
    """Return the measured launch with the places of ranks, told by the files beside the settings."""
    from rankwise.placement.relaunch import understand
    from rankwise.tuning.settings.file import places_beside

    if not settings.bindings:
        return ""
    try:
        launch = understand(settings.about.command, os.environ)
        return launch.relaunched(launch.bindings(settings.bindings), places_beside(path)).command_line
    except RankwiseError:  # such as another launcher than that of the measurement: the others are said
        return ""
