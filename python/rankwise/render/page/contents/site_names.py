"""Names of places that call MPI, which tell each from all others: choices in an address hold by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from rankwise.analysis.calls.places import Place
from rankwise.text.safe import safe

_UNKNOWN = "not known"


def site_names(places: Sequence[Place]) -> list[str]:
    """Return a name of each place, as short as it can be: `solver.cc:12`, else with its path or function."""
    names = [""] * len(places)
    left = list(range(len(places)))
    for naming in (_short, _with_path, _with_function, _with_object):
        names, left = _named(places, names, left, naming)
    for number, place in enumerate(left, 1):
        names[place] = f"{names[place]} ({number})"
    return names


def _named(
    places: Sequence[Place], names: list[str], left: list[int], naming: Callable[[Place], str]
) -> tuple[list[str], list[int]]:
    """Return the names with those of `left` in another way, and who still has none of its own."""
    found = list(names)
    for place in left:
        found[place] = safe(naming(places[place]), "utf-8")
    counts = Counter(found)
    return found, [place for place in left if counts[found[place]] > 1]


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
