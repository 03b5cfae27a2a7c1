"""Texts from outside, made harmless for a terminal.

Names of communicators, regions, hosts and commands come from the profiled program. They are data: an escape
code among them must not move the cursor, change colours or reverse the reading direction.
"""

from __future__ import annotations


def safe(text: str, encoding: str = "ascii") -> str:
    r"""Return `text` with all that isn't printable, or not in `encoding`, as escapes such as \x1b."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _harmless(character, encoding) else _escaped(character) for character in text)


def _harmless(character: str, encoding: str) -> bool:
    # isprintable() is false for control and format characters (also those that reverse the direction),
    # line separators, lone surrogates and unassigned code points.
    if not character.isprintable():
        return False
    try:
        character.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
