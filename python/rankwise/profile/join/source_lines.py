"""From addresses in programs and libraries to functions, files and lines, by their debug information.

Nothing here fails: information that can't be read is unknown, for any damage of the file. And nothing takes
long: after the deadline, addresses remain without files and lines.
"""

from __future__ import annotations

import ctypes
import io
import os
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from rankwise.profile.collect.regular_files import changed_ns, open_regular
from rankwise.profile.join.cplusplus_names import short_name
from rankwise.profile.join.object_file import ObjectFile

MOST_SECONDS = 4.0
"""That all addresses of a profile may take."""

_MOST_BYTES = 256 << 20
"""Of debug information, or of a table of symbols, which are read as a whole."""

_MOST_FILE_BYTES = 8 << 30  # of which only parts are read
_MOST_CHECKED_BYTES = 1 << 30  # which are read as a whole, for their checksum
_CHUNK = 1 << 20

_DEBUG = Path("/usr/lib/debug")
_DWARF = (".debug_", ".zdebug_")
_WITH_LINES = (".debug_info", ".zdebug_info")
_FUNCTION = 2  # STT_FUNC
_INDIRECT = 10  # STT_GNU_IFUNC
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
# What compilers add to the name of a function that they have taken apart, or made a special one of.
_PART = re.compile(r"\.(constprop|isra|part|cold|lto_priv|_omp_fn|llvm)(\.\d+)*")
_IN_MODULE = re.compile(r"__(\w+?)_MOD_(\w+)")  # gfortran
_TROUBLE = (Exception,)  # a damaged file may raise anything in a reader


class Source(NamedTuple):
    """Where an address lies, as far as it is known.

    Attributes:
        function: with its class or module; of code that was inlined the function that it is in.
        file: path, as the compiler was given it; of code that was inlined its own.
        line: in the file, from 1.
    """

    function: str | None = None
    file: str | None = None
    line: int | None = None


UNKNOWN = Source()


class _Line(NamedTuple):
    file: str
    line: int


class _DebugFile(NamedTuple):
    """Where the debug information of a stripped file may be, and the checksum that it must have then."""

    path: Path
    crc: int | None


def sources(
    path: Path, build_id: str, addresses: Sequence[int], deadline: float, before_ns: int
) -> list[Source]:
    """Find out where addresses of a file lie.

    Args:
        path: of the program or library.
        build_id: hexadecimal, '' = it has none. Another file is not asked.
        addresses: as the file counts them.
        deadline: on time.monotonic(); after it, only functions are looked up.
        before_ns: nanoseconds since 1970: a file without a build id that was changed later is not asked.

    Returns:
        for each address its source; all unknown if the file can't be read.
    """
    source_lines = [UNKNOWN] * len(addresses)
    with suppress(*_TROUBLE), ExitStack() as opened:
        file = opened.enter_context(open_regular(path, _MOST_FILE_BYTES))
        elf = ObjectFile(file)
        if elf.build_id() != build_id or (not build_id and changed_ns(file) > before_ns):
            return source_lines
        files = [elf]
        for candidate in _debug_files(elf, path, build_id):
            with suppress(*_TROUBLE):
                debug = opened.enter_context(open_regular(candidate.path, _MOST_FILE_BYTES))
                if build_id or _crc(debug, deadline) == candidate.crc:
                    other = ObjectFile(debug)
                    if other.build_id() == build_id:
                        files.append(other)
                        break
        with suppress(*_TROUBLE):
            files += _minimal(elf)
        names = _functions(files, addresses)
        lines: dict[int, _Line] = {}
        for debug_file in reversed(files):
            with suppress(*_TROUBLE):
                lines = _lines(debug_file, set(addresses) - lines.keys(), deadline) | lines
        for place, address in enumerate(addresses):
            line = lines.get(address)
            source_lines[place] = Source(names.get(address), *(line or (None, None)))
    return source_lines


