"""Completing requests: in random groups, by random calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generator.instructions import Instruction, call
from generator.state import State

NULL = 0
"""Number of a request that is always MPI_REQUEST_NULL."""

_ANY_NUMBER = ("Waitall", "Waitall", "Waitany", "Waitsome", "Testall", "Testany", "Testsome")
_MOST_AT_ONCE = 12


@dataclass(frozen=True)
class Pending:
    """A request that has to be completed.

    Attributes:
        number: its place in the interpreter's table.
        may_be_freed: a send whose completion nobody needs to see.
        may_be_asked: by MPI_Request_get_status, before it is completed.
        only_waited_for: other calls do not find it complete (quirks.py).
    """

    number: int
    may_be_freed: bool = False
    only_waited_for: bool = False
    may_be_asked: bool = True


def complete(state: State, pending: list[Pending], idle: Sequence[int] = ()) -> list[Instruction]:
    """Calls that complete all of a rank's requests; some get persistent ones, too, that are not started."""
    random = state.random
    left = random.sample(pending, len(pending))
    calls = []
    while left:
        size = random.choice((1, 1, 2, 3, random.randint(1, _MOST_AT_ONCE)))
        group, left = left[:size], left[size:]
        calls += _complete_group(state, group, [NULL, *idle])
    if state.chance(0.04):
        calls.append(call("Wait", request=random.choice([NULL, *idle]), ignore=state.chance(0.5)))
    return calls


def _complete_group(state: State, group: list[Pending], nothing: list[int]) -> list[Instruction]:
    random = state.random
    ignore = state.chance(0.5)
    if any(pending.only_waited_for for pending in group):
        return [call("Waitall", requests=[pending.number for pending in group], ignore=ignore)]
    if len(group) == 1:
        number = group[0].number
        if group[0].may_be_freed and state.chance(0.3):
            return [call("Request_free", request=number)]
        if group[0].may_be_asked and state.chance(0.1):
            asked = call("Request_get_status", request=number)
            return [asked, call("Wait", request=number, ignore=ignore)]
        if state.chance(0.4):
            return [call("Wait", request=number, ignore=ignore)]
        if state.chance(0.4):
            return [call("Test", requests=[number], ignore=ignore)]
    numbers = [pending.number for pending in group]
    if state.chance(0.15):
        numbers.insert(random.randint(0, len(numbers)), random.choice(nothing))
    return [call(random.choice(_ANY_NUMBER), requests=numbers, ignore=ignore)]
