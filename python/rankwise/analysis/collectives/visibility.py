"""Whether messages inside a collective were visible, and why not: no message seen does not mean none sent."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from rankwise.analysis.columns import decoded_list
from rankwise.records import dataclass

NOT_VISIBLE = "not visible here"
_WITHIN_NODE = "within-node"
_BARRIERS = frozenset({"MPI_Barrier", "MPI_Ibarrier", "MPI_Barrier_init"})

_LOST = "messages of its processes could not be attributed to a call"
_NO_DATA = "called without data (size 0)"
_MOVED = "moved the data without messages (shared memory, offload)"
MOVED = f"{NOT_VISIBLE}: the library {_MOVED}"
"""Why nothing is seen although the hook sees everything."""

# Meaning of the states other than "active"; a note may add details.
_STATES = {
    "none": "no hook for this MPI library",
    "refused": "the hook was refused",
    "disabled": "switched off",
    "stopped": "the hook stopped",
    "unknown": "recorded by a Rankwise that had no hooks",
}


@dataclass(frozen=True)
class Visibility:
    """The visibility of the messages inside a collective.

    Attributes:
        text: why messages are missing, or may be; '' = all were seen.
        whole: whether the hook saw all messages.
    """

    text: str = ""
    whole: bool = True

    @property
    def hides(self) -> bool:
        """Whether messages may have been sent that were not seen."""
        return self.text not in ("", f"{NOT_VISIBLE}: {_NO_DATA}")


@dataclass(frozen=True)
class _Hook:
    """The view of a rank's hook."""

    host: str
    state: str
    between_nodes_only: bool
    note: str


class _Hooks(NamedTuple):
    """The view of the hooks of a communicator's members.

    Attributes:
        inactive: why the first inactive hook is inactive; None = all are active.
        between_nodes_only: some hooks see nothing within their node.
        several_hosts: the members are on several nodes.
        over_nodes: some members share a node, and their messages within it are invisible.
    """

    inactive: str | None
    between_nodes_only: bool
    several_hosts: bool
    over_nodes: bool


class Visibilities:
    """The visibility of each collective on each communicator of a profile, or on one communicator."""

    def __init__(self, connection: sqlite3.Connection, communicator: int | None = None) -> None:
        self._only = frozenset(decoded_list(connection.execute("SELECT only FROM run").fetchone()[0]))
        rows = connection.execute(
            "SELECT rank, host, transport_state, transport_sees, transport_note FROM ranks"
        ).fetchall()
        limited = any(state == "active" and _WITHIN_NODE not in sees.split() for _, _, state, sees, _ in rows)
        proved = limited and _seen_within_nodes(connection)
        # Most ranks of a host share the same facts.
        kinds = {
            facts: _Hook(facts[0], facts[1], not proved and _WITHIN_NODE not in facts[2].split(), facts[3])
            for facts in {tuple(row[1:]) for row in rows}
        }
        # Messages of blocking collectives are always attributed: they are sent while the call runs.
        lost = "SELECT DISTINCT source FROM messages WHERE kind = 'in-collective' AND procedure = 0"
        self._lossy = set[int]()
        if has_messages_inside(connection):
            self._lossy = {rank for (rank,) in connection.execute(lost)}
        self._shapes = _shapes(connection)
        self._members: dict[int, set[int]] = defaultdict(set)
        self._hooks: dict[int, _Hooks] = {}
        self._others = _common_hooks([*kinds.values()])
        if self._others is None or self._lossy:
            hooks = {rank: kinds[tuple(facts)] for rank, *facts in rows}
            self._read_members(connection, communicator, hooks)
        self._found: dict[tuple[_Hooks, str, bool, bool, bool], Visibility] = {}

    def _read_members(
        self, connection: sqlite3.Connection, communicator: int | None, hooks: Mapping[int, _Hook]
    ) -> None:
        hooks_of: dict[int, list[_Hook]] = defaultdict(list)
        for place, rank in connection.execute(
            "SELECT DISTINCT communicator, rank FROM call_places WHERE ?1 IS NULL OR communicator = ?1",
            (communicator,),
        ):
            if rank in hooks:
                hooks_of[place].append(hooks[rank])
            self._members[place].add(rank)
        self._hooks = {place: _summed_up(member_hooks) for place, member_hooks in hooks_of.items()}

    def of_all(self, communicator: int, procedure: str, *, seen: bool, with_data: bool) -> Visibility:
        """Return the visibility of the messages inside all calls of a collective; arguments as for `of`."""
        visibility = self.of(communicator, procedure, seen=seen, with_data=with_data)
        shapes = self._shapes.get((communicator, procedure), ())
        if visibility.text or not any(shapes):
            return visibility
        count = f"{sum(shapes)} of {len(shapes)} shapes (root and size)"
        return Visibility(f"not of all calls: {count} {_MOVED}", whole=False)

    def of(self, communicator: int, procedure: str, *, seen: bool, with_data: bool) -> Visibility:
        """Return the visibility of the messages inside one or several calls of a collective.

        Args:
            communicator: id.
            procedure: name.
            seen: whether messages were seen inside it.
            with_data: whether it was called with a size other than 0.
        """
        hooks = self._hooks.get(communicator) or self._others or _NO_HOOKS
        lost = bool(self._lossy) and self._may_be_lost(communicator, procedure)
        key = hooks, procedure, seen, with_data, lost
        if key not in self._found:
            self._found[key] = self._visibility(*key)
        return self._found[key]

    def _visibility(
        self, hooks: _Hooks, procedure: str, seen: bool, with_data: bool, lost: bool
    ) -> Visibility:
        if not seen:
            why = self._why_silent(hooks, procedure, with_data, lost)
            return Visibility(f"{NOT_VISIBLE}: {why}", whole=False)
        if hooks.inactive is not None:
            return Visibility(f"not of all processes: {hooks.inactive}", whole=False)
        if hooks.over_nodes:
            return Visibility("only messages between nodes", whole=False)
        return Visibility("some may be missing: " + _LOST if lost else "")

    def _may_be_lost(self, communicator: int, procedure: str) -> bool:
        is_blocking = not procedure.startswith("MPI_I") and not procedure.endswith("_init")
        return not is_blocking and not self._lossy.isdisjoint(self._members[communicator])

    def _why_silent(self, hooks: _Hooks, procedure: str, with_data: bool, lost: bool) -> str:
        if self._only and procedure not in self._only:
            return "not chosen by --inside"
        if hooks.inactive is not None:
            return hooks.inactive
        if not with_data and procedure not in _BARRIERS:
            return _NO_DATA
        if lost:
            return _LOST
        if not hooks.between_nodes_only:
            return f"the library {_MOVED}"
        if hooks.several_hosts:
            return "the library moved the data without messages that pass its transport (offload)"
        return "shared memory within the node"


