"""The members of the communicators' groups, assembled from the members' own records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.communicator_records import Records
from rankwise.records import dataclass

_INTER = CONSTANTS["COMMUNICATOR_INTER"]


@dataclass(frozen=True)
class Group:
    """Who is in a communicator, as far as it is known: world ranks by rank in it.

    Attributes:
        local: all of an intracommunicator; of an intercommunicator the group of the lowest world rank.
        remote: the other group of an intercommunicator.
    """

    local: dict[int, int]
    remote: dict[int, int] = field(default_factory=dict)


def groups(records: Records, ids: Iterable[int], members: Sequence[NDArray[np.intp]]) -> dict[int, Group]:
    """Find out who is in the groups of each communicator.

    Args:
        records: of all communicators.
        ids: of the communicators.
        members: for each, where its records are.
    """
    inter: dict[int, NDArray[np.intp]] = {}
    intra: dict[int, list[dict[int, int]]] = defaultdict(list)
    groups_by_id: dict[int, Group] = {}
    for identity, places in zip(ids, members, strict=True):
        rows = records.rows[places]
        if rows["flags"][0] & _INTER:
            inter[identity] = places
            continue
        size = int(rows["size"][0])
        pairs = zip(reversed(rows["rank"].tolist()), reversed(records.ranks[places].tolist()), strict=True)
        groups_by_id[identity] = Group({place: rank for place, rank in pairs if 0 <= place < size})
        intra[size].append(groups_by_id[identity].local)
    # Parents come before their children, unless the records are damaged.
    for identity, places in sorted(inter.items(), key=lambda item: records.created[item[1]].min()):
        groups_by_id[identity] = _both_groups(records, places, intra, groups_by_id)
    return groups_by_id


def _both_groups(
    records: Records,
    places: NDArray[np.intp],
    intra: Mapping[int, Sequence[Mapping[int, int]]],
    groups_by_id: Mapping[int, Group],
) -> Group:
    """Find who is in the two groups of an intercommunicator, which both know it by the same id."""
    rows = records.rows[places]
    claims = list(
        zip(rows["rank"].tolist(), records.ranks[places].tolist(), rows["size"].tolist(), strict=True)
    )
    sides = records.sides[places].tolist()
    if not all(sides) or len(set(sides)) != 2:
        sides = _sides_in_the_parent(claims, groups_by_id.get(int(records.parents[places[0]])))
    if sides:
        local = {
            place: rank for (place, rank, _), side in zip(claims, sides, strict=True) if side == sides[0]
        }
    else:
        local = _local_group(claims, intra)
        if len(local) < claims[0][2] and rows["remote_size"][0] == claims[0][2]:
            return Group(local)  # the group of the others is unknown
    there = set(local.values())
    return Group(local, {place: rank for place, rank, _ in claims if rank not in there})


def _sides_in_the_parent(claims: Sequence[tuple[int, int, int]], parent: Group | None) -> list[int]:
    """Return for each process its side of the parent, an intercommunicator; nothing if it is not known."""
    if parent is None or not parent.remote:
        return []
    sides = {
        rank: side for side, group in enumerate((parent.local, parent.remote), 1) for rank in group.values()
    }
    side_of_claims = [sides.get(rank, 0) for _, rank, _ in claims]
    return side_of_claims if all(side_of_claims) else []


def _local_group(
    claims: Sequence[tuple[int, int, int]], intra: Mapping[int, Sequence[Mapping[int, int]]]
) -> dict[int, int]:
    """Find who is in the local group of an intercommunicator, as far as it can be known.

    Both groups know it by the same id, and both have a rank 0. "Local" is the group of the lowest world rank.

    Args:
        claims: (rank in its group, world rank, size of its group) of every process, lowest world rank first.
        intra: the groups of the intracommunicators by their size.
    """
    _, first, size = claims[0]
    candidates: dict[int, list[int]] = {}
    for place, rank, its_size in claims:
        if its_size == size and 0 <= place < size:
            candidates.setdefault(place, []).append(rank)
    if all(len(ranks) == 1 for ranks in candidates.values()):
        return {place: ranks[0] for place, ranks in candidates.items()}
    # The groups are equally large. Each was once a separate communicator: if only one such group fits.
    fitting = {
        tuple(sorted(group.items()))
        for group in intra.get(size, ())
        if first in group.values() and all(rank in candidates.get(place, ()) for place, rank in group.items())
    }
    if len(fitting) == 1:
        return dict(fitting.pop())
    return {place: ranks[0] for place, ranks in candidates.items() if len(ranks) == 1 or first in ranks[:1]}
