"""Makes text from outside safe to store and to print."""

from __future__ import annotations

from functools import lru_cache

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def harmless(text: str) -> str:
    """Replace each character that could steer a terminal, break a line or not be stored, a tab by a space."""
    if text.isprintable():
        return text
    text = text.replace("\t", " ")
    return "".join(character if character.isprintable() else _REPLACEMENT for character in text)


@lru_cache(maxsize=4096)  # most processes say the same
def text_of(field: bytes) -> str:
    """Return the text in a fixed-length C string: up to the first NUL, bad UTF-8 replaced, harmless."""
    return harmless(field.split(b"\0", 1)[0].decode("utf-8", "replace"))
