"""`rankwise tune`: algorithms of collectives, from the profile to settings that are proven."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from rankwise.commands.messages import say
from rankwise.commands.own_settings import Pricing, price_refused
from rankwise.commands.probes import ProbeOptions, open_racer, options_of
from rankwise.commands.settings_files import try_to_write
from rankwise.commands.working_directory import working_directory

if TYPE_CHECKING:
    from rankwise.launch.signals import Signals
    from rankwise.trials.cost import Cost
    from rankwise.trials.plan import Aim
    from rankwise.tuning.profiled import Profiled
    from rankwise.tuning.program import Program
    from rankwise.tuning.settings.model import Settings
    from rankwise.tuning.tune import Request, Tuned


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What the command line says of the races and of the proof; shares, not percents."""

    probe: ProbeOptions
    bitwise: bool
    confidence: float
    resolve: float
    pairs: int | None
    budget: float | None
    seed: int

    @classmethod
    def by(cls, arguments: argparse.Namespace) -> _Asked:
        return cls(
            probe=options_of(arguments),
            bitwise=arguments.bitwise,
            confidence=arguments.confidence / 100,
            resolve=arguments.resolve / 100,
            pairs=arguments.pairs,
            budget=arguments.budget,
            seed=arguments.seed,
        )


def run(arguments: argparse.Namespace) -> int:
    """Tune, or measure what settings of the user's own cost; see `_tuned`."""
    from rankwise.tuning.program import OwnSettingsError

    try:
        return _tuned(arguments)
    except OwnSettingsError as refusal:
        return price_refused(refusal, Pricing.by(arguments))


def _tuned(arguments: argparse.Namespace) -> int:
    """Tune; 0, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.commands.tune.profiled import say_if_partial, say_if_reordered
    from rankwise.launch.signals import Signals
    from rankwise.render.terminal.cost import print_cost
    from rankwise.render.terminal.tuning import print_tuned
    from rankwise.trials.cost import Cost, Spent
    from rankwise.trials.piped_input import keep_piped_input
    from rankwise.trials.run import Interrupted
    from rankwise.trials.ways import Runs, check_words
    from rankwise.tuning.launched import launched, refuse_inside
    from rankwise.tuning.profiled import profiled
    from rankwise.tuning.program import Program
    from rankwise.tuning.settings.file import check_new
    from rankwise.tuning.tune import refuse_short, tune

    # Everything that can be wrong is looked at first: an error must not cost a job.
    program = Program.of(arguments.command, os.environ)
    check = check_words(arguments.check)
    say_if_partial(arguments.file)
    say_if_reordered(arguments.file)
    known = profiled(arguments.file, arguments.cells)
    program.refuse_other_library(known.about.library, known.about.abi, arguments.file)
    program.refuse_own_settings(rules=True)
    if arguments.output is not None:
        check_new(arguments.output, force=arguments.force)
    asked = _Asked.by(arguments)
    store = arguments.file.absolute().with_name(f"{arguments.file.name}-tune")
    if known.targets and not store.exists():
        refuse_short(asked.budget, _proof_aim(asked), known.wall.wall_seconds)
    keep_piped_input(say)
    spent = Spent(store)
    inner = program
    with Signals() as signals:
        if known.targets:
            with working_directory(arguments.keep, "tune") as directory:
                limit = known.wall.first_limit
                try:
                    inner = launched(program, directory, signals, arguments.run_limit or limit, say)
                except Interrupted:
                    return 128 + signals.last
                refuse_inside(program, inner, rules=True)
                if asked.budget is not None:  # that run was of it, too
                    asked = replace(asked, budget=asked.budget - spent.of_this_call)
                store.mkdir(exist_ok=True)
                request = _request(asked, known, program, inner, store, directory, signals)
                runs = Runs(
                    directory,
                    signals,
                    arguments.run_limit,
                    limit,
                    check,
                    given=request.way,
                )
                tuned = tune(request, runs, say)
                if tuned.failure:
                    spent.keep()
                    if not arguments.json:
                        run_seconds = known.wall.rank_seconds
                        print_tuned(tuned, known.everything, run_seconds, [], sys.stdout, failed=True)
                    raise tuned.failure
        else:
            tuned = _nothing(known)
    writing = try_to_write(tuned.settings, arguments.output, inner.library, force=arguments.force)
    cost = Cost(spent.seconds, len(known.about.hosts))
    if arguments.json:
        _print_json(tuned, writing.files, cost)
    else:
        run_seconds, failed = known.wall.rank_seconds, writing.failed is not None
        print_tuned(tuned, known.everything, run_seconds, writing.files, sys.stdout, failed=failed)
        if tuned.proof is not None:
            print_cost(cost, tuned.proof.before, tuned.proof.interval, sys.stdout)
    spent.keep()
    writing.check(store)
    # Without a file the settings are nowhere but there.
    if tuned.is_finished and (tuned.settings is None or writing.files):
        shutil.rmtree(store, ignore_errors=True)
    return 128 + signals.last if signals.last else 0


def _materialise(settings: Settings, directory: Path, library: Path | None) -> dict[str, str]:
    """Write settings' files to a separate directory, as others may be in use."""
    from rankwise.tuning.settings.apply import materialise

    return materialise(settings, Path(mkdtemp(prefix="settings-", dir=directory)), library)


def _nothing(profiled: Profiled) -> Tuned:
    from rankwise.mpi_libraries import version_of
    from rankwise.tuning.tune import Tuned

    return Tuned(version_of(profiled.about.library))


def _proof_aim(asked: _Asked) -> Aim:
    from rankwise.trials.plan import Aim

    return Aim(asked.confidence, asked.resolve, asked.pairs)


def _print_json(tuned: Tuned, written: list[Path], cost: Cost) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.views.tuning import tuned_as_data

    json.dump(to_json({**tuned_as_data(tuned, written), "cost": cost.as_data()}), sys.stdout, indent=2)
    sys.stdout.write("\n")


def _request(
    asked: _Asked,
    profiled: Profiled,
    program: Program,
    inner: Program,
    store: Path,
    directory: Path,
    signals: Signals,
) -> Request:
    from rankwise.trials.ways import Way
    from rankwise.tuning.racing.race import AIM
    from rankwise.tuning.settings.apply import untranslatable
    from rankwise.tuning.tune import Request

    return Request(
        targets=profiled.targets,
        run_seconds=profiled.wall.rank_seconds,
        wall_seconds=profiled.wall.wall_seconds,
        ranks=profiled.wall.ranks,
        way=Way("as given", program.command, as_given=True),
        open_racer=partial(open_racer, asked.probe, inner.words, inner.environment, directory, signals),
        untranslatable=partial(untranslatable, library_path=inner.library),
        materialise=partial(_materialise, directory=directory, library=inner.library),
        about=replace(profiled.about, command=program.words),
        bitwise=asked.bitwise,
        race_aim=replace(AIM, confidence=asked.confidence),
        proof_aim=_proof_aim(asked),
        budget=asked.budget,
        seed=asked.seed,
        store=store,
    )
