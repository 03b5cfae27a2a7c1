"""Names of communicators, from what each process wrote down without a message.

``W`` is MPI_COMM_WORLD, ``S.3`` the MPI_COMM_SELF of rank 3. A child is called after its parent, the letter
of the creating call and the number of that call on the parent: ``W_d1``; where one call makes several, the
rank in the parent of the group's first process follows: ``W_s2.4``. A communicator that is not created
collectively over a parent is named by tag, leader, group and occurrence: ``W_g7:0~89abcdef#2``.

The family is the part of a name that does not depend on the members:
``W_s2``, ``W_g7#2``. So a family is all that one line of the program made, on all parts of its parents. Where
a line made many on the same parents, one after the other, the number goes, too: ``W_c*``.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.families import ELLIPSIS, without_loops
from rankwise.records import dataclass

LONGEST_NAME = 120
"""Characters; a longer name is shortened in the middle."""

_UNSAFE_IN_TAGS = re.compile(r"[^A-Za-z0-9./]")  # or that mean something in names


@dataclass(frozen=True, kw_only=True)
class Origin:
    """How a communicator came to be: the fields of struct rankwise_communicator that name it."""

    id: int
    parent_id: int
    letter: str
    sequence: int
    leader: int
    tag: int
    flags: int
    group_hash: int
    world_rank: int  # of the process that wrote this
    string_tag: str = ""  # takes the place of `tag` where it was made from a group

    def has(self, flag: str) -> bool:
        """Whether a flag of enum rankwise_communicator_flags is set, e.g. ``BY_GROUP``."""
        return bool(self.flags & CONSTANTS[f"COMMUNICATOR_{flag}"])


class Name(NamedTuple):
    """A communicator's name, and its family: those made in the same way, on all parts of their parents."""

    name: str
    family: str


def name_communicators(origins: Iterable[Origin]) -> dict[int, Name]:
    """Name every communicator, by its id. Names are unique, however damaged the origins are."""
    by_id = {origin.id: origin for origin in origins}
    children: dict[int, list[int]] = defaultdict(list)
    for origin in by_id.values():
        children[origin.parent_id].append(origin.id)
    names: dict[int, Name] = {}
    taken: set[str] = set()
    generation = sorted(origin.id for origin in by_id.values() if origin.parent_id not in by_id)
    unnamed = iter(sorted(by_id))
    # Generation by generation, not by recursion: a program may duplicate duplicates ten thousand times.
    while len(names) < len(by_id):
        if not generation:  # the others descend from themselves: damaged, broken up at the lowest id
            generation = [next(identity for identity in unnamed if identity not in names)]
        _name_generation([by_id[identity] for identity in generation], names, taken)
        generation = sorted(
            child for identity in generation for child in children[identity] if child not in names
        )
    families = without_loops({family for _, family in names.values()})
    return {identity: Name(name, families[family]) for identity, (name, family) in names.items()}


def _name_generation(origins: Sequence[Origin], names: dict[int, Name], taken: set[str]) -> None:
    proposed = [_shortened(origin, _proposed(origin, names)) for origin in origins]
    occurrences = Counter(name.name for name in proposed)
    for origin, (name, family) in zip(origins, proposed, strict=True):
        unique = name
        while unique in taken or (unique == name and occurrences[name] > 1):
            unique += f"~{origin.id:016x}"
        taken.add(unique)
        names[origin.id] = Name(unique, family)


def _proposed(origin: Origin, names: Mapping[int, Name]) -> Name:
    """Make the name by the rules, however long, and perhaps another one's too."""
    letter = origin.letter if origin.letter.isascii() and origin.letter.isalnum() else "?"
    if not origin.parent_id and letter == "W":
        return Name("W", "W")
    if not origin.parent_id and letter == "S":
        return Name(f"S.{origin.world_rank}", "S")
    if not origin.parent_id and letter == "P":
        return Name("P", "P")
    group = f"{origin.group_hash & 0xFFFFFFFF:08x}"
    occurrence = f"#{origin.sequence}" if origin.sequence > 1 else ""
    if origin.has("UNKNOWN_ORIGIN"):
        return Name(f"U~{group}{occurrence}", f"U{occurrence}")
    if origin.has("BY_GROUP"):
        tag = _UNSAFE_IN_TAGS.sub("-", origin.string_tag) or str(origin.tag)
        step = Name(f"{letter}{tag}:{origin.leader}~{group}{occurrence}", f"{letter}{tag}{occurrence}")
    else:
        number = f"{letter}{origin.sequence}"
        step = Name(f"{number}.{origin.leader}" if origin.has("ONE_OF_SEVERAL") else number, number)
    if origin.has("BY_GROUP") and not origin.parent_id:
        return step
    parent = names.get(origin.parent_id, Name(f"?{origin.parent_id:016x}", "?"))
    return Name(f"{parent.name}_{step.name}", f"{parent.family}_{step.family}")


def _shortened(origin: Origin, full: Name) -> Name:
    """Return the name as it is, or its beginning and the id: ``W_d1_d1_…~0123456789abcdef``."""
    name, family = full
    if len(name) > LONGEST_NAME:
        name = _beginning(name, f"~{origin.id:016x}")
    if len(family) > LONGEST_NAME:  # its communicators have different ids
        family = _beginning(family, f"~{hashlib.blake2b(family.encode(), digest_size=8).hexdigest()}")
    return Name(name, family)


def _beginning(name: str, ending: str) -> str:
    """Return the ancestry as far as it fits before the ending, cut between two steps."""
    room = LONGEST_NAME - len(ending) - len(ELLIPSIS)
    head = name.split(ELLIPSIS, 1)[0][:room]
    return f"{head[: head.rfind('_') + 1]}{ELLIPSIS}{ending}"
