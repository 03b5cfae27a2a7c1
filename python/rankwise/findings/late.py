"""Ranks or nodes that the others wait for most, in collectives and for messages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.waiting.totals import Blamed, blamed_ranks
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting

_HALF = 0.5
_OF_THEIR_PART = 1 / 3


@dataclass(frozen=True)
class Late:
    """Those whom most of the waiting is for.

    Attributes:
        ranks: who is late.
        node: that they are all ranks of; '' = single ranks are late.
        seconds: that others waited for them, when the blame has been passed on. Without what they waited
            while those were still in the collective before: that is a matter of how it is carried out.
        in_collectives_seconds: of these in blocking collectives.
        for_messages_seconds: of these for messages.
        left_late_seconds: that they waited for them beside, as those left the collective before late.
        all_seconds: all waiting.
        saved_seconds: that there would have been less of it, if a single late rank had come with the latest
            of the others; of several ranks it is `seconds`.
    """

    ranks: list[int]
    node: str
    seconds: float
    in_collectives_seconds: float
    for_messages_seconds: float
    left_late_seconds: float
    all_seconds: float
    saved_seconds: float

    @property
    def share(self) -> float:
        """Of all waiting."""
        return self.seconds / self.all_seconds if self.all_seconds else 0.0


def is_known(seen: Evidence) -> bool:
    """Tell whether the profile has anything on who waited for whom."""
    kept = seen.waiting.kept if seen.waiting else 0
    return bool(kept or any(one.certain for one in seen.messages.waiting))


def _late_of_themselves(seen: Evidence) -> list[Blamed]:
    """Return who is to blame, without what others waited while it was still in the collective before."""
    left_late = {one.rank: one.late_start_seconds for one in seen.waiting.ranks} if seen.waiting else {}
    found = [
        replace(
            one,
            in_collectives_seconds=max(one.in_collectives_seconds - left_late.get(one.rank, 0.0), 0.0),
        )
        for one in blamed_ranks(seen.waiting, seen.messages)
    ]
    return sorted(found, key=lambda one: -one.seconds)


def late(seen: Evidence) -> Late | None:
    """Return those whom most of the waiting is for; None if it is for all alike.

    A few ranks: no more than a fourth of all, or one. Their share has to be half, and a third of their part
    of all ranks more: of two ranks one is late with 67 %.
    """
    to_blame = blamed_ranks(seen.waiting, seen.messages)
    all_waiting = sum(one.seconds for one in to_blame)
    of_the_last = sum(row.could_save_seconds for row in seen.waiting.families) if seen.waiting else 0.0
    blamed = {one.rank: one for one in _late_of_themselves(seen)}
    in_all = {one.rank: one.seconds for one in to_blame}
    if all_waiting <= 0:
        return None
    number = seen.run.ranks

    def those(ranks: list[int], node: str) -> Late:
        ones = [blamed[rank] for rank in ranks if rank in blamed]
        collectives = sum(one.in_collectives_seconds for one in ones)
        messages = sum(one.for_messages_seconds for one in ones)
        seconds = sum(one.seconds for one in ones)
        saved = min(collectives, of_the_last) + messages if len(ranks) == 1 else seconds
        left_late = sum(in_all.get(rank, 0.0) for rank in ranks) - seconds
        return Late(ranks, node, seconds, collectives, messages, left_late, all_waiting, saved)

    order = list(blamed)
    for count in range(1, max(number // 4, 1) + 1):
        some = those(sorted(order[:count]), "")
        if some.share >= _least(count, number):
            break
    else:
        some = None
    hosts: dict[str, list[int]] = {}
    for rank in seen.ranks:
        hosts.setdefault(rank.host, []).append(rank.rank)
    of_node: Late | None = None
    if 1 < len(hosts) < number and (some is None or len(some.ranks) > 1):
        nodes = [those(sorted(ranks), host) for host, ranks in hosts.items()]
        of_node = max(nodes, key=lambda one: one.seconds)
        if of_node.share < _least(len(of_node.ranks), number):
            of_node = None
    return of_node or some


def _least(those: int, ranks: int) -> float:
    """Return the share of all waiting that those who are late have at least."""
    return _HALF + _OF_THEIR_PART * those / ranks


def how_unsure(found: Waiting | None) -> float:
    """Return by how much of itself the waiting in collectives may be off."""
    if found is None or not found.waiting.seconds:
        return 0.0
    return found.waiting.error_seconds / found.waiting.seconds
