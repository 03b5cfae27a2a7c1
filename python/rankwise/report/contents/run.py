"""A run in a report: what is told of it on each page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rankwise.analysis.overview import trust
from rankwise.report.contents.cells import cells_data
from rankwise.report.contents.communicators import communicators_data
from rankwise.report.contents.subject import Subject
from rankwise.report.names import library_name, program_text
from rankwise.report.safe import safe
from rankwise.report.trust_lines import partial_line

_PARTS: dict[str, Callable[[Subject], dict[str, Any]]] = {
    "cells": cells_data,
    "communicators": communicators_data,
}
"""Parts of a run in web/src/contract.ts, and what fills them."""


def run_data(of: Subject, name: str) -> dict[str, Any]:
    """Return what is told of a run, as web/src/contract.ts declares it.

    Args:
        of: the profile.
        name: that tells it from the other runs of the report.
    """
    run, trusted = of.seen.run, trust(of.connection)
    about = [library_name(run.mpi_library), _count(run.ranks, "rank"), _count(run.nodes, "node")]
    return {
        "name": safe(name, "utf-8"),
        "lead": "",
        "about": [safe(phrase, "utf-8") for phrase in [*about, run.started.replace("T", " ")[:16]]],
        "warnings": [] if trusted.complete else [safe(partial_line(trusted), "utf-8")],
        "axes": of.axes.data,
        **{part: made(of) for part, made in _PARTS.items()},
    }


def run_names(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """Return each profile with a name of its own: the end of its path, as short as tells them apart."""
    parts = [path.resolve().with_suffix("").parts for path in paths]
    longest = max(map(len, parts))
    length = 1
    while len({of[-length:] for of in parts}) < len({*parts}) and length < longest:
        length += 1
    return [(path, "/".join(of[-length:])) for path, of in zip(paths, parts, strict=True)]


def run_title(of: Subject) -> str:
    """Return what ran."""
    run = of.seen.run
    return program_text(run.programs) if run.programs else " ".join(run.command)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
