"""Shows where the communication of an MPI program goes, explains why ranks wait, and makes it faster.

    import rankwise

    p = rankwise.open("heat.rankwise")
    p.calls().to_pandas()

Notebooks and programs read profiles: docs/how-to/notebooks.md.

    with rankwise.session(comm) as s:
        ...

A running mpi4py program asks what it has sent: docs/reference/introspection.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.errors import RankwiseError as RankwiseError
    from rankwise.introspection import IntrospectionError as IntrospectionError
    from rankwise.introspection import NotAllVisible as NotAllVisible
    from rankwise.introspection import Session as Session
    from rankwise.introspection import SoFar as SoFar
    from rankwise.introspection import preload as preload
    from rankwise.introspection import redistribute as redistribute
    from rankwise.introspection import session as session
    from rankwise.introspection import so_far as so_far
    from rankwise.reading.centre import open_centre as open_centre
    from rankwise.reading.difference import diff as diff
    from rankwise.reading.difference import diff_sides as diff_sides
    from rankwise.reading.history import history as history
    from rankwise.reading.profile import Profile as Profile
    from rankwise.reading.profile import open_profile as open  # noqa: A004
    from rankwise.reading.runs import open_many as open_many
    from rankwise.reading.scaling import scaling as scaling
    from rankwise.reading.variance import variance as variance

__all__ = [
    "IntrospectionError",
    "NotAllVisible",
    "Profile",
    "RankwiseError",
    "Session",
    "SoFar",
    "diff",
    "diff_sides",
    "history",
    "open",
    "open_centre",
    "open_many",
    "preload",
    "redistribute",
    "scaling",
    "session",
    "so_far",
    "variance",
]

_ELSEWHERE = {
    "Profile": ("rankwise.reading.profile", "Profile"),
    "RankwiseError": ("rankwise.errors", "RankwiseError"),
    "diff": ("rankwise.reading.difference", "diff"),
    "diff_sides": ("rankwise.reading.difference", "diff_sides"),
    "history": ("rankwise.reading.history", "history"),
    "open": ("rankwise.reading.profile", "open_profile"),
    "open_centre": ("rankwise.reading.centre", "open_centre"),
    "open_many": ("rankwise.reading.runs", "open_many"),
    "scaling": ("rankwise.reading.scaling", "scaling"),
    "variance": ("rankwise.reading.variance", "variance"),
}
"""What is no part of rankwise.introspection."""


def __getattr__(name: str) -> object:
    # Later than at import: the commands don't need it, and it brings numpy.
    if name in __all__:
        module, its_name = _ELSEWHERE.get(name, ("rankwise.introspection", name))
        return getattr(importlib.import_module(module), its_name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
