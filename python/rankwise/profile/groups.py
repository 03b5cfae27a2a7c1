"""Who is in the groups of the communicators: put together from what each member says of itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.communicator_records import Records
from rankwise.profile.layout import CONSTANTS

_INTER = CONSTANTS["COMMUNICATOR_INTER"]


def groups(
    records: Records, ids: Iterable[int], members: Sequence[NDArray[np.intp]]
) -> dict[int, dict[int, int]]:
    """Find the world ranks by rank in the communicator; of an intercommunicator, the local group's.

    Args:
        records: of all communicators.
        ids: of the communicators.
        members: for each, where its records are.
    """
    claims: dict[int, list[tuple[int, int, int]]] = {}
    intra: dict[int, list[dict[int, int]]] = defaultdict(list)
    found: dict[int, dict[int, int]] = {}
    for identity, places in zip(ids, members, strict=True):
        rows = records.rows[places]
        places_in = rows["rank"].tolist()
        world_ranks = records.ranks[places].tolist()
        if rows["flags"][0] & _INTER:
            claims[identity] = list(zip(places_in, world_ranks, rows["size"].tolist(), strict=True))
            continue
        size = int(rows["size"][0])
        pairs = zip(reversed(places_in), reversed(world_ranks), strict=True)
        found[identity] = {place: rank for place, rank in pairs if 0 <= place < size}
        intra[size].append(found[identity])
    for identity, claimed in claims.items():
        found[identity] = _local_group(claimed, intra)
    return found


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
    # The groups are equally large. Each was once a communicator of its own: if just one group that was fits.
    fitting = {
        tuple(sorted(group.items()))
        for group in intra.get(size, ())
        if first in group.values() and all(rank in candidates.get(place, ()) for place, rank in group.items())
    }
    if len(fitting) == 1:
        return dict(fitting.pop())
    return {place: ranks[0] for place, ranks in candidates.items() if len(ranks) == 1 or first in ranks[:1]}
