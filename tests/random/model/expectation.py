"""What a profile must hold: its tables, with names in place of ids and without times."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple


class CallKey(NamedTuple):
    """What makes a row of `calls`."""

    rank: int
    communicator: str
    region: str
    procedure: str
    size_bin: int


class MessageKey(NamedTuple):
    """What makes a row of `messages`."""

    source: int
    destination: int
    communicator: str
    kind: str
    procedure: str


class CommunicatorRow(NamedTuple):
    """What is known of a communicator, by its name."""

    procedure: str
    user_name: str
    size: int
    remote_size: int
    members: tuple[int, ...]
    remote_members: tuple[int, ...]
    topology: str
    dims: tuple[int, ...]
    periods: tuple[int, ...]
    freed: bool


@dataclass
class Expectation:
    """The tables of a profile.

    Attributes:
        calls: calls, bytes sent, bytes received.
        messages: messages, bytes.
        either: completion calls that may stand on a communicator or on "(several)", because the library may
            give requests of different communicators one handle; how many, by the row on the communicator.
        entries: of regions, by rank and name.
        dropped: by rank and reason.
    """

    calls: dict[CallKey, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))
    messages: dict[MessageKey, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    either: Counter[CallKey] = field(default_factory=Counter)
    communicators: dict[str, CommunicatorRow] = field(default_factory=dict)
    entries: Counter[tuple[int, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[int, str]] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
