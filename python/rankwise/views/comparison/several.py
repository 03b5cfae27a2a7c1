"""Any number of sides side by side: the run as a whole, efficiencies, then the calls that differ most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rankwise.comparison.change import BETTER, UNKNOWN, WORSE, Change
from rankwise.comparison.compare import Side
from rankwise.comparison.figures import KEYS
from rankwise.comparison.several import Factor, Row, Several, Value
from rankwise.text.names import call_name, quoted_name
from rankwise.text.units import second_text
from rankwise.views.comparison.sentences import NAMES, amount_text, interval_text, percent_change_text
from rankwise.views.comparison.view import HEADINGS
from rankwise.views.runs.chart import Axis, Chart, Point, Series
from rankwise.views.runs.run_table import RunLine, runs_table
from rankwise.views.view import (
    FIGURES,
    RATIO,
    SECONDS,
    Column,
    Detail,
    Format,
    Table,
    View,
    label,
)

_CHANGE = Format("percent", percent_change_text, "%", right=True)
_NOTHING = "No MPI call was recorded on any side."
_NOT_SURE = " ?"
_MOST_LINES = 6  # of a chart
_BRIEF = {"communicator_calls", "regions"}
_HEADS = {"communicator": "communicator", "procedure": "call", "region": "region", "site": "site"}
_MEANINGS = {
    "communicator": "with these names, all created the same way",
    "procedure": "MPI procedure, without MPI_",
    "region": "named by the program",
    "site": "file and line; without a line the program or library",
    "function": "that calls",
}


def view(several: Several) -> View:
    """Return the sides as tables, a column for each side and its difference from the reference."""
    names = list(several.sides)
    tables = [
        Table(
            [
                label("the run", lambda row: NAMES[row.key[0]], "figure of the run"),
                *_side_columns(several, names, lambda row, value: amount_text(value.value, row.unit)),
            ],
            several.whole,
            _NOTHING,
            notes=_notes(several),
            whole=True,
        ),
        Table(
            [
                label("efficiency", lambda row: row.name, "POP"),
                *(_factor_column(name) for name in names),
            ],
            [row for row in several.efficiency if any(row.values.values())],
            "No efficiency is known.",
            title="Efficiency",
            whole=True,
        ),
    ]
    for kind, heading in HEADINGS.items():
        rows = several.rows[kind]
        if kind in ("regions", "sites") and len(rows) < 2:
            continue
        columns = [
            *(_key_column(kind, part) for part in range(len(KEYS[kind]))),
            *_side_columns(several, names, lambda _, value: value.value, SECONDS),
        ]
        detail = Detail.ALL if kind in _BRIEF else Detail.VERBOSE
        above = f"{heading}: time, mean over ranks"
        tables.append(Table(columns, rows, _NOTHING, title=above, detail=detail))
    data: dict[str, object] = {
        "run": several.whole,
        "reference": several.reference,
        "sides": several.sides,
        "unlike": several.unlike,
        "efficiency": several.efficiency,
        **several.rows,
    }
    return View(title(several), tables, data)


def title(several: Several) -> str:
    """Return which side is the fastest, and by how much, without a full stop."""
    wall = several.figure("wall").values
    reference = several.reference
    others = [(side.value, name) for name, side in wall.items() if name != reference]
    fastest = min(others)[1]
    change = wall[fastest].change
    assert change
    text = f"{fastest} takes {second_text(change.after)}, {reference} {second_text(change.before)}"
    if change.low is None:
        return f"{text}: too few runs to say which side is faster"
    noise = f"{interval_text(change)} %"
    if change.verdict == BETTER:
        return f"{fastest} is the fastest: {text}, a difference of {noise} of {reference}"
    worse = [name for name, side in wall.items() if side.change and side.change.verdict == WORSE]
    if len(worse) == len(others):
        return f"{reference} is the fastest: {text}, a difference of {noise} of {reference}"
    return f"No side is faster than {reference} beyond the noise: {text}, a difference of {noise}"


def charts(several: Several) -> list[Chart]:
    """Return the wall times of all runs, and the calls that differ most, by side."""
    names = list(several.sides)
    labels = [(float(place), name) for place, name in enumerate(names)]
    sides = Axis("side", labels=labels)
    wall = several.figure("wall").values
    runs = [
        Point(float(place), seconds, text=f"{name}: {second_text(seconds)}")
        for place, name in enumerate(names)
        for seconds in _runs_of(several, wall, name)
    ]
    medians = [Point(float(place), wall[name].value, text=name) for place, name in enumerate(names)]
    made = [
        Chart(
            name="wall",
            title="Wall times",
            caption="Wall time of each run (dots), and the median of each side (line).",
            x=sides,
            y=Axis("wall time", "s"),
            series=[Series("median", medians), Series("runs", runs, "dots")],
        )
    ]
    rows = several.rows["communicator_calls"][:_MOST_LINES]
    if rows:
        keys = [_key_column("communicator_calls", part) for part in range(len(rows[0].key))]
        lines = [
            Series(
                f"{call_name(row.key[1])} on {quoted_name(row.key[0], row.user_name)}",
                [
                    Point(float(place), row.values[name].value, text=second_text(row.values[name].value))
                    for place, name in enumerate(names)
                    if name in row.values
                ],
                about={column.name: column.cell(row).text for column in keys},
            )
            for row in rows
        ]
        made.append(
            Chart(
                name="calls",
                title="The calls that differ most",
                caption="Time in MPI, mean over ranks, median of the runs of each side.",
                x=sides,
                y=Axis("time in MPI", "s"),
                series=lines,
            )
        )
    return made


def runs(several: Several) -> Table:
    """Return the runs of all sides, as a table of the page."""
    wall = several.figure("wall").values
    lines = [
        RunLine(profile, name, seconds)
        for name, side in several.sides.items()
        for profile, seconds in zip(side.profiles, _runs_of(several, wall, name), strict=True)
    ]
    return runs_table("side", lines)


def _runs_of(several: Several, figure: Mapping[str, Value], name: str) -> Sequence[float]:
    changes = [value.change for value in figure.values() if value.change]
    if name == several.reference:
        return changes[0].before_runs
    change = figure[name].change
    return change.after_runs if change else ()


def side_line(name: str, side: Side, width: int) -> str:
    """Return a line on the runs of a side.

    Args:
        name: of the side.
        side: its runs.
        width: of the longest name.
    """
    more = f" and {len(side.profiles) - 1} more" if len(side.profiles) > 1 else ""
    facts = [
        f"{name:{width}}",
        f"{side.profiles[0]}{more}",
        f"{side.ranks} rank{'s' * (side.ranks != 1)} / {side.nodes} node{'s' * (side.nodes != 1)}",
        side.mpi_library,
    ]
    return "  ".join(facts)


def limit_line(name: str, side: Side, width: int) -> str:
    """Return a line on what limits the runs of a side."""
    return f"{name:{width}}  {side.verdict}"


def _side_columns(
    several: Several,
    names: Sequence[str],
    value: Callable[[Row, Value], str | float],
    kind: Format = FIGURES,
) -> list[Column[Row]]:
    """Return a column for each side, and for all but the reference one with the difference."""

    def of(name: str) -> Column[Row]:
        def get(row: Row) -> str | float | None:
            side = row.values.get(name)
            return value(row, side) if side else None

        return Column(name, get, kind, "median", obvious=True)

    def difference(name: str) -> Column[Row]:
        def change(row: Row) -> Change | None:
            side = row.values.get(name)
            return side.change if side and several.reference in row.values else None

        def percent(row: Row) -> float | None:
            found = change(row)
            return found.percent if found else None

        def mark(row: Row) -> str:
            found = change(row)
            return _NOT_SURE if found and found.change and found.verdict == UNKNOWN else ""

        meaning = f"difference from {several.reference};{_NOT_SURE}: it may be noise"
        return Column(f"{name}, %", percent, _CHANGE, meaning, mark=mark)

    columns = []
    for name in names:
        columns += [of(name)] if name == several.reference else [of(name), difference(name)]
    return columns


def _factor_column(name: str) -> Column[Factor]:
    def value(row: Factor) -> float | None:
        found = row.values[name]
        return found.value if found else None

    return Column(name, value, RATIO, "median", obvious=True)


def _key_column(kind: str, part: int) -> Column[Row]:
    name = KEYS[kind][part]

    def value(row: Row) -> str | None:
        text = row.key[part]
        if name == "communicator":
            return quoted_name(text, row.user_name)
        if name == "region":
            return text or "(outside)"
        return call_name(text) or None

    return label(_HEADS.get(name, name), value, _MEANINGS[name], choice=True)


def _notes(several: Several) -> list[str]:
    if all(
        side.change is None or side.change.low is not None for side in several.figure("wall").values.values()
    ):
        return []
    return ["Give three runs or more for each side, to separate differences from noise."]
