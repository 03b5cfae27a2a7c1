"""Show where a launch puts its ranks, before the program runs.

  rankwise where -- srun -n 64 --distribution=cyclic ./app
  rankwise where --for F.rankwise -- mpirun -n 8

The program, if there is one, is not started: a small MPI program takes its place. --for launches it once
more for each distribution of ranks that the launcher offers, and compares what they cost the messages of a
run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands import probes
from rankwise.commands.durations import duration
from rankwise.commands.limits import add_json, add_limit, add_seed
from rankwise.commands.messages import say
from rankwise.commands.selecting import add_kind
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.placement.where.distributions import Compared, Question
    from rankwise.placement.where.places import Places
    from rankwise.probes.launch import Launch

_PROBE = "where"
_SECONDS = 120.0
_ROWS = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise where`."""
    parser.add_argument(
        "--for",
        type=Path,
        metavar="F.rankwise",
        dest="profile",
        help="compare the distributions of the launcher for the messages of this run",
    )
    parser.add_argument(
        "--machine",
        type=Path,
        metavar="machine.json",
        help="with --for: the machine (default: the nodes of the launch, with their packages, NUMA domains,"
        " caches and cores)",
    )
    add_kind(parser, only_with="--for")
    add_seed(parser, "the search for the best placement")
    parser.add_argument(
        "--run-limit",
        type=duration,
        default=_SECONDS,
        metavar="TIME",
        help=f"for each launch (default: {_SECONDS:.0f}s)",
    )
    parser.add_argument(
        "--run-dir",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="where the files of the launches go, which every node must see (default: here)",
    )
    probes.add_arguments(parser)
    add_limit(parser, _ROWS, "ranks")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Launch the probe, and print the places; 0, 128 + n if signal n ended it, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.placement.where.distributions import compare
    from rankwise.placement.where.places import find_places
    from rankwise.probes.launch import understand
    from rankwise.render.terminal.where import print_where
    from rankwise.trials.run import Interrupted

    _check(arguments)
    launch = understand(arguments.command, os.environ, "where", with_program=True)
    question = None
    if arguments.profile is not None:
        kind = arguments.kind or "all"
        question = _question(arguments.profile, arguments.machine, kind, arguments.seed, launch)
    program = _probe(probes.options_of(arguments), launch)
    compared = None
    with Signals() as signals, _directory(arguments.run_dir) as directory:

        def look(chosen: Launch) -> Places:
            return find_places(chosen.words([str(program)]), directory, arguments.run_limit, signals)

        try:
            places = look(launch)
            if question:
                compared = compare(question, launch, places, look, say)
        except Interrupted:
            return 128 + signals.last
    if arguments.json:
        _print_json(places, compared)
    else:
        print_where(places, compared, arguments.limit, sys.stdout)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that need --for; RankwiseError."""
    for option in ("machine", "kind"):
        if arguments.profile is None and getattr(arguments, option) is not None:
            raise RankwiseError(f"--{option} is for --for: add --for F.rankwise, or remove it")


def _question(profile: Path, machine: Path | None, kind: str, seed: int, launch: Launch) -> Question:
    """Return the question of --for."""
    from rankwise.analysis.messages.kinds import has_inside
    from rankwise.analysis.messages.traffic import run_traffic
    from rankwise.analysis.opened import opened_messages
    from rankwise.placement.notes import is_complete
    from rankwise.placement.relaunch import placing_of
    from rankwise.placement.where.distributions import Question
    from rankwise.topology.machine.read import read_machine

    _, placing = placing_of(launch.command, launch.environment)
    nodes = read_machine(machine) if machine else None
    with opened_messages(profile) as opened:
        messages, inside = run_traffic(opened.connection, kind), has_inside(kind)
        complete = is_complete(opened.connection, messages, inside=inside)
    return Question(run=messages, complete=complete, inside=inside, placing=placing, machine=nodes, seed=seed)


def _probe(options: probes.ProbeOptions, launch: Launch) -> Path:
    from rankwise.probes import mpicc
    from rankwise.probes.build import build

    compiler = mpicc.find(launch.launcher, launch.environment, options.compiler)
    return build(_PROBE, compiler, launch.environment, options.directory, say)


@contextmanager
def _directory(place: Path) -> Iterator[Path]:
    """Make a directory for the files of launches, and remove it at the end.

    Raises:
        RankwiseError: it can't be made.
    """
    try:
        directory = Path(tempfile.mkdtemp(prefix="rankwise-where-", dir=place.absolute()))
    except OSError as error:
        raise RankwiseError(
            f"can't write to {place.absolute()}: {error.strerror}; give another directory with --run-dir"
        ) from None
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _print_json(places: Places, compared: Compared | None) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.placement.where.rows import offered_rows, rank_rows

    shown: dict[str, object] = {"ranks": rank_rows(places), "place_faults": places.faults()}
    if compared:
        shown |= {
            "unit": compared.unit,
            "launches": offered_rows([compared.given, *compared.others]),
            "best": compared.best,
            "recommended": compared.recommended.words if compared.recommended else None,
            "certainty": compared.certainty,
        }
    sys.stdout.write(f"{json.dumps(to_json(shown), indent=2)}\n")
