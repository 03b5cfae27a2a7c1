"""Families of communicators, by their names alone: communicators from the same line share a role.

A family is the part of a name that does not depend on the members; for communicators made in a loop, the
number of the call is left out, too. Communicators that a library has made for itself have its name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""Replaces the middle of a long name or family."""

_ROOT = re.compile(r"(?:(S)\.\d+|(U)~[0-9a-f]{8}(#\d+)?|(\?)[0-9a-f]{16})(?:~[0-9a-f]{16})*")
_BY_GROUP = re.compile(r"([^:]+):-?\d+~[0-9a-f]{8}(#\d+)?(?:~[0-9a-f]{16})*")
_COUNTED = re.compile(r"(.|.+#)\d+")
_LONGEST = 256  # characters of names that Rankwise gives; profiles may be untrusted
_LOOP = 8  # calls of one kind on the same parents; hardly any program has as many lines for them
_OF_LIBRARY = ": "  # between a library and what it made
_FEW = 4  # families that a library may have made of one of the program's, and they are shown one by one
_COLLECTIVE = re.compile(r"(.\d+)(?:\.-?\d+)?(?:~[0-9a-f]{16})*")


def family_of(name: str) -> str | None:
    """Return the family by a communicator's name alone; None where it doesn't tell: a shortened one.

    >>> family_of("W_s1.0_g7:3~89abcdef#2_d3")
    'W_s1_g7#2_d3'
    """
    if ELLIPSIS in name or len(name) > _LONGEST:
        return None
    root, *steps = name.split("_")
    match = _ROOT.fullmatch(root)
    first = "".join(filter(None, match.groups())) if match else _step_family(root)
    return "_".join([first, *map(_step_family, steps)])


def without_loops(families: Collection[str]) -> dict[str, str]:
    """Map families to merged ones, where a loop made several: ``W_c1`` to ``W_c*``.

    Args:
        families: all of a run.
    """
    steps = {family: family.split("_") for family in families if ELLIPSIS not in family}
    for depth in range(max(map(len, steps.values()), default=0)):
        made: dict[tuple[str, str], set[str]] = defaultdict(set)
        places: list[tuple[list[str], tuple[str, str]]] = []
        for words in steps.values():
            if depth < len(words) and (match := _COUNTED.fullmatch(words[depth])):
                key = ("_".join(words[:depth]), match[1])
                made[key].add(words[depth])
                places.append((words, key))
        for words, key in places:
            if len(made[key]) >= _LOOP:
                words[depth] = f"{key[1]}*"
    return {family: "_".join(steps.get(family, [family])) for family in families}


class Made(NamedTuple):
    """How a communicator was made.

    Attributes:
        parent: id of its parent; of one that has none, any other number.
        family: by its name.
        library: that made it for itself; '' = the program, or not known.
    """

    parent: int
    family: str
    library: str


def of_libraries(made: Mapping[int, Made]) -> dict[int, str]:
    """Give each communicator, by its id, the family that it is shown in: ``libfftw3_mpi: W_a1_u1_s1``.

    If a library made many families of one of the program's, they are one: ``libfftw3_mpi: W_a1_u1_*``.
    """
    ancestors = _program_s_own(made)
    parts = {
        identity: (origin.library, made[ancestors[identity]].family if ancestors[identity] in made else "")
        for identity, origin in made.items()
        if origin.library
    }
    families_of_part: dict[tuple[str, str], set[str]] = defaultdict(set)
    for identity, part in parts.items():
        families_of_part[part].add(made[identity].family)
    shown = {}
    for identity, origin in made.items():
        if not origin.library:
            shown[identity] = origin.family
            continue
        part = parts[identity]
        family = (
            origin.family if len(families_of_part[part]) <= _FEW else "_".join(filter(None, (part[1], "*")))
        )
        shown[identity] = f"{origin.library}{_OF_LIBRARY}{family}"
    return shown


def library_of(family: str) -> str:
    """Return the library that made communicators of a family for itself; '' = the program made them.

    >>> library_of("libfftw3_mpi: W_d1")
    'libfftw3_mpi'
    """
    library, of_library, _ = family.partition(_OF_LIBRARY)
    return library if of_library else ""


def without_library(family: str) -> str:
    """Return the name of a family without libraries.

    >>> without_library("libfftw3_mpi: W_d1")
    'W_d1'
    """
    return family.removeprefix(f"{library_of(family)}{_OF_LIBRARY}")


def with_library(name: str, family: str) -> str:
    """Return the name of a family's communicator as it is shown where families are: after its library.

    >>> with_library("W_s1.0", "libfftw3_mpi: W_s1")
    'libfftw3_mpi: W_s1.0'
    """
    library = library_of(family)
    return f"{library}{_OF_LIBRARY}{name}" if library else name


def _program_s_own(made: Mapping[int, Made]) -> dict[int, int]:
    """Map each id to the nearest ancestor's that no library has made; it may be the same, or none's."""
    ancestors: dict[int, int] = {}
    for identity in made:
        way: list[int] = []
        passed: set[int] = set()  # damaged records may descend from themselves
        current = identity
        while (
            current not in ancestors and current in made and made[current].library and current not in passed
        ):
            way.append(current)
            passed.add(current)
            current = made[current].parent
        ancestors.update(dict.fromkeys([*way, current], ancestors.get(current, current)))
    return ancestors


def _step_family(step: str) -> str:
    if match := _BY_GROUP.fullmatch(step):
        return match[1] + (match[2] or "")
    match = _COLLECTIVE.fullmatch(step)
    return match[1] if match else step
