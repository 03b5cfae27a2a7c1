"""Asks the MPI library in the user's launch what it sends by: a probe runs in the program's place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch import inside_options
from rankwise.launch.commandline import CommandLine, parse
from rankwise.launch.signals import Signals
from rankwise.launch.wrappers import behind
from rankwise.probes import mpicc
from rankwise.probes.build import build
from rankwise.trials.recorded import Command, Limit, Recording, record
from rankwise.tuning.libraries import libraries
from rankwise.tuning.parameters.layers import Layers, read_layers

_PROBE = "layers"
_SECONDS = 120.0


class Asker:
    """Runs the probe in the program's place, with variables as the program gets them.

    Attributes:
        launcher: the command that starts it, as the user has named it.
        environment: of the launcher, behind the user's `env`.
    """

    def __init__(
        self,
        command: Command,
        directory: Path,
        signals: Signals,
        compiler: str = "",
        programs: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Compile the probe if this library has none yet.

        Args:
            command: the user's, with the program.
            directory: for what the probe's runs leave; every node sees it.
            signals: that came to us.
            compiler: the MPI library's, '' = the one that belongs to the launcher.
            programs: directory that keeps probes and is seen by all nodes; None = the user's cache directory.
            say: is told before something is compiled.

        Raises:
            RankwiseError: the command has no launcher that is known, or starts containers; or the probe can't
                be compiled.
        """
        self._line = _with_launcher(parse(command.words))
        self._variables, self._directory, self._signals = command.variables, directory, signals
        self.launcher = self._line.launcher
        self.environment = behind(self._line.wrappers, {**os.environ, **command.variables})
        found = mpicc.find(self.launcher, self.environment, compiler)
        self._program = build(_PROBE, found, self.environment, programs, say)
        self._asked = 0

    def ask(self, variables: Mapping[str, str], names: Iterable[str] = ()) -> Layers:
        """Return what the library tells with these variables.

        Args:
            variables: beside those of the user.
            names: of variables of MPI_T whose values are of interest.

        Raises:
            RankwiseError: the probe could not run: the library does not start with these variables, say.
            trials.run.Interrupted: a signal came.
        """
        self._asked += 1
        profile = self._directory / f"{_PROBE}.{self._asked:02d}.rankwise"
        written = profile.with_suffix(".txt")
        program = (str(self._program), str(written), *names)
        contexts = tuple(context._replace(program=program) for context in self._line.contexts)
        words = tuple(self._line._replace(contexts=contexts).words)
        telling = {name: value for one in libraries() for name, value in one.telling.items()}
        how = Recording({**inside_options.nothing(), **telling, **variables})
        limit = Limit(_SECONDS, "does the launch start at all?")
        record(Command(words, {**self._variables, **variables}), how, profile, limit, self._signals)
        text = written.read_text(encoding="utf-8", errors="replace") if written.is_file() else ""
        said = profile.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
        found = read_layers(text, said)
        if not found:
            raise RankwiseError(
                f"the probe left no result in {written.parent}: is it visible to every node?", 1
            )
        return found


def _with_launcher(line: CommandLine) -> CommandLine:
    if not line.known or not all(context.program for context in line.contexts):
        raise RankwiseError(
            "the transport of the MPI library can be determined only with a known launcher: give the "
            "command with mpirun, srun or another launcher, not in a script"
        )
    if line.containers:
        raise RankwiseError(
            "the transport of the MPI library in a container can't be determined from outside"
        )
    return line
