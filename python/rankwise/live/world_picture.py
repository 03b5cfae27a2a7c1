"""Makes the picture of a job from two snapshots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from rankwise.analysis.collectives.visibility import why_inactive
from rankwise.analysis.last_calls import Place, both_groups, groups, place_row
from rankwise.analysis.percent import percent
from rankwise.live.current_places import places
from rankwise.live.difference import KINDS, Column, difference
from rankwise.live.picture import Activity, Hook, KindTraffic, Pair, Picture, Rank, SavedNode, WorldPicture
from rankwise.live.process import Process
from rankwise.live.snapshot import Snapshot
from rankwise.live.standing import hang_now
from rankwise.live.sums import Flows, Sums, by_rank, share_in_mpi
from rankwise.profile.collect.clock import NANOSECONDS, iso
from rankwise.profile.collect.launch_note import LaunchNote
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.worlds import World, worlds
from rankwise.profile.join.communicators import CommunicatorTable, join
from rankwise.profile.join.members import compact
from rankwise.profile.join.peers import Peers
from rankwise.profile.join.sites import Sites, join_sites

_NAMES = {procedure.id: procedure.name for procedure in PROCEDURES}
_MOST_PAIRS = 100


def picture(
    directory: str, note: LaunchNote, before: Snapshot | None, now: Snapshot, *, over: bool
) -> Picture:
    """Make the picture of a job.

    Args:
        directory: the run directory.
        note: about its launch.
        before: the last look; None: this is the first.
        now: this look.
        over: the job has ended.
    """
    interval = now.monotonic - before.monotonic if before else 0.0
    # By the names of their files, as the rank of a process may become known only in between.
    earlier = {process.counters.path.name: process for process in before.processes} if before else {}
    later = {process.counters.path: process for process in now.processes}
    return Picture(
        directory=directory,
        command=list(note.command),
        time=iso(now.taken_ns),
        interval_seconds=interval,
        over=over,
        saves=[
            SavedNode(save.host, max(now.taken_ns - save.saved_ns, 0) / NANOSECONDS) for save in now.saves
        ],
        worlds=[
            _World(
                world,
                {rank: later[counters.path] for rank, counters in world.ranks.items()},
                earlier,
                interval,
                note.directory,
            ).picture()
            for world in worlds(process.counters for process in now.processes)
        ],
        warnings=[*([note.warning] if note.warning else []), *now.unreadable],
    )


class _World:
    """Makes the picture of one world."""

    def __init__(
        self,
        world: World,
        members: Mapping[int, Process],
        earlier: Mapping[str, Process],
        interval: float,
        directory: str,
    ) -> None:
        self.world = world
        self.members = members
        self.interval = interval
        self.directory = directory
        lives = [Lifetime.of(process.counters) for process in members.values()]
        self.started_ns = min(life.started_ns for life in lives)
        self.wall = max(process.wall for process in members.values())
        clocks = {rank: process.clock for rank, process in members.items()}
        self.sites: Sites = join_sites(world.ranks)
        self.communicator_table: CommunicatorTable = join(
            world.ranks, clocks, self.sites, world.size, self.started_ns, self.wall
        )
        self.names = {row.id: row.name for row in self.communicator_table.rows}
        self.user_names = {row.id: row.user_name for row in self.communicator_table.rows}
        self.members_of = {
            row.id: both_groups(row.members, row.remote_members) for row in self.communicator_table.rows
        }
        peers = Peers(world.ranks, world.size)
        self.whole = difference({}, members, self.communicator_table, peers)
        self.recent = difference(earlier, members, self.communicator_table, peers) if interval else None
        self.places = places(members, self.communicator_table, self.recent, world.size)

    def picture(self) -> WorldPicture:
        """Make the picture of the world."""
        headers = [process.counters.header for process in self.members.values()]
        whole, recent = self.whole, self.recent
        ranks = self._ranks()
        return WorldPicture(
            world=self.world.number,
            worlds=self.world.of,
            job=self.world.job,
            executable=headers[0].executable,
            mpi_library=next((header.library for header in headers if header.library), ""),
            ranks_expected=self.world.size,
            ranks_seen=len(headers),
            nodes=len({header.host for header in headers}),
            started=iso(self.started_ns),
            wall_seconds=self.wall,
            quiet_seconds=self._quiet(),
            percent_in_mpi=share_in_mpi(recent),
            percent_in_mpi_from_start=share_in_mpi(whole),
            init_finalize_seconds=self._init_finalize(),
            calls_per_second=self._rate(recent.calls) if recent else 0.0,
            bytes_sent_per_second=self._rate(recent.bytes_sent) if recent else 0.0,
            traffic=self._traffic(),
            inside_collectives=self._hooks(),
            hang=hang_now(
                *(self.members, self.places, self.members_of, self.communicator_table, self.sites, whole),
                *(self.directory, self.started_ns),
            ),
            places=[place_row(group, self.names) for group in groups(self.places, self.members_of)],
            slowest=[
                row.rank
                for row in sorted(ranks, key=lambda row: (row.percent_in_mpi, row.percent_in_mpi_from_start))
                if row.rank in self.members and not self.members[row.rank].ended
            ],
            communicators=self._activities("communicator", "procedure"),
            calls=self._activities("procedure", "communicator"),
            pairs=self._pairs(),
            ranks=ranks,
            warnings=[
                *self.world.warnings,
                *(loss for process in self.members.values() for loss in process.counters.losses),
            ],
            programs=self.world.programs(),
        )

    def _init_finalize(self) -> float:
        """Return the time in MPI_Init and MPI_Finalize, averaged over the ranks."""
        return sum(process.init_finalize for process in self.members.values()) / len(self.members)

    def _rate(self, column: Column) -> float:
        return float(column.sum()) / self.interval if self.interval else 0.0

    def _quiet(self) -> float | None:
        """Return the seconds since the last heartbeat of any rank that has not ended."""
        silent = [
            (process.now_ns - process.heartbeat_ns) / NANOSECONDS
            for process in self.members.values()
            if not process.ended
        ]
        return max(min(silent), 0.0) if silent else None

    def _activities(self, by: str, top_by: str) -> list[Activity]:
        """Sum the calls up by communicator or by procedure."""
        names = {"communicator": self.names, "procedure": _NAMES}
        whole = Sums(self.whole, by)
        recent = Sums(self.recent, by) if self.recent else None
        rows = []
        for number in np.flatnonzero(whole.calls + whole.seconds).tolist():
            calls = recent.of(recent.calls, number) if recent else 0.0
            seconds = recent.of(recent.seconds, number) if recent else 0.0
            latest = recent if recent and seconds else whole
            rows.append(
                Activity(
                    name=names[by][number],
                    user_name=self.user_names[number] if by == "communicator" else "",
                    calls_per_second=calls / self.interval if recent else 0.0,
                    bytes_sent_per_second=recent.of(recent.sent, number) / self.interval if recent else 0.0,
                    seconds_per_call=seconds / calls if calls else None,
                    percent_of_run=percent(seconds, recent.run) if recent else 0.0,
                    percent_of_mpi=percent(seconds, recent.mpi) if recent else 0.0,
                    percent_of_run_from_start=percent(whole.of(whole.seconds, number), whole.run),
                    percent_of_mpi_from_start=percent(whole.of(whole.seconds, number), whole.mpi),
                    top=names[top_by].get(latest.top(number, top_by)),
                )
            )
        return sorted(
            rows,
            key=lambda row: (
                -row.percent_of_mpi,
                -row.percent_of_mpi_from_start,
                row.name,
            ),
        )

    def _traffic(self) -> list[KindTraffic]:
        if self.recent is None:
            return []
        kinds = self.recent.kind
        return [
            KindTraffic(
                KINDS[kind],
                self._rate(self.recent.messages[kinds == kind]),
                self._rate(self.recent.bytes[kinds == kind]),
            )
            for kind in sorted(set(kinds.tolist()))
        ]

    def _hooks(self) -> list[Hook]:
        by_visibility: dict[tuple[str, tuple[str, ...], str], list[int]] = defaultdict(list)
        for rank, process in self.members.items():
            header = process.counters.header
            active = header.transport_state == "active"
            why = "" if active else why_inactive(header.transport_state, header.transport_note)
            by_visibility[header.transport, header.transport_sees, why].append(rank)
        return [
            Hook(compact(ranks), transport, list(sees), why)
            for (transport, sees, why), ranks in by_visibility.items()
        ]

    def _pairs(self) -> list[Pair]:
        """Return the pairs of ranks with the most traffic: a world may have millions."""
        whole = Flows(self.whole, self.world.size)
        recent = Flows(self.recent, self.world.size) if self.recent else None
        rows = []
        # By present traffic first, then by all traffic.
        flows = dict.fromkeys([*(recent.largest(_MOST_PAIRS) if recent else []), *whole.largest(_MOST_PAIRS)])
        for flow in [*flows][:_MOST_PAIRS]:
            source, destination, kind = flow
            messages, volume = recent.of(flow) if recent else (0.0, 0.0)
            rates = (messages / self.interval, volume / self.interval) if recent else (0.0, 0.0)
            rows.append(Pair(source, destination, KINDS[kind], *rates, int(whole.of(flow)[1])))
        return rows

    def _ranks(self) -> list[Rank]:
        whole = by_rank(self.whole, self.world.size)
        recent = by_rank(self.recent, self.world.size) if self.recent else {}
        return [
            self._rank(rank, place, recent.get(rank, (0.0, 0.0)), whole)
            for rank, place in self.places.items()
        ]

    def _rank(
        self, rank: int, place: Place, recent: tuple[float, float], whole: Mapping[int, tuple[float, float]]
    ) -> Rank:
        process = self.members.get(rank)
        run = self.recent.run.get(rank, 0.0) if self.recent else 0.0
        return Rank(
            rank=rank,
            host=process.counters.header.host if process else "",
            state=place.state,
            procedure=place.procedure,
            communicator=self.names[place.communicator] if place.communicator is not None else None,
            since=None if place.since_ns is None else iso(place.since_ns),
            seconds=place.seconds,
            **_waited_for(place),
            percent_in_mpi=percent(recent[1], run),
            percent_in_mpi_from_start=percent(whole[rank][1], self.whole.run[rank]) if process else 0.0,
            calls_per_second=recent[0] / self.interval if self.interval else 0.0,
        )


def _waited_for(place: Place) -> dict[str, int | None]:
    """Return the ranks that a call waits for, by the members of the picture."""
    source, source_tag = place.source or (None, None)
    destination, destination_tag = place.destination or (None, None)
    return {
        "source": source,
        "source_tag": source_tag,
        "destination": destination,
        "destination_tag": destination_tag,
    }
