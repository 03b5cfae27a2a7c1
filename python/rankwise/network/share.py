"""The network's share of a run: how long its busiest links need, against the time in MPI and in phases.

Times are at full rate: a lower bound, however messages are routed in time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.analysis.calls.totals import JOIN_PROCEDURES, totals_by
from rankwise.analysis.messages.kinds import KINDS
from rankwise.analysis.percent import percent
from rankwise.analysis.timing.time_line import Phase
from rankwise.errors import RankwiseError
from rankwise.network.bottleneck import Bottleneck, Slowest, bottleneck
from rankwise.network.fabric.model import Subnet
from rankwise.network.job.flows import Flows
from rankwise.network.job.journeys import RailJourneys
from rankwise.network.job.phases import FlowsByPhase, flows_by_phase
from rankwise.network.loads import JobLoads
from rankwise.network.routes.walk import routed
from rankwise.network.what_if import as_it_is

LEAST = 5.0
"""Percent of the time in MPI that the busiest link must need for the network to matter."""
LEAST_OF_PHASE = 20.0
"""Percent of a phase that the busiest link must be busy for the network to matter in a short phase."""


@dataclass(frozen=True)
class BusyPhase:
    """A phase of the run, and its busiest link.

    Attributes:
        phase: of the run.
        slowest: the link that needs the most time for its bytes in the phase, of hosts or between switches.
        percent: of the phase for which this link is busy at full rate.
    """

    phase: Phase
    slowest: Slowest
    percent: float


@dataclass(frozen=True, kw_only=True)
class NetworkShare:
    """The network's share of a run.

    Attributes:
        seconds: that the busiest link needs for its bytes, of hosts or between switches.
        mpi_seconds: mean time in MPI of the ranks, without MPI_Init and MPI_Finalize.
        percent_of_mpi: `seconds` in percent of it.
        is_part: only some messages of the run were asked for.
        all_seen: all messages inside the collectives in question were recorded.
        phases: in the order of time; those without bytes on links and runs without a time line have none.
    """

    seconds: float
    mpi_seconds: float
    percent_of_mpi: float
    is_part: bool
    all_seen: bool
    phases: tuple[BusyPhase, ...]

    @property
    def busiest_phase(self) -> BusyPhase | None:
        """The phase with the busiest link, relative to its length; None if phases are unknown."""
        return max(self.phases, key=lambda each: each.percent, default=None)

    @property
    def matters(self) -> bool:
        """Whether the bytes on the network take a noticeable part of the time in MPI, or of a phase."""
        busiest = self.busiest_phase
        return self.percent_of_mpi >= LEAST or (busiest is not None and busiest.percent >= LEAST_OF_PHASE)


def mean_mpi_seconds(connection: sqlite3.Connection) -> float:
    """Return the mean time in MPI of the ranks of a run, without MPI_Init and MPI_Finalize; 0: unknown.

    Args:
        connection: the whole profile, not a part of it.
    """
    (ranks,) = connection.execute("SELECT COUNT(*) FROM ranks").fetchone()
    classes = totals_by(connection, "procedures.class", JOIN_PROCEDURES, sums="family_sums")
    return sum(totals.seconds for _, totals in classes) / ranks if ranks else 0.0


def network_share(
    connection: sqlite3.Connection,
    mpi_seconds: float,
    limit: Bottleneck,
    flows: Flows,
    rails: Sequence[tuple[Subnet, RailJourneys]],
    *,
    is_part: bool,
    lid_offset: int | None,
) -> NetworkShare | None:
    """Return the network's share of a run; None if rates of links or the time in MPI are unknown.

    Args:
        connection: the profile, or the part of it that the flows are of.
        mpi_seconds: as `mean_mpi_seconds` returns it.
        limit: of the flows.
        flows: of the run.
        rails: each subnet, and the journeys of the flows on it.
        is_part: only some messages of the run were asked for, of some communicators.
        lid_offset: as of `routed`.
    """
    needed = [slowest.seconds for slowest in (limit.fabric, limit.hosts) if slowest and slowest.seconds]
    if not needed or not mpi_seconds:
        return None
    try:
        parts = flows_by_phase(connection, flows)
    except RankwiseError:  # no time line
        phases: tuple[BusyPhase, ...] = ()
    else:
        phases = busy_phases(parts, rails, lid_offset=lid_offset)
    return NetworkShare(
        seconds=max(needed),
        mpi_seconds=mpi_seconds,
        percent_of_mpi=percent(max(needed), mpi_seconds),
        is_part=is_part or bool(flows.only) or len(flows.kinds) < len(KINDS),
        all_seen=not flows.hidden,
        phases=phases,
    )


def share_of_loads(
    connection: sqlite3.Connection, mpi_seconds: float, loads: JobLoads, *, is_part: bool = False
) -> NetworkShare | None:
    """Return the same of loads; arguments as of `network_share`."""
    return network_share(
        connection,
        mpi_seconds,
        as_it_is(loads).bottleneck,
        loads.flows,
        [(rail.subnet, taking) for rail, taking in zip(loads.rails, loads.journeys.rails, strict=True)],
        is_part=is_part,
        lid_offset=loads.lid_offset,
    )


def busy_phases(
    parts: FlowsByPhase, rails: Sequence[tuple[Subnet, RailJourneys]], *, lid_offset: int | None
) -> tuple[BusyPhase, ...]:
    """Return the busiest link of each phase; phases without bytes on links, or without rates, are left out.

    Args:
        parts: the flows of the run, by phases.
        rails: each subnet, and the journeys of the flows on it.
        lid_offset: as of `routed`.
    """
    subnets = [subnet for subnet, _ in rails]
    loads = [
        routed(
            subnet,
            taking.source,
            taking.destination,
            parts.bytes[:-1, taking.flow] * taking.share,
            lid_offset=lid_offset,
        ).loads
        for subnet, taking in rails
    ]
    busy = []
    for number, phase in enumerate(parts.phases):
        limit = bottleneck(subnets, [of_phases[number] for of_phases in loads])
        some = [slowest for slowest in (limit.fabric, limit.hosts) if slowest and slowest.seconds]
        if some:
            slowest = max(some, key=lambda each: each.seconds or 0.0)
            busy.append(BusyPhase(phase, slowest, percent(slowest.seconds or 0.0, phase.seconds)))
    return tuple(busy)
