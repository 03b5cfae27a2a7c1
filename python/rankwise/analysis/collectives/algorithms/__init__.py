"""Recognises the algorithms of MPI libraries in collectives by their traffic."""

from __future__ import annotations

from rankwise.analysis.collectives.algorithms.naming import Named, name_of

__all__ = ["Named", "name_of"]
