"""XML from outside, without what can hurt: entities, files that it refers to, and endless nesting."""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from rankwise.errors import RankwiseError

_DEEPEST = 200
_LARGEST = 256 << 20


def parsed(text: bytes) -> Element:
    """Return the root element.

    A DOCTYPE may name a DTD, as hwloc's files do; it is not looked at.

    Raises:
        RankwiseError: it is no XML, declares entities, or is too large or nested too deeply.
    """
    if len(text) > _LARGEST:
        raise RankwiseError(f"is larger than {_LARGEST >> 20} MiB")
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise RankwiseError(f"nests elements more than {_DEEPEST} deep")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def doctype(_name: str, _system: str | None, _public: str | None, internal: int) -> None:
        if internal:
            _refuse()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = _refuse
    parser.buffer_text = True
    try:
        parser.Parse(text, True)
        return builder.close()
    except expat.ExpatError as error:
        raise RankwiseError(f"is no XML: {error}") from error


def _refuse(*_: object) -> NoReturn:
    raise RankwiseError("has a DOCTYPE with declarations of its own, which hwloc does not write")
