"""Reports the progress of a long piece of work to a listener. Nothing is printed here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeVar

Listener = Callable[[float], None]
"""Is called often, with the fraction of the work that is done: 0 to 1."""

_Item = TypeVar("_Item")


class Progress:
    """Adds up the finished work.

    Args:
        listener: None = no reports.
    """

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener
        self._done = 0.0

    def over(self, items: Collection[_Item], share: float) -> Iterator[_Item]:
        """Go through items that together are this fraction of the work, each as much of it."""
        return self.through(items, share, lambda _: 1 / len(items))

    def through(
        self, items: Iterable[_Item], share: float, weigh: Callable[[_Item], float]
    ) -> Iterator[_Item]:
        """Go through items that together are this fraction of the work.

        Args:
            items: to go through.
            share: of the work.
            weigh: returns the fraction of these that each item is.
        """
        for item in items:
            yield item
            self._done += share * weigh(item)
            if self._listener:
                self._listener(self._done)
