"""Cables that a file lists at only one end, although its format lists both."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.network.fabric.model import GAP
from rankwise.network.sources.parts import Cable, End
from rankwise.network.sources.text import TextFile


def one_sided_cables(file: TextFile, cables: Sequence[Cable]) -> tuple[str, ...]:
    """Return a warning if some cables are listed at only one end, as in a truncated file."""
    listed = {_key(cable.near) for cable in cables}
    missing = [cable for cable in cables if _key(cable.far) not in listed]
    if not missing:
        return ()
    return (
        f"{GAP}{file.path}: links listed at only one end: {len(missing)}, such as line {missing[0].line}; "
        "others may be missing",
    )


def _key(end: End) -> tuple[str, int, int]:
    return end.kind, end.node or end.guid, end.number
