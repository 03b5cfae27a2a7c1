"""The options of `rankwise tune`, and which of them go together."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands import probes, trial_options
from rankwise.commands.durations import duration
from rankwise.errors import RankwiseError

CELLS = 8

_APPLIES = {"collectives", "parameters", "recheck"}
_ONLY = {
    "apply": _APPLIES,
    "force": _APPLIES,
    "go_on": {"collectives", "parameters"},
    "bitwise": {"collectives"},
    "check": {"collectives", "parameters"},
    "cells": {"collectives"},
    "pairs": {"collectives", "parameters"},
    "run_limit": {"collectives", "parameters"},
    "keep": {"collectives", "parameters"},
    "sizes": {"guidelines"},
}
"""Options that say something in these modes alone."""

_OF_RUNS = {"resolve"}
"""Options of runs of the program that always have a value: nobody can be told to leave them out."""

_CHOOSING = {"parameters", "guidelines"}
"""Options that choose the mode of their name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "-o",
        "--apply",
        dest="apply",
        type=Path,
        metavar="FILE",
        help="write the settings here if they are proven to gain, such as app.tuned.json",
    )
    parser.add_argument(
        "--force", action="store_true", default=None, help="replace FILE and the files next to it"
    )
    parser.add_argument(
        "--budget", type=duration, metavar="TIME", help="for everything, such as 20min (default: no limit)"
    )
    parser.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        default=None,
        help="continue with the measurements of an earlier call with this profile",
    )
    parser.add_argument(
        "--bitwise",
        action="store_true",
        default=None,
        help="exclude settings that could change results in their last digits",
    )
    parser.add_argument(
        "--parameters",
        nargs="?",
        const="",
        metavar="LIST",
        help="try parameters of the whole program: those suggested by the profile, or your own list",
    )
    parser.add_argument(
        "--guidelines", action="store_true", help="find defaults of the library that are needlessly slow"
    )
    parser.add_argument("--sizes", metavar="LIST", help="for --guidelines, in bytes (default: 8,1K,32K,256K)")
    parser.add_argument(
        "--cells",
        type=trial_options.count,
        metavar="N",
        help=f"race at most this many cells (default: {CELLS})",
    )
    trial_options.add_arguments(parser, "of intervals")
    probes.add_arguments(parser)


def means_something(name: str, mode: str) -> bool:
    """Tell whether an option, by its name in arguments, says something in a mode."""
    if name in _CHOOSING:
        return name == mode
    if name in _OF_RUNS:
        return mode in {"collectives", "parameters"}
    return mode in _ONLY.get(name, {mode})


def check(arguments: argparse.Namespace, mode: str) -> None:
    """Refuse options that say nothing in a mode.

    Raises:
        RankwiseError: there is one.
    """
    for name in _ONLY:
        if getattr(arguments, name) is not None and not means_something(name, mode):
            option = "continue" if name == "go_on" else name.replace("_", "-")
            raise RankwiseError(f"--{option} has no meaning with {mode}: remove it")
