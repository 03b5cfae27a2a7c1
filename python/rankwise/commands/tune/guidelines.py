"""Find defaults of the library that take longer than equivalent calls.

  rankwise tune --guidelines -- mpirun -n 64

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

from rankwise.commands.messages import say
from rankwise.commands.probes import options_of, prepare_probe
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.tuning.guidelines import Outcome

_SIZES = "8,1K,32K,256K"
_LARGEST = 1 << 30


def run(arguments: argparse.Namespace) -> int:
    """Compare; 0, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.render.terminal.guidelines import print_guidelines
    from rankwise.trials.run import Interrupted, OutOfTime
    from rankwise.tuning.guidelines import compare
    from rankwise.tuning.racing.session import Session
    from rankwise.tuning.settings.in_force import in_force

    sizes = _sizes(_SIZES if arguments.sizes is None else arguments.sizes)
    deadline = math.inf if arguments.budget is None else time.monotonic() + arguments.budget
    confidence = arguments.confidence / 100
    with Signals() as signals, TemporaryDirectory(prefix="rankwise-") as directory:
        try:
            probe = options_of(arguments)
            setup = prepare_probe(probe, arguments.command, os.environ, Path(directory), signals, deadline)
            with Session(setup) as session:
                found = compare(session, sizes, confidence, arguments.seed, say)
        except Interrupted:
            return 128 + signals.last
        except OutOfTime:
            raise RankwiseError("the time was up before anything was compared: give more") from None
    own = in_force(found.library.label, os.environ, arguments.command)
    if arguments.json:
        _print_json(found, own)
    else:
        print_guidelines(found, own, sys.stdout)
    return 128 + signals.last if signals.last else 0


def _sizes(text: str) -> list[int]:
    """Return the sizes of a list, ascending.

    Raises:
        RankwiseError: one is none, is given twice, or is out of range.
    """
    from rankwise.latency.sizes import size_of

    found: list[int] = []
    for word in text.split(","):
        try:
            size = size_of(word)
        except ValueError as error:
            raise RankwiseError(f"--sizes {text}: {error}") from None
        if not 1 <= size <= _LARGEST:
            raise RankwiseError(f"--sizes {text}: {word.strip()} is out of range: give 1 B to 1 GiB")
        if size in found:
            raise RankwiseError(f"--sizes {text}: {word.strip()} is given twice: remove one")
        found.append(size)
    return sorted(found)


def _print_json(found: Outcome, own: Sequence[str]) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.views.tuning import guidelines_as_data

    json.dump(to_json(guidelines_as_data(found, own)), sys.stdout, indent=2)
    sys.stdout.write("\n")
