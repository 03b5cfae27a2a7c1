"""The contents of a node from hwloc's XML: versions 1, 2 and 3 of the format.

https://www.open-mpi.org/projects/hwloc/doc/: terms and definitions; memory objects; importing XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from rankwise.errors import RankwiseError
from rankwise.topology.sources.safe_xml import parsed

# The kinds that become levels, by hwloc's name. Groups are hwloc's help to keep memory in the tree: left out.
_KINDS = {
    "Package": "package",
    "Socket": "package",  # before 1.11
    "Die": "die",
    "NUMANode": "numa",
    "Core": "core",
    "PU": "pu",
}
_MEMORY = ("NUMANode", "MemCache")
_INSTRUCTIONS = "2"  # cache_type: of no use for messages
_CACHE_DEPTHS = ("1", "2", "3", "4", "5")
_INFINITE = "0xf...f"  # all higher bits are set
_WORD = 32
_WORD_TEXT = re.compile("(0x)?[0-9a-fA-F]{1,8}|")
_DIGITS = 8


@dataclass(frozen=True)
class Part:
    """An object in a node; without children: a processor.

    Attributes:
        kind: name of its level.
        os: the kernel's number, -1 if unknown.
    """

    kind: str
    os: int
    children: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Node:
    """A node: its name ('' if the file has none) and its contents."""

    name: str
    parts: tuple[Part, ...]


def node_of(xml: bytes) -> Node:
    """Return the node that a file of hwloc describes.

    Only processors that are online and allowed are in it, and no part without a processor.

    Raises:
        RankwiseError: it is no such file, or there is no processor in it.
    """
    root = parsed(xml)
    top = root.find("object")
    if root.tag != "topology" or top is None:
        raise RankwiseError("is not XML of hwloc: it has no <topology> with an <object>")
    for element in root.iter("object"):
        _bits(element.get("cpuset"))  # unused, but a file in which it can't be read is damaged
    allowed = _bits(top.get("allowed_cpuset")) & _bits(top.get("online_cpuset"))
    parts = tuple(part for child in top.findall("object") for part in _parts(child, allowed))
    processors = [part.os for part in _processors(parts)]
    if not processors:
        raise RankwiseError("holds no processor that may be used")
    if len(set(processors)) < len(processors):
        raise RankwiseError("lists a processor twice")
    names = [info.get("value", "") for info in top.findall("info") if info.get("name") == "HostName"]
    return Node(names[0] if names else "", parts)


def _parts(element: Element, allowed: int) -> tuple[Part, ...]:
    """Return the part for an element, or the parts inside it if its kind is not used here."""
    kind, os = _kind(element), _number(element, "os_index")
    if kind == "pu":
        usable = os >= 0 and allowed >> os & 1
        return (Part(kind, os),) if usable else ()
    inside = tuple(part for child in element.findall("object") for part in _parts(child, allowed))
    if not inside:
        return ()
    memory = _memory(element)
    if memory is not None and not any(part.kind == "numa" for part in _all(inside)):
        inside = (Part("numa", _number(memory, "os_index"), inside),)
    return (Part(kind, os, inside),) if kind else inside


def _kind(element: Element) -> str:
    name = element.get("type", "")
    depth = element.get("depth", "")
    is_cache = name == "Cache" or (name.startswith("L") and name.endswith("Cache"))
    if is_cache and element.get("cache_type") != _INSTRUCTIONS and depth in _CACHE_DEPTHS:
        return f"l{depth}"
    return _KINDS.get(name, "")


def _memory(element: Element) -> Element | None:
    """Return the memory of exactly this element, as version 2 has it: a child without processors."""
    for child in element.findall("object"):
        if child.get("type") in _MEMORY and child.find(".//object[@type='PU']") is None:
            return child if child.get("type") == "NUMANode" else child.find(".//object[@type='NUMANode']")
    return None


def _all(parts: tuple[Part, ...]) -> Iterator[Part]:
    for part in parts:
        yield part
        yield from _all(part.children)


def _processors(parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in _all(parts) if part.kind == "pu"]


def _number(element: Element, key: str) -> int:
    """Return a number of the kernel's, -1 without one."""
    text = element.get(key, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else -1


def _bits(text: str | None) -> int:
    """Return a set that hwloc wrote: words of 32 bits, the highest first; all bits without a set."""
    if text is None:
        return -1
    infinite = text.startswith(_INFINITE)
    mask = -1 if infinite else 0
    for word in text.removeprefix(_INFINITE).lstrip(",").split(",") if text != _INFINITE else []:
        if not _WORD_TEXT.fullmatch(word):
            raise RankwiseError(f"has a set of processors that can't be read: {text[:40]!r}")
        mask = mask << _WORD | int(word or "0", 16)
    return mask
