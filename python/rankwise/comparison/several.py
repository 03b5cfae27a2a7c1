"""Compares any number of sides with one of them, the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.comparison.change import Change
from rankwise.comparison.compare import Changed, Comparison, Side, compare
from rankwise.comparison.estimates import Range
from rankwise.comparison.figures import KEYS, KINDS, METRICS, Figures, Key


@dataclass(frozen=True, kw_only=True)
class Value:
    """A figure of one side.

    Attributes:
        value: median of its runs.
        change: against the reference; None for the reference itself.
    """

    value: float
    change: Change | None


@dataclass(frozen=True, kw_only=True)
class Row:
    """A figure of all sides.

    Attributes:
        key: names of the figure: of `METRICS`, or of calls by `KEYS`; ('',) elsewhere.
        unit: of the values: s, %, B or nothing.
        user_name: name that the program gave to a communicator of the family, '' = none.
        values: by the names of the sides; a side without such calls is missing.
    """

    key: Key
    unit: str
    user_name: str = ""
    values: Mapping[str, Value]

    @property
    def spread(self) -> float:
        """Largest value minus the smallest."""
        values = [side.value for side in self.values.values()]
        return max(values) - min(values)


@dataclass(frozen=True, kw_only=True)
class Factor:
    """An efficiency of all sides.

    Attributes:
        name: of the factor.
        values: medians with their bounds by the names of the sides; None = unknown.
    """

    name: str
    values: Mapping[str, Range | None]


@dataclass(frozen=True, kw_only=True)
class Several:
    """Sides compared with the reference.

    Attributes:
        reference: name of the side that the others are compared with.
        sides: by name, in the order of the user.
        unlike: sentences by the names of the sides on what makes them hard to compare with the reference.
        whole: figures of the runs as a whole, in the order of `METRICS`.
        efficiency: factors from 0 to 1.
        rows: calls by each of `KINDS`, in seconds, mean per rank; the largest spread first.
    """

    reference: str
    sides: Mapping[str, Side]
    unlike: Mapping[str, Sequence[str]]
    whole: Sequence[Row]
    efficiency: Sequence[Factor]
    rows: Mapping[str, Sequence[Row]]

    def figure(self, name: str) -> Row:
        """Return one of `METRICS` of all sides."""
        return next(row for row in self.whole if row.key == (name,))


def compare_several(sides: Mapping[str, Sequence[Figures]], reference: str) -> Several:
    """Compare sides with one of them.

    Args:
        sides: the runs of each side by its name, in the order of showing; two at least.
        reference: name of a side.
    """
    compared = {name: compare(sides[reference], runs) for name, runs in sides.items() if name != reference}
    first = next(iter(compared.values()))
    return Several(
        reference=reference,
        sides={name: first.before if name == reference else compared[name].after for name in sides},
        unlike={name: comparison.unlike for name, comparison in compared.items() if comparison.unlike},
        whole=[_whole(name, unit, sides, reference, compared) for name, unit in METRICS.items()],
        efficiency=[_factor(place, sides, reference, compared) for place in range(len(first.efficiency))],
        rows={kind: _rows(kind, sides, reference, compared) for kind in KINDS},
    )


def _whole(
    name: str, unit: str, sides: Mapping[str, object], reference: str, compared: Mapping[str, Comparison]
) -> Row:
    changes = {side: comparison.figure(name).value for side, comparison in compared.items()}
    return Row(key=(name,), unit=unit, values=_values(sides, reference, changes))


def _values(sides: Mapping[str, object], reference: str, changes: Mapping[str, Change]) -> dict[str, Value]:
    values = {name: Value(value=change.after, change=change) for name, change in changes.items()}
    if changes:
        values[reference] = Value(value=next(iter(changes.values())).before, change=None)
    return {name: values[name] for name in sides if name in values}


def _factor(
    place: int, sides: Mapping[str, object], reference: str, compared: Mapping[str, Comparison]
) -> Factor:
    rows = {name: comparison.efficiency[place] for name, comparison in compared.items()}
    first = next(iter(rows.values()))
    values = {name: first.before if name == reference else rows[name].after for name in sides}
    return Factor(name=first.name, values=values)


def _rows(
    kind: str, sides: Mapping[str, object], reference: str, compared: Mapping[str, Comparison]
) -> list[Row]:
    found: dict[Key, dict[str, Changed]] = {}
    for name, comparison in compared.items():
        for row in comparison.rows[kind]:
            # (A call site whose line has moved is the site of the reference.)
            names = {**vars(row), "site": row.site_before or row.site}
            found.setdefault(tuple(names[part] for part in KEYS[kind]), {})[name] = row
    rows = [
        Row(
            key=key,
            unit="s",
            user_name=next((row.user_name for row in by_side.values() if row.user_name), ""),
            values=_present(sides, reference, by_side),
        )
        for key, by_side in found.items()
    ]
    return sorted(rows, key=lambda row: -row.spread)


def _present(sides: Mapping[str, object], reference: str, by_side: Mapping[str, Changed]) -> dict[str, Value]:
    values = {
        name: Value(value=row.seconds.after, change=row.seconds)
        for name, row in by_side.items()
        if row.only != "before"
    }
    of_reference = [row.seconds.before for row in by_side.values() if row.only != "after"]
    if of_reference:
        values[reference] = Value(value=of_reference[0], change=None)
    return {name: values[name] for name in sides if name in values}
