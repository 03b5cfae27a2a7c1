"""Omni-Path: opareport's snapshot."""

from __future__ import annotations

from rankwise.network.sources.omnipath import read as omnipath
from rankwise.network.sources.parts import Reader

READERS = (Reader("opareport", omnipath.is_snapshot, omnipath.read_snapshot),)
WORDS = "opareport's snapshot"
