"""Distinct names of places that call MPI: addresses of pages refer to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from rankwise.analysis.calls.places import Place
from rankwise.text.safe import safe

_UNKNOWN = "not known"


def site_names(places: Sequence[Place]) -> list[str]:
    """Return the shortest distinct name of each place: `solver.cc:12`, else with its path or function."""
    names = [""] * len(places)
    unnamed = list(range(len(places)))
    for naming in (_short, _with_path, _with_function, _with_object):
        names, unnamed = _named(places, names, unnamed, naming)
    for number, place in enumerate(unnamed, 1):
        names[place] = f"{names[place]} ({number})"
    return names


def _named(
    places: Sequence[Place], names: list[str], unnamed: list[int], naming: Callable[[Place], str]
) -> tuple[list[str], list[int]]:
    """Return the names with `unnamed` places named another way, and the places still not distinct."""
    renamed = list(names)
    for place in unnamed:
        renamed[place] = safe(naming(places[place]), "utf-8")
    counts = Counter(renamed)
    return renamed, [place for place in unnamed if counts[renamed[place]] > 1]


def _short(place: Place) -> str:
    return place.name or _UNKNOWN


def _with_path(place: Place) -> str:
    if place.file is not None:
        return f"{place.file}:{place.line}"
    return f"{place.path}+{place.offset:#x}" if place.path and place.offset is not None else _short(place)


def _with_function(place: Place) -> str:
    return f"{_with_path(place)} in {place.function or _UNKNOWN}"


def _with_object(place: Place) -> str:
    return f"{_with_function(place)} of {place.path}"
