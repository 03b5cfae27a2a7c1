"""Measure latency and bandwidth between all pairs of ranks."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands.limits import add_seed
from rankwise.commands.messages import say as _say
from rankwise.commands.probes import add_arguments as add_probe
from rankwise.errors import RankwiseError
from rankwise.latency.measuring.settings import MODES, MOST_RANKS
from rankwise.version import __version__

if TYPE_CHECKING:
    from rankwise.latency.measuring.finish import Made

_SIZES = "64,1M"
_REPEATS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="F.json",
        type=Path,
        help="the header; the table is F.pairs (default: latency.JOB.json, with the job id or the time)",
    )
    parser.add_argument(
        "--sizes", metavar="LIST", default=_SIZES, help=f"message sizes in bytes (default: {_SIZES})"
    )
    parser.add_argument(
        "--repeats",
        metavar="N",
        type=int,
        default=_REPEATS,
        help=f"round trips of a pair and size, at most (default: {_REPEATS})",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="make all --repeats for each pair, even if fewer would do; always on with --format mmpi",
    )
    parser.add_argument(
        "--mode",
        choices=MODES,
        help=f"which pairs at once (default: quiet; leaders above {MOST_RANKS} ranks)",
    )
    add_seed(parser, "the order of rounds", default=None)
    add_probe(parser)
    parser.add_argument(
        "--format",
        choices=("json", "mmpi"),
        default="json",
        help="mmpi: a log as mmpi writes it, of the first size only",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace existing files, including those of a killed run"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def run(arguments: argparse.Namespace) -> int:
    """Measure, and write the files.

    Returns:
        0; 128 + n if signal n ended it early (130: Ctrl-C), whether something could be kept or not.

    Raises:
        RankwiseError: something is wrong with the arguments, the compiler or the launch.
    """
    from rankwise.latency.measuring import job, outputs, settings
    from rankwise.latency.measuring.failure import failed
    from rankwise.latency.measuring.finish import finish
    from rankwise.launch.output import telling_line
    from rankwise.launch.signals import Signals
    from rankwise.probes import build, mpicc
    from rankwise.probes.launch import understand
    from rankwise.render.terminal.progress import StepBar

    say: Callable[[str], None] = (lambda _: None) if arguments.quiet else _say
    # Everything that can be wrong is looked at first: an error must not cost a job.
    one_size = arguments.format != "json"
    wanted = settings.settings(
        arguments.mode or "",
        arguments.sizes,
        arguments.repeats,
        arguments.seed,
        single=one_size,
        exact=arguments.exact,
    )
    launch = understand(arguments.command, os.environ)
    files = outputs.Outputs.named(arguments.output, arguments.format, os.environ)
    files.check(force=arguments.force)
    compiler = mpicc.find(launch.launcher, launch.environment, arguments.mpicc or "")
    program = build.build("latency", compiler, launch.environment, arguments.probe_dir, say)
    if not wanted.mode and settings.default_mode(launch.ranks) == "leaders":
        say(f"more than {MOST_RANKS} ranks: one rank per node is measured; --mode quiet measures all")
    about = _about(arguments.command)
    files.make_directory(force=arguments.force)
    words = launch.words([str(program), str(files.directory), *wanted.words(launch.ranks)])
    try:
        with Signals() as signals:
            with StepBar("measuring", wanted=not arguments.quiet) as bar:
                if not bar.shown:
                    say("measuring; Ctrl-C ends it early and keeps the results so far")
                end = job.run(words, os.environ, files.directory, signals, bar, say)
            made = finish(files, about)
        if not made and not signals.last:
            raise failed(end, files.directory, launch, program, compiler)
    finally:
        files.remove_directory()
    if made and end.status and not signals.last:
        say(f"the launch ended with status {end.status}, but everything was measured before")
    if not made:
        line = telling_line(end.said)
        why = f" (the launch said: {line})" if line else ""
        _say(f"ended before anything was measured: nothing is kept{why}")
    elif not arguments.quiet:
        _tell(made, files.path)
    return 128 + signals.last if signals.last and (not made or made.interrupted) else 0


def _about(words: list[str]) -> dict[str, object]:
    """Return what the probe does not know, for the header."""
    from rankwise.latency.formats.header import FORMAT, VERSION

    return {
        "format": FORMAT,
        "version": VERSION,
        "rankwise_version": __version__,
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": words,
    }


def _tell(made: Made, path: Path) -> None:
    """Say what there is now, and show it; nothing that goes wrong here hides that it was measured."""
    from rankwise.extras import check
    from rankwise.render.terminal.latency.summary import print_summary
    from rankwise.text.units import number_of, second_text

    pairs = f"{made.pairs} of {made.expected} pairs" if made.interrupted else number_of(made.pairs, "pair")
    _say(f"{path}: {pairs} of {made.ranks} ranks in {second_text(made.seconds)}")
    try:
        check("scipy")  # which finds the levels
        print_summary(path, sys.stdout)
    except RankwiseError as error:
        _say(f"no summary: {error}")
