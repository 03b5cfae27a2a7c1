"""opareport's snapshot as a fabric."""

from __future__ import annotations

import re

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Source
from rankwise.network.sources.infiniband.join import joined
from rankwise.network.sources.omnipath.snapshot import snapshot_of
from rankwise.network.sources.parts import Cables, Tables, Whole
from rankwise.network.sources.text import TextFile

_ROOT = re.compile(rb"<Snapshot[\s>]")


def is_snapshot(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a snapshot."""
    return _ROOT.search(head) is not None


def read_snapshot(file: TextFile) -> Whole:
    """Return the subnet; RankwiseError names the line that is wrong, or says that there are no tables."""
    found = snapshot_of(file)
    if not found.cables:
        raise RankwiseError(f"{file.path}: there are no links in this snapshot")
    if not found.tables:
        raise RankwiseError(
            f"{file.path}: there are no forwarding tables in this snapshot: make it with "
            "`opareport -o snapshot -r`"
        )
    subnet, warnings = joined([Cables(file, found.cables), Tables(file, found.tables)])
    return Whole((subnet,), (Source("opareport", file.path),), tuple(warnings))
