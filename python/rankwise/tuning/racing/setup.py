"""The needs of every launch of the probe."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.launch.signals import Signals
from rankwise.probes.launch import Launch
from rankwise.trials.run import Interrupted, OutOfTime


@dataclass(frozen=True, kw_only=True)
class Setup:
    """How the probe is started, and until when it may run.

    Attributes:
        launch: the user's, without the program.
        environment: of the launcher.
        compiler: of the launch's MPI library.
        program: the probe.
        directory: for its files, seen by the first rank; it exists.
        signals: that arrived here.
        say: gets lines for people.
        deadline: of time.monotonic(), for everything.
        patience: seconds without a sign of life after which a call counts as hanging.
    """

    launch: Launch
    environment: Mapping[str, str]
    compiler: Path
    program: Path
    directory: Path
    signals: Signals
    say: Callable[[str], None]
    deadline: float = math.inf
    patience: float = 60.0

    def apart(self, name: str) -> Setup:
        """Return the same with its own directory inside this one."""
        return replace(self, directory=self.directory / name)

    def check(self) -> None:
        """Check whether to continue.

        Raises:
            Interrupted: a signal came.
            OutOfTime: the deadline is over.
        """
        if self.signals.count:
            raise Interrupted
        if time.monotonic() > self.deadline:
            raise OutOfTime
