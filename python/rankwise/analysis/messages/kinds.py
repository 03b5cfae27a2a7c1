"""Kinds of messages, as the profile names them; apart from the rest, which needs time to load."""

from __future__ import annotations

OF_THE_PROGRAM = ("point-to-point", "one-sided")
IN_COLLECTIVE = "in-collective"

KINDS = (*OF_THE_PROGRAM, IN_COLLECTIVE)

BY_OPTION = {"all": KINDS, "program": OF_THE_PROGRAM, **{kind: (kind,) for kind in KINDS}}
"""By what `--kind` calls them."""

SENTENCE = {
    "all": "messages",
    "program": "messages of the program itself",
    "point-to-point": "point-to-point messages",
    "one-sided": "one-sided messages",
    IN_COLLECTIVE: "messages inside collectives",
}
"""What they are in a sentence, by what `--kind` calls them."""
