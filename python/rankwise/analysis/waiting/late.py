"""The ranks that cause most waiting: single ranks, or the ranks of a node, a row of a grid, or a role."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from rankwise.analysis.waiting.groups import NODE, Group, Structures, prefixes
from rankwise.analysis.waiting.root_causes import root_causes
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Collectives, Waiting
    from rankwise.analysis.waiting.messages import MessageWaits
    from rankwise.analysis.waiting.propagation import Propagation
    from rankwise.analysis.waiting.savings import Savings

HALF = 0.5
"""A late group has to account for at least this share of all waiting, and more if it is large."""
OF_THEIR_PART = 1 / 3
"""It is multiplied by the group's share of all ranks, and added to `HALF`."""
NEARLY_ALL = 0.8
"""A smaller group is preferred if it saves at least this share of a larger group's saving."""
LITTLE_LARGER = 4 / 3
"""A node, position or role is preferred if it has at most this multiple of the smallest group's ranks."""
_LARGEST_GROUP = 0.25  # of all ranks: the largest group of arbitrary ranks, if no group saves most


@dataclass(frozen=True)
class LateGroup:
    """The ranks that caused most of the waiting.

    Attributes:
        group: the late ranks, and what they have in common.
        host: their host; '' = several hosts.
        seconds: waiting that they caused, after indirect waiting was attributed to its root causes. Waiting
            while they were still in the previous collective is excluded: it depends on that collective's
            algorithm.
        in_collectives_seconds: the part of `seconds` in blocking collectives.
        for_messages_seconds: the part of `seconds` for messages.
        left_late_seconds: further waiting that they caused because they left the previous collective late.
        all_seconds: all waiting of all ranks.
        saved_seconds: waiting avoided if they had all arrived with the latest of the others.
    """

    group: Group
    host: str
    seconds: float
    in_collectives_seconds: float
    for_messages_seconds: float
    left_late_seconds: float
    all_seconds: float
    saved_seconds: float

    @property
    def ranks(self) -> tuple[int, ...]:
        """The late ranks, ascending."""
        return self.group.ranks

    @property
    def node(self) -> str:
        """The node, if the group is all ranks of a node; else ''."""
        return self.group.name if self.group.kind == NODE else ""

    @property
    def share(self) -> float:
        """The share of all waiting that they caused, from 0 to 1."""
        return self.seconds / self.all_seconds if self.all_seconds else 0.0

    @property
    def saved_share(self) -> float:
        """The share of all waiting that would be avoided, from 0 to 1."""
        return self.saved_seconds / self.all_seconds if self.all_seconds else 0.0


class _Candidates:
    """Groups that may be late, and the waiting that each caused."""

    def __init__(
        self, waited: Waiting | None, messages: MessageWaits, number: int, savings: Savings | None
    ) -> None:
        everything = root_causes(waited, messages)
        self.all_seconds = sum(row.seconds for row in everything)
        self.number = number
        self._savings = savings
        self.causes = {row.rank: row for row in everything}

    def of(self, group: Group) -> LateGroup:
        """Return the waiting that a group caused."""
        rows = [self.causes[rank] for rank in group.ranks if rank in self.causes]
        left_late = sum(row.left_late_seconds for row in rows)
        collectives = sum(row.in_collectives_seconds - row.left_late_seconds for row in rows)
        messages = sum(row.for_messages_seconds for row in rows)
        saved = min(self._savings.of(group.ranks), collectives) if self._savings else 0.0
        return LateGroup(
            group,
            self._host(group),
            collectives + messages,
            collectives,
            messages,
            left_late,
            self.all_seconds,
            saved + messages,
        )

    def _host(self, group: Group) -> str:
        hosts = {row.host for rank in group.ranks if (row := self.causes.get(rank))}
        host = hosts.pop() if len(hosts) == 1 else None
        return host or ""

    def least(self, group: Group) -> float:
        """Return the share of all waiting that a group has to account for."""
        return HALF + OF_THEIR_PART * len(group.ranks) / self.number

    def lateness(self) -> list[dict[int, float]]:
        """Return the lateness of ranks in two ways: by their arrivals, and by root causes."""
        causes = {rank: row.late_seconds for rank, row in self.causes.items() if row.late_seconds > 0}
        if self._savings is None:
            return [causes]
        late = self._savings.lateness()
        messages = {rank: row.for_messages_seconds for rank, row in self.causes.items()}
        whole = sum(late.values())
        scale = (self.all_seconds - sum(messages.values())) / whole if whole else 0.0
        ranks = late.keys() | messages.keys()
        by_arrival = {rank: scale * late.get(rank, 0.0) + messages.get(rank, 0.0) for rank in sorted(ranks)}
        return [by_arrival, causes]


def late_group(
    connection: sqlite3.Connection,
    waited: Waiting | None,
    messages: MessageWaits,
    collectives: Collectives | None,
    propagation: Propagation | None,
) -> LateGroup | None:
    """Return the ranks that caused most of the waiting; None if none stand out.

    Args:
        connection: to the profile.
        waited: in blocking collectives; None = unknown.
        messages: waits for messages.
        collectives: the collectives of `waited`; None = unknown.
        propagation: root causes of the waiting in them; None = unknown.
    """
    (number,) = connection.execute("SELECT COUNT(*) FROM ranks").fetchone()
    if number < 2:
        return None
    savings = None
    if collectives and propagation and collectives.tables:
        from rankwise.analysis.waiting.savings import Savings

        savings = Savings(collectives.tables, propagation.owed)
    candidates = _Candidates(waited, messages, number, savings)
    if candidates.all_seconds <= 0:
        return None
    lateness = candidates.lateness()
    structures = Structures(connection, number)
    groups = {group.ranks: group for late in lateness for group in prefixes(late, number)}
    groups |= {group.ranks: group for group in structures.likely(lateness)}
    tried = [candidates.of(group) for group in groups.values()]
    enough = [candidate for candidate in tried if candidate.saved_share >= candidates.least(candidate.group)]
    return _smallest(enough, number) or _most_waited_for(candidates, tried)


def _smallest(candidates: list[LateGroup], number: int) -> LateGroup | None:
    """Return the smallest group that saves nearly as much as the group with the best saving for its size."""
    if not candidates:
        return None
    best = max(candidates, key=lambda candidate: candidate.saved_share - len(candidate.ranks) / number)
    enough = [
        candidate
        for candidate in candidates
        if len(candidate.ranks) <= len(best.ranks)
        and candidate.saved_seconds >= NEARLY_ALL * best.saved_seconds
    ]
    least = min(len(candidate.ranks) for candidate in enough)
    preferred = [
        candidate
        for candidate in enough
        if len(candidate.ranks) == least
        or (least > 1 and candidate.group.kind and len(candidate.ranks) <= LITTLE_LARGER * least)
    ]
    return min(
        preferred,
        key=lambda candidate: (candidate.group.order, len(candidate.ranks), -candidate.saved_seconds),
    )


def _most_waited_for(candidates: _Candidates, tried: list[LateGroup]) -> LateGroup | None:
    """Return the ranks that caused most waiting, although little of it would end if they were on time."""
    enough = [
        candidate
        for candidate in tried
        if candidate.share >= candidates.least(candidate.group)
        and (candidate.group.kind or len(candidate.ranks) <= max(candidates.number * _LARGEST_GROUP, 1))
    ]
    return min(enough, key=lambda candidate: (len(candidate.ranks), candidate.group.order), default=None)
