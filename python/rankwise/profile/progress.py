"""How far a long piece of work has come: told to who wants to know. Nothing is printed here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

Listener = Callable[[float], None]
"""Is told, often, what fraction of the work is done: 0 to 1."""

_Item = TypeVar("_Item")


class Progress:
    """Adds up what is done.

    Args:
        listener: None = nobody wants to know.
    """

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener
        self._done = 0.0

    def over(self, items: Collection[_Item], share: float) -> Iterator[_Item]:
        """Go through items that together are this fraction of the work."""
        if self._listener is None:
            yield from items
            return
        before = self._done
        for number, item in enumerate(items, 1):
            yield item
            self._done = before + share * number / len(items)
            self._listener(self._done)
