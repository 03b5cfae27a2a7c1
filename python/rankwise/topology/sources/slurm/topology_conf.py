"""Slurm's topology.conf: switches of topology/tree, blocks of topology/block, rings of topology/ring.

The output of `scontrol show topology` is nearly the same: it has more keys, and switches list all nodes
below.

https://slurm.schedmd.com/topology.conf.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import hosts_of
from rankwise.topology.sources.slurm.groups import NO_TORUS, Group, Network, nested_blocks, with_block_sizes
from rankwise.topology.sources.slurm.text import text_of

_MOST_INCLUDES = 16
_SWITCH = ("switchname", "switches", "nodes", "linkspeed", "level")  # LinkSpeed is in no unit: it isn't used
_BLOCK = ("blockname", "nodes", "blockindex", "blocksize")
_RING = ("ringname", "nodes", "ringsize")
_FORMS = {"switchname": _SWITCH, "blockname": _BLOCK, "ringname": _RING}
_JOINED_BLOCKS = "aggregatedblock"  # scontrol's
_TORUS = "torusname"

Line = tuple[str, str]  # its place, and its text


def read_conf(path: Path) -> Network:
    """Read the file and its includes; RankwiseError names the line."""
    groups: dict[str, list[Group]] = {name: [] for name in _FORMS}
    sizes: list[int] = []
    larger: list[Group] = []
    for where, text in _lines(path, ()):
        keys = _keys(where, text)
        form = next((name for name in _FORMS if name in keys), None)
        if form:
            groups[form].append(_group(where, keys, form, _FORMS[form]))
        elif keys.keys() == {"blocksizes"}:
            sizes = _sizes(where, keys["blocksizes"])
        elif _JOINED_BLOCKS in keys:
            larger.append(Group(keys[_JOINED_BLOCKS], _hosts(where, keys, _JOINED_BLOCKS), (), where))
        elif _TORUS in keys:
            raise RankwiseError(f"{where}: {NO_TORUS}")
        else:
            raise RankwiseError(
                f"{where}: a line must have SwitchName=, BlockName=, RingName= or BlockSizes="
            )
    keywords = [name for name, some in groups.items() if some]
    if len(keywords) > 1:
        raise RankwiseError(f"{path}: has more than one of switches, blocks and rings")
    if not keywords:
        raise RankwiseError(f"{path}: defines no switch, block or ring")
    chosen = groups[keywords[0]]
    if keywords != ["blockname"]:
        return Network(keywords[0].removesuffix("name"), tuple(chosen))
    try:
        return nested_blocks(chosen, larger) if larger else with_block_sizes(chosen, sizes)
    except RankwiseError as error:
        raise RankwiseError(f"{path}: {error}") from error


def _lines(path: Path, around: tuple[Path, ...]) -> Iterator[Line]:
    if path in around or len(around) > _MOST_INCLUDES:
        raise RankwiseError(f"{path}: is included by itself")
    whole = ""
    for number, line in enumerate(text_of(path).splitlines(), 1):
        whole += re.sub(r"(?<!\\)#.*", "", line).rstrip()
        if whole.endswith("\\"):
            whole = whole[:-1]  # (the next part may continue in the middle of a list)
            continue
        words = whole.split()
        whole = ""
        if len(words) == 2 and words[0].lower() == "include":
            yield from _lines(path.parent / words[1], (*around, path))
        elif words:
            yield f"{path}: line {number}", " ".join(words)


def _keys(where: str, text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise RankwiseError(
                f"{where}: {word!r} is not of the form Key=value, as in Slurm's topology.conf"
            )
        if key.lower() in pairs:
            raise RankwiseError(f"{where}: {key} is given twice")
        pairs[key.lower()] = value
    return pairs


def _group(where: str, keys: dict[str, str], name: str, allowed: tuple[str, ...]) -> Group:
    unknown = next((key for key in keys if key not in allowed), None)
    if unknown is not None:
        raise RankwiseError(f"{where}: unknown key {unknown!r} beside {name}")
    switches, nodes = _hosts(where, keys, "switches"), _hosts(where, keys, "nodes")
    if "level" in keys and switches:  # scontrol's: the nodes are those of the switches below
        nodes = ()
    return Group(keys[name], switches, nodes, where)


def _hosts(where: str, keys: dict[str, str], key: str) -> tuple[str, ...]:
    try:
        return tuple(hosts_of(keys[key])) if key in keys else ()
    except RankwiseError as error:
        raise RankwiseError(f"{where}: {error}") from error


def _sizes(where: str, text: str) -> list[int]:
    words = text.split(",")
    if not all(re.fullmatch(r"\d{1,8}", word) for word in words):
        raise RankwiseError(f"{where}: BlockSizes must be numbers, not {text!r}")
    return [int(word) for word in words]
