"""Sentences that several rows of a table share: a number in the row, the sentence once below."""

from __future__ import annotations


class Footnotes:
    """Numbers sentences in the order in which they are first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, sentence: str) -> str:
        """Return the mark of a sentence: `[1]`; nothing for no sentence."""
        return f"[{self._numbers.setdefault(sentence, len(self._numbers) + 1)}]" if sentence else ""

    def text(self) -> str:
        """Return all sentences with their marks, in one paragraph."""
        return " ".join(f"[{number}]: {sentence}." for sentence, number in self._numbers.items())
