"""One run of a command, recorded as `rankwise run` does it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rankwise.analysis.columns import decoded_list
from rankwise.errors import RankwiseError
from rankwise.launch import clock_sync, inside_options
from rankwise.launch.environment import prepare
from rankwise.launch.inner_launch import LaunchWatch
from rankwise.launch.output import telling_line
from rankwise.launch.plan import library, plan
from rankwise.launch.rundirectory import RunDirectory
from rankwise.launch.signals import Signals
from rankwise.launch.wait_for_ranks import wait_for_ranks
from rankwise.launch.world_order import WorldOrder
from rankwise.launchers.base import Preload
from rankwise.profile.assemble import assemble
from rankwise.trials import process
from rankwise.trials.run import Interrupted

_SAID_BYTES = 64 * 1024


@dataclass(frozen=True)
class Command:
    """The command that is run repeatedly.

    Attributes:
        words: of the command, as given.
        variables: that it needs beside our environment.
        order: of MPI_COMM_WORLD; None: as the launcher says.
    """

    words: tuple[str, ...]
    variables: Mapping[str, str]
    order: WorldOrder | None = None


@dataclass(frozen=True)
class Recording:
    """How runs are recorded.

    Attributes:
        settings: variables that control the recording inside collectives.
        only: procedures that they choose; all if empty.
        clocks: whether clocks of nodes are compared if that is possible, as `rankwise run` does.
        watch: whether the calls of the library's algorithms are counted, too: see `watched`.
    """

    settings: Mapping[str, str]
    only: tuple[str, ...] = ()
    clocks: bool = False
    watch: bool = False


class Limit(NamedTuple):
    """How long a run may take.

    Attributes:
        seconds: it is ended after them.
        cure: how the user can give it more, for people.
    """

    seconds: float
    cure: str


def as_recorded(connection: sqlite3.Connection) -> Recording:
    """Return how the run of a profile was recorded, so that others can be compared with it."""
    (only,) = connection.execute("SELECT only FROM run").fetchone()
    (hooks,) = connection.execute("SELECT COUNT(*) FROM ranks WHERE transport_state <> 'disabled'").fetchone()
    if not hooks:
        return Recording(inside_options.nothing())
    names = tuple(decoded_list(only))
    return Recording(inside_options.choosing(names) if names else {}, names)


def check(command: Command) -> None:
    """Refuse a command that can't be recorded, before anything is run.

    Raises:
        RankwiseError: see launch.plan.plan.
    """
    library()
    plan(command.words, {**os.environ, **command.variables})


def record(
    command: Command,
    how: Recording,
    profile: Path,
    limit: Limit,
    signals: Signals,
    watch: LaunchWatch | None = None,
) -> process.End:
    """Run a command and write its profile; its output goes to the same name with .out.

    Args:
        command: to run.
        how: to record.
        profile: where to.
        limit: of the run.
        signals: that we received.
        watch: finds the launches of a script; None: not needed.

    Raises:
        Interrupted: a signal came.
        RankwiseError: the run failed, or was ended by the limit, or its profile is partial.
    """
    environment = {**os.environ, **command.variables}
    planned = plan(command.words, environment)
    # Remains of an earlier run here are from a failed or interrupted try.
    directory = RunDirectory.create(profile, None, force=True)._replace(ours=True)
    preloaded = library()
    clocks = clock_sync.setting(None, planned, preloaded) if how.clocks else {}
    settings = {**how.settings, **clocks, **directory.variables()}
    if command.order:
        settings |= command.order.settings()
        directory.keep_order(command.order)
    preload = Preload(preloaded, directory.path, "", settings)
    if how.watch:
        preload = _with_watch(preload, profile)
    launch = prepare(planned.command, preload, environment, planned.script_mpirun)
    directory.note(planned, how.only, planned.not_covered())
    output = profile.with_suffix(".out")
    if watch:
        watch.added = {
            name: environment.get(name)
            for name, value in launch.environment.items()
            if environment.get(name) != value
        }
    end = process.run(launch.words, launch.environment, output, limit.seconds, signals, watch)
    if end.status != 0 or end.too_long:
        wait_for_ranks(directory.path)
    directory.note_end()
    if end.interrupted:
        directory.remove()
        raise Interrupted
    _check(end, limit, output)
    if not directory.has_counters():
        directory.remove()
        raise RankwiseError(planned.why_nothing_was_seen(end.status, preload), 1)
    made = assemble(directory.path, profile, exit_status=end.status)
    directory.remove()
    if made.others:
        raise RankwiseError("it started several MPI programs: give a command that starts one", 1)
    if made.partial:
        raise RankwiseError(f"its profile is partial: {made.reason}", 1)
    return end


def watched(profile: Path) -> Path:
    """Return the directory where the ranks of a run leave the counts of the library's algorithms."""
    return profile.with_suffix(".watched")


def _with_watch(preload: Preload, profile: Path) -> Preload:
    directory = watched(profile)
    shutil.rmtree(directory, ignore_errors=True)  # of a try that failed
    directory.mkdir()
    settings = {**preload.settings, "RANKWISE_WATCH": str(directory)}
    return preload._replace(settings=settings, also=(library("librankwise_watch.so"),))


def _check(end: process.End, limit: Limit, output: Path) -> None:
    """Raise RankwiseError if the run has failed."""
    if end.too_long:
        raise RankwiseError(f"it had not ended after {limit.seconds:.3g} s: {limit.cure}", 1)
    if end.status != 0:
        line = telling_line(_end_of(output))
        raise RankwiseError(f"it ended with status {end.status}" + (f": {line}" if line else ""), 1)


def _end_of(output: Path) -> str:
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - _SAID_BYTES))
        return file.read().decode("utf-8", "replace")
