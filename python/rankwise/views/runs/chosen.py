"""Sentences on the runs of an answer, and on the runs that were left out."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.runs.files import unreadable_directories
from rankwise.runs.groups import Chosen, program_line
from rankwise.runs.unreadable import Unreadable
from rankwise.text.units import number_of

_NAMED = 3


def configuration_line(chosen: Chosen) -> str:
    """Return the configuration, the number of its runs, and the days of the first and the last."""
    known, runs = chosen.configuration, chosen.runs
    days = list(dict.fromkeys(run.run.started[:10] for run in (runs[0], runs[-1]))) if runs else []
    facts = [
        program_line(known),
        f"{number_of(known.ranks, 'rank')} / {number_of(known.nodes, 'node')}",
        known.mpi_library,
        *(f"{name}={value}" for name, value in known.tags),
        " ".join(filter(None, (number_of(len(runs), "run"), " to ".join(days)))),
    ]
    return "  ".join(filter(None, facts))


def left_out_lines(chosen: Chosen, unreadable: Sequence[Unreadable], repeated: int) -> list[str]:
    """Return sentences on the runs that were left out."""
    lines = []
    if chosen.others:
        runs = sum(group.runs for group in chosen.others)
        choices = [f"{' '.join(group.options)} ({group.runs})" for group in chosen.others[:_NAMED]]
        more = len(chosen.others) - _NAMED
        lines.append(
            f"Left out: {number_of(runs, 'run')} of {number_of(len(chosen.others), 'other configuration')}; "
            f"choose with {', '.join(choices)}{f', and {more} more' if more > 0 else ''}"
        )
    if chosen.partial:
        names = [str(run.path) for run in chosen.partial]
        lines.append(f"Left out: {number_of(len(names), 'run')} that did not end properly: {_listed(names)}")
    if repeated:
        lines.append(f"Left out: {number_of(repeated, 'file')} with the same run as another one")
    if files := [each.reason for each in unreadable if not each.is_directory]:
        lines.append(f"Left out: {number_of(len(files), 'file')} that cannot be read: {_listed(files)}")
    if directories := [each for each in unreadable if each.is_directory]:
        lines.append(f"Left out: {unreadable_directories(directories)}")
    return lines


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f", and {more} more" if more > 0 else "")
