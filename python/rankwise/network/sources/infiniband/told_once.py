"""What a file that tells each link from both of its ends leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.network.fabric.model import GAP
from rankwise.network.sources.parts import Cable, End
from rankwise.network.sources.text import TextFile


def told_once(file: TextFile, cables: Sequence[Cable]) -> tuple[str, ...]:
    """Return that some links are told by one of their ends alone, as in a file that is cut off, if so."""
    told = {_key(cable.one) for cable in cables}
    missing = [cable for cable in cables if _key(cable.other) not in told]
    if not missing:
        return ()
    return (
        f"{GAP}{file.path}: links listed at only one end: {len(missing)}, such as line {missing[0].line}; "
        "others may be missing",
    )


def _key(end: End) -> tuple[str, int, int]:
    return end.kind, end.node or end.guid, end.number
