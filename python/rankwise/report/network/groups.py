"""Groups of traffic for a page: many small ones are taken together, so that it stays small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.kinds import IN_COLLECTIVE
from rankwise.network.job.flows import Group
from rankwise.report.names import call_name

_MOST = 200


@dataclass(frozen=True)
class PageGroups:
    """H groups that a page tells apart.

    Attributes:
        of: shape (G,): the one that each group of the flows is in.
        communicators, procedures, kinds: names, each once.
        communicator, procedure, kind: shape (H,): indices into them.
    """

    of: NDArray[np.int64]
    communicators: list[str]
    procedures: list[str]
    kinds: list[str]
    communicator: list[int]
    procedure: list[int]
    kind: list[int]

    def __len__(self) -> int:
        return len(self.communicator)

    def name(self, group: int) -> str:
        """Return a group in words."""
        kind, call = self.kinds[self.kind[group]], self.procedures[self.procedure[group]]
        told = call if kind == IN_COLLECTIVE else f"{call} ({kind})"
        return f"{told} on {self.communicators[self.communicator[group]]}"


def page_groups(groups: tuple[Group, ...], most: int = _MOST) -> PageGroups:
    """Keep the groups with most bytes, and take the others together by procedure and kind.

    Args:
        groups: G of them, most bytes first.
        most: that are kept.
    """
    rest = len({group.communicator for group in groups[most:]})
    others = f"({rest} other communicators)" if rest > 1 else "(another communicator)"
    keys = [
        (_communicator(group) if place < most else others, call_name(group.procedure), group.kind)
        for place, group in enumerate(groups)
    ]
    found = list(dict.fromkeys(keys))
    place_of = {key: place for place, key in enumerate(found)}
    communicators, procedures, kinds = (list(dict.fromkeys(key[part] for key in found)) for part in range(3))
    return PageGroups(
        np.array([place_of[key] for key in keys], np.int64),
        communicators,
        procedures,
        kinds,
        [communicators.index(key[0]) for key in found],
        [procedures.index(key[1]) for key in found],
        [kinds.index(key[2]) for key in found],
    )


def _communicator(group: Group) -> str:
    return f'{group.communicator} "{group.user_name}"' if group.user_name else group.communicator


def by_page_group(of: NDArray[np.int64], count: int, loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up loads, shape (2, G, L), by the groups of a page, shape (2, H, L)."""
    if len(of) == count:
        return loads
    summed = np.zeros((loads.shape[0], count, loads.shape[2]))
    for group, place in enumerate(of.tolist()):
        summed[:, place] += loads[:, group]
    return summed
