"""Constraints between parameters: comparisons of numbers, with `and`, `or` and parentheses.

CONSTRAINT = ALL { "or" ALL }      ALL = ONE { "and" ONE }
ONE = "(" CONSTRAINT ")" | OPERAND { COMPARISON OPERAND }, as in 4k <= A <= B
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from rankwise.latency.sizes import size_of

Values = Mapping[str, str]
_Holds = Callable[[Values], bool]
_TOKEN = re.compile(r"\s*(?:(<=|>=|==|!=|<|>|\(|\))|(-?\w[\w.]*)|(\S))")
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


class Unknown(Exception):  # noqa: N818
    """The value of a name is unknown or no number; the text is the name."""


@dataclass(frozen=True)
class Constraint:
    """A condition on all values together.

    Attributes:
        text: as the user wrote it.
        names: that it compares.
        where: FILE:LINE; '' if it is not from a file.
    """

    text: str
    names: tuple[str, ...]
    holds: _Holds
    where: str = ""


def number_of(text: str) -> float | None:
    """Return a number such as 64, 4k or 0.5; k, M and G are powers of 1024; None if it is no number."""
    try:
        return float(size_of(text))
    except ValueError:
        pass
    try:
        return float(text) if re.fullmatch(r"[-+.\deE]+", text) else None
    except ValueError:
        return None


def parse(text: str, where: str = "") -> Constraint:
    """Read a constraint.

    Raises:
        ValueError: it is no constraint; the text says why.
    """
    reader = _Reader(text)
    holds = reader.any_of()
    if reader.word:
        raise ValueError(f"unexpected {reader.word}")
    return Constraint(text.strip(), tuple(dict.fromkeys(reader.names)), holds, where)


class _Reader:
    def __init__(self, text: str) -> None:
        self._words = [word for match in _TOKEN.finditer(text.strip()) for word in match.groups() if word]
        self.names: list[str] = []

    @property
    def word(self) -> str:
        """The next word; '' at the end."""
        return self._words[0] if self._words else ""

    def _take(self) -> str:
        return self._words.pop(0) if self._words else ""

    def any_of(self) -> _Holds:
        """CONSTRAINT."""
        parts = [self._all_of()]
        while self.word == "or":
            self._take()
            parts.append(self._all_of())
        return lambda values: any(part(values) for part in parts)

    def _all_of(self) -> _Holds:
        parts = [self._one()]
        while self.word == "and":
            self._take()
            parts.append(self._one())
        return lambda values: all(part(values) for part in parts)

    def _one(self) -> _Holds:
        if self.word == "(":
            self._take()
            inner = self.any_of()
            if self._take() != ")":
                raise ValueError("a ) is missing")
            return inner
        operands, compared = [self._operand()], []
        while self.word in _COMPARISONS:
            compared.append(_COMPARISONS[self._take()])
            operands.append(self._operand())
        if not compared:
            raise ValueError(f"{self.word or 'its end'} stands where a comparison such as <= should")

        def holds(values: Values) -> bool:
            values_compared = [operand(values) for operand in operands]
            return all(
                compare(*pair) for compare, pair in zip(compared, pairwise(values_compared), strict=True)
            )

        return holds

    def _operand(self) -> Callable[[Values], float]:
        word = self._take()
        if not re.match(r"-?\w", word) or word in ("and", "or"):
            raise ValueError(f"{word or 'its end'} stands where a name or a number should")
        number = number_of(word)
        if number is not None:
            return lambda _: number
        self.names.append(word)

        def value(values: Values) -> float:
            number = number_of(values.get(word, ""))
            if number is None:
                raise Unknown(word)
            return number

        return value
