"""The placement for programs of one's own: CSV and JSON, with nothing where a number is not known."""

from __future__ import annotations

import json
from dataclasses import fields

from rankwise.placement.files.job import Job, Written, lines
from rankwise.placement.seats import Seat

_COLUMNS = [field.name for field in fields(Seat)]


def table(job: Job) -> Written:
    """A line a rank, below one with the names of the columns."""
    rows = [",".join("" if value is None else str(value) for value in row.values()) for row in _rows(job)]
    return Written(job.directory / "placement.csv", "CSV", lines([",".join(_COLUMNS), *rows]))


def objects(job: Job) -> Written:
    """A list with an object a rank."""
    rows = ",\n".join(f"  {json.dumps(row)}" for row in _rows(job))
    return Written(job.directory / "placement.json", "JSON", f"[\n{rows}\n]\n")


def _rows(job: Job) -> list[dict[str, int | str | None]]:
    return [
        {name: None if value == -1 else value for name, value in vars(seat).items()} for seat in job.seats
    ]
