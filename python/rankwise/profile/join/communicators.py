"""Joins the processes' knowledge about their communicators: names, members, lifetimes.

Every process gives a communicator the same id. The first process in the order of the world ranks speaks for
all in what they agree on; who the members are is put together from all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import Clock
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.text import text_of
from rankwise.profile.join.communicator_records import Records, collect
from rankwise.profile.join.families import Made, of_libraries
from rankwise.profile.join.groups import Group, groups
from rankwise.profile.join.members import compact_sparse
from rankwise.profile.join.names import Name, Origin, name_communicators
from rankwise.profile.join.own_ids import own_ids
from rankwise.profile.join.sites import UNKNOWN, Sites
from rankwise.records import dataclass

FIRST = layout.CONSTANTS["FIRST_COMMUNICATOR"]
OTHER = layout.CONSTANTS["COMMUNICATOR_OTHER"]
WORLD = FIRST
"""Id of MPI_COMM_WORLD in the profile."""

_PROCEDURE_NAMES = {procedure.id: procedure.name for procedure in PROCEDURES}
_TOPOLOGIES = {**layout.names_of("topology"), layout.CONSTANTS["TOPOLOGY_NONE"]: ""}
_CART = layout.CONSTANTS["TOPOLOGY_CART"]
_INTER = layout.CONSTANTS["COMMUNICATOR_INTER"]
_REORDER_ASKED = layout.CONSTANTS["COMMUNICATOR_REORDER_ASKED"]
_REORDERED = layout.CONSTANTS["COMMUNICATOR_REORDERED"]
_TYPES = {layout.CONSTANTS["COMMUNICATOR_WINDOW"]: "window", layout.CONSTANTS["COMMUNICATOR_FILE"]: "file"}

COMMUNICATOR = "communicator"
"""The type of most rows of the table; others are windows or files."""


@dataclass(frozen=True, kw_only=True)
class Communicator:
    """One row of the profile's table `communicators`, a window or file too, in the order of its columns."""

    id: int
    name: str
    family: str
    user_name: str
    parent: int | None
    procedure: str
    size: int
    remote_size: int
    members: str
    topology: str
    dims: str
    periods: str
    reorder: int
    created: float
    freed: float | None
    members_seen: int
    reordered: int = 0
    remote_members: str = ""
    remote_parent: int | None = None
    type: str = COMMUNICATOR
    created_in: str | None = None
    site: int | None = None


class _Maker(NamedTuple):
    """Where a communicator was made: site, file name of the object, and library; '' = the program."""

    site: int | None
    created_in: str | None
    library: str


