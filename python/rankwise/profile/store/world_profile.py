"""Fills a profile with what the processes of one MPI world counted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import NANOSECONDS, Clock, clocks, iso
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.coverage import not_covered
from rankwise.profile.collect.end_note import EndNote
from rankwise.profile.collect.holders import CounterFiles, Holder
from rankwise.profile.collect.launch_note import LaunchNote
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.node_files import NodeFile
from rankwise.profile.collect.portions import Made, make_kept_rows, make_rows, rows_tasks
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.workers import Workers
from rankwise.profile.collect.worlds import World
from rankwise.profile.join.access_rows import accesses_rows
from rankwise.profile.join.adapters import adapter_rows, rail_choice_rows
from rankwise.profile.join.arrivals import COLUMNS, NOBODY, join_arrivals, starts
from rankwise.profile.join.batches import NOT_ATTRIBUTED, Common, Own
from rankwise.profile.join.checks import check
from rankwise.profile.join.clocks_by_collectives import clocks_by_collectives
from rankwise.profile.join.communicators import FIRST, WORLD, CommunicatorTable, join
from rankwise.profile.join.current_calls import CurrentCall, current_calls, latest_left, unfinished_rows
from rankwise.profile.join.ending import Ending, partial_reason
from rankwise.profile.join.files import Files, join_files
from rankwise.profile.join.grouping import LARGEST
from rankwise.profile.join.header_warnings import header_warnings, passed_by
from rankwise.profile.join.intervals import join_intervals
from rankwise.profile.join.message_waits import MESSAGE_COLUMNS, WAIT_COLUMNS, join_waits
from rankwise.profile.join.neighbours import noted
from rankwise.profile.join.network import join_network
from rankwise.profile.join.node_clocks import COMPARED, OWN, node_clocks
from rankwise.profile.join.node_places import Shapes, kernel_rows, place_rows, task_rows, use_rows
from rankwise.profile.join.open_messages import open_messages
from rankwise.profile.join.paths import path_rows
from rankwise.profile.join.patterns import Patterns, join_patterns
from rankwise.profile.join.peers import Peers
from rankwise.profile.join.regions import join_regions
from rankwise.profile.join.sites import Sites, join_sites, with_sources
from rankwise.profile.join.system_counters import absent_rows, counter_rows
from rankwise.profile.join.traits import join_traits
from rankwise.profile.progress import Progress
from rankwise.profile.store.row_writer import RowWriter

_THREAD_LEVELS = ("single", "funneled", "serialized", "multiple")
_DROPPED = layout.names_of("dropped")


class WorldProfile:
    """One MPI world on its way into a profile.

    Attributes:
        reason: why the profile is partial, in one sentence; '' if it is complete.
        programs: the command line of each program of the world, as its first rank saw it.
    """

    def __init__(
        self,
        world: World,
        note: LaunchNote,
        exit_status: int | None,
        interrupted: str,
        end: EndNote | None = None,
    ) -> None:
        self.world = world
        self.programs = world.programs()
        self.note = note
        self.exit_status = exit_status
        self.ranks: Mapping[int, Counters] = world.ranks
        self.end = end
        own_clocks = clocks([list(counters.header.stamps.values()) for counters in self.ranks.values()])
        self._own_clocks: Mapping[int, Clock] = dict(zip(self.ranks, own_clocks, strict=True))
        self._ahead_ns = {
            rank: round((clock.ahead or 0.0) * NANOSECONDS) if clock.source else 0
            for rank, clock in node_clocks(
                self.ranks, self._own_clocks, own_clocks[0].anchor.realtime_ns
            ).items()
        }
        self.clocks: Mapping[int, Clock] = {
            rank: clock.behind(self._ahead_ns[rank]) for rank, clock in self._own_clocks.items()
        }
        self.lifetimes = {
            rank: self._lifetime(rank, counters, self._lived_until_ns(counters))
            for rank, counters in self.ranks.items()
        }
        self.started_ns = min(lifetime.started_ns for lifetime in self.lifetimes.values())
        self.stopped_ns = max(lifetime.stopped_ns for lifetime in self.lifetimes.values())
        wall = (self.stopped_ns - self.started_ns) / NANOSECONDS
        self.sites: Sites = join_sites(self.ranks)
        self.joined: CommunicatorTable = join(
            self.ranks, self.clocks, self.sites, world.size, self.started_ns, wall
        )
        self.regions = join_regions(self.ranks, self.clocks, self.lifetimes)
        compared = node_clocks(self.ranks, self._own_clocks, self.started_ns)
        self.node_clocks = clocks_by_collectives(self.ranks, self.joined, self.regions, compared)
        self.files: Files = join_files(self.ranks, self.joined)
        self.peers = Peers(self.ranks, world.size)
        self.patterns: Patterns = join_patterns(self.ranks, self.joined, self.peers)
        self.current_calls: dict[int, list[CurrentCall]] = {
            rank: list(current_calls(rank, counters, self.clocks[rank], self.joined))
            for rank, counters in self.ranks.items()
        }
        self.endings = {rank: self._ending(rank, counters) for rank, counters in self.ranks.items()}
        self.reason = partial_reason(
            self.endings,
            {row.id: row.name for row in self.joined.rows},
            world.size,
            interrupted=interrupted,
            note=end,
            exit_status=exit_status,
        )

    def _lifetime(self, rank: int, counters: Counters, lived_until_ns: int | None = None) -> Lifetime:
        """Return the lifetime of a process, by the wall clock of rank 0's node where that is known."""
        own = Lifetime.of(counters, self._own_clocks[rank], lived_until_ns)
        ahead_ns = self._ahead_ns[rank]
        return own._replace(started_ns=own.started_ns - ahead_ns, stopped_ns=own.stopped_ns - ahead_ns)

    def _lived_until_ns(self, counters: Counters) -> int | None:
        """Return the latest instant until which a process is taken to have lived; None = nothing is known."""
        if counters.gone_ns > 0 and not (self.end and self.end.seen(counters)):
            return counters.gone_ns
        return self.end.lived_until_ns(counters) if self.end else None

    def _ending(self, rank: int, counters: Counters) -> Ending:
        latest = self._lifetime(rank, counters)
        return Ending(
            counters.header,
            next(iter(self.current_calls[rank]), None),
            latest_left(rank, counters, self.joined),
            latest.stopped_ns,
            self.lifetimes[rank].stopped_ns,
            self.end.seen(counters) if self.end else None,
            counters.gone_ns > 0,
        )

    def fill(
        self,
        profile: sqlite3.Connection,
        warnings: Sequence[str],
        progress: Progress,
        share: float,
        workers: Workers,
        counter_files: CounterFiles,
    ) -> None:
        """Fill an empty profile.

        Args:
            profile: with the tables of the schema.
            warnings: about the whole run directory.
            progress: of the assembly.
            share: of it that this is.
            workers: if the work is shared out, the rows of calls and messages are read now.
            counter_files: where these are.
        """
        sentences = [*warnings, *self.world.warnings]
        _insert(profile, "run", [self._run()])
        _insert(profile, "tags", self.note.tags)
        procedures = (NOT_ATTRIBUTED, *PROCEDURES)
        _insert(
            profile,
            "procedures",
            ((procedure.id, procedure.name, procedure.class_name) for procedure in procedures),
        )
        sourced = with_sources(self.sites, self.note.directory, self.started_ns)
        for table, rows in (
            ("objects", sourced.objects),
            ("sites", sourced.rows),
            ("frames", sourced.frames),
        ):
            _insert(profile, table, rows)
        _insert(profile, "paths", path_rows(self.ranks, self.clocks, self.sites))
        _insert(profile, "communicators", (tuple(vars(row).values()) for row in self.joined.rows))
        _insert(profile, "regions", (tuple(vars(row).values()) for row in self.regions.rows))
        _insert(profile, "region_times", (tuple(vars(row).values()) for row in self.regions.times))
        _insert(profile, "dropped", self._dropped())
        families = list(dict.fromkeys(row.family for row in self.joined.rows))
        hosts = list(dict.fromkeys(counters.header.host for counters in self.ranks.values()))
        writer = RowWriter(profile, families, hosts)
        common = self._common(families, hosts)
        for made in progress.through(
            self._made(common, workers, counter_files.holders),
            share,
            lambda made: made.processes / len(self.ranks),
        ):
            sentences += [f"{name}: its rows could not be read a second time" for name in made.gone]
            if made.batch:
                writer.write(made.batch)
                for rank, *unknown in made.batch.unknown:
                    for number, table in zip(unknown, ("calls", "messages"), strict=True):
                        _passed_over(sentences, self.ranks[rank], number, table)
        writer.finish()
        self._insert_patterns(profile, sentences)
        self._insert_waits(profile)
        self._insert_arrivals(profile)
        _insert(profile, "collective_traits", join_traits(self.ranks, self.joined))
        self._insert_intervals(profile)
        self._insert_places(profile)
        self._insert_network(profile, counter_files.node_files, hosts)
        _insert(profile, "system_counters", counter_rows(self.ranks, self.regions))
        _insert(profile, "absent_counters", absent_rows(self.ranks))
        _insert(profile, "files", (tuple(vars(row).values()) for row in self.files.rows))
        _insert(profile, "file_accesses", self._accesses(sentences))
        _insert(profile, "ranks", self._ranks(writer.totals, writer.frequent_calls))
        _insert(profile, "launcher_ranks", self._launcher_ranks())
        for counters in self.ranks.values():
            sentences += counters.losses
        sentences += header_warnings({rank: counters.header for rank, counters in self.ranks.items()})
        if self.reason:
            _insert(profile, "open_messages", open_messages(self.ranks, self.joined))
        else:
            paused = any(counters.header.pauses for counters in self.ranks.values())
            sentences += check(profile, paused=paused)
        _insert(profile, "warnings", enumerate(sentences, 1))

    def _common(self, families: Sequence[str], hosts: Sequence[str]) -> Common:
        family_numbers = {name: number for number, name in enumerate(families)}
        host_numbers = {name: number for number, name in enumerate(hosts)}
        by_communicator = np.zeros(max(row.id for row in self.joined.rows) + 1, np.int32)
        for row in self.joined.rows:
            by_communicator[row.id] = family_numbers[row.family]
        ranks = sorted(self.ranks)
        on_hosts = [host_numbers[self.ranks[rank].header.host] for rank in ranks]
        return Common(
            self.world.size, by_communicator, np.array(ranks, np.int64), np.array(on_hosts, np.int64)
        )

    def _made(self, common: Common, workers: Workers, holders: Sequence[Holder]) -> Iterator[Made]:
        """Make the rows of calls and messages of all processes."""
        if not workers.several:
            owns = ((self._own(rank, counters), counters) for rank, counters in self.ranks.items())
            return make_kept_rows(common, owns)
        by_name = {counters.path.name: self._own(rank, counters) for rank, counters in self.ranks.items()}
        return workers.map(make_rows, rows_tasks(common, by_name, holders))

    def _own(self, rank: int, counters: Counters) -> Own:
        return Own(
            rank,
            self.clocks[rank].ticks_per_second,
            self.joined.ids[rank],
            self.regions.ids[rank],
            self.sites.ids[rank],
            self.peers.owners[rank],
            unfinished_rows(
                rank,
                counters,
                self.current_calls[rank],
                self.regions,
                self.sites,
                self.lifetimes[rank],
            ),
        )

    def _run(self) -> tuple[Any, ...]:
        headers = [counters.header for counters in self.ranks.values()]
        first = headers[0]
        level = next((header.thread_level for header in headers if header.thread_level >= 0), -1)
        return (
            self.note.rankwise_version or first.runtime_version,
            json.dumps(self.note.command),
            first.executable,
            self.note.directory,
            self.note.launcher,
            self.note.job or self.world.batch_job or self.world.job,
            first.abi,
            next((header.library for header in headers if header.library), ""),
            _THREAD_LEVELS[level] if 0 <= level < len(_THREAD_LEVELS) else "unknown",
            iso(self.started_ns),
            iso(self.stopped_ns),
            max(lifetime.wall for lifetime in self.lifetimes.values()),
            self.exit_status,
            self.world.size,
            len(self.ranks),
            int(bool(self.reason)),
            self.reason,
            json.dumps(self._not_covered()),
            self.world.number,
            self.world.of,
            json.dumps(self.note.only),
            iso(self.end.realtime_ns) if self.end else None,
            json.dumps(self.programs),
        )

    def _not_covered(self) -> list[str] | None:
        """Join the procedures found before the launch and by processes; None if neither list is complete."""
        headers = [counters.header for counters in self.ranks.values()]
        if self.note.not_covered is None and not all(header.imports_known for header in headers):
            return None
        imported = frozenset[str]().union(*(counters.imports for counters in self.ranks.values()))
        return sorted({*(self.note.not_covered or ()), *not_covered(imported), *passed_by(headers)})

    def _ranks(
        self, totals: Mapping[int, tuple[int, float, float]], frequent_calls: Mapping[int, int]
    ) -> Iterator[tuple[Any, ...]]:
        """Make the rows of `ranks`, with calls and seconds as a `RowWriter` has added them up."""
        for rank, counters in self.ranks.items():
            header, lifetime, ending = counters.header, self.lifetimes[rank], self.endings[rank]
            call, node_clock = ending.inside, self.node_clocks[rank]
            calls, mpi, init_finalize = totals.get(rank, (0, 0.0, 0.0))
            frequent = frequent_calls.get(rank, 0)
            picoticks = frequent * header.own_call_picoticks
            picoticks += (calls - frequent) * header.own_other_call_picoticks
            setup_overhead = (header.own_setup_ns + header.own_finish_ns) / NANOSECONDS
            yield (
                rank,
                header.host,
                header.pid,
                header.state.replace("_", " "),
                header.abort_code if header.state == "aborted" else None,
                header.cpus_allowed,
                header.cpu_at_start if header.cpu_at_start >= 0 else None,
                header.cpu_at_stop if header.cpu_at_stop >= 0 else None,
                iso(lifetime.started_ns),
                iso(lifetime.stopped_ns),
                lifetime.wall,
                header.user_us / 1e6,
                header.system_us / 1e6,
                mpi,
                init_finalize,
                min(header.max_rss_bytes, LARGEST),
                len(counters.threads),
                self.clocks[rank].seconds_of(picoticks / 1000) + setup_overhead,
                call.procedure.name if call else None,
                call.communicator if call and call.communicator >= FIRST else None,
                iso(call.since_ns) if call else None,
                header.transport,
                header.transport_state,
                " ".join(what.replace("_", "-") for what in header.transport_sees),
                header.transport_note,
                lifetime.run,
                setup_overhead,
                *(call.source if call and call.source else (None, None)),
                *(call.destination if call and call.destination else (None, None)),
                *ending.row(),
                header.memory,
                node_clock.ahead if node_clock.source in (OWN, COMPARED) else None,
                node_clock.largest_error if node_clock.source else None,
            )

    def _launcher_ranks(self) -> Iterator[tuple[int, int]]:
        """Make the rows of `launcher_ranks`: none if the order of MPI_COMM_WORLD is the launcher's."""
        if any(row.id == WORLD and row.reordered for row in self.joined.rows):
            for rank, counters in self.ranks.items():
                if 0 <= counters.header.launcher_rank < self.world.size:
                    yield rank, counters.header.launcher_rank

    def _accesses(self, sentences: list[str]) -> Iterator[tuple[Any, ...]]:
        for rank, counters in self.ranks.items():
            if not len(counters.accesses):
                continue
            made = accesses_rows(rank, counters.accesses, self.clocks[rank], self.files)
            yield from made.rows
            _passed_over(sentences, counters, made.unknown, "accesses")

    def _insert_patterns(self, profile: sqlite3.Connection, sentences: list[str]) -> None:
        numbered = list(enumerate(self.patterns.found, 1))
        _insert(
            profile,
            "patterns",
            (
                (number, *pattern.shape, pattern.calls, pattern.kept_call, int(pattern.complete))
                for number, pattern in numbered
            ),
        )
        _insert(
            profile,
            "pattern_messages",
            (
                (number, *ends, *sums)
                for number, pattern in numbered
                for ends, sums in sorted(pattern.messages.items())
            ),
        )
        for rank, unknown in self.patterns.unknown.items():
            _passed_over(sentences, self.ranks[rank], unknown, "patterns")

    def _insert_places(self, profile: sqlite3.Connection) -> None:
        shapes = Shapes(self.ranks)
        _insert(profile, "node_shapes", sorted(shapes.hosts.items()))
        _insert(profile, "shape_processors", shapes.processor_rows())
        _insert(profile, "shape_devices", shapes.device_rows())
        _insert(profile, "kernels", kernel_rows(self.ranks))
        _insert(profile, "adapters", adapter_rows(self.ranks))
        _insert(profile, "rail_choices", rail_choice_rows(self.ranks))
        _insert(profile, "places", place_rows(self.ranks))
        _insert(profile, "tasks", task_rows(self.ranks))
        _insert(profile, "node_use", use_rows(self.ranks))

    def _insert_network(
        self, profile: sqlite3.Connection, node_files: Sequence[NodeFile], hosts: Sequence[str]
    ) -> None:
        ahead_ns = {counters.header.host: self._ahead_ns[rank] for rank, counters in self.ranks.items()}
        counted = join_network(node_files, hosts, ahead_ns, self.started_ns)
        _insert(profile, "network_ports", counted.ports)
        _insert(profile, "network_samples", counted.samples)

    def _insert_waits(self, profile: sqlite3.Connection) -> None:
        joined_waits = join_waits(self.ranks, self.joined, self.regions, self.node_clocks)
        waits = zip(*(joined_waits.waits[name].tolist() for name in WAIT_COLUMNS), strict=True)
        rows = (
            (number, *row, stretch if stretch >= 0 else None)
            for number, (*row, stretch) in enumerate(waits, 1)
        )
        _insert(profile, "waits", rows)
        messages = [joined_waits.messages[name].tolist() for name in MESSAGE_COLUMNS]
        _insert(profile, "wait_messages", zip(*messages, strict=True))

    def _insert_arrivals(self, profile: sqlite3.Connection) -> None:
        graphs = noted(self.ranks, self.joined)
        columns = join_arrivals(self.ranks, self.joined, self.regions, self.node_clocks, graphs)
        nothing = {"root": NOBODY, "before": NOBODY, "before_communicator": NOBODY}
        lists = [
            [None if value == nothing[name] else value for value in columns[name].tolist()]
            if name in nothing
            else columns[name].tolist()  # SQLite stores not-a-number as NULL
            for name in COLUMNS
        ]
        _insert(profile, "arrivals", zip(*lists, strict=True))
        _insert(profile, "starts", starts(self.ranks, self.joined))
        edges = ((on, *edge) for on, rows in graphs.items() for edge in rows.tolist())
        _insert(profile, "neighbours", edges)

    def _insert_intervals(self, profile: sqlite3.Connection) -> None:
        wall = (self.stopped_ns - self.started_ns) / NANOSECONDS
        intervals = join_intervals(self.ranks, self.clocks, self.node_clocks, self.lifetimes, wall)
        if intervals.axis:
            _insert(
                profile, "time_axis", [(intervals.axis.begin, intervals.axis.width, intervals.axis.count)]
            )
            _insert(profile, "time_lines", ((rank, *span) for rank, span in intervals.spans.items()))
            _insert(profile, "intervals", intervals.rows)

    def _dropped(self) -> Iterator[tuple[int, str, int]]:
        for rank, counters in self.ranks.items():
            for what, count in enumerate(counters.header.dropped):
                if count:
                    yield rank, _DROPPED.get(what, f"unknown_{what}"), min(count, LARGEST)


def _passed_over(sentences: list[str], counters: Counters, unknown: int, table: str) -> None:
    if unknown:
        sentences.append(f"{counters.path.name}: {unknown} damaged rows of {table} were passed over")


def _insert(profile: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows that have a value for every column."""
    columns = profile.execute(f"SELECT COUNT(*) FROM pragma_table_info('{table}')").fetchone()[0]
    profile.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", rows)
