"""Shows where an MPI program's communication goes, explains why it waits, and makes it cheaper.

    import rankwise

    with rankwise.session(comm) as s:
        ...

A running mpi4py program asks what it has sent: docs/introspection.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.introspection import IntrospectionError as IntrospectionError
    from rankwise.introspection import NotAllVisible as NotAllVisible
    from rankwise.introspection import Session as Session
    from rankwise.introspection import SoFar as SoFar
    from rankwise.introspection import preload as preload
    from rankwise.introspection import redistribute as redistribute
    from rankwise.introspection import session as session
    from rankwise.introspection import so_far as so_far

__all__ = [
    "IntrospectionError",
    "NotAllVisible",
    "Session",
    "SoFar",
    "preload",
    "redistribute",
    "session",
    "so_far",
]


def __getattr__(name: str) -> object:
    # Later than at import: the commands don't need it, and it brings numpy.
    if name in __all__:
        return getattr(importlib.import_module("rankwise.introspection"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
