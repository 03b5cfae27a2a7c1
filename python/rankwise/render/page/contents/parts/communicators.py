"""The page Communicators: the creation and the members of each communicator, window and file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.analysis.calls.communicators import Communicator
from rankwise.analysis.calls.families import Family
from rankwise.analysis.calls.places import places_of_sites
from rankwise.profile.join.families import with_library
from rankwise.profile.join.members import compact_ascending, known_ranks
from rankwise.render.page.contents.axes import Axes
from rankwise.render.page.contents.subject import Subject
from rankwise.text.names import both_groups, call_name, makers_name, reorder_name, topology_name
from rankwise.text.safe import safe

_NEVER = -1.0
_MOST_GROUPS = 100  # of a family, listed groups of processes


@dataclass(frozen=True, kw_only=True)
class _Described:
    """The data of a communicator, or of a family."""

    count: int
    least: int
    most: int
    remote: int
    kind: str
    user_names: Sequence[str]
    maker: str
    remote_parent: str | None
    topology: str
    reorder: str
    groups: Sequence[tuple[str, str]]


def communicators_data(of: Subject) -> dict[str, Any]:
    """Return the data of each communicator of the axes, in their order."""
    axes, column = of.axes, of.container.column
    by_name = {
        **({} if axes.each else {row.family: _family(row) for row in of.seen.families}),
        **({row.name: _communicator(row) for row in of.seen.communicators} if axes.each else {}),
    }
    described = [by_name.get(name) or _no_communicator() for name in axes.communicators]
    made = _made(of)
    groups = [_distinct(row.groups) for row in described]
    return {
        "wall": of.seen.run.wall_seconds,
        "count": column([row.count for row in described]),
        "least": column([row.least for row in described]),
        "most": column([row.most for row in described]),
        "remote": column([row.remote for row in described]),
        "type": [row.kind if row.most else "" for row in described],
        "userNames": [_safe(row.user_names) for row in described],
        "maker": _safe(row.maker for row in described),
        "remoteParent": _safe(row.remote_parent or "" for row in described),
        "topology": _safe(row.topology for row in described),
        "reorder": [row.reorder for row in described],
        "groups": [_safe(each[:_MOST_GROUPS]) for each in groups],
        "moreGroups": column([max(0, len(each) - _MOST_GROUPS) for each in groups]),
        "members": [_members(row.groups, axes.ranks) for row in described],
        "created": column(np.array(made.created, np.float64)),
        "freed": column(np.array(made.freed, np.float64)),
        "madeIn": [_safe(names) for names in made.objects],
        "madeAt": [_safe(names) for names in made.sites],
        "waiting": _waiting(of),
    }


def _communicator(row: Communicator) -> _Described:
    return _Described(
        count=int(row.size > 0),
        least=row.size,
        most=row.size,
        remote=row.remote_size,
        kind=row.type,
        user_names=[row.user_name] if row.user_name else [],
        maker=call_name(row.procedure),
        remote_parent=row.remote_parent,
        topology=topology_name(row.topology, row.dims),
        reorder=reorder_name(row),
        groups=[(row.members, row.remote_members)] if row.size else [],
    )


def _family(row: Family) -> _Described:
    return _Described(
        count=row.communicators if row.size_max else 0,
        least=row.size_min,
        most=row.size_max,
        remote=row.remote_size,
        kind=row.type,
        user_names=row.user_names,
        maker="" if row.procedures == [""] else makers_name(row),
        remote_parent=row.remote_parent,
        topology=topology_name(row.topology, row.dims[0] if row.dims else []),
        reorder=reorder_name(row),
        groups=list(zip(row.members, row.remote_members, strict=True)) if row.size_max else [],
    )


def _no_communicator() -> _Described:
    """Return the data of (none), (several) and (other)."""
    return _Described(
        count=0,
        least=0,
        most=0,
        remote=0,
        kind="",
        user_names=[],
        maker="",
        remote_parent=None,
        topology="-",
        reorder="-",
        groups=[],
    )


def _distinct(groups: Iterable[tuple[str, str]]) -> list[str]:
    return list(dict.fromkeys(both_groups(*pair) for pair in groups))


def _members(groups: Sequence[tuple[str, str]], end: int) -> str:
    """Return the known ranks of several groups, ascending; the page has those of single communicators."""
    if len(groups) < 2:
        return ""
    texts = {part for pair in groups for part in pair}
    known = sorted(set[int]().union(*(known_ranks(text, end) for text in texts)))
    return compact_ascending(known) if known else ""


@dataclass(frozen=True)
class _Made:
    """Time and place of creation, in the order of the axes; -1: unknown time."""

    created: list[float]
    freed: list[float]
    objects: list[list[str]]
    sites: list[list[str]]


def _made(of: Subject) -> _Made:
    places = places_of_sites(of.connection)
    lives: defaultdict[int, list[tuple[float, float | None]]] = defaultdict(list)
    objects: defaultdict[int, dict[str, None]] = defaultdict(dict)
    sites: defaultdict[int, dict[str, None]] = defaultdict(dict)
    axes: Axes = of.axes
    for identity, size, created, freed, created_in, site in of.connection.execute(
        "SELECT id, size, created, freed, created_in, site FROM communicators ORDER BY created, id"
    ):
        if not size:
            continue
        index = axes.communicator_of[identity]
        lives[index].append((created, freed))
        if created_in:
            objects[index][created_in] = None
        if site in places:
            sites[index][places[site].name] = None
    every = range(len(axes.communicators))
    return _Made(
        [min((created for created, _ in lives[index]), default=_NEVER) for index in every],
        [_end([freed for _, freed in lives[index]]) for index in every],
        [list(objects[index]) for index in every],
        [list(sites[index]) for index in every],
    )


def _end(freed: Sequence[float | None]) -> float:
    """Return when the last of a family was freed; -1: one was never freed."""
    known = [end for end in freed if end is not None]
    return max(known) if known and len(known) == len(freed) else _NEVER


def _waiting(of: Subject) -> list[list[Any]]:
    """Return each family's time in blocking collectives with known arrivals, and the waiting."""
    if of.seen.waiting is None:
        return []
    family_of: dict[str, str] = {}
    for name, family in of.connection.execute("SELECT name, family FROM communicators"):
        family_of |= {name: family, with_library(name, family): family}
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in of.seen.waiting.families:
        family = family_of.get(row.communicator, row.communicator)
        sums[family][0] += row.seconds
        sums[family][1] += row.waiting.seconds
    return [[safe(family, "utf-8"), *pair] for family, pair in sums.items()]


def _safe(texts: Iterable[str]) -> list[str]:
    return [safe(text, "utf-8") for text in texts]
