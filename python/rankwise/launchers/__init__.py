"""The launchers of MPI programs: a module each, which holds all that is known of it.

Whatever module of this package has a LAUNCHER is one.
"""

from __future__ import annotations

import importlib
import os
from functools import cache

from rankwise.launchers import other
from rankwise.launchers.base import Launcher

SHARED_COMMANDS = ("mpirun", "mpiexec")
"""Names that every MPI uses: ask the command itself (version.py)."""


@cache
def launchers() -> tuple[Launcher, ...]:
    """Return all, in their order."""
    # What pkgutil would tell, too, but that loads `inspect`, which takes as long as all else before a launch.
    names = {name.partition(".")[0] for place in __path__ for name in os.listdir(place)}  # noqa: PTH208
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names if not name.startswith("_")]
    found = [module.LAUNCHER for module in modules if hasattr(module, "LAUNCHER")]
    return tuple(sorted(found, key=lambda launcher: (launcher.order, launcher.name)))


@cache
def by_command() -> dict[str, Launcher]:
    """Return the launcher of each command with a name of its own."""
    return {name: launcher for launcher in launchers() for name in launcher.commands}


def is_launcher(name: str) -> bool:
    """Whether a command of this (base) name starts MPI processes."""
    return name in SHARED_COMMANDS or name in by_command()


def label_of(name: str) -> str:
    """Return whose launcher a command of this base name is, as launcher_of() takes it; '' if unknown."""
    launcher = by_command().get(name)
    return launcher.answers[-1].label if launcher and launcher.answers else ""


def launcher_of(name: str, label: str = "") -> Launcher:
    """Return the launcher that a command is.

    Args:
        name: base name of the command.
        label: what `--version` says whose it is, as in version.py; counts for the shared names.
    """
    if name in by_command():
        return by_command()[name]
    labelled = (one for one in launchers() if any(label.startswith(answer.label) for answer in one.answers))
    return next(labelled, other.LAUNCHER)
