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
    """Return whether a file that begins with `head` is a snapshot."""
    return _ROOT.search(head) is not None


def read_snapshot(file: TextFile) -> Whole | Cables:
    """Return the subnet, or just cables if the file has no tables; RankwiseError names a wrong line."""
    snapshot = snapshot_of(file)
    if not snapshot.cables:
        raise RankwiseError(f"{file.path}: this snapshot has no links")
    if not snapshot.tables:
        return Cables(file, snapshot.cables)
    subnet, warnings = joined([Cables(file, snapshot.cables), Tables(file, snapshot.tables)])
    return Whole((subnet,), (Source("opareport", file.path),), tuple(warnings))
