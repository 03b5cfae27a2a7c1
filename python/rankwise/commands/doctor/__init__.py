"""Check whether Rankwise works here, and what it would record of a command.

  rankwise doctor
  rankwise doctor -- mpirun -n 4 ./app args
  rankwise doctor nodes -- srun -N 4 -n 8

Nothing is started except the launcher with --version and, for Python programs, an empty interpreter.
"""

from __future__ import annotations

import argparse
import os

from rankwise.commands.doctor.findings import report
from rankwise.commands.limits import add_json
from rankwise.launch import checkup

SUB_VERBS = ("nodes",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check; 0, or 1 if something stops Rankwise from recording anything."""
    findings = list(checkup.installation(os.environ))
    if arguments.command:
        findings += checkup.command(arguments.command, os.environ)
    return report(findings, as_json=arguments.json)
