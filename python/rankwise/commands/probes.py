"""The probe in the place of the user's program, as the options of a command say."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.commands.messages import say

if TYPE_CHECKING:
    from rankwise.launch.signals import Signals
    from rankwise.tuning.racing.racer import Racer
    from rankwise.tuning.racing.setup import Setup


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say how the probe is compiled."""
    parser.add_argument(
        "--mpicc",
        metavar="PATH",
        help="the compiler of the program's MPI library, for the probe (default: the one that belongs to the "
        "launcher)",
    )
    parser.add_argument(
        "--probe-dir",
        type=Path,
        metavar="DIR",
        help="directory for the compiled probe, visible to every node (default: in the user's cache "
        "directory)",
    )


class ProbeOptions(NamedTuple):
    """How the probe is compiled.

    Attributes:
        compiler: the MPI library's compiler; '' = the one for the library in use.
        directory: where the compiled probe is kept; None = where the job's files are.
    """

    compiler: str
    directory: Path | None


def options_of(arguments: argparse.Namespace) -> ProbeOptions:
    """Return what the options say."""
    return ProbeOptions(arguments.mpicc or "", arguments.probe_dir)


def prepare_probe(
    options: ProbeOptions,
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    signals: Signals,
    deadline: float = math.inf,
) -> Setup:
    """Compile the probe if need be; see tuning.racing.start.prepare.

    Args:
        options: of the command line.
        words: of the command, with the program.
        environment: that it is started with.
        directory: for the files of the probe; every node sees it.
        signals: that came to us.
        deadline: of time.monotonic().
    """
    from rankwise.tuning.racing.start import prepare

    return prepare(
        words,
        environment,
        directory,
        signals,
        say,
        compiler=options.compiler,
        probe_directory=options.directory,
        deadline=deadline,
    )


def open_racer(
    options: ProbeOptions,
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    signals: Signals,
    deadline: float = math.inf,
) -> AbstractContextManager[Racer]:
    """Return what races in the program's place; see `prepare_probe`."""
    from rankwise.tuning.racing.start import racing

    return racing(prepare_probe(options, words, environment, directory, signals, deadline))
