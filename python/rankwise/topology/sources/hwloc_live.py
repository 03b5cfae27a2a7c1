"""The XML of the node that we run on: from hwloc's library, or from its command."""

from __future__ import annotations

import shutil
import subprocess

from rankwise.errors import RankwiseError

LIBRARY = "libhwloc.so.15"  # the binary interface of hwloc 2
COMMANDS = ("lstopo-no-graphics", "lstopo", "hwloc-ls")

_DECLARATIONS = """
int hwloc_topology_init(void **topology);
int hwloc_topology_load(void *topology);
void hwloc_topology_destroy(void *topology);
int hwloc_topology_export_xmlbuffer(void *topology, char **text, int *length, unsigned long flags);
void hwloc_free_xmlbuffer(void *topology, char *text);
"""
_SECONDS = 60


def live_xml() -> bytes:
    """Return hwloc's description of this node; RankwiseError if there is no hwloc."""
    xml = _from_library()
    if xml is None:
        xml = _from_command()
    if xml is None:
        raise RankwiseError(
            f"there is neither {LIBRARY} nor {COMMANDS[0]} here: install hwloc, or give its XML, "
            "made with `lstopo FILE.xml` on a node that has it"
        )
    return xml


def _from_library() -> bytes | None:
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(_DECLARATIONS)
    try:
        hwloc = ffi.dlopen(LIBRARY)
    except OSError:
        return None
    handle = ffi.new("void **")
    if hwloc.hwloc_topology_init(handle) != 0:
        return None
    topology = handle[0]
    try:
        text, length = ffi.new("char **"), ffi.new("int *")
        if hwloc.hwloc_topology_load(topology) != 0:
            return None
        if hwloc.hwloc_topology_export_xmlbuffer(topology, text, length, 0) != 0:
            return None
        try:
            return bytes(ffi.string(text[0]))
        finally:
            hwloc.hwloc_free_xmlbuffer(topology, text[0])
    finally:
        hwloc.hwloc_topology_destroy(topology)


def _from_command() -> bytes | None:
    for name in COMMANDS:
        path = shutil.which(name)
        if path is None:
            continue
        try:
            done = subprocess.run(
                [path, "--of", "xml"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return done.stdout
    return None
