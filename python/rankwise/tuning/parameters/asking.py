"""Asks the MPI library in the user's launch how it sends: a probe runs in place of the program."""

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
    """Runs the probe in place of the program, with the program's variables.

    Attributes:
        launcher: its command, as the user named it.
        environment: of the launcher, after the user's `env`.
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
        """Compile the probe if there is none for this library yet.

        Args:
            command: the user's, with the program.
            directory: for the files of the probe's runs; every node sees it.
            signals: that arrived here.
            compiler: the MPI library's, '' = the launcher's.
            programs: directory that keeps probes and is seen by all nodes; None = the user's cache directory.
            say: gets a line before something is compiled.

        Raises:
            RankwiseError: the command has no known launcher, or starts containers; or the probe can't be
                compiled.
        """
        self._line = _with_launcher(parse(command.words))
        self._variables, self._directory, self._signals = command.variables, directory, signals
        self.launcher = self._line.launcher
        self.environment = behind(self._line.wrappers, {**os.environ, **command.variables})
        mpi_compiler = mpicc.find(self.launcher, self.environment, compiler)
        self._program = build(_PROBE, mpi_compiler, self.environment, programs, say)
        self._asked = 0

    def ask(self, variables: Mapping[str, str], names: Iterable[str] = ()) -> Layers:
        """Return what the library reports with these variables.

        Args:
            variables: in addition to the user's.
            names: of variables of MPI_T whose values are of interest.

        Raises:
            RankwiseError: the probe could not run, for example because the library does not start with them.
            trials.run.Interrupted: a signal came.
        """
        self._asked += 1
        profile = self._directory / f"{_PROBE}.{self._asked:02d}.rankwise"
        written = profile.with_suffix(".txt")
        program = (str(self._program), str(written), *names)
        contexts = tuple(context._replace(program=program) for context in self._line.contexts)
        words = tuple(self._line._replace(contexts=contexts).words)
        telling = {name: value for library in libraries() for name, value in library.telling.items()}
        how = Recording({**inside_options.nothing(), **telling, **variables})
        limit = Limit(_SECONDS, "does the launch start at all?")
        record(Command(words, {**self._variables, **variables}), how, profile, limit, self._signals)
        text = written.read_text(encoding="utf-8", errors="replace") if written.is_file() else ""
        said = profile.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
        layers = read_layers(text, said)
        if not layers:
            raise RankwiseError(
                f"the probe left no result in {written.parent}: is it visible to every node?", 1
            )
        return layers


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
