"""Words that describe a fabric to generate, such as `fattree:leaf=18x18,spine=9,gbit=100`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import checked, hosts_of

MOST = 1 << 20
"""Of hosts, of switches."""
_WHOLE = re.compile(r"\d{1,7}")
_BITS = 8


class Words:
    """The part after a kind and its colon: `key=value` and flags, separated by commas.

    Args:
        text: the whole text.
        keys: with a value. The key '' is for a first word without a key, such as 8x8x8.
        flags: without a value.

    Raises:
        RankwiseError: a word is none of them, or there twice.
    """

    def __init__(self, text: str, keys: Sequence[str], flags: Sequence[str] = ()) -> None:
        self._text = text
        self._values: dict[str, str] = {}
        self._allowed = ", ".join([*(f"{key}=" for key in keys if key), *flags])
        key = ""
        for place, word in enumerate(_split(text.partition(":")[2])):
            if key == "names" and "=" not in word and word not in flags:  # names=a[1-2],b7
                self._values[key] += f",{word}"
                continue
            key, equals, value = word.partition("=")
            if place == 0 and not equals and "" in keys:
                key, value = "", word
            elif key not in (keys if equals else flags):
                raise self.error(f"{word!r} is unknown; allowed: {self._allowed}")
            if key in self._values:
                raise self.error(f"{key!r} is given twice")
            self._values[key] = value

    def error(self, what: str) -> RankwiseError:
        """Return the error for these words."""
        return RankwiseError(f"{self._text!r}: {what}")

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def text(self, key: str) -> str:
        """Return a value that must be there."""
        if key not in self._values:
            raise self.error(f"{key}= is missing; allowed: {self._allowed}")
        return self._values[key]

    def whole(self, key: str, default: int, least: int = 1) -> int:
        """Return a whole number."""
        return self.sizes(key, 1, least)[0] if key in self else default

    def sizes(self, key: str, count: int | None = None, least: int = 1) -> tuple[int, ...]:
        """Return whole numbers with x between them, as many as `count` says, or any number of them."""
        text = self.text(key)
        words = text.split("x")
        good = all(_WHOLE.fullmatch(word) and least <= int(word) <= MOST for word in words)
        if not good or count not in (None, len(words)):
            form = {1: "a whole number", 2: "two whole numbers such as 18x18"}
            what = form.get(count or 0, "whole numbers such as 8x8x8")
            raise self.error(f"{f'{key}=' if key else ''}{text}: must be {what}, from {least} to {MOST}")
        return tuple(int(word) for word in words)

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        """Return the given word out of the allowed ones; the first if none is given."""
        value = self._values.get(key, allowed[0])
        if value not in allowed:
            raise self.error(f"{key}={value}: must be one of {', '.join(allowed)}")
        return value

    def rate(self) -> float:
        """Return the bytes per second of a link, from `gbit=`; nan: not given."""
        if "gbit" not in self:
            return math.nan
        text = self.text("gbit")
        if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text) or float(text) == 0:
            raise self.error(f"gbit={text}: must be Gbit/s of a link, such as 100")
        return float(text) * 1e9 / _BITS

    def hosts(self, count: int) -> tuple[str, ...]:
        """Return the names of the hosts, of `names=` or else node0001, node0002, ..."""
        if count > MOST:
            raise self.error(f"would have {count} hosts; at most {MOST} are possible")
        if "names" not in self:
            return numbered("node", count, 4)
        try:
            names = checked(hosts_of(self.text("names")))
        except RankwiseError as error:
            raise self.error(str(error)) from error
        if len(names) != count:
            raise self.error(f"names= has {len(names)} names for {count} hosts")
        return tuple(names)


def numbered(name: str, count: int, digits: int = 2) -> tuple[str, ...]:
    """Return names with numbers from 1, padded to the same length, with at least this many digits."""
    digits = max(digits, len(str(count)))
    return tuple(f"{name}{number:0{digits}d}" for number in range(1, count + 1))


def _split(text: str) -> list[str]:
    """Split at commas that are not within brackets."""
    return re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+", text)