def has_messages_inside(connection: sqlite3.Connection) -> bool:
    """Return whether any message inside a collective was seen."""
    query = "SELECT EXISTS (SELECT 1 FROM host_sums WHERE kind = 'in-collective')"
    (count,) = connection.execute(query).fetchone()
    return bool(count)


def moved_otherwise(procedure: str, processes: int, size: int | None, messages: int, volume: int) -> bool:
    """Return whether the messages inside a call are too few to have moved its data.

    Each process except one has to send or receive at least the size of the call.

    Args:
        procedure: name.
        processes: number of processes of the communicator.
        size: of the message, bytes; None = differs by process, so the answer is no.
        messages: number seen, of all processes.
        volume: their bytes.
    """
    if size is None or (size == 0 and procedure not in _BARRIERS):
        return False
    return messages < processes - 1 or volume < (processes - 1) * size


def _shapes(connection: sqlite3.Connection) -> dict[tuple[int, str], list[bool]]:
    """Return for each shape with a kept call whether it moved its data without messages."""
    moved: dict[tuple[int, str], list[bool]] = defaultdict(list)
    for communicator, procedure, processes, size, messages, volume in connection.execute(
        "SELECT patterns.communicator, procedures.name, communicators.size, patterns.size,"
        " COALESCE(seen.messages, 0), COALESCE(seen.bytes, 0) FROM patterns"
        " JOIN procedures ON procedures.id = patterns.procedure"
        " JOIN communicators ON communicators.id = patterns.communicator"
        " LEFT JOIN (SELECT pattern, SUM(messages) AS messages, SUM(bytes) AS bytes FROM pattern_messages"
        " GROUP BY pattern) AS seen ON seen.pattern = patterns.id WHERE complete"
    ):
        moved[communicator, procedure].append(moved_otherwise(procedure, processes, size, messages, volume))
    return moved


def why_inactive(state: str, note: str) -> str:
    """Return why a hook sees nothing, from the rank's record."""
    meaning = _STATES.get(state, state)
    if note:
        return note if state in ("disabled", "none") else f"{meaning} ({note})"
    return meaning


def _seen_within_nodes(connection: sqlite3.Connection) -> bool:
    """Return whether a recorded message proves that messages within nodes are visible."""
    (is_proved,) = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM messages JOIN ranks AS sender ON sender.rank = source"
        " JOIN ranks AS receiver ON receiver.rank = destination"
        " WHERE kind = 'in-collective' AND source <> destination AND sender.host = receiver.host)"
    ).fetchone()
    return bool(is_proved)


def _common_hooks(kinds: list[_Hook]) -> _Hooks | None:
    """Return the view that applies to every communicator; None = it depends on the members."""
    if len({(kind.state, kind.between_nodes_only, kind.note) for kind in kinds}) != 1:
        return None
    first = kinds[0]
    return _summed_up([first]) if first.state != "active" or not first.between_nodes_only else None


def _summed_up(hooks: list[_Hook]) -> _Hooks:
    inactive = next((hook for hook in hooks if hook.state != "active"), None)
    blind = [hook.host for hook in hooks if hook.between_nodes_only]
    return _Hooks(
        None if inactive is None else why_inactive(inactive.state, inactive.note),
        bool(blind),
        len({hook.host for hook in hooks}) > 1,
        len(set(blind)) < len(blind),
    )


_NO_HOOKS = _summed_up([])
