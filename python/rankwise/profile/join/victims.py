"""Which rank was lost, and how: said as surely as it is known, and never of a rank that the launcher ended.

When one rank dies, launchers end all others, at once: they may learn of it while the kernel has not yet put
the first one to rest, so the order of ends that are close together proves nothing. How each ended says more.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Mapping

from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.counters import Header
from rankwise.profile.collect.end_note import EndNote, Seen
from rankwise.profile.join.named_ranks import named

# What launchers end processes with, and people whole jobs.
_ORDERLY = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGCONT})
_BY_LAUNCHERS = _ORDERLY | {signal.SIGKILL}
_AT_ONCE_NS = 0.5 * NANOSECONDS


def victims(
    ranks: Mapping[int, tuple[Header, Seen | None]],
    outside: Collection[int],
    note: EndNote | None,
    exit_status: int | None,
    *,
    all_here: bool,
) -> list[str]:
    """Say which rank was lost first, and how; nothing if that is not known.

    Args:
        ranks: that did not reach the end of MPI_Finalize: their header, and the observation of their end.
        outside: those of them outside of MPI.
        note: about the end of the job; None = no note.
        exit_status: of the launch; None = unknown, or not conclusive.
        all_here: whether there are counters of all ranks.
    """
    ends = {rank: end for rank, (_, end) in ranks.items() if end}
    gone = sorted((rank for rank, end in ends.items() if end.order), key=lambda rank: ends[rank].order)
    if note and note.interrupted_ns is not None:
        gone = [rank for rank in gone if ends[rank].gone_ns < note.interrupted_ns - _AT_ONCE_NS]
        exit_status = None
    first = [rank for rank in gone if ends[rank].gone_ns <= ends[gone[0]].gone_ns + _AT_ONCE_NS]
    by_themselves = _by_themselves({rank: ends[rank].wait_status for rank in first})
    if by_themselves:
        failed, how = by_themselves
        return [f"{_named(failed, ranks)} {how}"]
    if not first or not all_here or len(ends) < len(ranks):
        # The first one may be on another node, and the launcher may have ended these.
        return _as_the_launch_says(exit_status)
    return _first_with_equal_end({rank: ends[rank].wait_status for rank in first}, len(ranks), outside, ranks)


def _by_themselves(statuses: Mapping[int, int | None]) -> tuple[list[int], str] | None:
    """Return the first ranks with the same end, one that no launcher causes: a fault before an exit."""
    faults = [rank for rank, status in statuses.items() if _signal(status) not in {None, *_BY_LAUNCHERS}]
    exits = [rank for rank, status in statuses.items() if status is not None and os.WIFEXITED(status)]
    for failed in (faults, exits):
        if failed:
            status = statuses[failed[0]]
            return [rank for rank in failed if statuses[rank] == status], _how(status, len(failed))
    return None


def _first_with_equal_end(
    statuses: Mapping[int, int | None],
    unfinished: int,
    outside: Collection[int],
    ranks: Mapping[int, tuple[Header, Seen | None]],
) -> list[str]:
    """Name the first rank if all that ended together were killed as by a launcher, or in an unknown way."""
    first, *others = statuses
    killed = [rank for rank, status in statuses.items() if _signal(status) == signal.SIGKILL]
    alone = not others and unfinished > 1
    if len(killed) == 1 and (alone or others):
        # The others got a milder signal, or went much later.
        sure = "" if killed == [first] else "probably "
        return [f"{sure}{_named(killed, ranks)} {_how(statuses[killed[0]])}"]
    if _signal(statuses[first]) in _ORDERLY and not alone:
        return []  # somebody ended them all
    if alone:
        return [f"{_named([first], ranks)} {_how(statuses[first])}"]
    facts = [f"{_named(killed, ranks)} {_how(statuses[killed[0]], len(killed))}"] if killed else []
    if list(outside) == [first]:
        why = "it was gone first, and the only one outside of recorded MPI calls"
        return [*facts, f"probably {_named([first], ranks)} was lost: {why}"]
    return facts


def _as_the_launch_says(exit_status: int | None) -> list[str]:
    """Return the signal that the exit status of the launch stands for."""
    number = _known(exit_status - 128) if exit_status is not None and exit_status > 128 else None
    if number is None or number in _ORDERLY:
        return []
    return [f"a rank was killed by {signal_name(number)}: the launch ended with status {exit_status}"]


def _named(numbers: Collection[int], ranks: Mapping[int, tuple[Header, Seen | None]]) -> str:
    return named(numbers, {rank: header for rank, (header, _) in ranks.items()})


def _how(wait_status: int | None, count: int = 1) -> str:
    was = "was" if count == 1 else "were"
    if wait_status is None:
        return f"{was} the first to go"
    number = _signal(wait_status)
    if number is not None:
        return f"{was} killed by {signal_name(number)}"
    return f"ended with status {os.waitstatus_to_exitcode(wait_status)} before MPI_Finalize"


def _signal(wait_status: int | None) -> int | None:
    if wait_status is None or not os.WIFSIGNALED(wait_status):
        return None
    return os.WTERMSIG(wait_status)


def _known(number: int) -> int | None:
    return number if number in {*signal.Signals} else None


def signal_name(number: int) -> str:
    """Return SIGSEGV for 11."""
    return signal.Signals(number).name if _known(number) else f"signal {number}"
