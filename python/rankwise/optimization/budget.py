"""The time for everything, divided: a part for the measurement at the end, the rest by what steps promise."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from rankwise.optimization.step import whole_rounds
from rankwise.trials.plan import Aim

FINAL_SHARE = 0.25


@dataclass(frozen=True)
class Budget:
    """Seconds for everything, from now on.

    Attributes:
        seconds: of all; infinite: no limit.
        end: of it, by the clock.
        clock: in seconds.
    """

    seconds: float
    end: float
    clock: Callable[[], float]

    @classmethod
    def of(cls, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> Budget:
        """Begin."""
        if seconds is None:
            return cls(math.inf, math.inf, clock)
        return cls(seconds, clock() + seconds, clock)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.end - self.clock()

    def for_final(self, of_run: float, aim: Aim) -> float:
        """Return the reserve for the measurement at the end: never more than it can use.

        Args:
            of_run: seconds that a run takes.
            aim: of that measurement.
        """
        if math.isinf(self.seconds):
            return 0.0
        least = whole_rounds(aim) * of_run
        most = (2 * aim.most_rounds + 2) * of_run
        return max(min(FINAL_SHARE * self.seconds, most), least)

    def share(self, final: float, weight: float, weights: float, least: float) -> float | None:
        """Return the seconds for the next step; None: there are not as many as it needs.

        Args:
            final: seconds that are reserved.
            weight: of the step's promise.
            weights: of all steps that are still to be tried, this one among them.
            least: seconds that it needs to prove anything: a step that promises more gets them before others.
        """
        free = self.left - final
        if free < least:
            return None
        return free if math.isinf(free) else max(free * weight / weights, least)
