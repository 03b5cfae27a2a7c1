"""The fabric that verbs use without --fabric: of the user's environment, or of the whole centre."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import RankwiseError

VARIABLE = "RANKWISE_FABRIC"
_NAMES = ("fabric", "fabric.json.gz", "fabric.json")


class GivenFabric(NamedTuple):
    """A fabric.

    Attributes:
        words: as --fabric takes them.
        origin: VARIABLE, or the path of the centre's fabric; '' = given by --fabric.
    """

    words: tuple[str, ...]
    origin: str


def places() -> tuple[Path, ...]:
    """Return the directories that may have the centre's fabric: of this installation, and of the system."""
    return Path(sys.prefix) / "etc" / "rankwise", Path("/etc/rankwise")


def default_fabric(environment: Mapping[str, str] = os.environ) -> GivenFabric | None:
    """Return the fabric to use without --fabric; None without one, or if the variable is empty.

    Raises:
        RankwiseError: the variable can't be split into words.
    """
    if VARIABLE in environment:
        try:
            words = tuple(shlex.split(environment[VARIABLE]))
        except ValueError as error:
            raise RankwiseError(
                f"{VARIABLE}={environment[VARIABLE]}: {error}: quote it as for a shell"
            ) from None
        return GivenFabric(words, VARIABLE) if words else None
    candidates = (directory / name for directory in places() for name in _NAMES)
    found = next((path for path in candidates if path.exists()), None)
    return GivenFabric((str(found),), str(found)) if found else None


def given_or_default(given: Sequence[str] | None) -> GivenFabric | None:
    """Return the fabric of --fabric, or else the default."""
    return GivenFabric(tuple(given), "") if given else default_fabric()


def needed_fabric(given: Sequence[str] | None) -> GivenFabric:
    """Return the same; RankwiseError if neither is given."""
    found = given_or_default(given)
    if found is None:
        raise RankwiseError(
            f"the network is unknown: add --fabric PATH ..., or set {VARIABLE}; docs/reference/fabrics.md "
            "says which files"
        )
    return found
