"""Finds out how the library's algorithms can be chosen, and starts what races them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.probes import build, mpicc
from rankwise.trials.run import Interrupted
from rankwise.tuning.libraries import by_version, libraries
from rankwise.tuning.racing.command import understand
from rankwise.tuning.racing.racer import Racer
from rankwise.tuning.racing.relaunched import Relaunched
from rankwise.tuning.racing.session import Session
from rankwise.tuning.racing.setup import Setup


def prepare(
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    signals: Signals,
    say: Callable[[str], None],
    *,
    compiler: str = "",
    probe_directory: Path | None = None,
    deadline: float = math.inf,
) -> Setup:
    """Compile the probe if need be, and return what its launches need; nothing is started.

    Args:
        words: the command, with the program, whose place the probe takes.
        environment: that it is started with.
        directory: for the files of the probe, seen by the first rank; it is the caller's to make and remove.
        signals: that came to us: any of them ends a race.
        say: is told what people should know.
        compiler: the user's own choice of an mpicc, '' if there is none.
        probe_directory: that keeps the compiled probe; None: the user's cache.
        deadline: of time.monotonic(), for everything.

    Raises:
        RankwiseError: the command is no launch that the probe fits into, or the probe can't be compiled.
        trials.run.Interrupted: a signal came.
    """
    launch = understand(words, environment)
    found = mpicc.find(launch.launcher, launch.environment, compiler)
    try:
        program = build.build("collective", found, launch.environment, probe_directory, say)
    except RankwiseError:
        if signals.count:  # Ctrl-C ends the compiler, too
            raise Interrupted from None
        raise
    return Setup(
        launch=launch,
        environment={**environment, **launched_with()},
        compiler=found,
        program=program,
        directory=directory,
        signals=signals,
        say=say,
        deadline=deadline,
    )


def launched_with() -> dict[str, str]:
    """Return the variables that a launch needs so that anything can be chosen; they change nothing else."""
    return {name: value for one in libraries() for name, value in one.launched_with.items()}


@contextlib.contextmanager
def racing(setup: Setup) -> Iterator[Racer]:
    """Give a racer in the user's launch; its jobs have ended afterwards.

    Args:
        setup: of the launches, as from `prepare`.

    Raises:
        RankwiseError: the probe can't be started.
        trials.run.Interrupted: a signal came.
        trials.run.OutOfTime: the deadline is over.
    """
    with Session(setup) as session:
        if not by_version(session.library).relaunches:
            yield session
            return
    yield Relaunched(setup, session.library, session.hosts)
