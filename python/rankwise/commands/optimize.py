"""Make a program faster without touching its code: rank placement, collective algorithms, parameters.

  rankwise optimize -o app.tuned.json -- mpirun -n 64 ./app
  rankwise run --with app.tuned.json -- mpirun -n 64 ./app

The program is profiled, and the findings estimate how many seconds each step could save. Steps are
tried in this order, each on top of the steps kept before, and a step is kept only if pairs of runs
prove its gain. At the end, the program as given and with all kept steps is measured again; FILE is
written only if it is faster. Ctrl-C keeps what is proven so far, and the same command continues
from there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands import probes, trial_options
from rankwise.commands.limits import add_json, add_seed
from rankwise.commands.messages import say
from rankwise.commands.own_settings import OF_BUDGET, OwnSettings, Pricing, print_priced_json
from rankwise.commands.settings_files import try_to_write
from rankwise.commands.tune.options import CELLS, add_bitwise, add_output
from rankwise.commands.working_directory import working_directory
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rankwise.launch.signals import Signals
    from rankwise.optimization.attempts import Optimized
    from rankwise.optimization.optimize import Facts
    from rankwise.optimization.step import Step
    from rankwise.trials.cost import Cost
    from rankwise.trials.recorded import Command
    from rankwise.trials.ways import Way
    from rankwise.tuning.own_settings import Priced
    from rankwise.tuning.parameters.asking import Asker
    from rankwise.tuning.program import Program
    from rankwise.tuning.racing.racer import Racer

BUDGET_SECONDS = 30 * 60.0
_FIRST_LIMIT = 3600.0  # seconds, of the first run, if there is more time than that


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise optimize`."""
    add_output(parser, "if the program as a whole is proven to gain")
    trial_options.add_budget(parser, BUDGET_SECONDS)
    add_bitwise(parser)
    trial_options.add_check(parser)
    parser.add_argument(
        "--machine",
        type=Path,
        metavar="machine.json",
        help="description of the nodes (default: from the run)",
    )
    trial_options.add_runs(parser)
    trial_options.add_confidence(parser, "confidence that no useless step is kept")
    add_seed(parser, "the order of runs")
    add_json(parser)
    probes.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Optimise; 0, 1 if that could not be tried, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.optimization.applied import way_of
    from rankwise.optimization.budget import Budget
    from rankwise.optimization.optimize import Request, check_pairs, optimize
    from rankwise.optimization.saved_attempts import DIRECTORY, Saved
    from rankwise.render.terminal.own_settings import sentence
    from rankwise.trials.cost import Cost, Spent
    from rankwise.trials.piped_input import keep_piped_input
    from rankwise.trials.plan import Aim
    from rankwise.trials.run import Interrupted
    from rankwise.trials.ways import Runs, Way, check_words
    from rankwise.tuning.program import Program
    from rankwise.tuning.settings.file import check_new

    # Everything that can be wrong is looked at first: an error must not cost a job.
    if not arguments.command:
        raise RankwiseError(
            "no command: put it after `--`, as in: rankwise optimize -o app.json -- mpirun -n 4 ./app"
        )
    program = Program.of(arguments.command, os.environ)
    check = check_words(arguments.check)
    own = OwnSettings.of(program, bitwise=arguments.bitwise)
    if arguments.output is not None:
        check_new(arguments.output, force=arguments.force)
    keep_piped_input(say)
    aim = Aim(arguments.confidence / 100, arguments.resolve / 100, arguments.pairs)
    asked = {
        "--check": arguments.check,
        "--bitwise": arguments.bitwise,
        "--confidence": arguments.confidence,
        "--machine": str(arguments.machine.absolute()) if arguments.machine else None,
    }
    probe = probes.options_of(arguments)
    began, budget = time.monotonic(), Budget.of(arguments.budget)
    limit = min(_FIRST_LIMIT, arguments.budget)
    with Signals() as signals, working_directory(arguments.keep, "optimize") as directory:
        make_steps = partial(
            _steps,
            probe=probe,
            directory=directory,
            signals=signals,
            machine=arguments.machine,
            bitwise=arguments.bitwise,
            confidence=aim.confidence,
        )
        find_inner = partial(
            _launched, directory=directory, signals=signals, limit=arguments.run_limit or limit
        )
        priced: Priced | None = None
        try:
            inner = find_inner(program)
            steps = make_steps(program, inner)
            check_pairs(aim, len(steps))
            if own is not None:
                part = replace(aim, seconds=OF_BUDGET * arguments.budget, give_up=True)
                how = Pricing(
                    aim=part, run_limit=arguments.run_limit, check=arguments.check, seed=arguments.seed
                )
                priced = own.priced(how, limit, directory, signals)
                if signals.count or not _goes_on(priced, program):
                    return _end_with(priced, signals, as_json=arguments.json)
                say(sentence(priced))
                if priced.can_go:
                    program = Program.of(priced.words, os.environ)
                    inner = find_inner(program)
                    steps = make_steps(program, inner)
        except Interrupted:  # while the launch was looked for
            return 128 + signals.last
        given = Way("as given", program.command, as_given=True)
        saved = Saved(Path.cwd() / DIRECTORY, program.words, program.said, asked)
        spent = Spent(saved.directory, already=time.monotonic() - began)
        request = Request(
            given=given,
            way_of=partial(way_of, program, directory, library=inner.library),
            facts=partial(_facts, program),
            steps=steps,
            aim=aim,
            budget=budget,
            seed=arguments.seed,
            saved=saved,
        )
        runs = Runs(directory, signals, arguments.run_limit, limit, check, given=given)
        optimized = optimize(request, runs, say)
    writing = try_to_write(optimized.settings, arguments.output, inner.library, force=bool(arguments.force))
    spent.keep()
    cost = Cost(spent.seconds, max(1, len(saved.hosts)))
    if arguments.json:
        _print_json(optimized, writing.files, cost, priced)
    else:
        from rankwise.render.terminal.cost import print_cost
        from rankwise.render.terminal.optimization import print_optimized
        from rankwise.render.terminal.own_settings import WITHOUT, print_priced

        if priced is not None:
            print_priced(priced, sys.stdout, *([WITHOUT] if priced.can_go else []))
        print_optimized(optimized, writing.files, sys.stdout, failed=writing.failed is not None)
        if optimized.final is not None:
            print_cost(cost, optimized.final.before, optimized.final.interval, sys.stdout)
    writing.check(saved.directory)
    # Without a file the settings are nowhere but there.
    if optimized.finished and (optimized.settings is None or writing.files):
        saved.remove()
    if signals.last:
        return 128 + signals.last
    return 1 if optimized.verdict == "not tried" else 0


