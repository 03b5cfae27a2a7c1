"""How many nodes the members of communicators are on."""

from __future__ import annotations

import sqlite3

from rankwise.profile.join.members import stretches


class Spanned:
    """The nodes of the ranks of a run."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read the hosts of the ranks."""
        numbers: dict[str, int] = {}
        self._node: list[int | None] = []
        for rank, host in connection.execute("SELECT rank, host FROM ranks WHERE rank >= 0 ORDER BY rank"):
            self._node += [None] * (rank - len(self._node))
            self._node.append(numbers.setdefault(host, len(numbers)))

    def nodes(self, *groups: str) -> int | None:
        """Return the number of nodes that the members of a communicator are on.

        Args:
            groups: their world ranks in compact form, one text for each group.

        Returns:
            None if a member or its node is unknown, or if there are no members.
        """
        on: set[int | None] = set()
        for group in groups:
            for ranks in stretches(group):
                if ranks is None or max(ranks[0], ranks[-1]) >= len(self._node):
                    return None
                upwards = ranks if ranks.step > 0 else ranks[::-1]
                on.update(self._node[upwards.start : upwards.stop : upwards.step])
        return len(on) if on and None not in on else None
