"""What a program or library says of itself in its sections: symbols, its build id, whether it has lines.

RATIONALE: most programs are built without debug information. pyelftools, which reads that, takes longer to
load than a small job's counters take to be read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

_IDENTIFICATION = b"\x7fELF\x02\x01"  # 64 bits, little-endian: all that the runtime is built for
_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NOTE = struct.Struct("<III")
_PT_NOTE, _SHT_NOBITS = 4, 8
_SHF_COMPRESSED = 0x800
_NT_GNU_BUILD_ID = 3
_GNU = b"GNU\0"
_NAME_BYTES = 4096  # read at once
_MOST_NAME_BYTES = 1 << 16
_MOST_NOTE_BYTES = 1 << 20


class Section(NamedTuple):
    """Where a section lies.

    Attributes:
        name: such as `.symtab`.
        offset: in the file.
        bytes: 0 = the file has nothing of it.
        link: number of the section that this one refers to, such as the names of symbols.
        compressed: whether the file has it compressed.
    """

    name: str
    offset: int
    bytes: int
    link: int
    compressed: bool


class ObjectFile:
    """An ELF file that is open.

    Attributes:
        file: its contents.
        sections: in their order.

    Raises:
        Exception: of any kind, from any method: it is damaged.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        header = self._read(0, _HEADER.size)
        if not header.startswith(_IDENTIFICATION):
            raise ValueError("no ELF file of this kind of machine")
        members = _HEADER.unpack(header)
        _, _, _, _, self._segments_at, self._sections_at, *_ = members
        self._segment_count, _, self._section_count, self._names = members[9:13]
        self.sections = self._find_sections()

    def section(self, name: str) -> Section | None:
        """Return the last section of a name."""
        return next((section for section in reversed(self.sections) if section.name == name), None)

    def data(self, section: Section) -> bytes:
        """Read a section."""
        if section.compressed:
            raise ValueError(f"{section.name} is compressed")
        return self._read(section.offset, section.bytes)

    def string(self, section: Section, at: int) -> str:
        """Return the string that begins somewhere in a section."""
        self.file.seek(section.offset + at)
        text = b""
        while b"\0" not in text and len(text) < _MOST_NAME_BYTES and (more := self.file.read(_NAME_BYTES)):
            text += more
        return text.partition(b"\0")[0].decode(errors="replace")

    def build_id(self) -> str:
        """Return the build id in hexadecimal; '' without one."""
        for place in range(self._segment_count):
            kind, _, offset, _, _, size, _, _ = _SEGMENT.unpack(
                self._read(self._segments_at + place * _SEGMENT.size, _SEGMENT.size)
            )
            if kind != _PT_NOTE or size > _MOST_NOTE_BYTES:
                continue
            for name, number, text in _notes(self._read(offset, size)):
                if number == _NT_GNU_BUILD_ID and name == _GNU:
                    return text.hex()
        return ""

    def _find_sections(self) -> list[Section]:
        if not self._sections_at:
            return []
        count, names = self._section_count, self._names
        first = _SECTION.unpack(self._read(self._sections_at, _SECTION.size))
        if not count:  # more than 16 bits can say: the first section says it
            count, names = first[5], first[6]
        headers = list(_SECTION.iter_unpack(self._read(self._sections_at, count * _SECTION.size)))
        texts = self._read(headers[names][4], headers[names][5])
        return [
            Section(
                texts[name : texts.index(b"\0", name)].decode(errors="replace"),
                offset,
                0 if kind == _SHT_NOBITS else size,
                link,
                bool(flags & _SHF_COMPRESSED),
            )
            for name, kind, flags, _, offset, size, link, *_ in headers
        ]

    def _read(self, offset: int, size: int) -> bytes:
        self.file.seek(offset)
        return self.file.read(size)


def _notes(data: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield name, number and contents of each note."""
    at = 0
    while at + _NOTE.size <= len(data):
        name_bytes, text_bytes, number = _NOTE.unpack_from(data, at)
        name_at = at + _NOTE.size
        text_at = name_at + _whole_words(name_bytes)
        yield data[name_at : name_at + name_bytes], number, data[text_at : text_at + text_bytes]
        at = text_at + _whole_words(text_bytes)


def _whole_words(size: int) -> int:
    return (size + 3) & ~3
