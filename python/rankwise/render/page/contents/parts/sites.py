"""The page Call sites: where in the program and its libraries the places are that call MPI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.analysis.calls.places import Place
from rankwise.render.page.contents.subject import Subject
from rankwise.text.safe import safe

_MISSING = (
    "No places of calls were recorded: the program made no call, or ran with --no-sites. Record it again by"
    " `rankwise run` without this option. The page Calls and sizes shows what was called."
)
_NOT_KNOWN = "(not known)"


def sites_data(of: Subject) -> dict[str, Any]:
    """Return what is known of each place of the axis, as web/src/sites/contract.ts declares it."""
    places = of.axes.places
    libraries = list(dict.fromkeys((place.library, place.is_program) for place in places))
    column = of.container.column
    return {
        "missing": "" if places[1:] else _MISSING,
        "libraries": {
            "name": [safe(name, "utf-8") or _NOT_KNOWN for name, _ in libraries],
            "isProgram": column([is_program for _, is_program in libraries]),
        },
        "libraryOf": column([libraries.index((place.library, place.is_program)) for place in places]),
        "function": [safe(place.function or "", "utf-8") for place in places],
        "file": [safe(place.file or "", "utf-8") for place in places],
        "path": [safe(place.path, "utf-8") for place in places],
        "hint": _hint(places[1:]),
    }


def _hint(places: Sequence[Place]) -> str:
    """Return why places have no line, and what cures it; nothing where all have one."""
    nameless = sum(place.file is None for place in places)
    if not nameless:
        return ""
    whose = "The places are" if nameless == len(places) else f"{nameless} of {len(places)} places are"
    python = any(place.library == "mpi4py" and place.file is None for place in places)
    more = " `rankwise run --python-sites` records the lines of Python, too." if python else ""
    return (
        f"{whose} shown without a line of the source: the program or library was built without debug"
        " information, is stripped, or was not at hand when the run ended. Compile with -g, which costs no"
        f" time, and record the program again.{more}"
    )
