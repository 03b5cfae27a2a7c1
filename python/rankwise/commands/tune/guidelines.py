"""Find defaults of the library that take longer than equivalent calls.

  rankwise tune guidelines -- mpirun -n 64

Each collective is compared with other calls that do the same, such as Allreduce with Reduce and
Bcast. No profile and no program are needed: the launch starts a probe.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rankwise.commands import probes, trial_options
from rankwise.commands.limits import add_json, add_seed
from rankwise.commands.messages import say
from rankwise.commands.sizes import listed_sizes
from rankwise.commands.tune import options
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.tuning.guidelines import Outcome

_SIZES = "8,1K,32K,256K"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune guidelines`."""
    parser.add_argument("--sizes", default=_SIZES, metavar="LIST", help="in bytes (default: %(default)s)")
    trial_options.add_budget(parser)
    trial_options.add_confidence(parser, "of intervals")
    add_seed(parser, "the order of calls")
    add_json(parser)
    probes.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare; 0, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.render.terminal.guidelines import print_guidelines
    from rankwise.trials.run import Interrupted, OutOfTime
    from rankwise.tuning.guidelines import compare
    from rankwise.tuning.racing.session import Session
    from rankwise.tuning.settings.in_force import in_force

    options.check_command(arguments, "rankwise tune guidelines -- mpirun -n 4")
    sizes = listed_sizes(arguments.sizes)
    deadline = math.inf if arguments.budget is None else time.monotonic() + arguments.budget
    confidence = arguments.confidence / 100
    with Signals() as signals, TemporaryDirectory(prefix="rankwise-") as directory:
        try:
            probe = probes.options_of(arguments)
            setup = probes.prepare_probe(
                probe, arguments.command, os.environ, Path(directory), signals, deadline
            )
            with Session(setup) as session:
                outcome = compare(session, sizes, confidence, arguments.seed, say)
        except Interrupted:
            return 128 + signals.last
        except OutOfTime:
            raise RankwiseError(
                "the time was up before anything was compared: give more with --budget"
            ) from None
    own = in_force(outcome.library.label, os.environ, arguments.command)
    if arguments.json:
        _print_json(outcome, own)
    else:
        print_guidelines(outcome, own, sys.stdout)
    return 128 + signals.last if signals.last else 0


def _print_json(outcome: Outcome, own: Sequence[str]) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.views.tuning import guidelines_as_data

    json.dump(to_json(guidelines_as_data(outcome, own)), sys.stdout, indent=2)
    sys.stdout.write("\n")
