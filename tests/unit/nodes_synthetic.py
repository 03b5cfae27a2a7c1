"""Builds node files byte by byte from the layout, as a keeper would leave them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.layout import CONSTANTS

SAVED_NS = 1_700_000_010_000_000_000


def node_file(images: Mapping[str, bytes], gone_ns: Mapping[str, int] | None = None, **header: Any) -> bytes:
    """Make the bytes of a node file.

    Args:
        images: the counters of each process, by the name of the file that they stand for.
        gone_ns: when processes were seen to be gone, by the same names.
        header: members of struct rankwise_node_header that are to differ.
    """
    entries = np.zeros(len(images), layout.NODE_ENTRY)
    offset = layout.NODE_HEADER.itemsize + entries.nbytes
    for entry, (name, image) in zip(entries, images.items(), strict=True):
        entry["name"], entry["offset"], entry["bytes"] = name.encode(), offset, len(image)
        entry["gone_ns"] = (gone_ns or {}).get(name, 0)
        offset += len(image)
    head = np.zeros(1, layout.NODE_HEADER)
    values: dict[str, Any] = {
        "magic": layout.NODE_MAGIC,
        "version": CONSTANTS["NODE_VERSION"],
        "byte_order": CONSTANTS["BYTE_ORDER"],
        "header_bytes": layout.NODE_HEADER.itemsize,
        "entry_bytes": layout.NODE_ENTRY.itemsize,
        "entry_count": len(images),
        "is_final": 1,
        "file_bytes": offset,
        "saved_realtime_ns": SAVED_NS,
        "saved_monotonic_ns": 17_000_000_000,
        "saves": 1,
        "save_every_ms": 10_000,
        "keeper": 77,
        "host": b"node1",
        "runtime_version": b"0.1.0",
    }
    for member, value in (values | header).items():
        head[member] = value
    return b"".join([head.tobytes(), entries.tobytes(), *images.values()])


def write_nodes(directory: Path, images: Iterable[bytes], ranks_a_node: int) -> list[str]:
    """Write node files with these processes' counters; return the names that these are known by."""
    directory.mkdir(exist_ok=True)
    named = {
        f"node{number // ranks_a_node}.{4000 + number}.0.counters": image
        for number, image in enumerate(images)
    }
    names = list(named)
    for number, start in enumerate(range(0, len(names), ranks_a_node)):
        here = {name: named[name] for name in names[start : start + ranks_a_node]}
        path = directory / f"node{number}.0.77.0.node"
        path.write_bytes(node_file(here, host=f"node{number}".encode()))
    return names
