"""Values of a JSON file with their place in it, so that each complaint names the place."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from dataclasses import dataclass

from rankwise.errors import RankwiseError

MOST_OBJECTS = 1 << 24
"""Limit for objects of a kind and for slots: ten times as many as the largest machines have."""


# Control and format characters, unusual blanks, line ends and private-use characters: they are not
# printed, or reorder the text around them. The same as in src/machine/field.cpp; str.isprintable() depends on
# the version of Python.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\ud800-\uf8ff\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U0010ffff]"
)


@dataclass(frozen=True)
class Field:
    """A value, and where it is: `levels[2].count`."""

    value: object
    path: str = ""

    def error(self, message: str) -> RankwiseError:
        """Return the complaint about this value."""
        return RankwiseError(f"{self.path}: {message}" if self.path else message)

    def keys(self, allowed: Collection[str] | None, required: Collection[str] = ()) -> dict[str, Field]:
        """Return the fields of an object, by key; None allows all keys."""
        if not isinstance(self.value, dict):
            raise self.error("must be an object: {...}")
        for key in self.value:
            if allowed is not None and key not in allowed:
                shown = "?" if _UNPRINTABLE.search(key) else key
                raise self.error(f"unknown key {shown!r}; known are {', '.join(allowed)}")
        for key in required:
            if key not in self.value:
                raise self.error(f"{key!r} is missing")
        return {key: Field(value, f"{self.path}.{key}".lstrip(".")) for key, value in self.value.items()}

    def items(self, least: int = 0) -> list[Field]:
        """Return the elements of a list of at least `least`."""
        if not isinstance(self.value, list):
            raise self.error("must be a list: [...]")
        if len(self.value) < least:
            raise self.error("must not be empty")
        return [Field(value, f"{self.path}[{place}]") for place, value in enumerate(self.value)]

    def text(self) -> str:
        """Return a text that can be printed as it is."""
        if not isinstance(self.value, str):
            raise self.error("must be a text")
        if _UNPRINTABLE.search(self.value):
            raise self.error("must not contain control characters")
        return self.value

    def name(self) -> str:
        """Return a text that can be a name in files of launchers: no blanks."""
        text = self.text()
        if not text or " " in text:
            raise self.error("must be a name without blanks")
        return text

    def whole(self, least: int, most: int = MOST_OBJECTS) -> int:
        """Return a whole number from `least` to `most`."""
        value = self.value
        if isinstance(value, float) and value.is_integer():  # 2.0 is no other number than 2 in JSON
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.error(f"must be a whole number above {least - 1}")
        if value > most:
            raise self.error(f"must be at most {most}")
        return value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.error("must be true or false")
        return self.value

    def number(self) -> float:
        """Return a finite number, 0 or more."""
        value = self.value
        if (
            not isinstance(value, (int, float))
            or isinstance(value, bool)
            or not 0 <= value <= sys.float_info.max
        ):
            raise self.error("must be a number, 0 or more")
        return float(value)
