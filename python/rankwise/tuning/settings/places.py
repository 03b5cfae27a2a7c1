"""Files with the places of ranks, for launchers without `rankwise run --with`."""

from __future__ import annotations

from pathlib import Path, PurePath

from rankwise.launch.commandline import parse
from rankwise.launchers import placings
from rankwise.launchers.placing import Placing, Written, job_of
from rankwise.mpi_libraries import version_of
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.words import one_line

_PROGRAM = ("COMMAND",)
"""Stands for an unknown program."""


def for_launchers(settings: Settings, directory: Path) -> list[Written]:
    """Return a file for each launcher that can place ranks, the measured launch's first.

    Args:
        settings: with places for all ranks, or for none.
        directory: of the files.

    Raises:
        RankwiseError: the places are not of ranks 0, 1, ...
    """
    if not settings.bindings:
        return []
    about = settings.about
    version = version_of(about.library)
    command = parse(about.command, lambda _: version.label)
    context = command.contexts[0]
    inside = [word for wrapper in context.wrappers for word in wrapper.words]
    job = job_of(settings.bindings, directory, (*inside, *context.program) or _PROGRAM)
    own: Placing | None = None
    if command.known:
        own = command.known.placing(PurePath(command.launcher).name, version)
    ordered = [*([own] if own else []), *placings().values()]
    made = [file(job) for file in dict.fromkeys(file for placing in ordered for file in placing.files)]
    return [written for written in made if written.words]


def how_to_use(written: list[Written], launch: str) -> list[str]:
    """Return lines of a shell comment on how to use the places without Rankwise.

    Args:
        written: from `for_launchers`; may be empty.
        launch: the whole command of the measured launch with places; '' if unknown.
    """
    if not written:
        return []
    lines = ["# Placements of ranks are not variables: pass them to the launcher."]
    if launch:
        lines += ["# The launch that was measured, with them:", f"#   {one_line(launch)}"]
    lines += ["# By launcher, instead of its placement options:"]
    for file in written:
        note = f" ({file.note})" if file.note else ""
        lines += [f"#   {file.launcher}{note}:", f"#     {one_line(file.command_line)}"]
    return [
        *lines,
        "# These files must be visible to the launcher; if you move them, change their names here.",
    ]
