"""The rows of some processes for the tables of a profile, and their sums.

Computed on whole arrays, because there may be very many rows; and independently of the counters of other
processes, so that it can run in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.procedures import PROCEDURES, Procedure
from rankwise.profile.collect.rows import Rows
from rankwise.profile.join.grouping import Columns, Groups
from rankwise.profile.join.members import compact_ascending
from rankwise.profile.join.own_ids import translated
from rankwise.profile.join.peers import IMPOSSIBLE, OTHER, UNKNOWN, known_peers
from rankwise.records import dataclass

OUTSIDE_WORLD = -1
"""The other end of messages to or from processes that are not in MPI_COMM_WORLD, or not known."""
NO_ROOM = -2
"""The other end of messages whose row had no room."""

NOT_ATTRIBUTED = Procedure(0, "(not attributed)", "unknown", "", True)
"""Stands for an unknown call that caused a message inside a collective."""

KINDS = [name.replace("_", "-") for _, name in sorted(layout.names_of("message_kind").items())]
"""Of messages, by their number in the keys."""

_COMMUNICATOR_OTHER = CONSTANTS["COMMUNICATOR_OTHER"]
_REGION_OTHER = CONSTANTS["REGION_OTHER"]
_BIN_OTHER = CONSTANTS["BIN_OTHER"]
_SITE_UNKNOWN = CONSTANTS["SITE_UNKNOWN"]
_IN_COLLECTIVE = KINDS.index("in-collective")
_ONE_SIDED = KINDS.index("one-sided")
_FETCH = KINDS.index("one-sided-fetch")  # from the peer to the process that counted it
_NUMBERS = 1 << CONSTANTS["CALLS_PROCEDURE_BITS"]
_NEVER = np.iinfo(np.int64).max


def _of_class(names: Sequence[str] = ()) -> NDArray[np.bool_]:
    """Return for each number whether it is a procedure of these classes, or of any."""
    is_of_class = np.zeros(_NUMBERS, bool)
    is_of_class[[procedure.id for procedure in PROCEDURES if not names or procedure.class_name in names]] = (
        True
    )
    return is_of_class


_RECORDED = _of_class()
_OPEN_OR_CLOSE = _of_class(["environment"])

# The numbers of the procedures in the order of their names, with a 0 behind them; and the place of each.
_BY_NAME = np.zeros(_NUMBERS + 1, np.int64)
_BY_NAME[: len(PROCEDURES)] = [procedure.id for procedure in sorted(PROCEDURES, key=lambda known: known.name)]
_PLACES_BY_NAME = np.full(_NUMBERS, _NUMBERS, np.int64)
_PLACES_BY_NAME[_BY_NAME[: len(PROCEDURES)]] = np.arange(len(PROCEDURES))


class Common(NamedTuple):
    """Data common to all processes of a world.

    Attributes:
        size: of MPI_COMM_WORLD.
        families: number of the family, by the communicator's.
        ranks: whose counters were read, in ascending order: a damaged size of the world costs nothing.
        hosts: number of the host of each.
    """

    size: int
    families: NDArray[np.int32]
    ranks: NDArray[np.int64]
    hosts: NDArray[np.int64]


class Own(NamedTuple):
    """The mapping from the numbers of a process to those of the profile.

    Attributes:
        rank: of the process.
        ticks_per_second: of its clock.
        communicators: number in the profile, by its own.
        regions: the same for regions.
        sites: the same for sites.
        owners: of the endpoints that it sent to.
        unfinished: communicator, site, region, procedure (numbers of the profile) and nanoseconds of each
            call that it never left.
    """

    rank: int
    ticks_per_second: float
    communicators: NDArray[np.int64]
    regions: NDArray[np.int64]
    sites: NDArray[np.int64]
    owners: NDArray[np.int64]
    unfinished: Sequence[tuple[int, int, int, int, int]]


class Counted(NamedTuple):
    """The rows that one process counted: of struct rankwise_calls and rankwise_messages."""

    calls: Rows
    messages: Rows


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows for the profile, with numbers in place of families, hosts and kinds of messages.

    Attributes:
        calls: with nanoseconds in place of seconds, sorted by all that is no count.
        messages: in the same form.
        by_rank: rank, calls, bytes_sent, bytes_received, ns (in MPI), init_finalize_ns, calls_between, top.
        by_procedure: procedure, ranks, min_ns, max_ns.
        by_family: family, region, procedure, size_bin and sums.
        by_communicator: communicator, procedure, ranks, with_data, sums and extremes.
        spreads: by the name of the table.
        by_host: host, kind, messages and bytes.
        unknown: rank, rows of calls and rows of messages that were passed over: their procedure or kind
            does not exist.
    """

    calls: Columns
    messages: Columns
    by_rank: Columns
    by_procedure: Columns
    by_family: Columns
    by_communicator: Columns
    spreads: dict[str, Columns]
    by_host: Columns
    unknown: list[tuple[int, int, int]] = field(default_factory=list)


