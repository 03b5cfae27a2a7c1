"""The picture of a running job: all figures of one instant, and of the time since the last look.

The members are the keys of `rankwise top --once --json`.
"""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.last_calls import PlaceRow


@dataclass(frozen=True, kw_only=True)
class Activity:
    """Activity on one communicator, or in one procedure.

    Attributes:
        name: of the communicator or procedure.
        user_name: that the program gave the communicator; else ''.
        calls_per_second: since the last look, like all figures without another period.
        bytes_sent_per_second: point-to-point, one-sided: sent; collectives: contributed; files: written.
        seconds_per_call: None if no call ended.
        percent_of_run: time in it, of all ranks' time between MPI_Init and MPI_Finalize, times their threads.
        percent_of_mpi: of all ranks' time in MPI.
        percent_of_run_from_start: since the start of the job.
        percent_of_mpi_from_start: since the start of the job.
        top: of a communicator, the procedure with the most time; of a procedure, the communicator.
    """

    name: str
    user_name: str
    calls_per_second: float
    bytes_sent_per_second: float
    seconds_per_call: float | None
    percent_of_run: float
    percent_of_mpi: float
    percent_of_run_from_start: float
    percent_of_mpi_from_start: float
    top: str | None


@dataclass(frozen=True)
class KindTraffic:
    """Messages of one kind: point-to-point, in-collective, one-sided."""

    kind: str
    messages_per_second: float
    bytes_per_second: float


@dataclass(frozen=True)
class Hook:
    """The visibility of messages inside collectives, for the ranks with the same one.

    Attributes:
        ranks: in compact form.
        transport: with visible messages, as in the profile's `ranks`.
        sees: between_nodes, within_node, nonblocking.
        not_visible: why no messages are seen; '' if some are.
    """

    ranks: str
    transport: str
    sees: list[str]
    not_visible: str


@dataclass(frozen=True)
class Pair:
    """Messages of one kind from one rank to another."""

    source: int
    destination: int
    kind: str
    messages_per_second: float
    bytes_per_second: float
    bytes_from_start: int


@dataclass(frozen=True, kw_only=True)
class Rank:
    """One rank.

    Attributes:
        host: '' if no counters of it were read.
        state: inside, outside, polling, starting, finalized, aborted, switched off, no counters.
        procedure: in which it is, or with which it polls.
        communicator: of that call.
        since: when it entered the call, or was last seen to call MPI; ISO 8601.
        seconds: since then.
        source: world rank whose message the call waits for; -1 any, -2 several, None no rank or unknown.
        source_tag: of that message; -1 any, None unknown.
        destination: world rank that has to take the call's message; values as for source.
        destination_tag: of that message; values as for source_tag.
        percent_in_mpi: of its run, times its threads, since the last look.
        percent_in_mpi_from_start: the same since the start.
        calls_per_second: since the last look.
    """

    rank: int
    host: str
    state: str
    procedure: str | None
    communicator: str | None
    since: str | None
    seconds: float | None
    source: int | None
    source_tag: int | None
    destination: int | None
    destination_tag: int | None
    percent_in_mpi: float
    percent_in_mpi_from_start: float
    calls_per_second: float


@dataclass(frozen=True, kw_only=True)
class WorldPicture:
    """One MPI_COMM_WORLD.

    Attributes:
        world: its number, in the order of their start.
        worlds: how many the run directory has.
        started: ISO 8601.
        wall_seconds: of the longest rank so far.
        quiet_seconds: since any rank that has not ended entered or left an MPI call; None if all have ended.
        percent_in_mpi: of the ranks' run, times their threads, since the last look.
        percent_in_mpi_from_start: the same since the start.
        init_finalize_seconds: in MPI_Init and MPI_Finalize, averaged over ranks; not in the other figures.
        calls_per_second: of all ranks.
        bytes_sent_per_second: of all ranks, as in the tables.
        traffic: messages by kind, for the kinds that were seen.
        inside_collectives: the visibility of these messages.
        hang: why it hangs; None if it does not, or is not known to.
        places: of the ranks, the largest group first.
        slowest: ranks, the least time in MPI first: the others wait for them.
        communicators: most time since the last look first.
        calls: by procedure, in the same order.
        pairs: the 100 with the most bytes since the last look, then since the start, most first.
        ranks: all, in their order.
        warnings: uncertainties, a sentence each.
        programs: the command line of each program of the world, as its first rank saw it.
    """

    world: int
    worlds: int
    job: str
    executable: str
    mpi_library: str
    ranks_expected: int
    ranks_seen: int
    nodes: int
    started: str
    wall_seconds: float
    quiet_seconds: float | None
    percent_in_mpi: float
    percent_in_mpi_from_start: float
    init_finalize_seconds: float
    calls_per_second: float
    bytes_sent_per_second: float
    traffic: list[KindTraffic]
    inside_collectives: list[Hook]
    hang: Hang | None
    places: list[PlaceRow]
    slowest: list[int]
    communicators: list[Activity]
    calls: list[Activity]
    pairs: list[Pair]
    ranks: list[Rank]
    warnings: list[str]
    programs: list[list[str]]


@dataclass(frozen=True)
class SavedNode:
    """A node whose memory can't be read from here.

    Attributes:
        host: its name.
        seconds_ago: when its counters were saved.
    """

    host: str
    seconds_ago: float


@dataclass(frozen=True)
class Picture:
    """A job at one instant.

    Attributes:
        directory: the run directory.
        command: as it was launched, [] if unknown.
        time: ISO 8601.
        interval_seconds: since the last look; 0 if there was none, and the figures since then are 0.
        over: the job has ended.
        saves: nodes that are shown as their keepers have saved them; the others are shown as they are now.
        worlds: in the order of their start.
        warnings: what could not be read, a sentence each.
    """

    directory: str
    command: list[str]
    time: str
    interval_seconds: float
    over: bool
    saves: list[SavedNode]
    worlds: list[WorldPicture]
    warnings: list[str]
