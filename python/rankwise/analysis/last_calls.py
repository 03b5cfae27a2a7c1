"""The current or last call of each rank: the partner, the start, and missing ranks.

Of a running job the places come from rankwise.live.current_places, of one that has ended from its profile.
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
"""Calls that come back only when all members of the communicator have called them, more or less."""

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
        procedure: that it is inside of, or polls with; None if none.
        communicator: of that call, its id in the profile; None if it has none in particular.
        since_ns: nanoseconds since 1970; None if unknown.
        seconds: since then; None if unknown.
        source: whose message the call waits for; None = nobody's, or not known.
        destination: who has to take its message; likewise.
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
        seconds_min: since the last of them came there; None if unknown.
        seconds_max: since the first of them came there; None if unknown.
        missing: members of the communicator that have not come there, where the call waits for all of them.
        source: whose message they wait for; several if not all for the same.
        destination: who has to take their messages; likewise.
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
        members: of communicators, compact, by their id in the profile.
    """
    together: dict[tuple[str, str | None, int | None], list[int]] = defaultdict(list)
    for rank, place in places.items():
        together[place.state, place.procedure, place.communicator].append(rank)
    made = []
    for (state, procedure, communicator), ranks in together.items():
        here = [places[rank] for rank in ranks]
        times = [place.seconds for place in here if place.seconds is not None]
        waits = state == INSIDE and procedure in COLLECTIVES and communicator is not None
        made.append(
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
    return sorted(made, key=lambda group: (-len(group.ranks), group.ranks))


def both_groups(members: str, remote_members: str) -> str:
    """Return all that have to come to a collective call, compact: of an intercommunicator both groups."""
    return ",".join(filter(None, (members, remote_members)))


def _missing(ranks: Sequence[int], members: str) -> tuple[int, ...]:
    here = set(ranks)
    return tuple(sorted(rank for rank in parse(members) if rank >= 0 and rank not in here))


def _common(partners: Sequence[Partner | None]) -> Partner | None:
    """Return whom all of them wait for."""
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
        count: of them.
        seconds_min: since the last of them came there, or that it was there; None if unknown.
        seconds_max: of the first of them likewise.
        missing: compact list of the communicator's members that are elsewhere, where the call is for all.
        source: world rank whose message they all wait for; -1 any, -2 several, None nobody's or not known.
        source_tag: of that message; -1 any, None not known.
        destination: world rank that has to take their messages; likewise.
        destination_tag: of these messages; likewise.
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
    """Return where the ranks of a partial run ended, the largest group first; nothing of a complete run."""
    partial, size = connection.execute("SELECT partial, ranks_expected FROM run").fetchone()
    if not partial:
        return []
    names, members = communicators_at_end(connection)
    return [place_row(group, names) for group in groups(ranks_at_end(connection, size), members)]


def ranks_at_end(connection: sqlite3.Connection, size: int = 0) -> dict[int, Place]:
    """Return where each rank ended.

    Args:
        connection: the profile.
        size: of the world, for a place of those without counters, too.
    """
    places: dict[int, Place] = {}
    for facts in rows_by_name(connection, f"SELECT {', '.join(_FACTS)} FROM ranks ORDER BY rank"):
        places[facts["rank"]] = _place_at_end(facts)
    if len(places) < size:
        places |= {rank: Place(NO_COUNTERS) for rank in range(size) if rank not in places}
    return places


def communicators_at_end(connection: sqlite3.Connection) -> tuple[dict[int, str], dict[int, str]]:
    """Return the names of communicators, and those of both groups who have to come to their collectives."""
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
