"""The complete report on a job's traffic on a fabric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.network.bottleneck import Bottleneck
from rankwise.network.cause_loads import CauseLoad, cause_loads
from rankwise.network.hot_links import HotLink, hot_links
from rankwise.network.loads import JobLoads
from rankwise.network.quality import RailQuality, quality
from rankwise.network.share import NetworkShare
from rankwise.network.what_if import Scenario, as_it_is


@dataclass(frozen=True)
class Answer:
    """The report.

    Attributes:
        loads: on all links.
        scenarios: the traffic as it is, then the alternatives.
        causes: with the links that each loads, most bytes first.
        hot: links between switches, the slowest first.
        quality: of the routes of each subnet.
        share: of the network in the run; None: unknown, or the traffic is synthetic.
    """

    loads: JobLoads
    scenarios: tuple[Scenario, ...]
    causes: tuple[CauseLoad, ...]
    hot: tuple[HotLink, ...]
    quality: tuple[RailQuality, ...]
    share: NetworkShare | None

    @property
    def bottleneck(self) -> Bottleneck:
        """Of the traffic as it is."""
        return self.scenarios[0].bottleneck


def answer(
    loads: JobLoads, others: Sequence[Scenario], top: int, share: NetworkShare | None = None
) -> Answer:
    """Put the report together.

    Args:
        loads: of the job.
        others: the alternatives.
        top: number of hot links that are examined; 0 = all.
        share: of the network in the run.
    """
    return Answer(
        loads,
        (as_it_is(loads), *others),
        tuple(cause_loads(loads)),
        tuple(hot_links(loads, top)),
        tuple(quality(loads.fabric, loads.places, lid_offset=loads.lid_offset)),
        share,
    )
