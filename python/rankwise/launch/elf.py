"""What an ELF file says of itself, and which shared objects the loader would bring in, without running it.

Source of the search order: ld.so(8), "DESCRIPTION".
"""

from __future__ import annotations

import mmap
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

_DEFAULT_DIRECTORIES = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


@dataclass(frozen=True)
class Image:
    """The dynamic section of one ELF file."""

    path: Path
    machine: str  # processor and word length: objects of another machine are passed over, as ld.so does
    dynamic: bool  # loaded by ld.so; otherwise statically linked, and LD_PRELOAD has no effect
    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tree:
    """A program and all that the loader brings in for it, breadth first, and what it would not find."""

    images: tuple[Image, ...]
    missing: tuple[str, ...]


def is_elf(path: Path) -> bool:
    """Whether the file starts as ELF files do; False for what can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def read(path: Path) -> Image | None:
    """Read one file's dynamic section; None if it is no (readable, sound) ELF file."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            machine = f"{elf['e_machine']}-{elf.elfclass}"
            segment = _dynamic_segment(elf)
            if segment is None:
                return Image(path, machine, dynamic=False)
            tags: dict[str, list[str]] = {"needed": [], "rpath": [], "runpath": []}
            for tag in segment.iter_tags():
                if tag.entry.d_tag in ("DT_NEEDED", "DT_RPATH", "DT_RUNPATH"):
                    key = tag.entry.d_tag[3:].lower()
                    tags[key].append(getattr(tag, key))
            # A static position-independent program has a dynamic section too, but asks for no loader.
            interpreted = any(s["p_type"] == "PT_INTERP" for s in elf.iter_segments())
            return Image(
                path,
                machine,
                dynamic=interpreted or bool(tags["needed"]) or ".so" in path.name,
                needed=tuple(tags["needed"]),
                rpath=_directories(tags["rpath"], path),
                runpath=_directories(tags["runpath"], path),
            )
    except (OSError, ELFError, UnicodeDecodeError):
        return None


def imported_symbols(path: Path) -> frozenset[str]:
    """Names that the file wants from other objects (undefined in its dynamic symbol table)."""
    return frozenset(name for name, defined in _dynamic_symbols(path) if not defined)


def defined_symbols(path: Path) -> frozenset[str]:
    """Names that the file itself defines, dynamic or not; of a stripped static program: none."""
    names = {name for name, defined in _dynamic_symbols(path) if defined}
    try:
        with path.open("rb") as file:
            table = ELFFile(file).get_section_by_name(".symtab")
            if isinstance(table, SymbolTableSection):
                names.update(s.name for s in table.iter_symbols() if s["st_shndx"] != "SHN_UNDEF")
    except (OSError, ELFError, UnicodeDecodeError):
        pass
    return frozenset(names)


def mentions(path: Path, name: str) -> bool:
    """Whether the name stands in one of the file's string tables: quick, also for libraries of many MB.

    Linkers store a name that ends like another one inside it, so a longer name answers for it, too.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(f"{name}\0".encode()) >= 0
    except (OSError, ValueError):
        return False


def _dynamic_symbols(path: Path) -> Iterator[tuple[str, bool]]:
    """Names in the dynamic symbol table, and whether they are defined there."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            section = elf.get_section_by_name(".dynsym")
            # The section is far quicker to read; without section headers the segment has the same symbols.
            table = section if isinstance(section, SymbolTableSection) else _dynamic_segment(elf)
            for symbol in table.iter_symbols() if table else ():
                yield symbol.name, symbol["st_shndx"] != "SHN_UNDEF"
    except (OSError, ELFError, UnicodeDecodeError):
        return


def _dynamic_segment(elf: ELFFile) -> DynamicSegment | None:
    return next((s for s in elf.iter_segments() if isinstance(s, DynamicSegment)), None)


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


class Loader:
    """Finds shared objects as ld.so would in the given environment, on this machine.

    Args:
        environment: whose LD_LIBRARY_PATH counts.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._library_path = [d for d in re.split("[:;]", environment.get("LD_LIBRARY_PATH", "")) if d]

    @cached_property
    def _cache(self) -> dict[str, list[str]]:
        """What ldconfig knows: soname -> paths, for all word lengths."""
        path = os.pathsep.join((os.environ.get("PATH", ""), "/sbin", "/usr/sbin"))
        tool = shutil.which("ldconfig", path=path)
        known: dict[str, list[str]] = {}
        if tool:
            listing = subprocess.run([tool, "-p"], capture_output=True, text=True, check=False).stdout
            for name, library in re.findall(r"^\s+(\S+) \(.*=> (\S+)$", listing, re.MULTILINE):
                known.setdefault(name, []).append(library)
        return known

    def find(self, name: str, owner: Image, inherited_rpath: tuple[str, ...] = ()) -> Image | None:
        """Find the object that `owner` gets for one of its `needed` names.

        Args:
            name: as in DT_NEEDED.
            owner: the object that needs it.
            inherited_rpath: DT_RPATH of those that brought `owner` in (DT_RUNPATH is not inherited).
        """
        for candidate in self._candidates(name, owner, inherited_rpath):
            image = read(Path(candidate)) if is_elf(Path(candidate)) else None
            if image and image.machine == owner.machine:
                return image
        return None

    def _candidates(self, name: str, owner: Image, inherited_rpath: tuple[str, ...]) -> Iterator[str]:
        if "/" in name:
            yield name
            return
        first = () if owner.runpath else (*owner.rpath, *inherited_rpath)
        for directory in (*first, *self._library_path, *owner.runpath):
            yield f"{directory}/{name}"
        yield from self._cache.get(name, ())
        for directory in _DEFAULT_DIRECTORIES:
            yield f"{directory}/{name}"

    def tree(self, program: Image, leaf: re.Pattern[str] | None = None) -> Tree:
        """Everything that comes with `program`.

        Args:
            program: where to start.
            leaf: sonames below which nobody is interested (saves the reading of hundreds of files).
        """
        images = [program]
        missing: list[str] = []
        seen = {program.path.name}
        queue: list[tuple[Image, tuple[str, ...]]] = [(program, ())]
        for owner, inherited in queue:  # grows while it is walked
            if leaf and leaf.match(owner.path.name):
                continue
            for name in owner.needed:
                if name in seen:
                    continue
                seen.add(name)
                found = self.find(name, owner, inherited)
                if found is None:
                    missing.append(name)
                    continue
                images.append(found)
                queue.append((found, (*owner.rpath, *inherited)))
        return Tree(tuple(images), tuple(missing))
