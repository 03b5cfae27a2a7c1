"""Show which rules of a settings file still win, such as after an upgrade of the MPI library.

  rankwise tune recheck app.tuned.json -- mpirun -n 64 ./app
  rankwise tune recheck app.tuned.json -o new.json -- mpirun -n 64 ./app

A probe takes the program's place in its launch. It measures for each rule the calls that it was found with:
by the rule's algorithm, by the library's own choice, and by that once more, which shows the noise. The
program itself is not run. With -o the rules that still win are written, with what was measured now.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rankwise.commands import probes, trial_options
from rankwise.commands.limits import add_json, add_seed
from rankwise.commands.messages import say
from rankwise.commands.probes import open_racer, options_of
from rankwise.commands.settings_files import write_settings
from rankwise.commands.tune import options
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.tuning.recheck import Outcome
    from rankwise.tuning.settings.model import About
    from rankwise.tuning.settings.rule import Rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune recheck`."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="the settings, as `rankwise tune -o` wrote them"
    )
    options.add_output(parser, "that still win")
    trial_options.add_budget(parser)
    trial_options.add_confidence(parser, "of intervals")
    add_seed(parser, "the order of runs")
    add_json(parser)
    probes.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Recheck; 0, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.render.terminal.recheck import print_rechecked
    from rankwise.tuning.program import Program
    from rankwise.tuning.racing.command import understand
    from rankwise.tuning.recheck import Request, recheck, refuse_few_ranks
    from rankwise.tuning.settings.file import check_new, read
    from rankwise.tuning.settings.model import About

    options.check_command(arguments, "rankwise tune recheck app.tuned.json -- mpirun -n 4 ./app")
    # Everything that can be wrong is looked at first: an error must not cost a job.
    settings = read(arguments.file)
    program = Program.of(arguments.command, os.environ)
    program.refuse_other_library(settings.about.library, settings.about.abi, arguments.file)
    program.refuse_own_settings(rules=True, label=_label(settings.about))
    if not settings.rules:
        raise RankwiseError(f"{arguments.file} has no rules for collectives: there is nothing to recheck")
    if ranks := understand(program.words, program.environment).ranks:
        refuse_few_ranks(settings.rules, ranks)
    if arguments.output is not None:
        check_new(arguments.output, force=arguments.force)
    deadline = math.inf if arguments.budget is None else time.monotonic() + arguments.budget
    said = program.said or settings.about.library
    about = About.of_now(said, settings.about.abi, (), program.words)
    with Signals() as signals, TemporaryDirectory(prefix="rankwise-") as directory:
        request = Request(
            settings,
            partial(
                open_racer,
                options_of(arguments),
                program.words,
                program.environment,
                Path(directory),
                signals,
                deadline,
            ),
            partial(_refusal, about, program.library),
            about,
            arguments.confidence / 100,
            arguments.seed,
        )
        outcome = recheck(request, say)
    written = write_settings(outcome.settings, arguments.output, program.library, force=arguments.force)
    if arguments.json:
        _print_json(outcome, written)
    else:
        print_rechecked(outcome, arguments.file, written, asked=arguments.output is not None, file=sys.stdout)
    return 128 + signals.last if signals.last else 0


def _label(about: About) -> str:
    from rankwise.mpi_libraries import version_of

    return version_of(about.library).label


def _refusal(about: About, library: Path | None, rule: Rule) -> str:
    from rankwise.tuning.settings.apply import untranslatable
    from rankwise.tuning.settings.model import Settings

    return untranslatable(Settings(about, (rule,)), library)


def _print_json(outcome: Outcome, written: Sequence[Path]) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.views.tuning import rechecked_as_data

    json.dump(to_json(rechecked_as_data(outcome, written)), sys.stdout, indent=2)
    sys.stdout.write("\n")
