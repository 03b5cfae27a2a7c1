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
    """Report the side effects of settings, and write the settings if the user wants that.

    Args:
        settings: that were found; None: none were.
        path: to write them to; None: they are not written.
        library: the file with the MPI library of the program; None: not known.
        force: replace files that exist.

    Returns:
        the files, with that for `rankwise run --with` first; empty if none were written.

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
    """The files of settings that a measurement has proven.

    Attributes:
        files: written files, with that for `rankwise run --with` first; empty if none were.
        failed: why they could not be written; None: no failure.
    """

    files: list[Path]
    failed: RankwiseError | None = None

    def check(self, store: Path) -> None:
        """Raise the failure to write them, once all results are printed.

        Args:
            store: where the measurements are kept.

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
    """Write settings as `write_settings` does; a failure must not cost the measurements."""
    try:
        return Writing(write_settings(settings, path, library, force=force))
    except RankwiseError as error:
        return Writing([], error)


def _launch(settings: Settings, path: Path) -> str:
    """Return the measured launch with the places of ranks, from the files next to the settings."""
    from rankwise.placement.relaunch import understand
    from rankwise.tuning.settings.file import places_beside

    if not settings.bindings:
        return ""
    try:
        launch = understand(settings.about.command, os.environ)
        return launch.relaunched(launch.bindings(settings.bindings), places_beside(path)).command_line
    except RankwiseError:  # such as another launcher; the variables of the others are printed
        return ""