def _facts(program: Program, profile: Path) -> Facts:
    from rankwise.mpi_libraries import version_of
    from rankwise.optimization.optimize import Facts
    from rankwise.tuning.profiled import profiled

    facts = profiled(profile, CELLS)
    # Only now is the library known of a program that does not reveal it before it runs.
    program.refuse_own_settings(rules=True, label=version_of(facts.about.library).label)
    return Facts(replace(facts.about, command=program.words), facts.wall.rank_seconds)


def _launched(program: Program, directory: Path, signals: Signals, limit: float) -> Program:
    """Return the launch inside of the command; as given where it has none, so that each step says so."""
    from rankwise.tuning.launched import launched, refuse_inside

    try:
        inner = launched(program, directory, signals, limit, say)
    except RankwiseError as error:
        say(str(error))
        return program
    if inner is not program:  # the settings of the program as given were checked before
        refuse_inside(program, inner, rules=True)
    return inner


def _steps(
    program: Program,
    inner: Program,
    *,
    probe: probes.ProbeOptions,
    directory: Path,
    signals: Signals,
    machine: Path | None,
    bitwise: bool,
    confidence: float,
) -> list[Step]:
    from rankwise.launch.world_order import refusal
    from rankwise.optimization.collectives import Collectives
    from rankwise.optimization.parameters import Parameters
    from rankwise.optimization.places import Places
    from rankwise.topology.machine.read import read_machine

    return [
        Places(
            program.words,
            program.environment,
            read_machine(machine) if machine else None,
            no_order=refusal(program.planned),
        ),
        Collectives(
            partial(_open_racer, probe, program, inner, signals),
            inner.library,
            cells=CELLS,
            bitwise=bitwise,
            confidence=confidence,
        ),
        Parameters(program, partial(_asker, probe, program, inner, signals), directory),
    ]


def _asker(
    probe: probes.ProbeOptions,
    program: Program,
    inner: Program,
    signals: Signals,
    command: Command,
    directory: Path,
) -> Asker:
    from rankwise.tuning.launched import command_inside
    from rankwise.tuning.parameters.asking import Asker

    return Asker(command_inside(program, inner, command), directory, signals, *probe, say)


def _open_racer(
    probe: probes.ProbeOptions,
    program: Program,
    inner: Program,
    signals: Signals,
    way: Way,
    directory: Path,
    deadline: float,
) -> AbstractContextManager[Racer]:
    from rankwise.tuning.launched import command_inside

    command = command_inside(program, inner, way.command)
    environment = {**program.environment, **command.variables, **way.variables}
    return probes.open_racer(probe, command.words, environment, directory, signals, deadline)


def _goes_on(priced: Priced, program: Program) -> bool:
    """Return whether to try the next steps; remaining settings must not decide what is measured."""
    from rankwise.tuning.program import OwnSettingsError

    if priced.can_go:
        return True
    try:
        program.refuse_own_settings(rules=True)
    except OwnSettingsError:
        return False
    return True


def _end_with(priced: Priced, signals: Signals, *, as_json: bool) -> int:
    """Show what the user's own settings cost, and nothing else."""
    from rankwise.render.terminal.own_settings import KEPT, print_priced

    if as_json:
        print_priced_json(priced)
    else:
        print_priced(priced, sys.stdout, KEPT)
    return 128 + signals.last if signals.last else 0


def _print_json(optimized: Optimized, written: list[Path], cost: Cost, priced: Priced | None) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.views.tuning import priced_as_data, proof_as_data

    shown = {
        "own_settings": priced_as_data(priced) if priced else None,
        "verdict": optimized.verdict,
        "run_seconds": optimized.run_seconds,
        "confidence_of_each_step": optimized.confidence,
        "steps": optimized.attempts,
        "kept": optimized.kept,
        "final": proof_as_data(optimized.final),
        "ended": optimized.ended,
        "files": [str(path) for path in written],
        "cost": cost.as_data(),
    }
    json.dump(to_json(shown), sys.stdout, indent=2)
    sys.stdout.write("\n")