@dataclass(frozen=True)
class CommunicatorTable:
    """The communicators of a world.

    Attributes:
        rows: the pseudo communicators 0 to 2, then the real ones.
        ids: for each rank, the id in the profile by the communicator's index on that process.
        groups: for each id, the world ranks by rank in the communicator, as far as they are known.
    """

    rows: list[Communicator]
    ids: dict[int, NDArray[np.int64]]
    groups: dict[int, dict[int, int]]

    def ids_of(self, rank: int, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Translate a process's indices; one without a record becomes "other"."""
        return own_ids(self.ids[rank], indices, OTHER)


def join(
    world: Mapping[int, Counters],
    clocks: Mapping[int, Clock],
    sites: Sites,
    size: int,
    origin_ns: int,
    wall: float,
) -> CommunicatorTable:
    """Join the communicators of the processes of a world.

    Args:
        world: counters by rank, in the order of the ranks.
        clocks: by rank.
        sites: of the same processes.
        size: of MPI_COMM_WORLD.
        origin_ns: start of the run, nanoseconds since 1970.
        wall: seconds from there to the last heartbeat of any process.
    """
    records = collect(world, clocks, sites, origin_ns, wall)
    ids, members = _by_communicator(records)
    makers = {identity: _maker(records, places, sites) for identity, places in zip(ids, members, strict=True)}
    names = _names(records, members, makers)
    numbers = _numbers(records, ids, members, names)
    world_ranks = groups(records, ids, members)
    rows = [_pseudo(0, "(none)"), _pseudo(1, "(several)"), _pseudo(OTHER, "(other)")]
    rows += [
        _row(records, places, numbers, names[identity], world_ranks[identity], makers[identity], size)
        for identity, places in zip(ids, members, strict=True)
    ]
    if WORLD not in numbers.values():  # MPI_Init never ended: no record, but it exists
        rows.append(_world(size))
    rows.sort(key=lambda row: row.id)
    return CommunicatorTable(
        rows,
        _translations(world, records, numbers),
        {number: world_ranks[identity].local for identity, number in numbers.items()},
    )


def _by_communicator(records: Records) -> tuple[list[int], list[NDArray[np.intp]]]:
    """Return the ids, and where the records of each are in the order of the ranks. Id 0 is none: damaged."""
    order = np.argsort(records.rows["id"], kind="stable")
    order = order[records.rows["id"][order] != 0]
    ids, starts = np.unique(records.rows["id"][order], return_index=True)
    return ids.tolist(), np.split(order, starts[1:]) if len(ids) else []


def _maker(records: Records, places: NDArray[np.intp], sites: Sites) -> _Maker:
    """Return the value of the first member that knows it.

    Members need not agree: they may run different programs.
    """
    known = records.sites[places]
    site = int(known[np.argmax(known != UNKNOWN)])
    if site == UNKNOWN:
        return _Maker(None, None, "")
    library = sites.object_of(site)
    return _Maker(site, library.name, library.library)


def _names(
    records: Records, members: Sequence[NDArray[np.intp]], makers: Mapping[int, _Maker]
) -> dict[int, Name]:
    """Name each id, and its family also by the library that made it."""
    origins = [_origin(records, int(places[0])) for places in members]
    names = name_communicators(origins)
    made = {
        origin.id: Made(origin.parent_id, names[origin.id].family, makers[origin.id].library)
        for origin in origins
    }
    families = of_libraries(made)
    return {identity: Name(name, families[identity]) for identity, (name, _) in names.items()}


def _origin(records: Records, place: int) -> Origin:
    row = records.rows[place]
    return Origin(
        id=int(row["id"]),
        parent_id=int(records.parents[place]),
        letter=text_of(row["letter"]),
        sequence=int(row["sequence"]),
        leader=int(row["leader"]),
        tag=int(row["tag"]),
        flags=int(row["flags"]),
        group_hash=int(row["group_hash"]),
        world_rank=int(records.ranks[place]),
        string_tag=text_of(row["string_tag"]),
    )


def _numbers(
    records: Records, ids: Sequence[int], members: Sequence[NDArray[np.intp]], names: Mapping[int, Name]
) -> dict[int, int]:
    """Give each id its number in the profile: MPI_COMM_WORLD, then as they were created."""
    created = {identity: records.created[places[0]] for identity, places in zip(ids, members, strict=True)}
    ordered = sorted(ids, key=lambda made_id: (names[made_id].name != "W", created[made_id], names[made_id]))
    has_world = any(name.name == "W" for name in names.values())
    return {identity: number for number, identity in enumerate(ordered, WORLD if has_world else WORLD + 1)}


def _row(
    records: Records,
    places: NDArray[np.intp],
    numbers: Mapping[int, int],
    name: Name,
    group: Group,
    maker: _Maker,
    world_size: int,
) -> Communicator:
    first, rows = records.rows[places[0]], records.rows[places]
    number = numbers[int(first["id"])]
    size = world_size if number == WORLD else max(int(first["size"]), 0)
    user_names = rows["user_name"][rows["user_name"] != b""]
    dimensions = min(int(first["ndims"]), len(first["dims"])) if first["topology"] == _CART else 0
    freed = records.freed[places]
    remote_size = max(int(first["remote_size"]), 0) if first["flags"] & _INTER else 0
    sides = list(dict.fromkeys(records.sides[places].tolist()))  # the lowest world rank's first
    return Communicator(
        id=number,
        name=name.name,
        family=name.family,
        user_name=text_of(user_names[0]) if len(user_names) else "",
        parent=numbers.get(int(records.parents[places[0]]) or sides[0]),
        procedure=_PROCEDURE_NAMES.get(int(first["procedure"]), ""),
        size=size,
        remote_size=remote_size,
        # The world's members are known even where their counters are missing.
        members=_range(size) if number == WORLD else compact_sparse(group.local, size),
        topology=_TOPOLOGIES.get(int(first["topology"]), ""),
        dims=json.dumps(first["dims"][:dimensions].tolist()),
        periods=json.dumps([int(first["periods"]) >> dimension & 1 for dimension in range(dimensions)]),
        reorder=int(bool(first["flags"] & _REORDER_ASKED)),
        created=float(records.created[places].min()),
        freed=None if np.isnan(freed).any() else float(freed.max()),
        members_seen=len(set(records.ranks[places].tolist())),
        reordered=int(bool(first["flags"] & _REORDERED)),
        remote_members=compact_sparse(group.remote, remote_size) if remote_size else "",
        remote_parent=numbers.get(sides[1]) if len(sides) > 1 else None,
        type=next((kind for flag, kind in _TYPES.items() if first["flags"] & flag), COMMUNICATOR),
        created_in=maker.created_in,
        site=maker.site,
    )


def _range(size: int) -> str:
    return f"0-{size - 1}" if size > 1 else "0"


def _pseudo(number: int, name: str) -> Communicator:
    return Communicator(
        id=number,
        name=name,
        family=name,
        user_name="",
        parent=None,
        procedure="",
        size=0,
        remote_size=0,
        members="",
        topology="",
        dims="[]",
        periods="[]",
        reorder=0,
        created=0.0,
        freed=None,
        members_seen=0,
    )


def _world(size: int) -> Communicator:
    members = _range(size)
    return Communicator(
        id=WORLD,
        name="W",
        family="W",
        user_name="",
        parent=None,
        procedure="",
        size=size,
        remote_size=0,
        members=members,
        topology="",
        dims="[]",
        periods="[]",
        reorder=0,
        created=0.0,
        freed=None,
        members_seen=0,
    )


def _translations(
    world: Mapping[int, Counters], records: Records, numbers: Mapping[int, int]
) -> dict[int, NDArray[np.int64]]:
    """Map the index on each process to the id in the profile."""
    ids = records.rows["id"].tolist()
    translated = np.array([numbers.get(identity, OTHER) for identity in ids], np.int64)
    starts = np.searchsorted(records.ranks, list(world))
    pseudo = np.arange(FIRST, dtype=np.int64)
    return {
        rank: np.concatenate((pseudo, translated[start : start + len(counters.communicators)]))
        for (rank, counters), start in zip(world.items(), starts.tolist(), strict=True)
    }
