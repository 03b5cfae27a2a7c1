"""XML from untrusted sources, without its dangers: entities, external files, and endless nesting."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from rankwise.errors import RankwiseError
from rankwise.text.units import byte_text

_DEEPEST = 200
_LARGEST = 256 << 20


def parsed(text: bytes) -> Element:
    """Return the root element.

    A DOCTYPE may name a DTD, as hwloc's files do; it is not read.

    Raises:
        RankwiseError: it is no XML, declares entities, or is too large or nested too deeply.
    """
    if len(text) > _LARGEST:
        raise RankwiseError(f"is larger than {byte_text(_LARGEST)}")
    builder = TreeBuilder()
    walked(
        text,
        lambda tag, attributes, _: builder.start(tag, attributes),
        lambda tag, _text, _: builder.end(tag),
    )
    return builder.close()


def walked(
    text: bytes,
    start: Callable[[str, dict[str, str], int], object],
    end: Callable[[str, str, int], object],
) -> None:
    """Report each element in turn, so that a large file need not be kept in memory.

    Args:
        text: of the file.
        start: is called with tag, attributes and line.
        end: with tag, the text behind the last element in it, or all its text without one, and the line.

    Raises:
        RankwiseError: it is no XML, declares entities, or is nested too deeply; callbacks may raise it, too.
    """
    parser = expat.ParserCreate()
    depth = 0
    said: list[str] = []

    def started(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise RankwiseError(f"nests elements more than {_DEEPEST} deep")
        said.clear()
        start(tag, attributes, parser.CurrentLineNumber)

    def ended(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(tag, "".join(said).strip(), parser.CurrentLineNumber)
        said.clear()

    def doctype(_name: str, _system: str | None, _public: str | None, internal: int) -> None:
        if internal:
            _refuse()

    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    parser.CharacterDataHandler = said.append
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = _refuse
    parser.buffer_text = True
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise RankwiseError(f"is not XML: {error}") from error


def _refuse(*_: object) -> NoReturn:
    raise RankwiseError("has a DOCTYPE with declarations of its own")
