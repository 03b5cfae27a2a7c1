"""The options of `rankwise tune`, and which of them go together."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands import probes, trial_options
from rankwise.commands.durations import duration
from rankwise.errors import RankwiseError

CELLS = 8

_APPLIES = {"collectives", "parameters", "recheck", "machine"}
_ONLY = {
    "apply": _APPLIES,
    "force": _APPLIES,
    "go_on": {"collectives", "parameters"},
    "bitwise": {"collectives", "machine"},
    "check": {"collectives", "parameters"},
    "cells": {"collectives"},
    "pairs": {"collectives", "parameters"},
    "run_limit": {"collectives", "parameters"},
    "keep": {"collectives", "parameters"},
    "sizes": {"guidelines", "machine"},
    "collectives": {"machine"},
    "nodes": {"machine"},
    "per_node": {"machine"},
    "predict": {"machine"},
    "assume": {"machine"},
    "show": {"machine"},
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
        "--force", action="store_true", default=None, help="replace FILE, and what is beside it"
    )
    parser.add_argument(
        "--budget", type=duration, metavar="TIME", help="for everything, such as 20min (default: no limit)"
    )
    parser.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        default=None,
        help="go on with what an earlier call with this profile has measured",
    )
    parser.add_argument(
        "--bitwise",
        action="store_true",
        default=None,
        help="leave alone what could change results in their last digits",
    )
    parser.add_argument(
        "--parameters",
        nargs="?",
        const="",
        metavar="LIST",
        help="try parameters of the whole program: those that the profile suggests, or a list of your own",
    )
    parser.add_argument(
        "--guidelines", action="store_true", help="look where the library's defaults are needlessly slow"
    )
    parser.add_argument(
        "--sizes",
        metavar="LIST",
        help="of messages with --guidelines and machine, in bytes (default: 8,1K,32K,256K; 8 to 2M)",
    )
    _add_of_machine(parser)
    parser.add_argument(
        "--cells",
        type=trial_options.count,
        metavar="N",
        help=f"race at most so many cells (default: {CELLS})",
    )
    trial_options.add_arguments(parser, "of intervals")
    probes.add_arguments(parser)


def _add_of_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--collectives", metavar="LIST", help="to be measured, such as allreduce,bcast (default: all)"
    )
    parser.add_argument(
        "--nodes",
        metavar="LIST",
        help="numbers of nodes to be measured, such as 1,2,all (default: some up to all)",
    )
    parser.add_argument(
        "--per-node",
        metavar="LIST",
        help="numbers of ranks on each of them (default: 1,all; on a single node some up to all)",
    )
    parser.add_argument(
        "--predict",
        metavar="LIST",
        help="numbers of nodes to predict rules for, up to twice the largest measured one"
        " (default: those between)",
    )
    parser.add_argument(
        "--assume",
        metavar="LIST",
        help="of programs: commutative operations, not-in-place Allgather and Alltoall: allows more rules",
    )
    parser.add_argument(
        "--show", type=Path, metavar="FILE", help="print the rules for what was measured so far, and no more"
    )


def means_something(name: str, mode: str) -> bool:
    """Tell whether an option, by its name in arguments, says something in a mode."""
    if name in _CHOOSING:
        return name == mode
    if name in _OF_RUNS:
        return mode in {"collectives", "parameters", "machine"}
    return mode in _ONLY.get(name, {mode})


def check(arguments: argparse.Namespace, mode: str) -> None:
    """Refuse options that say nothing in a mode.

    Raises:
        RankwiseError: there is one.
    """
    for name in _ONLY:
        if getattr(arguments, name) is not None and not means_something(name, mode):
            option = "continue" if name == "go_on" else name.replace("_", "-")
            raise RankwiseError(f"--{option} has no meaning with {mode}: leave it out")