def make_batch(common: Common, processes: Sequence[tuple[Own, Counted]]) -> Batch:
    """Make the rows of some processes.

    Args:
        common: of the world.
        processes: at least one.
    """
    owns = [own for own, _ in processes]
    calls, unknown_calls = _calls(owns, [counted.calls for _, counted in processes])
    messages, unknown_messages = _messages(common, owns, [counted.messages for _, counted in processes])
    each = Groups(calls, ["rank", "communicator", "procedure"])
    own_sums = _sums(each, calls)
    unknown = zip((own.rank for own in owns), unknown_calls, unknown_messages, strict=True)
    return Batch(
        calls=calls,
        messages=messages,
        by_rank=_by_rank(own_sums),
        by_procedure=_by_procedure(calls),
        by_family=_by_family(calls, common.families),
        by_communicator=_by_communicator(own_sums),
        spreads=_spreads(own_sums, common.families),
        by_host=_by_host(messages, common),
        unknown=[row for row in unknown if any(row[1:])],
    )


def _calls(owns: Sequence[Own], pieces: Sequence[Rows]) -> tuple[Columns, list[int]]:
    """Make the rows of calls; return them, and how many were passed over of each process."""
    rows = np.concatenate(pieces)
    owners = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    procedures = part(rows["key"], "CALLS", "PROCEDURE")
    known = _RECORDED[procedures]
    unknown = np.bincount(owners[~known], minlength=len(pieces)).tolist()
    rows, owners, procedures = rows[known], owners[known], procedures[known]
    ticks_per_second = np.array([own.ticks_per_second for own in owns])[owners]
    ns, min_ns, max_ns = (
        _nanoseconds(rows[name], ticks_per_second) for name in ("ticks", "min_ticks", "max_ticks")
    )
    table: Columns = {
        "rank": np.array([own.rank for own in owns], np.int64)[owners],
        "communicator": translated(
            [own.communicators for own in owns],
            owners,
            part(rows["key"], "CALLS", "COMMUNICATOR"),
            _COMMUNICATOR_OTHER,
        ),
        "site": translated(
            [own.sites for own in owns], owners, part(rows["key"], "CALLS", "SITE"), _SITE_UNKNOWN
        ),
        "region": translated(
            [own.regions for own in owns], owners, part(rows["key"], "CALLS", "REGION"), _REGION_OTHER
        ),
        "procedure": procedures,
        "size_bin": part(rows["key"], "CALLS", "BIN"),
        "calls": rows["calls"].astype(np.int64),
        "bytes_sent": rows["bytes_sent"].astype(np.int64),
        "bytes_received": rows["bytes_received"].astype(np.int64),
        "ns": ns,
        "min_ns": min_ns,
        "max_ns": max_ns,
        "unfinished": np.zeros(len(rows), np.int64),
    }
    lost = [(own.rank, *call) for own in owns for call in own.unfinished]
    if lost:
        table = _with_unfinished(table, np.array(lost, np.int64))
    return _joined_calls(table), unknown


def _nanoseconds(ticks: NDArray[np.uint64], ticks_per_second: NDArray[np.float64]) -> NDArray[np.int64]:
    nanoseconds = np.rint(ticks.astype(np.float64) / ticks_per_second * NANOSECONDS)
    # (The largest float that an integer can still hold.)
    return np.minimum(nanoseconds, np.nextafter(2.0**63, 0)).astype(np.int64)


def _with_unfinished(table: Columns, lost: NDArray[np.int64]) -> Columns:
    """Append rows of calls that were never left: their sizes are unknown."""
    rank, communicator, site, region, procedure, ns = lost.T
    zeros = np.zeros(len(lost), np.int64)
    more = {
        "rank": rank,
        "communicator": communicator,
        "site": site,
        "region": region,
        "procedure": procedure,
        "size_bin": zeros + _BIN_OTHER,
        "ns": ns,
        "min_ns": ns,
        "max_ns": ns,
        "unfinished": zeros + 1,
    }
    return {name: np.concatenate([column, more.get(name, zeros)]) for name, column in table.items()}


