"""Check whether Rankwise works here, and what it would record of a command.

  rankwise doctor
  rankwise doctor -- mpirun -n 4 ./app args
  rankwise doctor --nodes -- srun -N 4 -n 8

Nothing is started except the launcher with --version and, for Python programs, an empty interpreter. With
--nodes, which takes the launch without a program, every node of it is asked whether Rankwise works there, and
a small MPI program is recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from rankwise.launch import checkup
from rankwise.render.terminal.page import Page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument(
        "--nodes",
        action="store_true",
        help="check the installation on all nodes of a launch, which is given without a program",
    )
    parser.add_argument(
        "--live-dir",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="with --nodes: where run directories go, which every node must see (default: here)",
    )
    parser.add_argument(
        "--mpicc", metavar="PATH", help="with --nodes: the compiler of the launcher's MPI library"
    )
    parser.add_argument(
        "--probe-dir",
        type=Path,
        metavar="DIR",
        help="with --nodes: where the compiled program is kept, which every node must see",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def _write(page: Page, before: str, text: str) -> None:
    """Write a text that goes on below its own beginning."""
    lines = page.folded(page.text(text), page.width - len(before))
    for line in lines:
        line.rstrip()
        page.write(page.text(before) + line)
        before = " " * len(before)


def _of_nodes(arguments: argparse.Namespace) -> list[checkup.Finding]:
    from rankwise.installation import nodes
    from rankwise.latency.measuring.command import understand

    launch = understand(arguments.command, os.environ, "doctor --nodes")
    return list(nodes.findings(launch, arguments.live_dir, arguments.mpicc or "", arguments.probe_dir))


def run(arguments: argparse.Namespace) -> int:
    """Print the findings.

    Returns:
        the exit status: 1 if something stops Rankwise from recording anything.
    """
    findings = list(checkup.installation(os.environ))
    if arguments.nodes:
        findings += _of_nodes(arguments)
    elif arguments.command:
        findings += checkup.command(arguments.command, os.environ)
    works = not any(finding.stops for finding in findings)
    certain = not any(finding.uncertain for finding in findings)
    if arguments.json:
        print(
            json.dumps(
                {"works": works, "certain": not works or certain, "findings": [asdict(f) for f in findings]},
                indent=1,
            )
        )
        return 0 if works else 1
    page = Page(sys.stdout)
    width = max(len(f.subject) for f in findings)
    for finding in findings:
        mark = "!" if finding.stops else "-" if finding.cure else " "
        _write(page, f"{mark} {finding.subject:<{width}}  ", finding.text)
        if finding.cure:
            _write(page, f"  {'':<{width}}  -> ", finding.cure)
    end = "works" if certain else "may not work: see the lines marked -"
    page.write(page.text(end if works else "does not work: see the lines marked !"))
    return 0 if works else 1