def _debug_files(elf: ObjectFile, path: Path, build_id: str) -> Iterator[_DebugFile]:
    """Name the places where the debug information of a stripped file may be, as debuggers do."""
    if build_id:
        yield _DebugFile(_DEBUG / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug", None)
    section = elf.section(".gnu_debuglink")
    if section:
        data = elf.data(section)
        name = data.partition(b"\0")[0].decode(errors="replace")
        crc = int.from_bytes(data[-4:], "little")
        folder = path.resolve().parent
        for place in (folder, folder / ".debug", _DEBUG / str(folder).lstrip("/")):
            if (place / name).resolve() != path.resolve():
                yield _DebugFile(place / name, crc)


def _crc(file: BinaryIO, deadline: float) -> int | None:
    """Return the checksum of a whole file; None if that takes too long."""
    if os.fstat(file.fileno()).st_size > _MOST_CHECKED_BYTES:
        return None
    crc = 0
    while chunk := file.read(_CHUNK):
        if time.monotonic() > deadline:
            return None
        crc = zlib.crc32(chunk, crc)
    return crc


def _minimal(elf: ObjectFile) -> Iterator[ObjectFile]:
    """Return the symbols that some distributions pack into stripped files."""
    section = elf.section(".gnu_debugdata")
    if section:
        with suppress(ImportError):  # a Python that was built without it
            import lzma

            yield ObjectFile(io.BytesIO(lzma.decompress(elf.data(section))))


def _functions(files: Iterable[ObjectFile], addresses: Sequence[int]) -> dict[int, str]:
    """Map addresses to the names of the functions that they are in, from the symbol tables."""
    names: dict[int, str] = {}
    for elf in files:
        for table in (".symtab", ".dynsym"):
            with suppress(*_TROUBLE):
                _add_functions(elf, table, addresses, names)
    return names


def _add_functions(elf: ObjectFile, table: str, addresses: Sequence[int], names: dict[int, str]) -> None:
    section = elf.section(table)
    if not section or not 0 < section.bytes <= _MOST_BYTES:
        return
    data = elf.data(section)
    symbols = np.frombuffer(data[: len(data) // _SYMBOL.itemsize * _SYMBOL.itemsize], _SYMBOL)
    kinds = symbols["info"] & 0xF
    symbols = symbols[((kinds == _FUNCTION) | (kinds == _INDIRECT)) & (symbols["section"] != 0)]
    symbols = symbols[np.argsort(symbols["value"], kind="stable")]
    if not len(symbols):
        return
    strings = elf.sections[section.link]
    for address in addresses:
        place = int(np.searchsorted(symbols["value"], np.uint64(address), side="right")) - 1
        if address in names or place < 0:
            continue
        # Of several at one address any has the size.
        same = symbols[symbols["value"] == symbols["value"][place]]
        holding = same[address - int(same["value"][0]) < same["size"]]
        if len(holding):
            names[address] = _readable(elf.string(strings, int(holding["name"][0])))


def _readable(symbol: str) -> str:
    """Turn the name of a symbol into the name in the source."""
    name = _PART.sub("", symbol.partition("@")[0])
    in_module = _IN_MODULE.fullmatch(name)
    if in_module:
        return "::".join(in_module.groups())
    return short_name(_demangled(name)) if name.startswith("_Z") else name


@cache
def _demangle() -> Any:
    try:
        function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
        release = ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    release.argtypes = [ctypes.c_void_p]
    return function, release


def _demangled(name: str) -> str:
    if _demangle() is None:
        return name
    function, release = _demangle()
    status = ctypes.c_int()
    text = function(name.encode(), None, None, ctypes.byref(status))
    if not text:
        return name
    demangled = ctypes.string_at(text).decode(errors="replace")
    release(text)
    return demangled


def _lines(elf: ObjectFile, addresses: set[int], deadline: float) -> dict[int, _Line]:
    """Map addresses to files and lines."""
    if not addresses or not any(section.name in _WITH_LINES for section in elf.sections):
        return {}
    if sum(section.bytes for section in elf.sections if section.name.startswith(_DWARF)) > _MOST_BYTES:
        return {}
    from elftools.elf.elffile import ELFFile  # not above: only debug information needs it

    dwarf = ELFFile(elf.file).get_dwarf_info(relocate_dwarf_sections=False, follow_links=False)
    units: dict[int, Any] = {}
    unresolved: dict[int, list[int]] = {}
    ranges = _announced(dwarf)
    for address in sorted(addresses):
        offset = ranges.cu_offset_at_addr(address) if ranges is not None else None
        if offset is not None:
            units.setdefault(offset, dwarf.get_CU_at(offset))
            unresolved.setdefault(offset, []).append(address)
    missing = addresses.difference(*unresolved.values())
    if missing:
        for unit in dwarf.iter_CUs():
            if time.monotonic() > deadline or not missing:
                break
            mine = [address for address in missing if _covers(dwarf, unit, address)]
            if mine:
                units.setdefault(unit.cu_offset, unit)
                unresolved.setdefault(unit.cu_offset, []).extend(mine)
                missing.difference_update(mine)
    lines: dict[int, _Line] = {}
    for offset, wanted in unresolved.items():
        if time.monotonic() > deadline:
            break
        with suppress(*_TROUBLE):
            lines |= _lines_of_unit(dwarf, units[offset], wanted)
    return lines


def _announced(dwarf: Any) -> Any:
    """Return the table of the units' addresses; None without one."""
    with suppress(*_TROUBLE):
        return dwarf.get_aranges()
    return None


def _covers(dwarf: Any, unit: Any, address: int) -> bool:
    with suppress(*_TROUBLE):
        top = unit.get_top_DIE()
        low = top.attributes.get("DW_AT_low_pc")
        high = top.attributes.get("DW_AT_high_pc")
        if low is not None and high is not None:
            start = _address(dwarf, unit, low)
            end = high.value if high.form == "DW_FORM_addr" else start + high.value
            return bool(start <= address < end)
        ranges = top.attributes.get("DW_AT_ranges")
        if ranges is None:
            return False
        from elftools.dwarf.ranges import BaseAddressEntry

        base = _address(dwarf, unit, low) if low is not None else 0
        for entry in dwarf.range_lists().get_range_list_at_offset(ranges.value, cu=unit):
            if isinstance(entry, BaseAddressEntry):
                base = entry.base_address
                continue
            shift = 0 if getattr(entry, "is_absolute", False) else base
            if entry.begin_offset + shift <= address < entry.end_offset + shift:
                return True
    return False


def _address(dwarf: Any, unit: Any, attribute: Any) -> int:
    if attribute.form.startswith("DW_FORM_addrx"):
        return int(dwarf.get_addr(unit, attribute.raw_value))
    return int(attribute.value)


def _lines_of_unit(dwarf: Any, unit: Any, addresses: Sequence[int]) -> dict[int, _Line]:
    program = dwarf.line_program_for_CU(unit)
    if program is None:
        return {}
    lines: dict[int, _Line] = {}
    before: Any = None
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if before is not None and not before[3]:
            start, file, line, _ = before
            for address in addresses:
                if start <= address < state.address and line:
                    lines[address] = _Line(_file(program, unit, file), line)
        before = (state.address, state.file, state.line, state.end_sequence)
    return lines


def _file(program: Any, unit: Any, number: int) -> str:
    """Return the path of a file of a unit, absolute where the unit's directory is known."""
    header = program.header
    since_5 = header["version"] >= 5
    entry = header["file_entry"][number if since_5 else number - 1]
    name = Path(_text(entry.name))
    folders = [Path(_text(folder)) for folder in header["include_directory"]]
    folder = Path()
    if since_5 or entry.dir_index:
        folder = folders[entry.dir_index if since_5 else entry.dir_index - 1]
    home = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    top = Path(_text(home.value)) if home is not None and isinstance(home.value, bytes) else Path()
    return str(top / folder / name)


def _text(raw: bytes | str) -> str:
    return raw if isinstance(raw, str) else raw.decode(errors="replace")
