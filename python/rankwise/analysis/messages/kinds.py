"""Kinds of messages, as the profile names them; apart from the rest, which needs time to load."""

from __future__ import annotations

OF_THE_PROGRAM = ("point-to-point", "one-sided")
IN_COLLECTIVE = "in-collective"

KINDS = (*OF_THE_PROGRAM, IN_COLLECTIVE)

BY_OPTION = {"all": KINDS, "user": OF_THE_PROGRAM, "inside": (IN_COLLECTIVE,)}
"""The kinds by their names on the command line."""
