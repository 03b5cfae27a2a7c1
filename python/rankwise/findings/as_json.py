"""Findings as `--json` prints them, with their commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rankwise.analysis.overview import Run
from rankwise.analysis.to_json import to_json
from rankwise.findings.finding import Command
from rankwise.findings.search import Found
from rankwise.text.names import shown_path

PAGE = "docs/explanation/explain.md"


def command_line(command: Command, run: Run, path: Path) -> str:
    """Return a command's words, for the profile at `path` or for another run of its program."""
    if command.verb == "run":
        return shlex.join(["rankwise", "run", *command.options, "--", *(run.command or [run.executable])])
    words = ["rankwise", *command.verb.split(), shown_path(path), *map(shlex.quote, command.options)]
    if command.verb.startswith("tune"):
        words += ["--", shlex.join(run.command or [run.executable])]
    return " ".join(words)


def findings_json(entries: Iterable[Found], run: Run, path: Path) -> list[dict[str, Any]]:
    """Return the findings as flat objects."""
    return [
        {
            **to_json(entry.finding),
            "saved_percent_of_run": entry.saved_percent_of_run,
            "command": command_line(entry.finding.command, run, path),
            "page": f"{PAGE}#{entry.finding.rule}",
        }
        for entry in entries
    ]
