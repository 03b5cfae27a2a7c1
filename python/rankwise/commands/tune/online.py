"""Tune a program while it runs: its own calls are carried out by one algorithm after the other.

  rankwise tune online -o app.tuned.json -- mpirun -n 64 ./app
  rankwise run --with app.tuned.json -- mpirun -n 64 ./app

The program runs once, as it always does. On each communicator, the collectives that take time enough are
tried with the algorithms of the installed MPI library, a few calls each, as long as that costs less than
--cost of the time. What is shown to be faster is used from then on, measured once more against the library's
own choice, and written. It works with MPICH and Open MPI, which let a running program choose; not with Intel
MPI. Output and exit status are the program's; what was found goes to stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands import probes
from rankwise.commands.limits import add_json, percentage
from rankwise.commands.settings_files import try_to_write
from rankwise.commands.tune import options
from rankwise.commands.working_directory import working_directory
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankwise.launch.signals import Signals
    from rankwise.tuning.online.found import Outcome
    from rankwise.tuning.online.plan import Plan
    from rankwise.tuning.program import Program
    from rankwise.tuning.racing.offers import Offers
    from rankwise.tuning.settings.model import About, Settings
    from rankwise.tuning.settings.rule import Rule

COST = 2.0
"""Percent of the program's time for exploring."""

_MOST_COST = 50.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune online`."""
    options.add_output(parser, "that were faster")
    parser.add_argument(
        "--cost",
        type=percentage,
        default=COST,
        metavar="PERCENT",
        help=f"the most of the program's time that exploring may take (default: {COST:g})",
    )
    options.add_bitwise(parser)
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep what the ranks wrote in this new directory, which every node must see",
    )
    add_json(parser)
    probes.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Tune; the program's exit status, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.tuning.program import Program
    from rankwise.tuning.settings.file import check_new

    # Everything that can be wrong is looked at first: an error must not cost a job.
    options.check_command(arguments, "rankwise tune online -o app.tuned.json -- mpirun -n 4 ./app")
    cost: float = arguments.cost
    if not 0 < cost <= _MOST_COST:
        raise RankwiseError(
            f"--cost {cost:g}: give percents of the program's time, above 0 and up to {_MOST_COST:g}"
        )
    program = Program.of(arguments.command, os.environ)
    program.refuse_own_settings(rules=True)
    if arguments.output is not None:
        check_new(arguments.output, force=bool(arguments.force))
    with working_directory(arguments.keep, "tune") as directory:
        with Signals() as signals:
            about, offers = _offered(probes.options_of(arguments), program, directory, signals)
        planned = _planned(about, offers, cost / 100, bitwise=bool(arguments.bitwise))
        place = directory / "online"
        place.mkdir()
        (place / "plan").write_text(planned.text, encoding="ascii")
        status = _run(program, place)
        outcome = _outcome(place, planned, about, program, status)
    settings = _settings(outcome, about, offers)
    writing = try_to_write(settings, arguments.output, program.library, force=bool(arguments.force))
    if arguments.json:
        _print_json(outcome, settings, writing.files)
    else:
        from rankwise.render.terminal.online import print_online

        print_online(outcome, cost, writing.files, sys.stderr, asked=arguments.output is not None)
    if writing.failed:
        raise writing.failed
    return status


def _offered(
    probe: probes.ProbeOptions, program: Program, directory: Path, signals: Signals
) -> tuple[About, Offers]:
    """Return what the library lets a running program choose, as the probe finds it in the program's place."""
    from rankwise.tuning.racing.session import Session
    from rankwise.tuning.settings.model import About

    place = directory / "probe"
    place.mkdir()
    setup = probes.prepare_probe(probe, program.words, program.environment, place, signals)
    with Session(setup) as session:
        abi = next((detection.mpi for detection in program.planned.detections), "")
        return About.of_now(session.library, abi, session.hosts, program.words), session.offers


def _planned(about: About, offers: Offers, cost: float, *, bitwise: bool) -> Plan:
    from rankwise.mpi_libraries import mpiabi
    from rankwise.text.names import library_name
    from rankwise.tuning.libraries import by_version
    from rankwise.tuning.online.plan import plan

    library = by_version(about.library)
    if about.abi == mpiabi.LIBRARY.name:
        raise RankwiseError(
            "programs of the standard ABI of MPI 5 can't be tuned while they run: build them with the "
            "library's own mpicc, or record a profile, and use `rankwise tune F.rankwise`"
        )
    if library.relaunches or not offers.choices:
        raise RankwiseError(
            f"{library_name(about.library)} does not let a running program choose its algorithms: "
            "record a profile, and use `rankwise tune F.rankwise`"
        )
    made = plan(library, offers, cost, bitwise=bitwise)
    if not made.arms:
        raise RankwiseError(
            "--bitwise leaves nothing to try: the library offers algorithms for reductions alone"
        )
    return made


def _run(program: Program, place: Path) -> int:
    """Run the program with our library before the MPI library; return its exit status."""
    from rankwise.launch import job
    from rankwise.launch.environment import prepare
    from rankwise.launch.plan import library
    from rankwise.launchers.base import Preload
    from rankwise.tuning.racing.start import launched_with

    planned = program.planned
    settings = {**launched_with(), "RANKWISE_ONLINE": str(place)}
    preload = Preload(library("librankwise_online.so"), place, "", settings)
    launch = prepare(planned.command, preload, program.environment, planned.script_mpirun)
    return job.run(launch.words, launch.environment).status


def _outcome(place: Path, planned: Plan, about: About, program: Program, status: int) -> Outcome:
    from rankwise.mpi_libraries import version_of
    from rankwise.tuning.online.found import lines_of, outcome_of, refuse_unfit

    said = lines_of(place)
    refuse_unfit(said, place)
    if not said and status == 0:
        raise RankwiseError(
            "nothing was seen of the program: it calls no collective of MPI, or it was not started with "
            "our library before its MPI library",
            1,
        )
    refusal = partial(_refusal, about, program.library)
    return outcome_of(said, planned, version_of(about.library), len(about.hosts), refusal)


def _refusal(about: About, library: Path | None, rules: Sequence[Rule]) -> str:
    from rankwise.tuning.settings.apply import untranslatable
    from rankwise.tuning.settings.model import Settings

    return untranslatable(Settings(about, tuple(rules)), library)


def _settings(outcome: Outcome, about: About, offers: Offers) -> Settings | None:
    from rankwise.tuning.libraries import by_version
    from rankwise.tuning.settings.model import Settings

    if not outcome.rules:
        return None
    beside = by_version(about.library).not_overruled if offers.overruled else {}
    return Settings(about, outcome.rules, beside)


def _print_json(outcome: Outcome, settings: Settings | None, written: Sequence[Path]) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.views.tuning import online_as_data

    json.dump(to_json(online_as_data(outcome, settings, written)), sys.stdout, indent=2)
    sys.stdout.write("\n")
