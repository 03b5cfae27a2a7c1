"""The load of each link in each phase of a run, and links that are hot only in one phase.

The load over a whole run does not show when a link is busy: one that is hot in a short phase can hide among
those that are used all the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.timing.time_line import Phase
from rankwise.network.bottleneck import seconds_of
from rankwise.network.fabric.model import HOST_DOWN, HOST_UP
from rankwise.network.hot_links import HotLink, described, ranked
from rankwise.network.job.phases import FlowsByPhase
from rankwise.network.loads import JobLoads, job_loads
from rankwise.network.share import NetworkShare

HOT = 0.5
"""A link is hot if it needs at least this share of the time of the most loaded link between switches."""
QUIET = 0.01
"""Phases in which no link is busier than this share of the busiest link of any phase have no hot links."""


@dataclass(frozen=True)
class PhaseLink:
    """A link between switches in a phase.

    Attributes:
        hot: its traffic in the phase, with the sources.
        percent_of_run: the phase's part of the link's traffic over the run.
        is_hot: in the phase.
        hot_in_run: over the whole run.
        hot_in: numbers of all phases in which it is hot.
    """

    hot: HotLink
    percent_of_run: float
    is_hot: bool
    hot_in_run: bool
    hot_in: tuple[int, ...]

    @property
    def hidden(self) -> bool:
        """Whether it is hot in the phase and the whole run does not show it."""
        return self.is_hot and not self.hot_in_run


@dataclass(frozen=True)
class LoadsOfPhase:
    """The loads of links in a phase.

    Attributes:
        phase: that it is.
        loads: in it.
        links: between switches, the slowest first; at most `top`.
        hot: how many links between switches are hot in it.
        hidden: of these, how many the whole run does not show.
        seconds: that the most loaded link between switches takes for its bytes; None = rates are not known.
        host_seconds: that the most loaded link of a host takes; None = rates are not known.
    """

    phase: Phase
    loads: JobLoads
    links: tuple[PhaseLink, ...]
    hot: int
    hidden: int
    seconds: float | None
    host_seconds: float | None

    @property
    def percent_of_phase(self) -> float | None:
        """Percent of the phase that the busiest link between switches is busy at least; None = unknown."""
        return self._busy(self.seconds)

    @property
    def percent_of_hosts(self) -> float | None:
        """Percent of the phase that the busiest link of a host is busy at least; None = unknown."""
        return self._busy(self.host_seconds)

    def _busy(self, seconds: float | None) -> float | None:
        return None if seconds is None else 100.0 * seconds / max(self.phase.seconds, 1e-9)


@dataclass(frozen=True)
class LoadsByPhase:
    """The loads of links by phases.

    Attributes:
        flows: by phases.
        run: loads over the whole run.
        phases: in the order of time.
        seconds: total for the most loaded links of the phases; None = unknown for some.
        run_seconds: for the most loaded link of the run; None = unknown.
        hidden_links: number of links that are hot in a phase, but not over the run.
        hidden: the first of these links, each with its phase.
        share: of the network in the run; None = unknown.
    """

    flows: FlowsByPhase
    run: JobLoads
    phases: tuple[LoadsOfPhase, ...]
    seconds: float | None
    run_seconds: float | None
    hidden_links: int
    hidden: tuple[tuple[LoadsOfPhase, PhaseLink], ...]
    share: NetworkShare | None


def loads_by_phase(
    run: JobLoads, flows: FlowsByPhase, top: int, share: NetworkShare | None = None
) -> LoadsByPhase:
    """Send the flows of each phase over the fabric.

    Args:
        run: loads over the whole run.
        flows: the flows of the run, by phases.
        top: links that are reported for each phase; 0 = all.
        share: of the network in the run.
    """
    loads = [
        job_loads(run.fabric, flows.of(number), run.places, lid_offset=run.lid_offset)
        for number in range(len(flows.phases))
    ]
    lengths = [max(phase.seconds, 1e-9) for phase in flows.phases]
    is_hot = _hot(loads, lengths)
    [run_is_hot] = _hot([run], [1.0])
    phases: list[LoadsOfPhase] = []
    listed_hidden: list[tuple[LoadsOfPhase, PhaseLink]] = []
    for number, (phase, own) in enumerate(zip(flows.phases, loads, strict=True)):
        links = ranked(own, with_hosts=False)
        hidden = [(rail, link) for rail, link in links if (is_hot[number][rail] & ~run_is_hot[rail])[link]]
        first, room = links[: top or None], top - len(listed_hidden) if top else len(hidden)
        phase_links = _links(own, run, number, [*dict.fromkeys((*first, *hidden[:room]))], is_hot, run_is_hot)
        phases.append(
            LoadsOfPhase(
                phase,
                own,
                tuple(phase_links[link] for link in first),
                sum(int(of_rail.sum()) for of_rail in is_hot[number]),
                len(hidden),
                _most(own),
                _most(own, of_hosts=True),
            )
        )
        listed_hidden += [(phases[-1], phase_links[link]) for link in hidden[:room]]
    known = [each.seconds for each in phases]
    seconds = None if any(length is None for length in known) else sum(length or 0.0 for length in known)
    hidden_in_any = [
        np.logical_or.reduce([phase[rail] for phase in is_hot]) & ~of_run
        for rail, of_run in enumerate(run_is_hot)
    ]
    count = sum(int(is_hidden.sum()) for is_hidden in hidden_in_any)
    return LoadsByPhase(flows, run, tuple(phases), seconds, _most(run), count, tuple(listed_hidden), share)


def _links(
    own: JobLoads,
    run: JobLoads,
    number: int,
    chosen: Sequence[tuple[int, int]],
    is_hot: Sequence[Sequence[NDArray[np.bool_]]],
    run_is_hot: Sequence[NDArray[np.bool_]],
) -> dict[tuple[int, int], PhaseLink]:
    phase_links = {}
    for hot in described(own, chosen):
        rail, link = hot.load.rail, hot.load.link
        whole = float(run.rails[rail].bytes[link])
        phase_links[rail, link] = PhaseLink(
            hot,
            min(100.0 * hot.load.bytes / whole, 100.0) if whole else 0.0,
            bool(is_hot[number][rail][link]),
            bool(run_is_hot[rail][link]),
            tuple(at + 1 for at, phase in enumerate(is_hot) if phase[rail][link]),
        )
    return phase_links


def _takes(loads: JobLoads, *, of_hosts: bool = False) -> list[NDArray[np.float64]]:
    """Return the time that each link needs for its load: per rail, shape (L,).

    Only of links of hosts, or else between switches; others have 0. In seconds, or in bytes where rates are
    unknown: then all links count as equally fast.
    """
    known = _rates_known(loads)
    times = []
    for rail in loads.rails:
        at_host = (rail.subnet.classes == HOST_UP) | (rail.subnet.classes == HOST_DOWN)
        takes = seconds_of(rail.subnet, rail.bytes, rates=known)
        times.append(np.where((at_host == of_hosts) & (rail.bytes > 0), takes, 0.0))
    return times


def _rates_known(loads: JobLoads) -> bool:
    return all(np.isfinite(rail.subnet.links.rates[rail.bytes > 0]).all() for rail in loads.rails)


def _most(loads: JobLoads, *, of_hosts: bool = False) -> float | None:
    """Return the seconds that the most loaded link between switches, or of a host, takes; None = unknown."""
    return (
        max((float(times.max(initial=0.0)) for times in _takes(loads, of_hosts=of_hosts)), default=0.0)
        if _rates_known(loads)
        else None
    )


def _hot(loads: Sequence[JobLoads], lengths: Sequence[float]) -> list[list[NDArray[np.bool_]]]:
    """Return which links are hot in each run or phase: per rail, shape (L,)."""
    takes = [_takes(run) for run in loads]
    most = [max((float(rail.max(initial=0.0)) for rail in times), default=0.0) for times in takes]
    busiest = max(longest / length for longest, length in zip(most, lengths, strict=True))
    hot = []
    for own, largest, length in zip(takes, most, lengths, strict=True):
        least = largest * HOT if largest / length > busiest * QUIET else np.inf
        hot.append([(rail >= least) & (rail > 0) for rail in own])
    return hot
