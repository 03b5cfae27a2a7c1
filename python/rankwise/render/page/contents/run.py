"""A run in a report: its data for each page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankwise.render.page.contents.parts import parts_data
from rankwise.render.page.contents.subject import Subject
from rankwise.text import names
from rankwise.text.safe import safe
from rankwise.text.summary import run_fields
from rankwise.text.trust import partial_line, warnings


def run_data(of: Subject, name: str) -> dict[str, Any]:
    """Return the data of a run, as web/src/contract.ts declares it.

    Args:
        of: the profile.
        name: that distinguishes it from the other runs of the report.
    """
    run, trust = of.seen.run, of.summary.trust
    about = [*run_fields(run, verbose=False), f"threads: {run.thread_level}" if run.thread_level else ""]
    sentences = [*([] if trust.complete else [partial_line(trust)]), *warnings(trust)]
    return {
        "name": safe(name, "utf-8"),
        "title": safe(run_title(of), "utf-8"),
        "lead": safe(of.diagnosis.verdict, "utf-8"),
        "about": [safe(phrase, "utf-8") for phrase in about if phrase],
        "warnings": [safe(phrase, "utf-8") for phrase in sentences],
        "axes": of.axes.data,
        **parts_data(of),
    }


def run_names(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """Return each profile with a distinct name: the shortest distinct end of its path."""
    parts = [path.resolve().with_suffix("").parts for path in paths]
    longest = max(map(len, parts))
    length = 1
    while len({of[-length:] for of in parts}) < len({*parts}) and length < longest:
        length += 1
    return [(path, "/".join(of[-length:])) for path, of in zip(paths, parts, strict=True)]


def run_title(of: Subject) -> str:
    """Return the title of a run, the program first."""
    return names.run_title(of.seen.run)


def both_sides(before: Sequence[str], after: Sequence[str]) -> str:
    """Return both sides as `A → B`: once if they are the same, with the number of others of a side."""
    sides = [list(dict.fromkeys(side)) for side in (before, after)]
    texts = [f"{first} and {len(others)} more" if others else first for first, *others in sides]
    return " → ".join(dict.fromkeys(texts))
