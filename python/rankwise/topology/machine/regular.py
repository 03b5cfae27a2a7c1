"""The short form of machine.json: a regular tree, given by its levels' counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise.errors import RankwiseError
from rankwise.topology.machine.fields import MOST_OBJECTS, Field
from rankwise.topology.machine.hosts import hosts_of
from rankwise.topology.machine.model import NODE
from rankwise.topology.machine.objects import Object


def regular_tree(fields: Sequence[Field], names: Sequence[str]) -> Object:
    """Return the root of the tree.

    Args:
        fields: the levels below the root, the outermost first; their keys are known ones.
        names: of all levels, the root's first.
    """
    keys = [field.keys(None, required=("name", "count")) for field in fields]
    counts = [key["count"].whole(1) for key in keys]
    total = 1
    for key, count in zip(keys, counts, strict=True):
        total *= count
        if total > MOST_OBJECTS:
            raise key["count"].error(f"there must be at most {MOST_OBJECTS} objects of a level")
    for key, name in zip(keys, names[1:], strict=True):
        if "names" in key and name != NODE:
            raise key["names"].error(f'only the level "{NODE}" can have names here; use a `tree`')
    node = names.index(NODE)
    inside: tuple[Object, ...] = ()
    for level in range(len(counts), node, -1):
        inside = (Object(level, inside),) * counts[level - 1]
    below = [Object(node, inside, host) for host in _hosts(keys[node - 1], math.prod(counts[:node]))]
    for level in range(node - 1, -1, -1):
        size = counts[level]
        below = [Object(level, tuple(below[at : at + size])) for at in range(0, len(below), size)]
    return below[0]


def _hosts(keys: dict[str, Field], count: int) -> list[str]:
    if "names" not in keys:
        return [f"{NODE}{number}" for number in range(count)]
    given = keys["names"]
    if isinstance(given.value, str):
        text = given.text()
        try:
            hosts = hosts_of(text)
        except RankwiseError as error:
            raise given.error(str(error)) from error
    else:
        hosts = [host.name() for host in given.items()]
    if len(hosts) != count:
        raise given.error(f"must be {count}, one for each node, not {len(hosts)}")
    if len(set(hosts)) < count:
        twice = next(host for host in hosts if hosts.count(host) > 1)
        raise given.error(f"{twice!r} is given twice")
    return hosts
