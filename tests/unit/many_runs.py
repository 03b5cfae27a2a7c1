"""Profiles of many runs, whose times are known: of each call on each communicator, and outside of MPI."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from made_profile import WORLD, Made

from rankwise.diagnosis.kept import keep_diagnosis

FIRST = datetime(2026, 10, 1, 2, 0, tzinfo=timezone.utc)
Call = tuple[str, str]
"""Communicator and procedure."""


@dataclass(frozen=True)
class Truth:
    """A run.

    Attributes:
        calls: seconds of each rank in each call.
        outside: seconds of each rank outside of MPI, one value for all or one each.
        day: since the first run.
        commit: '' = unknown.
        hosts: of the ranks.
        program: command line.
        waited: seconds that each rank was ready and had no processor; None = the kernel does not report it.
        tags: further ones.
        more: SQL that changes the profile.
    """

    calls: Mapping[Call, float]
    outside: float | Sequence[float] = 5.0
    day: float = 0.0
    commit: str = ""
    hosts: Sequence[str] = ("n1", "n2")
    program: Sequence[str] = ("./app", "in.nml")
    waited: float | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    more: Sequence[str] = ()


def write_run(path: Path, truth: Truth) -> Path:
    """Write the profile of a run, with as many ranks as hosts; the longest rank makes the wall time."""
    ranks = len(truth.hosts)
    outside = [truth.outside] * ranks if isinstance(truth.outside, float | int) else truth.outside
    in_mpi = sum(truth.calls.values())
    most = max(outside)
    made = Made(ranks, truth.hosts, [most + in_mpi] * ranks)
    keys = {"W": WORLD}
    for name in dict.fromkeys(name for name, _ in truth.calls):
        if name not in keys:
            keys[name] = WORLD + len(keys)
            made.communicator(keys[name], name)
    for (name, procedure), seconds in truth.calls.items():
        for rank in range(ranks):  # who computes less waits: in the first call
            waits = most - outside[rank] if (name, procedure) == next(iter(truth.calls)) else 0.0
            made.call(rank, procedure, seconds + waits, communicator=keys[name])
    if truth.waited is not None:
        for rank in range(ranks):
            made.insert("places", rank=rank, run_queue_wait=truth.waited)
    started = (FIRST + timedelta(days=truth.day)).isoformat()
    programs = json.dumps([list(truth.program)])
    made.connection.execute(
        "UPDATE run SET started = ?, wall = ?, programs = ?, mpi_library = 'Open MPI v5.0.9'",
        (started, most + in_mpi, programs),
    )
    tags = {**truth.tags, **({"commit": truth.commit, "branch": "main"} if truth.commit else {})}
    made.connection.executemany("INSERT INTO tags VALUES (?, ?)", tags.items())
    for statement in truth.more:
        made.connection.execute(statement)
    made.write(path)
    with closing(sqlite3.connect(path)) as profile, profile:
        keep_diagnosis(profile)  # as if it had been recorded: readers need not make one
    return path


def write_runs(directory: Path, truths: Sequence[Truth]) -> Path:
    """Write a profile for each run; the names have no order."""
    directory.mkdir(exist_ok=True)
    for number, truth in enumerate(truths):
        write_run(directory / f"{number * 7919 % 10007:05d}.rankwise", truth)
    return directory


def commit_of(number: int) -> str:
    """Return something like the hash of the commit with this number."""
    return f"{(number + 1) * 2654435761 % 2**32:08x}" * 5
