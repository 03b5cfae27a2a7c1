"""The current or last call of each rank: the partner, the start, and missing ranks.

For a running job the places come from rankwise.live.current_places, otherwise from the profile.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from rankwise.analysis.rows import rows_by_name
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.members import compact, parse
from rankwise.profile.join.waiting import POLLS_S, SEVERAL, Partner
from rankwise.records import dataclass

_PROCEDURES = {procedure.name: procedure for procedure in PROCEDURES}
COLLECTIVES = frozenset(p.name for p in PROCEDURES if p.class_name in ("collective", "neighbourhood"))
"""Calls that return only when more or less all members of the communicator have called them."""

INSIDE = "inside"
OUTSIDE = "outside"
POLLS = "polling"
STARTING = "starting"
NO_COUNTERS = "no counters"


@dataclass(frozen=True)
class Place:
    """The place of a rank.

    Attributes:
        state: inside, outside (of MPI: computing, or doing anything else), polling, starting (in MPI_Init),
            finalized, aborted, switched off, no counters.
        procedure: the rank is inside of it, or polls with it; None if neither.
        communicator: of that call, as id in the profile; None if the call has none.
        since_ns: start of the state, nanoseconds since 1970; None if unknown.
        seconds: time in the state; None if unknown.
        source: the call waits for a message from here; None = from no rank, or unknown.
        destination: the call waits until its message is received here; None = nowhere, or unknown.
    """

    state: str
    procedure: str | None = None
    communicator: int | None = None
    since_ns: int | None = None
    seconds: float | None = None
    source: Partner | None = None
    destination: Partner | None = None


@dataclass(frozen=True, kw_only=True)
class Group:
    """The ranks in the same place.

    Attributes:
        ranks: world ranks, ascending.
        seconds_min: since the last of them arrived; None if unknown.
        seconds_max: since the first of them arrived; None if unknown.
        missing: members of the communicator that have not arrived, if the call waits for all members.
        source: they wait for messages from here; `SEVERAL` if the sources differ.
        destination: they wait until their messages are received here; `SEVERAL` if the destinations differ.
    """

    state: str
    procedure: str | None
    communicator: int | None
    ranks: tuple[int, ...]
    seconds_min: float | None
    seconds_max: float | None
    missing: tuple[int, ...]
    source: Partner | None = None
    destination: Partner | None = None


def groups(places: Mapping[int, Place], members: Mapping[int, str]) -> list[Group]:
    """Group the ranks by place; the largest group comes first.

    Args:
        places: places by rank.
        members: of communicators in compact form, by the communicator's id in the profile.
    """
    ranks_by_place: dict[tuple[str, str | None, int | None], list[int]] = defaultdict(list)
    for rank, place in places.items():
        ranks_by_place[place.state, place.procedure, place.communicator].append(rank)
    grouped = []
    for (state, procedure, communicator), ranks in ranks_by_place.items():
        here = [places[rank] for rank in ranks]
        times = [place.seconds for place in here if place.seconds is not None]
        waits = state == INSIDE and procedure in COLLECTIVES and communicator is not None
        grouped.append(
            Group(
                state=state,
                procedure=procedure,
                communicator=communicator,
                ranks=tuple(ranks),
                seconds_min=min(times, default=None),
                seconds_max=max(times, default=None),
                missing=_missing(ranks, members.get(communicator or 0, "")) if waits else (),
                source=_common([place.source for place in here]),
                destination=_common([place.destination for place in here]),
            )
        )
    return sorted(grouped, key=lambda group: (-len(group.ranks), group.ranks))


def both_groups(members: str, remote_members: str) -> str:
    """Return all ranks of a collective call in compact form: for an intercommunicator both groups."""
    return ",".join(filter(None, (members, remote_members)))


def _missing(ranks: Sequence[int], members: str) -> tuple[int, ...]:
    here = set(ranks)
    return tuple(sorted(rank for rank in parse(members) if rank >= 0 and rank not in here))


def _common(partners: Sequence[Partner | None]) -> Partner | None:
    """Return the partner that all wait for; `SEVERAL` if they differ, None if one is unknown."""
    different = set(partners)
    if len(different) == 1 or None in different:
        return partners[0] if len(different) == 1 else None
    tags = {partner.tag for partner in different if partner}
    return Partner(SEVERAL, tags.pop() if len(tags) == 1 else None)


@dataclass(frozen=True, kw_only=True)
class PlaceRow:
    """The ranks in the same place, as reported.

    Attributes:
        ranks: in compact form, 0-3,8.
        count: number of ranks.
        seconds_min: time in the place of the last rank that arrived; None if unknown.
        seconds_max: time in the place of the first rank that arrived; None if unknown.
        missing: compact list of the communicator's members that are elsewhere, if the call waits for all.
        source: world rank that they await a message from; -1 any, -2 several, None no rank or unknown.
        source_tag: of that message; -1 any, None unknown.
        destination: world rank that has to receive their messages; values as for `source`.
        destination_tag: of these messages; values as for `source_tag`.
    """

    state: str
    procedure: str | None
    communicator: str | None
    ranks: str
    count: int
    seconds_min: float | None
    seconds_max: float | None
    missing: str
    source: int | None = None
    source_tag: int | None = None
    destination: int | None = None
    destination_tag: int | None = None


def place_row(group: Group, names: Mapping[int, str]) -> PlaceRow:
    """Return a group for reports.

    Args:
        group: of ranks.
        names: of communicators, by their id in the profile.
    """
    source, source_tag = group.source or (None, None)
    destination, destination_tag = group.destination or (None, None)
    return PlaceRow(
        state=group.state,
        procedure=group.procedure,
        communicator=None if group.communicator is None else names.get(group.communicator),
        ranks=compact(group.ranks),
        count=len(group.ranks),
        seconds_min=group.seconds_min,
        seconds_max=group.seconds_max,
        missing=compact(group.missing),
        source=source,
        source_tag=source_tag,
        destination=destination,
        destination_tag=destination_tag,
    )


def places_at_end(connection: sqlite3.Connection) -> list[PlaceRow]:
    """Return where the ranks of a partial run ended, largest group first; nothing for a complete run."""
    partial, size = connection.execute("SELECT partial, ranks_expected FROM run").fetchone()
    if not partial:
        return []
    names, members = communicators_at_end(connection)
    return [place_row(group, names) for group in groups(ranks_at_end(connection, size), members)]


def ranks_at_end(connection: sqlite3.Connection, size: int = 0) -> dict[int, Place]:
    """Return where each rank ended.

    Args:
        connection: the profile.
        size: of the world, to also return ranks without counters.
    """
    places: dict[int, Place] = {}
    for facts in rows_by_name(connection, f"SELECT {', '.join(_FACTS)} FROM ranks ORDER BY rank"):
        places[facts["rank"]] = _place_at_end(facts)
    if len(places) < size:
        places |= {rank: Place(NO_COUNTERS) for rank in range(size) if rank not in places}
    return places


def communicators_at_end(connection: sqlite3.Connection) -> tuple[dict[int, str], dict[int, str]]:
    """Return names and members of communicators, by id; for an intercommunicator members of both groups."""
    names, members = {}, {}
    for number, name, *both in connection.execute(
        "SELECT id, name, members, remote_members FROM communicators"
    ):
        names[number], members[number] = name, both_groups(*both)
    return names, members


_FACTS = (
    *("rank", "state", "inside", "inside_communicator", "inside_since", "started", "last_call", "stopped"),
    *("last_procedure", "last_communicator", "inside_source", "inside_source_tag"),
    *("inside_destination", "inside_destination_tag"),
)


def _place_at_end(facts: sqlite3.Row) -> Place:
    """Return where a rank ended, by its columns `_FACTS`."""
    state, inside, last = facts["state"], facts["inside"], facts["last_procedure"]
    started, last_call, stopped = facts["started"], facts["last_call"], facts["stopped"]
    source, destination = facts["inside_source"], facts["inside_destination"]

    def since(state: str, instant: str | None, procedure: str | None, communicator: int | None) -> Place:
        seconds = max(seconds_between(instant, stopped), 0.0) if instant else None
        return Place(
            state,
            procedure,
            communicator,
            None,
            seconds,
            None if source is None else Partner(source, facts["inside_source_tag"]),
            None if destination is None else Partner(destination, facts["inside_destination_tag"]),
        )

    if state == STARTING:
        return since(STARTING, started, None, None)
    if inside and not _polling(inside):
        return since(INSIDE, facts["inside_since"], inside, facts["inside_communicator"])
    if state not in ("running", "finalizing"):
        return Place(state)
    if inside:
        return since(POLLS, None, inside, facts["inside_communicator"])
    if last_call and _polling(last) and 0.0 < seconds_between(last_call, stopped) < POLLS_S:
        return since(POLLS, None, last, facts["last_communicator"])
    return since(OUTSIDE, last_call, None, None)


def _polling(procedure: str | None) -> bool:
    return procedure in _PROCEDURES and _PROCEDURES[procedure].polling


def seconds_between(earlier: str, later: str) -> float:
    """Return the seconds between two instants of the profile."""
    try:
        return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
    except (ValueError, TypeError):  # something other than Rankwise wrote the profile
        return 0.0
