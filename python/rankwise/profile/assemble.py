"""Makes a profile of a run directory: reads every process's counters and joins them.

The end of a run, an abort, a time limit and a `kill -9` are one and the same path: read the files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.end_note import read_end_note
from rankwise.profile.collect.holders import CounterFiles, find_counters
from rankwise.profile.collect.launch_note import read_launch_note
from rankwise.profile.collect.node_files import late_saves
from rankwise.profile.collect.portions import portions, read_portion
from rankwise.profile.collect.workers import Workers, processors
from rankwise.profile.collect.worlds import worlds, worth_a_profile
from rankwise.profile.progress import Listener, Progress
from rankwise.profile.store.database import new_profile
from rankwise.profile.store.world_profile import WorldProfile
from rankwise.records import dataclass

_READING_SHARE = 0.4  # of the time that an assembly takes, roughly
_SHARED_FROM = 3000  # processes: to start others that help takes as long as to read some hundreds


@dataclass(frozen=True)
class Assembly:
    """A profile that was made.

    Attributes:
        path: of the profile.
        ranks_seen: ranks whose counters were read.
        ranks_expected: size of MPI_COMM_WORLD.
        partial: whether some rank did not come to the end of MPI_Finalize.
        reason: why it is partial, in a sentence; '' if complete.
        others: profiles of further MPI worlds in the same run directory.
        idle: worlds that have no profile, as nothing was called in them.
    """

    path: Path
    ranks_seen: int
    ranks_expected: int
    partial: bool
    reason: str
    others: tuple[Assembly, ...] = ()
    idle: int = 0

    def idle_text(self) -> str:
        """Say that worlds have no profile; '' if all have."""
        if not self.idle:
            return ""
        is_single = self.idle == 1
        worlds = "1 MPI program" if is_single else f"{self.idle:,} MPI programs"
        return f"{worlds} called nothing but MPI_Init and {'has' if is_single else 'have'} no profile"


def assemble(
    run_directory: Path,
    output: Path | None,
    *,
    exit_status: int | None,
    interrupted: str = "",
    force: bool = False,
    listener: Listener | None = None,
    by_program: Callable[[Sequence[str], int], Path] | None = None,
    conclude: Callable[[sqlite3.Connection], None] | None = None,
) -> Assembly:
    """Make the profile of a run directory.

    Args:
        run_directory: where the processes left their counters.
        output: path of the profile; replaced if it is there. Further MPI worlds go to `<stem>.2.rankwise`,
            except those without any calls. None: `by_program` names every profile.
        exit_status: of the launch, 128 + n for signal n; None = what `rankwise run` has noted, if it has.
        interrupted: what ended the launch from the outside, as part of a sentence; reported if a rank did not
        finish. Without a status, the noted one counts.
        force: replace profiles of further worlds, too; else a free number is taken.
        listener: called with the progress.
        by_program: if there are several MPI worlds, names the profile of each after the command line of its
            program, and its start in nanoseconds since 1970, instead.
        conclude: adds the diagnosis to each profile.

    Raises:
        RankwiseError: no MPI process left counters that can be read, or the profile cannot be written.
    """
    note = read_launch_note(run_directory)
    end = read_end_note(run_directory)
    if exit_status is None and end:
        exit_status, interrupted = end.exit_status, end.interrupted
    progress = Progress(listener)
    counters = _find(run_directory)
    processes = sum(len(holder.names) for holder in counters.holders)
    assemblies: list[Assembly] = []
    with Workers(processors() if processes >= _SHARED_FROM and processors() > 1 else 0) as workers:
        files, unreadable = _read_all(run_directory, counters, progress, workers)
        everybody = worlds(files)
        recorded_worlds = worth_a_profile(everybody)
        warnings = [*([note.warning] if note.warning else []), *unreadable]
        going_on = {file.path.name for file in files if file.header.state != "finalized" and not file.gone_ns}
        read = {holder.path: holder.names & going_on for holder in counters.holders}
        warnings += late_saves(counters.node_files, read, end.realtime_ns if end else None)
        for number, world in enumerate(recorded_worlds, 1):
            made = WorldProfile(world, note, exit_status, interrupted, end)
            if by_program and (output is None or len(recorded_worlds) > 1):
                used = {assembly.path for assembly in assemblies}
                path = free_name(by_program(made.programs[0], made.started_ns), force=force, used=used)
            elif output:
                path = output if number == 1 else free_name(output, number, force=force)
            share = (1 - _READING_SHARE) * len(world.ranks) / len(files)
            with new_profile(path) as profile:
                made.fill(profile, warnings, progress, share, workers, counters)
                if conclude:
                    conclude(profile)
            assemblies.append(Assembly(path, len(world.ranks), world.size, bool(made.reason), made.reason))
    first, *others = assemblies
    return Assembly(
        first.path,
        first.ranks_seen,
        first.ranks_expected,
        first.partial,
        first.reason,
        tuple(others),
        len(everybody) - len(recorded_worlds),
    )


def _find(run_directory: Path) -> CounterFiles:
    try:
        return find_counters(run_directory)
    except OSError as error:
        raise RankwiseError(
            f"{run_directory} cannot be read: {error.strerror}: give a run directory"
        ) from error


def _read_all(
    run_directory: Path, counter_files: CounterFiles, progress: Progress, workers: Workers
) -> tuple[list[Counters], list[str]]:
    """Read all counters; return the readable ones, and a sentence for each of the others.

    Without their rows if the work is shared out: all rows together may not fit into the memory.

    Raises:
        RankwiseError: there are no counters, or none can be read.
    """
    files: list[Counters] = []
    sentences = [
        *(loss for node_file in counter_files.node_files for loss in node_file.losses),
        *map(str, counter_files.failures),
    ]
    processes = max(sum(len(holder.names) for holder in counter_files.holders), 1)
    read = workers.map(read_portion, portions(counter_files.holders, with_rows=not workers.several))
    for together in progress.through(read, _READING_SHARE, lambda together: len(together) / processes):
        for item in together:
            if isinstance(item, str):
                sentences.append(item)
            else:
                files.append(item)
    if not files and sentences:
        raise RankwiseError(sentences[0])
    if not files:
        raise RankwiseError(
            f"no MPI process was seen in {run_directory}: is it an MPI program, and does it call MPI_Init? "
            f"`rankwise doctor -- COMMAND` tells"
        )
    return files, sentences


def free_name(output: Path, number: int = 1, *, force: bool = False, used: Collection[Path] = ()) -> Path:
    """Name a profile: `output`, or from the second on `<stem>.<number>.rankwise`; the next if it is taken.

    Args:
        output: path of the first profile.
        number: of the profile, from 1.
        force: take it, whether it is there or not.
        used: names that are not free in any case.
    """
    while True:
        path = output if number == 1 else output.with_name(f"{output.stem}.{number}.rankwise")
        if path not in used and (force or not path.exists()):
            return path
        number += 1
