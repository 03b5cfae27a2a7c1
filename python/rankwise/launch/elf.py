"""What an ELF file says of itself: what it needs, what it imports, what it defines.

Sources: elf(5); "Linux Standard Base Core", "Additional Special Sections" (DT_GNU_HASH).

RATIONALE: every `rankwise run` waits for this. A general ELF library takes longer to load than the command
may take before the launch, and looks at symbols one by one. Programs have up to 50,000.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

_MAGIC = b"\x7fELF"
_IDENTIFICATION_BYTES = 16
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_SHT_SYMTAB, _SHT_DYNSYM = 2, 11
_DT_NULL, _DT_NEEDED, _DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_RPATH, _DT_RUNPATH = 0, 1, 4, 5, 6, 15, 29
_DT_GNU_HASH = 0x6FFFFEF5
_SHN_UNDEF = 0


class Image(NamedTuple):
    """The dynamic section of one ELF file."""

    path: Path
    machine: str  # processor, word length, byte order: ld.so passes over objects of another machine
    dynamic: bool  # loaded by ld.so; otherwise statically linked, and LD_PRELOAD has no effect
    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()


def is_elf(path: Path) -> bool:
    """Whether the file starts as ELF files do; False for what can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read(path: Path) -> Image | None:
    """Read one file's dynamic section; None if it is no (readable, sound) ELF file."""
    try:
        with _File(path) as elf:
            tags = elf.dynamic()
            if tags is None:
                return Image(path, elf.machine, dynamic=False)
            needed, rpath, runpath = (
                [elf.string(tags[_DT_STRTAB][0], at) for at in tags.get(tag, ())]
                for tag in (_DT_NEEDED, _DT_RPATH, _DT_RUNPATH)
            )
            # A static position-independent program has a dynamic section too, but asks for no loader.
            interpreted = any(segment.type == _PT_INTERP for segment in elf.segments)
            return Image(
                path,
                elf.machine,
                dynamic=interpreted or bool(needed) or ".so" in path.name,
                needed=tuple(needed),
                rpath=_directories(rpath, path),
                runpath=_directories(runpath, path),
            )
    except _UNREADABLE:
        return None


def imported_symbols(path: Path) -> frozenset[str]:
    """Names that the file wants from other objects (undefined in its dynamic symbol table)."""
    try:
        with _File(path) as elf:
            table = elf.dynamic_symbols()
            if table is None:
                return frozenset()
            return frozenset(table.name(at) for at, section in table.entries() if section == _SHN_UNDEF)
    except _UNREADABLE:
        return frozenset()


def defined_symbols(path: Path, wanted: Collection[str]) -> frozenset[str]:
    """Which of these names the file itself defines, dynamic or not; of a stripped static program: none."""
    defined: set[str] = set()
    try:
        with _File(path) as elf:
            for table in (elf.dynamic_symbols(), elf.symbols(_SHT_SYMTAB)):
                if table is not None:
                    defined |= table.defined(wanted)
    except _UNREADABLE:
        pass
    return frozenset(defined)


