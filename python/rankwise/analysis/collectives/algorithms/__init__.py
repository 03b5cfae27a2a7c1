"""Recognises the algorithms that MPI libraries use in collectives by their traffic."""

from __future__ import annotations

from rankwise.analysis.collectives.algorithms.naming import Named, name_of

__all__ = ["Named", "name_of"]
