"""Check whether Rankwise works here, and what it would record for a command.

  rankwise doctor
  rankwise doctor -- mpirun -n 4 ./app args

Nothing is started except the launcher with --version and, for Python programs, an empty interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict

from rankwise.commands.limits import add_json
from rankwise.launch import checkup
from rankwise.render.terminal.page import Page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_json(parser)


def _write(page: Page, before: str, text: str) -> None:
    """Write a text that goes on below its own beginning."""
    lines = page.folded(page.text(text), page.width - len(before))
    for line in lines:
        line.rstrip()
        page.write(page.text(before) + line)
        before = " " * len(before)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings.

    Returns:
        the exit status: 1 if something stops Rankwise from recording anything.
    """
    findings = list(checkup.installation(os.environ))
    if arguments.command:
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
