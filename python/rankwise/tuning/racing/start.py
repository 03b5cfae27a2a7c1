"""Finds out how the library's algorithms can be chosen, and starts a racer."""

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
    """Compile the probe if needed, and return the setup of its launches; nothing is started.

    Args:
        words: the command, with the program that the probe replaces.
        environment: that it is started with.
        directory: for the files of the probe, seen by the first rank; the caller makes and removes it.
        signals: that arrived here: any signal ends a race.
        say: gets lines for people.
        compiler: the mpicc that the user has chosen, '' if none.
        probe_directory: that keeps the compiled probe; None: the user's cache.
        deadline: of time.monotonic(), for everything.

    Raises:
        RankwiseError: the probe can't replace the command's program, or can't be compiled.
        trials.run.Interrupted: a signal came.
    """
    launch = understand(words, environment)
    compiler_path = mpicc.find(launch.launcher, launch.environment, compiler)
    try:
        program = build.build("collective", compiler_path, launch.environment, probe_directory, say)
    except RankwiseError:
        if signals.count:  # Ctrl-C also ends the compiler
            raise Interrupted from None
        raise
    return Setup(
        launch=launch,
        environment={**environment, **launched_with()},
        compiler=compiler_path,
        program=program,
        directory=directory,
        signals=signals,
        say=say,
        deadline=deadline,
    )


def launched_with() -> dict[str, str]:
    """Return the variables that a launch needs to allow a choice; they change nothing else."""
    return {name: value for library in libraries() for name, value in library.launched_with.items()}


@contextlib.contextmanager
def racing(setup: Setup) -> Iterator[Racer]:
    """Yield a racer in the user's launch; its jobs end with the context.

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
