"""Slurm's topology.conf: switches of the plugin topology/tree, or blocks of topology/block.

https://slurm.schedmd.com/topology.conf.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import hosts_of
from rankwise.topology.sources.slurm.groups import Group, Network, with_block_sizes

_MOST_INCLUDES = 16
_SWITCH = ("switchname", "switches", "nodes", "linkspeed")  # LinkSpeed is in no unit: it can't be used
_BLOCK = ("blockname", "nodes")

Line = tuple[str, str]  # where it is, and what it says


def read_conf(path: Path) -> Network:
    """Read the file and what it includes; RankwiseError names the line."""
    switches: list[Group] = []
    blocks: list[Group] = []
    sizes: list[int] = []
    for where, text in _lines(path, ()):
        keys = _keys(where, text)
        if "switchname" in keys:
            switches.append(_group(where, keys, "switchname", _SWITCH))
        elif "blockname" in keys:
            blocks.append(_group(where, keys, "blockname", _BLOCK))
        elif keys.keys() == {"blocksizes"}:
            sizes = _sizes(where, keys["blocksizes"])
        else:
            raise RankwiseError(f"{where}: a line must have SwitchName=, BlockName= or BlockSizes=")
    if switches and blocks:
        raise RankwiseError(f"{path}: has both switches and blocks")
    if not switches and not blocks:
        raise RankwiseError(f"{path}: defines neither a switch nor a block")
    if switches:
        return Network("switch", tuple(switches))
    try:
        return with_block_sizes(blocks, sizes)
    except RankwiseError as error:
        raise RankwiseError(f"{path}: {error}") from error


def _lines(path: Path, around: tuple[Path, ...]) -> Iterator[Line]:
    if path in around or len(around) > _MOST_INCLUDES:
        raise RankwiseError(f"{path}: is included by itself")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise RankwiseError(f"cannot read {path}: {reason}") from error
    whole = ""
    for number, line in enumerate(text.splitlines(), 1):
        whole += re.sub(r"(?<!\\)#.*", "", line).rstrip()
        if whole.endswith("\\"):
            whole = whole[:-1]  # (what comes next may go on in the middle of a list)
            continue
        words = whole.split()
        whole = ""
        if len(words) == 2 and words[0].lower() == "include":
            yield from _lines(path.parent / words[1], (*around, path))
        elif words:
            yield f"{path}: line {number}", " ".join(words)


def _keys(where: str, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise RankwiseError(
                f"{where}: {word!r} is not of the form Key=value, as in Slurm's topology.conf"
            )
        if key.lower() in found:
            raise RankwiseError(f"{where}: {key} is there twice")
        found[key.lower()] = value
    return found


def _group(where: str, keys: dict[str, str], name: str, allowed: tuple[str, ...]) -> Group:
    unknown = next((key for key in keys if key not in allowed), None)
    if unknown is not None:
        raise RankwiseError(f"{where}: unknown key {unknown!r} beside {name}")
    return Group(keys[name], _hosts(where, keys, "switches"), _hosts(where, keys, "nodes"), where)


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
