"""Places of ranks for launchers, beside a file of settings: what `rankwise run --with` would tell them."""

from __future__ import annotations

from pathlib import Path, PurePath

from rankwise.launch.commandline import parse
from rankwise.launchers import placings
from rankwise.launchers.placing import Placing, Written, job_of
from rankwise.mpi_libraries import version_of
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.words import one_line

_PROGRAM = ("COMMAND",)
"""Stands for a program that is not known."""


def for_launchers(settings: Settings, directory: Path) -> list[Written]:
    """Return a file for each launcher that can be told places, that of the measured launch first.

    Args:
        settings: with places for all ranks, or with none.
        directory: of the files.

    Raises:
        RankwiseError: the places are not those of ranks 0, 1, ...
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
    return [one for one in made if one.words]


def how_to_use(written: list[Written], launch: str) -> list[str]:
    """Return lines of a shell's comment that say how the places are used without Rankwise.

    Args:
        written: from `for_launchers`; there is nothing to say of none.
        launch: the whole command of the measured launch with places; '' if it is not known.
    """
    if not written:
        return []
    lines = ["# Placements of ranks are not variables: pass them to the launcher."]
    if launch:
        lines += ["# The launch that was measured, with them:", f"#   {one_line(launch)}"]
    lines += ["# By launcher, instead of its placement options:"]
    for one in written:
        note = f" ({one.note})" if one.note else ""
        lines += [f"#   {one.launcher}{note}:", f"#     {one_line(one.command_line)}"]
    return [
        *lines,
        "# These files must be visible to the launcher; if you move them, change their names here.",
    ]
