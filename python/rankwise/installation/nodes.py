"""Collects facts from all nodes of the user's launch, and records a small MPI program on them."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.installation import facts
from rankwise.installation.problems import problems
from rankwise.launch.checkup import Finding
from rankwise.launch.output import telling_line
from rankwise.launch.rundirectory import check_output
from rankwise.probes import mpicc
from rankwise.probes.build import build
from rankwise.probes.job import End, Job
from rankwise.probes.launch import Launch
from rankwise.profile.store.database import open_profile
from rankwise.topology.machine.hosts import folded

_SECONDS = 120.0
_PROBE = "first"


def findings(
    launch: Launch, place: Path, compiler: str = "", probe_directory: Path | None = None
) -> Iterator[Finding]:
    """Check the installation on all nodes of a launch.

    Args:
        launch: without a program.
        place: parent of the run directories.
        compiler: the user's mpicc; '' = the one of the launcher.
        probe_directory: where the compiled probe is kept; None = the user's cache directory.

    Raises:
        RankwiseError: nothing can be written here.
    """
    directory = _made(place)
    try:
        yield from _asked(launch, directory)
        yield from _recorded(launch, directory, compiler, probe_directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _made(place: Path) -> Path:
    """Make a directory for the answers, where run directories go: nodes have to see it."""
    check_output(place.absolute() / "doctor.rankwise", force=True)
    return Path(tempfile.mkdtemp(prefix="doctor.", suffix=".rankwise-run", dir=place.absolute()))


def _asked(launch: Launch, directory: Path) -> Iterator[Finding]:
    began = time.time()
    end = _run(launch.words([sys.executable, "-m", facts.__name__, str(directory)]), launch.environment)
    ended = time.time()
    yield from _unwritable(end, directory)
    nodes = facts.read(directory)
    if end is None or end.status:
        yield Finding("launch", _how(end), "the launch has to work without Rankwise first", stops=True)
    if nodes:
        yield from problems(nodes, facts.facts(), began, ended)
    elif end is not None and not end.status:
        text = f"no process wrote to {directory.parent}"
        cure = "give a directory that all nodes see with --run-dir"
        yield Finding("run directory", text, cure, stops=True)


def _run(words: Sequence[str], environment: Mapping[str, str]) -> End | None:
    """Run a launch; None if it takes too long."""
    give_up = time.monotonic() + _SECONDS
    with Job(words, environment) as job:
        while job.running:
            if time.monotonic() > give_up:
                return None
            job.wait()
        return job.end()


def _how(end: End | None) -> str:
    if end is None:
        return f"has not ended after {_SECONDS:.0f} s"
    line = telling_line(end.said)
    return f"ended with status {end.status}" + (f": {line}" if line else "")


def _unwritable(end: End | None, directory: Path) -> Iterator[Finding]:
    lines = (line.split("\t") for line in (end.said if end else "").splitlines())
    said = [parts[1:3] for parts in lines if parts[0] == facts.CANT_WRITE and len(parts) > 2]
    for reason in dict.fromkeys(reason for _, reason in said):
        hosts = {host for host, why in said if why == reason}
        cure = "give a directory that all nodes see and may write to with --run-dir"
        yield Finding(folded(sorted(hosts)), f"can't write to {directory.parent}: {reason}", cure, stops=True)


def _recorded(
    launch: Launch, directory: Path, compiler: str, probe_directory: Path | None
) -> Iterator[Finding]:
    """Record a program that does next to nothing, and say which ranks left what."""
    try:
        compiler_path = mpicc.find(launch.launcher, launch.environment, compiler)
        program = build(_PROBE, compiler_path, launch.environment, probe_directory)
    except RankwiseError as error:
        yield Finding("recording", f"not tried: {error}")
        return
    profile = directory / "first.rankwise"
    run = [sys.executable, "-m", "rankwise", "run", "--quiet", "-o", str(profile), "--"]
    end = _run([*run, *launch.words([str(program)])], launch.environment)
    if end is None or end.status or not profile.exists():
        yield Finding("recording", _how(end), "`rankwise doctor -- COMMAND` looks at a command", stops=True)
        return
    with closing(open_profile(profile)) as opened:
        yield from _recording(opened)


def _recording(profile: sqlite3.Connection) -> Iterator[Finding]:
    ranks_seen, expected, reason = profile.execute(
        "SELECT ranks_seen, ranks_expected, partial_reason FROM run"
    ).fetchone()
    text = f"{ranks_seen} of {expected} ranks"
    if reason:
        yield Finding("recording", f"{text}: {reason}", "every node has to see the run directory", stops=True)
    else:
        yield Finding("recording", text)
    for transport, state, note, hosts in profile.execute(
        "SELECT transport, transport_state, transport_note, group_concat(DISTINCT host) FROM ranks"
        " GROUP BY transport, transport_state, transport_note"
    ):
        if state == "active":
            yield Finding("hook", f"{transport} sees messages inside collectives")
        else:
            text = f"none ({state}): {note or 'messages inside collectives are not seen'}"
            yield Finding(f"hook on {folded(sorted(hosts.split(',')))}", text)
