"""What trials have cost, over all calls of the same command, and when a gain has paid for it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_FILE = "spent.json"


@dataclass(frozen=True)
class Cost:
    """What trials have cost.

    Attributes:
        seconds: from the start to the end of each call.
        nodes: that the runs were on.
    """

    seconds: float
    nodes: int

    @property
    def node_hours(self) -> float:
        """The time of all nodes."""
        return self.seconds * self.nodes / 3600

    def as_data(self) -> dict[str, float]:
        """Return it for JSON."""
        return {"seconds": self.seconds, "nodes": self.nodes, "node_hours": self.node_hours}

    def runs_to_pay(self, saved: float) -> int | None:
        """Return after how many runs of the program it has paid; None: never.

        Args:
            saved: seconds a run, on as many nodes.
        """
        return math.ceil(self.seconds / saved - 1e-9) if saved > 0 else None


class Spent:
    """The time that calls have taken, in the directory that keeps what they have measured."""

    def __init__(
        self, store: Path, clock: Callable[[], float] = time.monotonic, *, already: float = 0.0
    ) -> None:
        """Begin to count; the directory need not be there yet.

        Args:
            store: that directory.
            clock: in seconds.
            already: seconds that this call has taken before.
        """
        self._path, self._clock = store / _FILE, clock
        self._began, self._before = clock() - already, 0.0
        with suppress(OSError, ValueError, TypeError):
            self._before = float(json.loads(self._path.read_text(encoding="utf-8")))

    @property
    def seconds(self) -> float:
        """So far, including earlier calls."""
        return self._before + self.of_this_call

    @property
    def of_this_call(self) -> float:
        """Seconds since it has begun."""
        return self._clock() - self._began

    def keep(self) -> None:
        """Keep it for the next call, if there is anything to go on from."""
        with suppress(OSError):  # not important enough for an error
            self._path.write_text(json.dumps(self.seconds), encoding="utf-8")
