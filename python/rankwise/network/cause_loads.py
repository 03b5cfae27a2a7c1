"""The load that each cause puts on the links between switches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.network.causes import Cause
from rankwise.network.hot_links import LinkLoad, link_loads_of
from rankwise.network.loads import JobLoads
from rankwise.network.routes.classes import between_switches


@dataclass(frozen=True)
class CauseLoad:
    """A cause, and the link between switches that it loads most.

    Attributes:
        cause: why the messages are sent.
        on_links: bytes of it that leave hosts.
        hottest: the link, with all that is on it; None: the cause has nothing between switches.
        bytes: of the cause on this link.
        times_mean: these by the mean of the links of this class that the cause uses; None: it uses none.
    """

    cause: Cause
    on_links: float
    hottest: LinkLoad | None
    bytes: float
    times_mean: float | None


def cause_loads(loads: JobLoads) -> list[CauseLoad]:
    """Return one entry for each cause, most bytes first."""
    loads_of_causes = []
    for number, cause in enumerate(loads.causes):
        leaving, best, at = 0.0, 0.0, (0, -1)
        for place, rail in enumerate(loads.rails):
            own = rail.by_cause[number]
            leaving += float(own[rail.subnet.up].sum())
            between = between_switches(rail.subnet)
            if len(between) and own[between].max() > best:
                at = place, int(between[own[between].argmax()])
                best = float(own[at[1]])
        times, hottest = None, None
        if at[1] >= 0:
            rail = loads.rails[at[0]]
            of_class = rail.by_cause[number][rail.subnet.classes == rail.subnet.classes[at[1]]]
            times = best / float(np.mean(of_class[of_class > 0]))
            [hottest] = link_loads_of(loads, at[0], [at[1]])
        loads_of_causes.append(CauseLoad(cause, leaving, hottest, best, times))
    return sorted(loads_of_causes, key=lambda each: -each.on_links)
