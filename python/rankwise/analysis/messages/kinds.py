"""Kinds of messages, as named in the profile; a separate module, as the others take long to load."""

from __future__ import annotations

OF_THE_PROGRAM = ("point-to-point", "one-sided")
IN_COLLECTIVE = "in-collective"

KINDS = (*OF_THE_PROGRAM, IN_COLLECTIVE)

BY_OPTION = {"all": KINDS, "program": OF_THE_PROGRAM, **{kind: (kind,) for kind in KINDS}}
"""Value of `--kind` → kinds."""

SENTENCE = {
    "all": "messages",
    "program": "messages of the program itself",
    "point-to-point": "point-to-point messages",
    "one-sided": "one-sided messages",
    IN_COLLECTIVE: "messages inside collectives",
}
"""Value of `--kind` → words for a sentence."""


def has_inside(kind: str) -> bool:
    """Return whether a value of `--kind` includes messages inside collectives."""
    return IN_COLLECTIVE in BY_OPTION[kind]