def _joined_calls(table: Columns) -> Columns:
    """Sort the rows, and merge those that are now equal: several indices may be one id ("other")."""
    groups = Groups(table, ["rank", "communicator", "site", "region", "procedure", "size_bin"])
    counts = ("calls", "bytes_sent", "bytes_received", "ns", "unfinished")
    most = groups.most(table["max_ns"])
    # Rows with bytes only timed no call. Unfinished calls count only where no others exist.
    timed, lost = (
        groups.least(np.where(table[name] > 0, table["min_ns"], _NEVER)) for name in ("calls", "unfinished")
    )
    return groups.keys | {
        **{name: groups.total(table[name]) for name in counts},
        "min_ns": np.minimum(np.where(timed < _NEVER, timed, lost), most),
        "max_ns": most,
    }


def _messages(common: Common, owns: Sequence[Own], pieces: Sequence[Rows]) -> tuple[Columns, list[int]]:
    """Make the rows of messages; return them, and how many were passed over of each process."""
    rows = np.concatenate(pieces)
    owners = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    procedures = part(rows["key"], "MESSAGES", "PROCEDURE")
    kinds = part(rows["key"], "MESSAGES", "KIND")
    peers = known_peers(
        [own.owners for own in owns], owners, part(rows["key"], "MESSAGES", "PEER"), common.size
    )
    nobodys = (procedures == NOT_ATTRIBUTED.id) & (kinds == _IN_COLLECTIVE)
    known = (_RECORDED[procedures] | nobodys) & (kinds < len(KINDS)) & (peers != IMPOSSIBLE)
    unknown = np.bincount(owners[~known], minlength=len(pieces)).tolist()
    rows, owners, procedures, kinds, peers = (
        rows[known],
        owners[known],
        procedures[known],
        kinds[known],
        peers[known],
    )
    peers = np.where(peers == OTHER, NO_ROOM, np.where(peers == UNKNOWN, OUTSIDE_WORLD, peers))
    ranks = np.array([own.rank for own in owns], np.int64)[owners]
    fetched = kinds == _FETCH
    table: Columns = {
        "source": np.where(fetched, peers, ranks),
        "destination": np.where(fetched, ranks, peers),
        "communicator": translated(
            [own.communicators for own in owns],
            owners,
            part(rows["key"], "MESSAGES", "COMMUNICATOR"),
            _COMMUNICATOR_OTHER,
        ),
        "kind": np.where(fetched, _ONE_SIDED, kinds),
        "procedure": procedures,
        "messages": rows["messages"].astype(np.int64),
        "bytes": rows["bytes"].astype(np.int64),
    }
    # Several peers may have been merged.
    groups = Groups(table, ["source", "destination", "communicator", "kind", "procedure"])
    return groups.keys | {name: groups.total(table[name]) for name in ("messages", "bytes")}, unknown


def _sums(groups: Groups, calls: Columns) -> Columns:
    """Add up calls; `with_data` says whether some have a size other than 0."""
    counts = ("calls", "bytes_sent", "bytes_received", "ns", "unfinished")
    return groups.keys | {
        "with_data": groups.most((calls["size_bin"] != 0).astype(np.int64)),
        **{name: groups.total(calls[name]) for name in counts},
    }


def _by_rank(sums: Columns) -> Columns:
    apart = _OPEN_OR_CLOSE[sums["procedure"]]
    table = sums | {
        "ns": np.where(apart, 0, sums["ns"]),
        "init_finalize_ns": np.where(apart, sums["ns"], 0),
        "calls_between": np.where(apart, 0, sums["calls"]),
    }
    groups = Groups(table, ["rank"])
    counts = ("calls", "bytes_sent", "bytes_received", "ns", "init_finalize_ns", "calls_between")
    return groups.keys | {name: groups.total(table[name]) for name in counts} | {"top": _top(sums)}


def _top(sums: Columns) -> NDArray[np.int64]:
    """Return the procedure in which each rank spends the most time between MPI_Init and MPI_Finalize.

    Of several the first by name; 0 = no calls.
    """
    each = Groups(sums, ["rank", "procedure"])
    procedures = each.keys["procedure"]
    ns = np.where(_OPEN_OR_CLOSE[procedures], -1, each.total(sums["ns"]))
    groups = Groups(each.keys, ["rank"])
    most = groups.of_each_row(groups.most(ns))
    first = groups.least(np.where((ns == most) & (ns >= 0), _PLACES_BY_NAME[procedures], _NUMBERS))
    top_calls: NDArray[np.int64] = _BY_NAME[first]
    return top_calls


