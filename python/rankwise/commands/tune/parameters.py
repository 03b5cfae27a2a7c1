"""Try settings for the whole program in runs of it: eager limits, point-to-point layers, binding.

  rankwise run -o app.rankwise -- mpirun -n 64 ./app
  rankwise tune parameters app.rankwise -o app.tuned.json -- mpirun -n 64 ./app

The profile suggests what is tried, or the file of --list says it. What gains in races is measured afresh in
pairs of runs. Ctrl-C keeps what was measured, and the same command continues from there.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands import probes, trial_options
from rankwise.commands.limits import add_json, add_seed
from rankwise.commands.messages import say
from rankwise.commands.own_settings import Pricing, price_refused
from rankwise.commands.probes import ProbeOptions, options_of
from rankwise.commands.settings_files import try_to_write
from rankwise.commands.tune import options
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.launch.signals import Signals
    from rankwise.trials.cost import Cost, Spent
    from rankwise.trials.plan import Aim
    from rankwise.tuning.parameters.asking import Asker
    from rankwise.tuning.parameters.constraint import Constraint
    from rankwise.tuning.parameters.given import Given
    from rankwise.tuning.parameters.layers import Layers
    from rankwise.tuning.parameters.outcome import Outcome
    from rankwise.tuning.parameters.parameter import Parameter
    from rankwise.tuning.parameters.recorded_run import Limits
    from rankwise.tuning.program import Program
    from rankwise.tuning.settings.model import About, Settings


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What the command line says of the races.

    Attributes:
        profile: of the program.
        given: the user's own list; None = what the profile suggests.
        probe: how it is compiled.
        aim: of the races.
        seed: of the order of runs.
        force: begin again where the directory of the user's choice is of another race.
    """

    profile: Path
    given: Given | None
    probe: ProbeOptions
    aim: Aim
    seed: int
    force: bool

    @classmethod
    def by(cls, arguments: argparse.Namespace) -> _Asked:
        from rankwise.trials.plan import Aim
        from rankwise.tuning.parameters.given import read_given

        confidence, resolve = arguments.confidence / 100, arguments.resolve / 100
        return cls(
            profile=arguments.file,
            given=read_given(arguments.list) if arguments.list else None,
            probe=options_of(arguments),
            aim=Aim(confidence, resolve, arguments.pairs, arguments.budget),
            seed=arguments.seed,
            force=arguments.force,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune parameters`."""
    options.add_profile(parser)
    parser.add_argument(
        "--list",
        type=Path,
        metavar="FILE",
        help="try the parameters of this file (default: those that the profile suggests)",
    )
    options.add_output(parser, "if they are proven to gain")
    trial_options.add_budget(parser)
    trial_options.add_check(parser)
    trial_options.add_runs(parser)
    trial_options.add_confidence(parser, "of intervals")
    add_seed(parser, "the order of runs")
    add_json(parser)
    probes.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Tune, or measure what settings of the user's own cost; see `_tuned`."""
    from rankwise.tuning.program import OwnSettingsError

    options.check_command(arguments, "rankwise tune parameters app.rankwise -- mpirun -n 4 ./app")

    try:
        return _tuned(arguments)
    except OwnSettingsError as refusal:
        return price_refused(refusal, Pricing.by(arguments))


def _tuned(arguments: argparse.Namespace) -> int:
    """Tune; 0, 1 if no value could be tried, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.analysis.opened import opened_profile
    from rankwise.commands.tune.profiled import say_if_partial
    from rankwise.launch.signals import Signals
    from rankwise.render.terminal.cost import print_cost
    from rankwise.render.terminal.parameters import print_parameters
    from rankwise.render.terminal.tuning import print_written
    from rankwise.trials.cost import Cost, Spent
    from rankwise.trials.piped_input import keep_piped_input
    from rankwise.trials.run import Interrupted
    from rankwise.trials.ways import check_words
    from rankwise.tuning.parameters.race import STATE, refuse_short
    from rankwise.tuning.parameters.recorded_run import Limits
    from rankwise.tuning.profiled import about, whole_runs
    from rankwise.tuning.program import Program
    from rankwise.tuning.settings.file import check_new

    # Everything that can be wrong is looked at first: an error must not cost a job.
    program = Program.of(arguments.command, os.environ)
    check = check_words(arguments.check)
    asked = _Asked.by(arguments)
    say_if_partial(arguments.file)
    with opened_profile(arguments.file) as connection:
        source, times = about(connection, arguments.file), whole_runs(connection)
    program.refuse_other_library(source.library, source.abi, arguments.file)
    if arguments.output is not None:
        check_new(arguments.output, force=arguments.force)
    store = _store(asked, arguments.keep, arguments.file, arguments.command, arguments.check)
    if not (store / STATE).exists():
        refuse_short(asked.aim, times.wall_seconds)
    keep_piped_input(say)
    spent = Spent(store)
    _make(store, arguments)
    with Signals() as signals:
        limits = Limits(arguments.run_limit, times.first_limit, check)
        try:
            outcome = _raced(asked, program, times.wall_seconds, limits, store, signals, spent)
        except Interrupted:  # while the library was asked
            return 128 + signals.last
        finally:
            if not (store / STATE).exists():  # nothing was measured: the next try begins afresh
                _remove(store, arguments)
    settings = _settings(outcome, replace(source, command=program.words))
    writing = try_to_write(settings, arguments.output, program.library, force=arguments.force)
    cost = Cost(spent.seconds, len(source.hosts))
    if arguments.json:
        _print_json(outcome, settings, writing.files, cost)
    else:
        print_parameters(outcome, sys.stdout)
        if outcome.is_measured:
            print_cost(cost, outcome.before, outcome.interval, sys.stdout)
        if outcome.verdict != "not tried" and not writing.failed:
            undecided = outcome.verdict == "not proven"
            print_written(settings is not None, writing.files, sys.stdout, undecided=undecided)
    spent.keep()
    writing.check(store)
    # Without a file the settings are nowhere but there.
    is_done = outcome.is_finished and (settings is None or bool(writing.files))
    if is_done and arguments.keep is None:
        _remove(store, arguments)
    if signals.last:
        return 128 + signals.last
    return 1 if outcome.verdict == "not tried" else 0


def _raced(
    asked: _Asked,
    program: Program,
    of_run: float,
    limits: Limits,
    store: Path,
    signals: Signals,
    spent: Spent,
) -> Outcome:
    from rankwise.tuning.launched import command_inside, launched, refuse_inside
    from rankwise.tuning.parameters.asking import Asker
    from rankwise.tuning.parameters.outcome import Outcome
    from rankwise.tuning.parameters.race import Known, race_parameters

    inner = launched(program, store, signals, limits.run or limits.first, say)
    asker = Asker(command_inside(program, inner, program.command), store, signals, *asked.probe, say)
    parameters, constraints, layers = _parameters(asked.profile, asker, asked.given)
    for parameter in parameters:
        refuse_inside(program, inner, rules=False, ours={parameter.variable: ""})
    if not parameters:
        return Outcome(layers=layers.text)
    known = Known(of_run, limits, asker.ask, layers)
    aim = asked.aim
    if aim.seconds is not None:  # asking the library counts towards the budget, too
        aim = replace(aim, seconds=aim.seconds - spent.of_this_call)
    return race_parameters(
        program.command,
        parameters,
        constraints,
        aim,
        store,
        signals,
        say,
        asked.seed,
        known,
        force=asked.force,
    )


def _parameters(
    profile: Path, asker: Asker, given: Given | None
) -> tuple[list[Parameter], tuple[Constraint, ...], Layers]:
    """Return the parameters to race: the user's list, or the profile's suggestions."""
    from rankwise.analysis.opened import opened_profile
    from rankwise.tuning.parameters import known_names
    from rankwise.tuning.parameters.given import checked
    from rankwise.tuning.parameters.proposals import asked, propose

    if given is None:
        layers = asker.ask({}, asked())
        with opened_profile(profile) as connection:
            return propose(connection, layers), (), layers
    layers = asker.ask({}, given.names)
    known = checked(given, layers, known_names.tool_names(asker.launcher, asker.environment))
    return list(known.parameters), known.constraints, layers


def _settings(outcome: Outcome, source: About) -> Settings | None:
    from rankwise.tuning.settings.model import Settings

    if not outcome.environment or outcome.interval is None:
        return None
    interval = outcome.interval
    gain = (interval.ratio, interval.low, interval.high, interval.confidence, interval.pairs)
    return Settings(replace(source, gain=gain), environment=dict(outcome.environment))


def _store(asked: _Asked, keep: Path | None, file: Path, command: Sequence[str], check: str | None) -> Path:
    """Return the directory that keeps the runs, so that the same command goes on; every node sees it."""
    from rankwise.trials.saved_runs import directory_of

    if keep:
        return Path(keep).absolute()
    profile = file.absolute()
    file_status = profile.stat()
    # A list with another value is another task; the measurements of each stay.
    task = [
        command,
        [file_status.st_size, file_status.st_mtime_ns],
        repr(asked.given),
        check,
        repr(replace(asked.aim, seconds=None)),
        asked.seed,
    ]
    return directory_of(profile.with_name(f"{profile.name}-parameters"), task)


def _make(store: Path, arguments: argparse.Namespace) -> None:
    """Make the directory, or take one that an earlier call has left.

    Raises:
        RankwiseError: it can't be made, or is of something else.
    """
    from rankwise.tuning.parameters.race import STATE

    try:
        goes_on = arguments.keep is None or (store / STATE).is_file()
        if arguments.keep is None:
            store.parent.mkdir(mode=0o700, exist_ok=True)
        store.mkdir(mode=0o700, exist_ok=goes_on)
    except OSError as error:
        raise RankwiseError(f"{store} can't be made: {error.strerror}; give a new one with --keep") from None


def _remove(store: Path, arguments: argparse.Namespace) -> None:
    """Remove the directory, and the parent if that is ours and this was the last one."""
    import shutil
    from contextlib import suppress

    shutil.rmtree(store, ignore_errors=True)
    if arguments.keep is None:
        with suppress(OSError):
            store.parent.rmdir()


def _print_json(outcome: Outcome, settings: Settings | None, written: list[Path], cost: Cost) -> None:
    import json

    from rankwise.analysis.to_json import to_json

    shown = {
        "layers": outcome.layers,
        "parameters": outcome.steps,
        "kept": outcome.kept,
        "interval": outcome.interval,
        "verdict": outcome.verdict,
        "before_seconds": outcome.before,
        "after_seconds": outcome.after,
        "notes": outcome.notes,
        "ended": outcome.ended,
        "settings": settings,
        "files": [str(path) for path in written],
        "cost": cost.as_data(),
    }
    json.dump(to_json(shown), sys.stdout, indent=2)
    sys.stdout.write("\n")