def mentions(path: Path, name: str) -> bool:
    """Whether the name stands in one of the file's string tables: quick, also for libraries of many MB.

    Linkers store a name that ends like another one inside it, so a longer name answers for it, too.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(f"{name}\0".encode()) >= 0
    except (OSError, ValueError):
        return False


_UNREADABLE = (OSError, ValueError, LookupError, struct.error)  # ValueError: an empty file, or no UTF-8


class _Segment(NamedTuple):
    type: int
    offset: int
    address: int
    bytes: int


class _Symbols(NamedTuple):
    """A symbol table: where it and its strings lie in the file."""

    content: mmap.mmap
    entry: struct.Struct
    name_and_section: tuple[int, int]  # which members of an entry they are
    start: int
    end: int
    strings: int
    strings_end: int

    def entries(self) -> Iterator[tuple[int, int]]:
        """Yield for each symbol where its name begins in the strings, and the section that it lies in."""
        name, section = self.name_and_section
        for members in self.entry.iter_unpack(self.content[self.start : self.end]):
            yield members[name], members[section]

    def name(self, at: int) -> str:
        return _string(self.content, self.strings + at, self.strings_end)

    def defined(self, wanted: Collection[str]) -> set[str]:
        places = {at: name for name in wanted for at in self._offsets(name)}
        # (Looking for them first saves the walk over all symbols.)
        if not places:
            return set()
        return {places[at] for at, section in self.entries() if at in places and section != _SHN_UNDEF}

    def _offsets(self, name: str) -> Iterator[int]:
        """Yield where the name stands in the strings, also as the end of a longer one."""
        text = f"{name}\0".encode()
        place = self.content.find(text, self.strings, self.strings_end)
        while place >= 0:
            yield place - self.strings
            place = self.content.find(text, place + 1, self.strings_end)


class _File:
    """An ELF file.

    Raises:
        OSError, ValueError, LookupError, struct.error: it can't be read, or it is no sound ELF file.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            self._read_header()
        except BaseException:
            self._content.close()
            raise

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        self._content.close()

    def _read_header(self) -> None:
        identification = self._content[:_IDENTIFICATION_BYTES]
        if identification[: len(_MAGIC)] != _MAGIC:
            raise ValueError("no ELF file")
        self._wide = {1: False, 2: True}[identification[4]]
        self._order = {1: "<", 2: ">"}[identification[5]]
        header = self._struct("HHIQQQIHHHHHH" if self._wide else "HHIIIIIHHHHHH")
        (
            _,
            machine,
            _,
            _,
            segments_at,
            self._sections_at,
            _,
            _,
            segment_bytes,
            count,
            _,
            self._section_count,
            _,
        ) = header.unpack_from(self._content, _IDENTIFICATION_BYTES)
        self.machine = f"{machine}-{64 if self._wide else 32}{self._order}"
        self.segments = [self._segment(segments_at + i * segment_bytes) for i in range(count)]

    def _struct(self, members: str) -> struct.Struct:
        return struct.Struct(self._order + members)

    def _segment(self, at: int) -> _Segment:
        if self._wide:
            kind, _, offset, address, _, size, _, _ = self._struct("IIQQQQQQ").unpack_from(self._content, at)
        else:
            kind, offset, address, _, size, _, _, _ = self._struct("8I").unpack_from(self._content, at)
        return _Segment(kind, offset, address, size)

    def _offset(self, address: int) -> int:
        """Return where in the file that lies which is loaded at an address."""
        for segment in self.segments:
            if segment.type == _PT_LOAD and segment.address <= address < segment.address + segment.bytes:
                return segment.offset + address - segment.address
        raise ValueError("an address that nothing is loaded at")

    def dynamic(self) -> dict[int, list[int]] | None:
        """Return the values of each tag of the dynamic section; None without one."""
        segment = next((s for s in self.segments if s.type == _PT_DYNAMIC), None)
        if segment is None:
            return None
        entry = self._struct("qQ" if self._wide else "iI")
        whole = segment.bytes - segment.bytes % entry.size
        tags: dict[int, list[int]] = {}
        for tag, value in entry.iter_unpack(self._content[segment.offset : segment.offset + whole]):
            if tag == _DT_NULL:
                break
            tags.setdefault(tag & 0xFFFFFFFF, []).append(value)
        return tags

    def string(self, table: int, at: int) -> str:
        """Return a string of the table that is loaded at an address."""
        return _string(self._content, self._offset(table) + at, len(self._content))

    def dynamic_symbols(self) -> _Symbols | None:
        """Return the dynamic symbol table; None without one."""
        return self.symbols(_SHT_DYNSYM) or self._symbols_without_sections()

    def symbols(self, kind: int) -> _Symbols | None:
        """Return the first symbol table of a kind (SHT_SYMTAB, SHT_DYNSYM) that the section headers name."""
        header = self._struct("IIQQQQIIQQ" if self._wide else "10I")
        sections = [
            header.unpack_from(self._content, self._sections_at + i * header.size)
            for i in range(self._section_count if self._sections_at else 0)
        ]
        for _, section_kind, _, _, offset, size, strings, _, _, _ in sections:
            if section_kind == kind and strings < len(sections):
                names, names_bytes = sections[strings][4:6]
                return self._symbols(offset, size // self._symbol.size, names, names + names_bytes)
        return None

    def _symbols_without_sections(self) -> _Symbols | None:
        """Return the table as the loader sees it: its hash tables give the number of symbols."""
        tags = self.dynamic() or {}
        if _DT_SYMTAB not in tags or _DT_STRTAB not in tags:
            return None
        if _DT_HASH in tags:
            _, count = self._struct("II").unpack_from(self._content, self._offset(tags[_DT_HASH][0]))
        elif _DT_GNU_HASH in tags:
            count = self._count_by_gnu_hash(self._offset(tags[_DT_GNU_HASH][0]))
        else:
            return None
        strings = self._offset(tags[_DT_STRTAB][0])
        return self._symbols(self._offset(tags[_DT_SYMTAB][0]), count, strings, len(self._content))

    def _count_by_gnu_hash(self, table: int) -> int:
        number = self._struct("I")
        buckets, first, words, _ = self._struct("4I").unpack_from(self._content, table)
        buckets_at = table + 16 + words * (8 if self._wide else 4)
        chains_at = buckets_at + buckets * number.size
        last = max(self._struct(f"{buckets}I").unpack_from(self._content, buckets_at), default=0)
        if last < first:
            return int(first)
        # A chain ends with an odd value.
        while not number.unpack_from(self._content, chains_at + (last - first) * number.size)[0] & 1:
            last += 1
        return int(last) + 1

    @property
    def _symbol(self) -> struct.Struct:
        return self._struct("IBBHQQ" if self._wide else "IIIBBH")

    def _symbols(self, start: int, count: int, strings: int, strings_end: int) -> _Symbols:
        entry = self._symbol
        whole = min(count, (len(self._content) - start) // entry.size)
        members = (0, 3) if self._wide else (0, 5)
        return _Symbols(
            self._content, entry, members, start, start + whole * entry.size, strings, strings_end
        )


def _string(content: mmap.mmap, begin: int, end: int) -> str:
    zero = content.find(b"\0", begin, end)
    if zero < 0:
        raise ValueError("a string without an end")
    return content[begin:zero].decode()


def _directories(paths: list[str], owner: Path) -> tuple[str, ...]:
    """Split DT_RPATH or DT_RUNPATH and put the owner's directory in place of $ORIGIN."""
    origin = str(owner.resolve().parent)
    expanded: list[str] = []
    for directory in ":".join(paths).split(":"):
        if directory:
            directory = re.sub(r"\$(ORIGIN\b|\{ORIGIN\})", lambda _: origin, directory)
            # $LIB is the system's word for its library directory: one of these.
            libs = ("lib64", "lib") if "LIB" in directory else ("",)
            expanded += [re.sub(r"\$(LIB\b|\{LIB\})", lib, directory) for lib in libs]
    return tuple(expanded)
