"""Groups of traffic for a page: by communicator, call and kind; and causes, by family of communicators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.job.flows import Group
from rankwise.text.names import call_name, quoted_name

_MOST = 200
_TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, kw_only=True)
class PageGroups:
    """H groups that a page distinguishes.

    Attributes:
        of: shape (G,): the page's group of each group of the flows.
        communicators: names, with those that the program gave them, each once.
        names: of the communicators in the profile; empty: several small ones of a family.
        families: of the communicators, each once.
        family_of: of each communicator.
        procedures, kinds: names, each once.
        communicator, procedure, kind: shape (H,): indices into these lists.
        causes: traffic of a family by one procedure, in words.
        cause: shape (H,): index into `causes`.
    """

    of: NDArray[np.int64]
    communicators: list[str]
    names: list[str]
    families: list[str]
    family_of: list[int]
    procedures: list[str]
    kinds: list[str]
    communicator: list[int]
    procedure: list[int]
    kind: list[int]
    causes: list[str]
    cause: list[int]

    def __len__(self) -> int:
        return len(self.communicator)


def page_groups(groups: tuple[Group, ...], most: int = _MOST) -> PageGroups:
    """Keep the groups with most bytes; merge the others by family.

    Args:
        groups: G of them, most bytes first.
        most: number of groups to keep.
    """
    keys = [_key(group, alone=place < most) for place, group in enumerate(groups)]
    kept = list(dict.fromkeys(keys))
    names = {key[0]: group.communicator for key, group in zip(keys[:most], groups, strict=False)}
    place_of = {key: place for place, key in enumerate(kept)}
    communicators = list(dict.fromkeys(key[0] for key in kept))
    families = list(dict.fromkeys(key[1] for key in kept))
    procedures = list(dict.fromkeys(key[2] for key in kept))
    kinds = list(dict.fromkeys(key[3] for key in kept))
    family_of = {key[0]: families.index(key[1]) for key in kept}
    members: dict[tuple[str, str, str], set[str]] = {}
    for group in groups:
        cause = group.family, call_name(group.procedure), group.kind
        members.setdefault(cause, set()).add(quoted_name(group.communicator, group.user_name))
    causes = list(dict.fromkeys(key[1:] for key in kept))
    return PageGroups(
        of=np.array([place_of[key] for key in keys], np.int64),
        communicators=communicators,
        names=[names.get(name, "") for name in communicators],
        families=families,
        family_of=[family_of[name] for name in communicators],
        procedures=procedures,
        kinds=kinds,
        communicator=[communicators.index(key[0]) for key in kept],
        procedure=[procedures.index(key[2]) for key in kept],
        kind=[kinds.index(key[3]) for key in kept],
        causes=[_cause(*cause, sorted(members[cause])) for cause in causes],
        cause=[causes.index(key[1:]) for key in kept],
    )


def _key(group: Group, *, alone: bool) -> tuple[str, str, str, str]:
    name = quoted_name(group.communicator, group.user_name) if alone else f"others of {group.family}"
    return name, group.family, call_name(group.procedure), group.kind


def _cause(family: str, call: str, kind: str, members: list[str]) -> str:
    """Name a cause as report/links does; messages of an unknown call also by their kind."""
    name = f"{call}, {kind}" if call.startswith("(") else call
    return f"{name} of {members[0]}" if len(members) == 1 else f"{name} of {len(members)} {_TIMES} {family}"
