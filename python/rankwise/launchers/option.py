"""The options of launchers, as they stand on a command line."""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """One option of a launcher with its values, word by word."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """Without dashes and without `=value`."""
        return self.words[0].lstrip("-").partition("=")[0]

    @property
    def value(self) -> str:
        """The values as one string: after `=`, or the words that follow."""
        return self.words[0].partition("=")[2] if len(self.words) == 1 else " ".join(self.words[1:])