def _by_procedure(calls: Columns) -> Columns:
    of_ranks = Groups(calls, ["procedure", "rank"])
    table = of_ranks.keys | {
        "min_ns": of_ranks.least(calls["min_ns"]),
        "max_ns": of_ranks.most(calls["max_ns"]),
    }
    groups = Groups(table, ["procedure"])
    return groups.keys | {
        "ranks": groups.count(),
        "min_ns": groups.least(table["min_ns"]),
        "max_ns": groups.most(table["max_ns"]),
    }


def _by_family(calls: Columns, families: NDArray[np.int32]) -> Columns:
    table = calls | {
        "family": families[calls["communicator"]].astype(np.int64),
        "seconds": _seconds(calls["ns"]),
    }
    groups = Groups(table, ["family", "region", "procedure", "size_bin"])
    counts = ("calls", "bytes_sent", "bytes_received", "seconds", "unfinished")
    return groups.keys | {name: groups.total(table[name]) for name in counts}


def _by_communicator(sums: Columns) -> Columns:
    table = sums | {"seconds": _seconds(sums["ns"])}
    groups = Groups(table, ["communicator", "procedure"])
    counts = ("calls", "bytes_sent", "bytes_received", "seconds", "unfinished")
    return groups.keys | {
        "ranks": groups.count(),
        "with_data": groups.most(table["with_data"]),
        **{name: groups.total(table[name]) for name in counts},
        "least_calls": groups.least(table["calls"]),
        "most_calls": groups.most(table["calls"]),
        "least_seconds": groups.least(table["seconds"]),
        "most_seconds": groups.most(table["seconds"]),
    }


def _spreads(sums: Columns, families: NDArray[np.int32]) -> dict[str, Columns]:
    between = ~_OPEN_OR_CLOSE[sums["procedure"]]
    names = ("rank", "communicator", "procedure", "ns")
    table = {name: sums[name][between] for name in names}
    table["family"] = families[table["communicator"]].astype(np.int64)
    return {
        "procedure_spreads": _spread(table, ["procedure"]),
        "communicator_spreads": _spread(table, ["communicator"]),
        "family_spreads": _spread(table, ["family"]),
        "call_spreads": _spread(table, ["communicator", "procedure"]),
    }


def _spread(table: Columns, keys: list[str]) -> Columns:
    of_ranks = Groups(table, [*keys, "rank"])
    rank, ns = of_ranks.keys["rank"], of_ranks.total(table["ns"])
    groups = Groups(of_ranks.keys, keys)
    least, most = groups.least(ns), groups.most(ns)
    return groups.keys | {
        "ranks": groups.count(),
        "seconds": groups.total(_seconds(ns)),
        "least_seconds": _seconds(least),
        "least_rank": groups.least(np.where(ns == groups.of_each_row(least), rank, _NEVER)),
        "most_seconds": _seconds(most),
        "most_rank": groups.least(np.where(ns == groups.of_each_row(most), rank, _NEVER)),
        "callers": np.array([compact_ascending(callers) for callers in groups.lists(rank)], object),
    }


def _by_host(messages: Columns, common: Common) -> Columns:
    here, there = (_hosts_of(messages[end], common) for end in ("source", "destination"))
    unplaced = (here < 0) | (there < 0)
    places = {
        "bytes_on_node": ~unplaced & (here == there),
        "bytes_off_node": ~unplaced & (here != there),
        "bytes_unplaced": unplaced,
    }
    groups = Groups({"host": here, "kind": messages["kind"]}, ["host", "kind"])
    return groups.keys | {
        "messages": groups.total(messages["messages"]),
        **{name: groups.total(np.where(where, messages["bytes"], 0)) for name, where in places.items()},
    }


def _hosts_of(ranks: NDArray[np.int64], common: Common) -> NDArray[np.int64]:
    """Return the numbers of hosts; -1 where it is not known."""
    places = np.minimum(np.searchsorted(common.ranks, ranks), len(common.ranks) - 1)
    hosts: NDArray[np.int64] = np.where(common.ranks[places] == ranks, common.hosts[places], -1)
    return hosts


def _seconds(ns: NDArray[np.int64]) -> NDArray[np.float64]:
    return ns / NANOSECONDS
