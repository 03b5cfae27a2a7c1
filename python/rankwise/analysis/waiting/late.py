"""The ranks that others wait for most: one, several, those of a node, of a row of a grid, or of a role."""

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
"""Of all waiting: what late ranks account for at least."""
OF_THEIR_PART = 1 / 3
"""Of their part of all ranks: by so much more."""
NEARLY_ALL = 0.8
"""Of what a larger group saves: what a smaller one has to save to be preferred."""
LITTLE_LARGER = 4 / 3
"""Times the ranks of the smallest group: a node, position or role of no more is preferred."""
_MOST_BLAMED = 0.25  # of all ranks: so many may be late where no group saves most


@dataclass(frozen=True)
class LateGroup:
    """Those whom most of the waiting is for.

    Attributes:
        group: who is late, and what they have in common.
        host: that they all ran on; '' = on several.
        seconds: that others waited for them, after indirect waiting was passed on. Without what they waited
            while those were still in the collective before: that is a matter of how it is carried out.
        in_collectives_seconds: of these in blocking collectives.
        for_messages_seconds: of these for messages.
        left_late_seconds: that they waited for them beside, as those left the collective before late.
        all_seconds: all waiting.
        saved_seconds: that there would have been less of it, if all of them had come with the latest of the
            others.
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
        """Who is late, ascending."""
        return self.group.ranks

    @property
    def node(self) -> str:
        """That they are all ranks of; '' = of none."""
        return self.group.name if self.group.kind == NODE else ""

    @property
    def share(self) -> float:
        """Of all waiting, what is for them."""
        return self.seconds / self.all_seconds if self.all_seconds else 0.0

    @property
    def saved_share(self) -> float:
        """Of all waiting, what would end."""
        return self.saved_seconds / self.all_seconds if self.all_seconds else 0.0


class _Candidates:
    """Groups that may be late, and what each accounts for."""

    def __init__(
        self, waited: Waiting | None, messages: MessageWaits, number: int, savings: Savings | None
    ) -> None:
        everything = root_causes(waited, messages)
        self.all_seconds = sum(row.seconds for row in everything)
        self.number = number
        self._savings = savings
        self.causes = {row.rank: row for row in everything}

    def of(self, group: Group) -> LateGroup:
        """Return what a group accounts for."""
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
        """Return how late ranks are, in two ways: as they come, and as root causes."""
        causes = {rank: row.late_seconds for rank, row in self.causes.items() if row.late_seconds > 0}
        if self._savings is None:
            return [causes]
        late = self._savings.lateness()
        messages = {rank: row.for_messages_seconds for rank, row in self.causes.items()}
        whole = sum(late.values())
        scale = (self.all_seconds - sum(messages.values())) / whole if whole else 0.0
        ranks = late.keys() | messages.keys()
        as_they_come = {rank: scale * late.get(rank, 0.0) + messages.get(rank, 0.0) for rank in sorted(ranks)}
        return [as_they_come, causes]


def late_group(
    connection: sqlite3.Connection,
    waited: Waiting | None,
    messages: MessageWaits,
    collectives: Collectives | None,
    propagation: Propagation | None,
) -> LateGroup | None:
    """Return those that most of the waiting is for; None if nobody stands out.

    Args:
        connection: to the profile.
        waited: in blocking collectives; None = nothing is known of them.
        messages: waits for messages.
        collectives: those that `waited` is about; None likewise.
        propagation: who made others wait in them; None likewise.
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
    return _smallest(enough, number) or _most_blamed(candidates, tried)


def _smallest(candidates: list[LateGroup], number: int) -> LateGroup | None:
    """Return the smallest group that saves nearly as much as the one that saves most for its size."""
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


def _most_blamed(candidates: _Candidates, tried: list[LateGroup]) -> LateGroup | None:
    """Return those that most waiting is for, although little of it would end if they were in time."""
    enough = [
        candidate
        for candidate in tried
        if candidate.share >= candidates.least(candidate.group)
        and (candidate.group.kind or len(candidate.ranks) <= max(candidates.number * _MOST_BLAMED, 1))
    ]
    return min(enough, key=lambda candidate: (len(candidate.ranks), candidate.group.order), default=None)
