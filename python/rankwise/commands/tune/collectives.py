"""`rankwise tune`: algorithms of collectives, from the profile to settings that are proven."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, NamedTuple

from rankwise.commands.messages import say
from rankwise.commands.tune.options import CELLS, CONFIDENCE, RESOLVE
from rankwise.commands.working_directory import working_directory

if TYPE_CHECKING:
    from rankwise.commands.tune.profiled import Times
    from rankwise.launch.signals import Signals
    from rankwise.tuning.program import Program
    from rankwise.tuning.racing.racer import Racer
    from rankwise.tuning.settings.model import About, Settings
    from rankwise.tuning.target import Target
    from rankwise.tuning.tune import Request, Tuned

LEAST_SHARE = 0.005
"""Of the run time of all ranks: cells with less are not worth a race."""


def run(arguments: argparse.Namespace) -> int:
    """Tune; 0, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.report.terminal.tuning import print_tuned
    from rankwise.trials.ways import Runs, check_words
    from rankwise.tuning.program import Program
    from rankwise.tuning.settings.file import check_new, write_all
    from rankwise.tuning.tune import tune

    # Everything that can be wrong is looked at first: an error must not cost a job.
    program = Program.of(arguments.command, os.environ)
    check = check_words(arguments.check)
    profiled = _profiled(arguments.file, arguments.cells or CELLS)
    program.refuse_other_library(profiled.about.library, profiled.about.abi, arguments.file)
    program.refuse_own_settings(rules=True)
    if arguments.apply is not None:
        check_new(arguments.apply, force=bool(arguments.force))
    store = arguments.file.absolute().with_name(f"{arguments.file.name}-tune")
    with Signals() as signals:
        if profiled.targets:
            with working_directory(arguments.keep, "tune") as directory:
                store.mkdir(exist_ok=True)
                request = _request(arguments, profiled, program, store, directory, signals)
                limit = profiled.wall.first_limit
                runs = Runs(directory, signals, arguments.run_limit, limit, check)
                found = tune(request, runs, say)
        else:
            found = _nothing(profiled)
    if not found.ended:
        shutil.rmtree(store, ignore_errors=True)
    written: list[Path] = []
    if found.settings is not None and arguments.apply is not None:
        written = write_all(
            found.settings, arguments.apply, force=bool(arguments.force), library_path=program.library
        )
    if arguments.json:
        _print_json(found, written)
    else:
        print_tuned(found, profiled.everything, profiled.wall.rank_seconds, written, sys.stdout)
    return 128 + signals.last if signals.last else 0


class _Profiled(NamedTuple):
    """What the profile tells."""

    about: About
    everything: list[Target]
    targets: list[Target]
    wall: Times


def open_racer(
    arguments: argparse.Namespace, program: Program, directory: Path, signals: Signals, deadline: float
) -> AbstractContextManager[Racer]:
    """Return what starts the probe in the program's place.

    Args:
        arguments: of the command line.
        program: whose place it takes.
        directory: for its files; every node sees it.
        signals: that came to us.
        deadline: of time.monotonic().
    """
    from rankwise.tuning.racing.start import racing

    return racing(
        program.words,
        program.environment,
        directory,
        signals,
        say,
        compiler=arguments.mpicc or "",
        probe_directory=arguments.probe_dir,
        deadline=deadline,
    )


def _materialise(settings: Settings, directory: Path, library: Path | None) -> dict[str, str]:
    """Write settings' files to a directory of their own, as others may be in use."""
    from rankwise.tuning.settings.apply import materialise

    return materialise(settings, Path(mkdtemp(prefix="settings-", dir=directory)), library)


def _nothing(profiled: _Profiled) -> Tuned:
    from rankwise.mpi_libraries import version_of
    from rankwise.tuning.tune import Tuned

    return Tuned(version_of(profiled.about.library))


def _print_json(found: Tuned, written: list[Path]) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.report.tuning import tuned_as_data

    json.dump(to_json(tuned_as_data(found, written)), sys.stdout, indent=2)
    sys.stdout.write("\n")


def _profiled(path: Path, most: int) -> _Profiled:
    from rankwise.analysis.opened import opened_profile
    from rankwise.commands.tune.profiled import about, whole_runs
    from rankwise.tuning.cells.find import cells
    from rankwise.tuning.target import targets
    from rankwise.tuning.tune import worth

    with opened_profile(path) as connection:
        source, wall = about(connection, path), whole_runs(connection)
        found = targets(cells(connection))
    return _Profiled(source, found, worth(found, wall.rank_seconds, LEAST_SHARE, most), wall)


def _request(
    arguments: argparse.Namespace,
    profiled: _Profiled,
    program: Program,
    store: Path,
    directory: Path,
    signals: Signals,
) -> Request:
    from rankwise.trials.plan import Aim
    from rankwise.trials.ways import Way
    from rankwise.tuning.racing.race import AIM
    from rankwise.tuning.tune import Request

    confidence = (arguments.confidence or CONFIDENCE) / 100
    resolve = (arguments.resolve or RESOLVE) / 100
    return Request(
        targets=profiled.targets,
        run_seconds=profiled.wall.rank_seconds,
        wall_seconds=profiled.wall.wall_seconds,
        ranks=profiled.wall.ranks,
        way=Way("as given", program.command, as_given=True),
        open_racer=partial(open_racer, arguments, program, directory, signals),
        materialise=partial(_materialise, directory=directory, library=program.library),
        about=replace(profiled.about, command=program.words),
        bitwise=bool(arguments.bitwise),
        race_aim=replace(AIM, confidence=confidence),
        proof_aim=Aim(confidence, resolve, arguments.pairs, give_up=True),
        budget=arguments.budget,
        seed=arguments.seed,
        store=store,
    )
