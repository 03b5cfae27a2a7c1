"""Which shared objects ld.so would bring in for a program, without running it.

Source of the search order: ld.so(8), "DESCRIPTION"; of the cache's layout: glibc's `dl-cache.h`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from rankwise.launch.elf import Image, is_elf, read

_DEFAULT_DIRECTORIES = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_CACHE = Path("/etc/ld.so.cache")
_CACHE_MAGIC = b"glibc-ld.so.cache1.1"
_CACHE_HEADER = struct.Struct("=20sII20x")  # magic, entries, bytes of their strings
_CACHE_ENTRY = struct.Struct("=iIIIQ")  # flags, offset of the soname, offset of the path, -, -


class Tree(NamedTuple):
    """A program and all that the loader brings in for it, breadth first, and what it would not find."""

    images: tuple[Image, ...]
    missing: tuple[str, ...]


class Loader:
    """Finds shared objects as ld.so would in the given environment, on this machine.

    Args:
        environment: whose LD_LIBRARY_PATH counts.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._library_path = [d for d in re.split("[:;]", environment.get("LD_LIBRARY_PATH", "")) if d]

    @cached_property
    def _cache(self) -> dict[str, list[str]]:
        return read_cache(_CACHE)

    def find(self, name: str, owner: Image, inherited_rpath: tuple[str, ...] = ()) -> Image | None:
        """Find the object that `owner` loads for a name in its `needed` list.

        Args:
            name: as in DT_NEEDED.
            owner: the object that needs it.
            inherited_rpath: DT_RPATH of the objects that brought `owner` in (DT_RUNPATH is not inherited).
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
            leaf: sonames whose dependencies are skipped (saves reading hundreds of files).
        """
        images = [program]
        missing: list[str] = []
        names_so_far = {program.path.name}
        queue: list[tuple[Image, tuple[str, ...]]] = [(program, ())]
        for owner, inherited in queue:  # grows while it is walked
            if leaf and leaf.match(owner.path.name):
                continue
            for name in owner.needed:
                if name in names_so_far:
                    continue
                names_so_far.add(name)
                image = self.find(name, owner, inherited)
                if image is None:
                    missing.append(name)
                    continue
                images.append(image)
                queue.append((image, (*owner.rpath, *inherited)))
        return Tree(tuple(images), tuple(missing))


def read_cache(path: Path) -> dict[str, list[str]]:
    """Read what ldconfig knows: soname -> paths, for all word lengths; {} without a cache of a known layout.

    (glibc before 2.32 may write an older table in front of this one.)
    """
    try:
        content = path.read_bytes()
        start = content.index(_CACHE_MAGIC)
        _, count, _ = _CACHE_HEADER.unpack_from(content, start)
        known: dict[str, list[str]] = {}
        for i in range(count):
            entry = start + _CACHE_HEADER.size + i * _CACHE_ENTRY.size
            _, name, library, _, _ = _CACHE_ENTRY.unpack_from(content, entry)
            soname, library_path = (
                content[o : content.index(b"\0", o)].decode() for o in (start + name, start + library)
            )
            known.setdefault(soname, []).append(library_path)
    except (OSError, ValueError, struct.error):
        return {}
    return known
