"""The launchers of MPI programs, and which of them a command is.

All that is known of one launcher is in its own module in `known`.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import TYPE_CHECKING

from rankwise.launchers import known
from rankwise.launchers.base import Launcher
from rankwise.launchers.known import other

if TYPE_CHECKING:
    from rankwise.launchers.placing import Placing

SHARED_COMMANDS = ("mpirun", "mpiexec")
"""Names that every MPI uses: ask the command itself (version.py)."""


@cache
def launchers() -> tuple[Launcher, ...]:
    """Return all, in their order."""
    # What pkgutil would tell, too, but that loads `inspect`, which takes as long as all else before a launch.
    files = {file.partition(".")[0] for place in known.__path__ for file in os.listdir(place)}  # noqa: PTH208
    names = [f"{known.__name__}.{file}" for file in files if not file.startswith("_")]
    modules: list[Launcher] = [importlib.import_module(name).LAUNCHER for name in names]
    return tuple(sorted(modules, key=lambda launcher: (launcher.order, launcher.name)))


@cache
def by_command() -> dict[str, Launcher]:
    """Return the launcher of each command whose name is unique to it."""
    return {name: launcher for launcher in launchers() for name in launcher.commands}


@cache
def placings() -> dict[str, Placing]:
    """Return all ways of telling launchers where ranks go, by their names on our command line."""
    return {placing.choice: placing for launcher in launchers() for placing in launcher.placings}


def rank_variables() -> list[str]:
    """Return the variables with the rank of a process: the first that is set counts."""
    return [name for launcher in launchers() for name in launcher.rank]


def is_launcher(name: str) -> bool:
    """Whether a command of this (base) name starts MPI processes."""
    return name in SHARED_COMMANDS or name in by_command()


def label_of(name: str) -> str:
    """Return whose launcher a command of this base name is, as launcher_of() takes it; '' if unknown."""
    launcher = by_command().get(name)
    return launcher.answers[0].label if launcher and launcher.answers else ""


def launcher_of(name: str, label: str = "") -> Launcher:
    """Return the launcher that a command is.

    Args:
        name: base name of the command.
        label: what `--version` says whose it is, as in version.py; counts for the shared names.
    """
    if name in by_command():
        return by_command()[name]
    labelled = (
        launcher
        for launcher in launchers()
        if any(label.startswith(answer.label) for answer in launcher.answers)
    )
    return next(labelled, other.LAUNCHER)
