"""Reads machine.json, which docs/reference/machine.md describes.

RATIONALE: src/machine reads it, too, for programs: they have no Python, and need no more than the slots,
where the commands need costs, names and equal parts. tests/unit/test_machine_reader.py holds both
to one rule.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.topology.machine.fields import Field
from rankwise.topology.machine.model import COSTS, NODE, ROOT, Cost, Level, Machine, Outlier, Source
from rankwise.topology.machine.network_file import network_of
from rankwise.topology.machine.objects import Object
from rankwise.topology.machine.regular import regular_tree
from rankwise.topology.machine.strict_json import parsed
from rankwise.topology.machine.tree import TreeReader

FORMAT = "rankwise-machine"
VERSION = 1

_MOST_LEVELS = 64
_ZERO = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # ends a text in C
_CURE = "`rankwise machine` makes one, for example from a measurement of `rankwise latency`"
_KEYS = ("format", "version", "levels", "templates", "tree", "network", "sources", "outliers")
_LEVEL_KEYS = ("name", "cost", "link_mb_s")


def read_machine(path: Path) -> Machine:
    """Read a machine.json.

    Raises:
        RankwiseError: it can't be read, or is invalid: one line that names the place in the file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RankwiseError(f"cannot read {path}: {error.strerror}; {_CURE}") from error
    except UnicodeDecodeError as error:
        raise RankwiseError(
            f"{path}: is not a machine.json: byte {error.start} is not UTF-8; {_CURE}"
        ) from error
    try:
        return machine_of(text)
    except RankwiseError as error:
        raise RankwiseError(f"{path}: {error}") from error


def machine_of(text: str) -> Machine:
    """Return the machine that the text of a machine.json describes; RankwiseError names the place in it."""
    file = Field(_parsed(text))
    format_field = file.keys(None, required=("format",))["format"]
    if format_field.value != FORMAT:
        raise format_field.error(f'must be "{FORMAT}"; {_CURE}')
    keys = file.keys(_KEYS, required=("version", "levels"))
    if keys["version"].whole(1) != VERSION:
        raise keys["version"].error(f"this Rankwise reads version {VERSION}; use the one that wrote the file")
    regular = "tree" not in keys
    levels = _levels(keys["levels"], regular)
    if not regular:
        reader = TreeReader([level.name for level in levels], keys.get("templates"))
        root = Object(0, reader.below_root(keys["tree"]))
    elif "templates" in keys:
        raise keys["templates"].error("are for a `tree`, which is missing")
    else:
        below = keys["levels"].items()[1 - len(levels) :]
        root = regular_tree(below, [level.name for level in levels])
    sources = tuple(_source(field) for field in keys["sources"].items()) if "sources" in keys else ()
    outliers = tuple(_outlier(field) for field in keys["outliers"].items()) if "outliers" in keys else ()
    machine = Machine(levels, root, sources, outliers)
    if "network" not in keys:
        return machine
    return replace(machine, network=network_of(keys["network"], machine.hosts()))


def _parsed(text: str) -> object:
    content = parsed(text, "machine.json", _CURE)
    if "\\u" in text and _ZERO.search(text):
        raise RankwiseError(f"has the unsupported character \\u0000 in a text; {_CURE}")
    return content


def _levels(field: Field, regular: bool) -> tuple[Level, ...]:
    """Return all levels; the first is the whole machine even if it is left out."""
    given = field.items(least=1)
    levels = [_level(item, regular) for item in given]
    if levels[0].name != ROOT:
        levels.insert(0, Level(ROOT))
    elif "count" in given[0].keys(None) or "names" in given[0].keys(None):
        raise given[0].error("the machine itself has no `count` or `names`")
    names = [level.name for level in levels]
    if len(names) > _MOST_LEVELS:
        raise field.error(f"must not exceed {_MOST_LEVELS}")
    for place, name in enumerate(names):
        if name in names[:place]:
            raise given[place - len(names)].error(f"the name {name!r} is given twice")
    if NODE not in names:
        raise field.error(f'one must have the name "{NODE}"')
    return tuple(levels)


def _level(field: Field, regular: bool) -> Level:
    keys = field.keys((*_LEVEL_KEYS, "count", "names") if regular else _LEVEL_KEYS, required=("name",))
    cost = keys["cost"].keys(COSTS) if "cost" in keys else {}
    name = keys["name"].text()
    if not name:
        raise keys["name"].error("must not be empty")
    return Level(
        name,
        Cost(**{key: cost[key].number() for key in COSTS if key in cost and cost[key].value is not None}),
        keys["link_mb_s"].number() if "link_mb_s" in keys else None,
    )


def _source(field: Field) -> Source:
    names = _names_of(Source)
    keys = field.keys(names, ("kind",))
    return Source(**{name: keys[name].text() for name in names if name in keys})


def _outlier(field: Field) -> Outlier:
    names = _names_of(Outlier)
    keys = field.keys(names, required=[name for name in names if name != "verdict"])
    return Outlier(
        kind=keys["kind"].text(),
        where=keys["where"].text(),
        hosts=tuple(host.name() for host in keys["hosts"].items()),
        what=keys["what"].text(),
        size=keys["size"].whole(0, most=1 << 52),
        value=keys["value"].number(),
        expected=keys["expected"].number(),
        level=keys["level"].text(),
        verdict=keys["verdict"].text() if "verdict" in keys else "",
    )


def _names_of(kind: type) -> tuple[str, ...]:
    return tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]
