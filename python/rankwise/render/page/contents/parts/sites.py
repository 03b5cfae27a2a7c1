"""The page Call sites: the places in the program and its libraries that call MPI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.analysis.calls.paths import Branch, CallTree, Frame, Share, call_trees
from rankwise.analysis.calls.places import Place
from rankwise.render.page.contents.subject import Subject
from rankwise.text.names import call_name
from rankwise.text.safe import safe

_MISSING = (
    "No call sites were recorded: the program made no call, or ran with --no-sites. Record it again with "
    "`rankwise run`, without this option. The page Calls and sizes shows what was called."
)
_NO_PATHS = (
    "No callers were recorded: the program ran with --no-paths, or made no call at a known place. Record "
    "it again with `rankwise run`, without this option."
)
_NOT_KNOWN = "(not known)"


@dataclass(frozen=True)
class _Line:
    """A place, or a caller; `level` = number of calls in between."""

    level: int
    frame: Frame | None
    ends: str
    of_calls: Share
    of_time: Share
    samples: int


_WHOLE = Share(100.0, 100.0, 100.0)


def sites_data(of: Subject) -> dict[str, Any]:
    """Return the data of each place of the axis, as web/src/sites/contract.ts declares it."""
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
        "callers": _callers_data(of),
    }


def _callers_data(of: Subject) -> dict[str, Any]:
    """Return the callers of each place: trees in lines, depth first."""
    trees = call_trees(of.connection)
    lines = [line for tree in trees.values() for line in _lines(tree)]
    main = [tree.caller for tree in trees.values()]
    called_from = [*(line.frame for line in lines), *(caller.frame for caller in main if caller)]
    frames = list(dict.fromkeys(frame for frame in called_from if frame))
    number = {frame: index for index, frame in enumerate(frames)}
    place_of = {place: index for index, place in enumerate(of.axes.places)}
    procedures = of.axes.data["procedures"]["name"]
    column = of.container.column
    return {
        "missing": "" if trees else _NO_PATHS,
        "site": column([place_of[place] for place, _ in trees]),
        "procedure": column([procedures.index(call_name(procedure)) for _, procedure in trees]),
        "caller": column([number[caller.frame] if caller else -1 for caller in main]),
        "callerTime": _shares_data(of, [caller.share if caller else _WHOLE for caller in main]),
        "frames": _frames_data(of, frames),
        "lines": {
            "level": column([line.level for line in lines]),
            "frame": column([number[line.frame] if line.frame else -1 for line in lines]),
            "ends": [line.ends for line in lines],
            "calls": _shares_data(of, [line.of_calls for line in lines]),
            "time": _shares_data(of, [line.of_time for line in lines]),
            "samples": column([line.samples for line in lines]),
        },
    }


def _frames_data(of: Subject, frames: Sequence[Frame]) -> dict[str, Any]:
    return {
        "name": [safe(frame.name, "utf-8") for frame in frames],
        "function": [safe(frame.function or "", "utf-8") for frame in frames],
        "file": [safe(frame.file or "", "utf-8") for frame in frames],
        "path": [safe(frame.path, "utf-8") for frame in frames],
        "library": [safe(frame.library, "utf-8") for frame in frames],
        "isProgram": of.container.column([frame.is_program for frame in frames]),
    }


def _lines(tree: CallTree) -> Iterator[_Line]:
    yield _Line(0, None, "", _WHOLE, _WHOLE, tree.samples)
    yield from _below(tree.callers, 1)


def _below(branches: list[Branch], level: int) -> Iterator[_Line]:
    for branch in branches:
        yield _Line(
            level, branch.frame, branch.ends, branch.share_of_calls, branch.share_of_time, branch.samples
        )
        yield from _below(branch.callers, level + 1)


def _shares_data(of: Subject, shares: Sequence[Share]) -> dict[str, Any]:
    column = of.container.column
    return {
        "percent": column([share.percent for share in shares]),
        "low": column([share.low for share in shares]),
        "high": column([share.high for share in shares]),
    }


def _hint(places: Sequence[Place]) -> str:
    """Return why places have no line, and the remedy; empty if all have one."""
    nameless = sum(place.file is None for place in places)
    if not nameless:
        return ""
    whose = "The places are" if nameless == len(places) else f"{nameless} of {len(places)} places are"
    python = any(place.library == "mpi4py" and place.file is None for place in places)
    more = " `rankwise run --python-sites` also records lines of Python code." if python else ""
    return (
        f"{whose} shown without a source line: the program or library has no debug information, is "
        "stripped, or was not available when the run ended. Compile with -g, which costs no run time, and "
        f"record the program again.{more}"
    )
