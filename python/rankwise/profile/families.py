"""Families of communicators, by their names alone: what one line of a program has made has one role.

A family is what remains of a name when nothing in it tells which processes the members are; of what a loop
has made, the number of the call is left out, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""In place of what was cut out of a long name or family."""

_ROOT = re.compile(r"(?:(S)\.\d+|(U)~[0-9a-f]{8}(#\d+)?|(\?)[0-9a-f]{16})(?:~[0-9a-f]{16})*")
_BY_GROUP = re.compile(r"([^:]+):-?\d+~[0-9a-f]{8}(#\d+)?(?:~[0-9a-f]{16})*")
_COUNTED = re.compile(r"(.|.+#)\d+")
_LONGEST = 256  # characters of names that Rankwise gives; profiles may come from strangers
_LOOP = 8  # calls of one kind on the same parents; hardly any program has as many lines for them
_COLLECTIVE = re.compile(r"(.\d+)(?:\.-?\d+)?(?:~[0-9a-f]{16})*")


def family_of(name: str) -> str | None:
    """Return the family by a communicator's name alone; None where it doesn't tell: a shortened one.

    >>> family_of("W_s1.0_g7:3~89abcdef#2_d3")
    'W_s1_g7#2_d3'
    """
    if ELLIPSIS in name or len(name) > _LONGEST:
        return None
    root, *steps = name.split("_")
    found = _ROOT.fullmatch(root)
    first = "".join(filter(None, found.groups())) if found else _step_family(root)
    return "_".join([first, *map(_step_family, steps)])


def without_loops(families: Collection[str]) -> dict[str, str]:
    """Map families to those that they belong to where what a loop made is one: ``W_c1`` to ``W_c*``.

    Args:
        families: all of a run.
    """
    steps = {family: family.split("_") for family in families if ELLIPSIS not in family}
    for depth in range(max(map(len, steps.values()), default=0)):
        made: dict[tuple[str, str], set[str]] = defaultdict(set)
        places: list[tuple[list[str], tuple[str, str]]] = []
        for words in steps.values():
            if depth < len(words) and (found := _COUNTED.fullmatch(words[depth])):
                key = ("_".join(words[:depth]), found[1])
                made[key].add(words[depth])
                places.append((words, key))
        for words, key in places:
            if len(made[key]) >= _LOOP:
                words[depth] = f"{key[1]}*"
    return {family: "_".join(steps.get(family, [family])) for family in families}


def _step_family(step: str) -> str:
    if found := _BY_GROUP.fullmatch(step):
        return found[1] + (found[2] or "")
    found = _COLLECTIVE.fullmatch(step)
    return found[1] if found else step
