"""The tree of machine.json: objects, each for one sibling or several, and templates."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.topology.machine.fields import MOST_OBJECTS, Field
from rankwise.topology.machine.model import NODE
from rankwise.topology.machine.objects import Object

_KEYS = ("level", "name", "names", "os", "count", "link_mb_s", "like", "children")

Children = tuple[tuple[Object, ...], int]  # and how many slots are in them


class TreeReader:
    """Makes objects of their descriptions.

    Args:
        levels: names of the machine's levels, the root's first.
        templates: children by name, or None.
    """

    def __init__(self, levels: Sequence[str], templates: Field | None) -> None:
        self._levels = levels
        self._node = levels.index(NODE)
        self._hosts: set[str] = set()
        self._given = templates.keys(None) if templates else {}
        for name, template in self._given.items():
            Field(name, template.path).text()
        self._made: dict[tuple[str, int], Children] = {}

    def below_root(self, tree: Field) -> tuple[Object, ...]:
        """Return the children of the root."""
        return self._children(tree, above=0, in_template=False)[0]

    def _children(self, field: Field, above: int, in_template: bool) -> Children:
        children: list[Object] = []
        slots = 0
        for item in field.items(least=1):
            siblings, inside = self._siblings(item, above, in_template)
            slots += len(siblings) * inside
            if slots > MOST_OBJECTS:
                raise item.error(f"there must be at most {MOST_OBJECTS} slots")
            children += siblings
        return tuple(children), slots

    def _siblings(self, field: Field, above: int, in_template: bool) -> tuple[list[Object], int]:
        """Return the siblings of a description, and the slots in each."""
        keys = field.keys(_KEYS, required=("level",))
        level = self._level(keys["level"], above)
        if level != self._node and above < self._node < level:
            raise keys["level"].error("must be inside a node")
        children, slots = self._inside(keys, level, in_template)
        link = keys["link_mb_s"].number() if "link_mb_s" in keys else None
        names, numbers = self._names(field, keys, level), _numbers(keys)
        given = [len(values) for values in (names, numbers) if values]
        count = keys["count"].whole(1) if "count" in keys else max(given, default=1)
        if any(length != count for length in given):
            raise field.error("names, os and count must give the same number of siblings")
        if count * slots > MOST_OBJECTS:
            raise field.error(f"there must be at most {MOST_OBJECTS} slots")
        if not names and not numbers:
            return [Object(level, children, link_mb_s=link)] * count, slots
        pairs = zip(names or [""] * count, numbers or [-1] * count, strict=True)
        return [Object(level, children, name, number, link) for name, number in pairs], slots

    def _level(self, field: Field, above: int) -> int:
        name = field.text()
        if name not in self._levels:
            raise field.error(f"there is no level {name!r} among `levels`")
        level = self._levels.index(name)
        if level <= above:
            raise field.error(f"{name!r} can't be inside {self._levels[above]!r}: `levels` has it outside")
        return level

    def _inside(self, keys: dict[str, Field], level: int, in_template: bool) -> Children:
        if "like" in keys:
            if "children" in keys:
                raise keys["like"].error("can't have `children`")
            if in_template:
                raise keys["like"].error("a template can't have another template")
            return self._template(keys["like"], level)
        if "children" in keys:
            return self._children(keys["children"], level, in_template)
        if level < self._node:
            raise keys["level"].error("an object around nodes must have `children`")
        return (), 1

    def _template(self, field: Field, level: int) -> Children:
        name = field.text()
        if name not in self._given:
            raise field.error(f"there is no template {name!r}")
        if (name, level) not in self._made:
            self._made[name, level] = self._children(self._given[name], level, in_template=True)
        return self._made[name, level]

    def _names(self, field: Field, keys: dict[str, Field], level: int) -> list[str]:
        if "name" in keys and "names" in keys:
            raise keys["names"].error("can't have `name`")
        given = [keys["name"]] if "name" in keys else keys["names"].items(1) if "names" in keys else []
        if level != self._node:
            return [name.text() for name in given]
        if not given:
            raise field.error("a node must have a name")
        names = [name.name() for name in given]
        for name, place in zip(names, given, strict=True):
            if name in self._hosts:
                raise place.error(f"the node {name!r} is given twice")
            self._hosts.add(name)
        return names


def _numbers(keys: dict[str, Field]) -> list[int]:
    if "os" not in keys:
        return []
    given = keys["os"].items(1) if isinstance(keys["os"].value, list) else [keys["os"]]
    return [number.whole(0) for number in given]
