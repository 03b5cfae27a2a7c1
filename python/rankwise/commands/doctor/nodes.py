"""Check the installation on all nodes of a launch, which is given without a program.

  rankwise doctor nodes -- srun -N 4 -n 8

Every node is asked whether Rankwise works there, and a small MPI program is recorded.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rankwise.commands import probes
from rankwise.commands.doctor.findings import report
from rankwise.commands.limits import add_json
from rankwise.errors import RankwiseError
from rankwise.launch import checkup


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this sub-verb."""
    parser.add_argument(
        "--run-dir",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="where run directories go, which every node must see (default: here)",
    )
    probes.add_arguments(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check; 0, or 1 if something stops Rankwise from recording anything."""
    from rankwise.installation import nodes
    from rankwise.probes.launch import understand

    if not arguments.command:
        raise RankwiseError("no launch: put it after `--`, as in: rankwise doctor nodes -- srun -N 4 -n 8")
    launch = understand(arguments.command, os.environ, "doctor nodes")
    probe = probes.options_of(arguments)
    findings = list(checkup.installation(os.environ))
    findings += nodes.findings(launch, arguments.run_dir, probe.compiler, probe.directory)
    return report(findings, as_json=arguments.json)
