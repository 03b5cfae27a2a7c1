"""Requests under way on one process, and what a completion call is booked on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from model.expectation import MessageKey

NONE, SEVERAL = "(none)", "(several)"


@dataclass(frozen=True)
class Request:
    """A request.

    Attributes:
        communicator: name of the one that it was posted on.
        may_share: nothing is left to be booked when it completes, so another such may have the same handle.
    """

    communicator: str
    may_share: bool


@dataclass(frozen=True)
class Persistent:
    """A persistent operation, and what each start of it books."""

    communicator: str
    size: int
    sent: int
    received: int
    message: MessageKey | None


def common(communicators: set[str]) -> str:
    """What a call over requests of these is booked on."""
    if len(communicators) > 1:
        return SEVERAL
    return next(iter(communicators), NONE)


@dataclass
class Requests:
    """Those of one process by their number in the script.

    Attributes:
        mixed: since there last was none, requests that may share a handle were on different communicators.
    """

    active: dict[int, Request] = field(default_factory=dict)
    mixed: bool = False

    def post(self, number: int, request: Request) -> None:
        """A request is under way."""
        self.active[number] = request
        self.mixed |= len({pending.communicator for pending in self.active.values() if pending.may_share}) > 1

    def complete(self, numbers: Iterable[int]) -> None:
        """They are under way no more."""
        for number in numbers:
            self.active.pop(number, None)
        self.mixed &= any(pending.may_share for pending in self.active.values())

    def communicator_of(self, numbers: Iterable[int]) -> tuple[str, bool]:
        """What a completion call over these is booked on, and whether that may as well be "(several)"."""
        known = [self.active[number] for number in numbers if number in self.active]
        names = {request.communicator for request in known}
        may_be_several = self.mixed and any(request.may_share for request in known)
        return common(names), len(names) == 1 and may_be_several
