"""Causes of messages: a procedure on a family of communicators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.job.flows import Flows, Group

_MOST = 64
OTHERS = "(other causes)"


@dataclass(frozen=True)
class Cause:
    """Messages of one kind that one procedure sends on the communicators of one family.

    The parts of a job call collectives at the same time on communicators from one line of code, such as those
    of all rows of a grid. Their messages meet on links, so they count as one cause.

    Attributes:
        communicator: its name if there is only one, else the name of the family.
        user_name: set by the program; '' without one, or if there are several communicators.
        communicators: how many have sent messages.
        procedure: name.
        kind: of the messages.
        bytes: of all messages, including those within hosts.
        messages: how many, including those within hosts.
    """

    communicator: str
    user_name: str
    communicators: int
    procedure: str
    kind: str
    bytes: int
    messages: int


def causes_of(flows: Flows) -> tuple[tuple[Cause, ...], NDArray[np.int64]]:
    """Sum up the groups of flows by families of communicators, most bytes first.

    Args:
        flows: with G groups.

    Returns:
        The causes, and the index of the cause of each group, shape (G,). If there are very many causes, the
        last entry sums up all others.
    """
    groups: dict[tuple[str, str, str], list[int]] = {}
    for number, group in enumerate(flows.groups):
        groups.setdefault((group.family, group.procedure, group.kind), []).append(number)
    sizes = np.bincount(flows.group, flows.bytes, len(flows.groups))
    counts = np.bincount(flows.group, flows.messages, len(flows.groups))
    by_size = sorted(groups.values(), key=lambda members: -float(sizes[members].sum()))
    chosen, smaller = by_size[:_MOST], by_size[_MOST:]
    if smaller:
        chosen.append([number for members in smaller for number in members])
    of_group = np.zeros(len(flows.groups), np.int64)
    causes = []
    for number, members in enumerate(chosen):
        of_group[members] = number
        amounts = int(sizes[members].sum()), int(counts[members].sum())
        causes.append(_cause([flows.groups[member] for member in members], *amounts, other=number == _MOST))
    return tuple(causes), of_group


def _cause(groups: Sequence[Group], size: int, messages: int, *, other: bool) -> Cause:
    first, names = groups[0], {group.communicator for group in groups}
    if other:
        return Cause(OTHERS, "", len(names), "", "", size, messages)
    name = first.communicator if len(names) == 1 else first.family
    user_name = first.user_name if len(names) == 1 else ""
    return Cause(name, user_name, len(names), first.procedure, first.kind, size, messages)
