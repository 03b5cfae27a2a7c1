"""A view: what there is to show of a profile, as tables of typed columns.

A view is data. The analysis makes it once, and many draw it: the terminal, `--json`, a page, a
notebook. It says what every column holds, means, and looks like as text, so that a drawing needs to
know nothing of the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, field, replace
from enum import Flag, auto
from typing import Any, Generic, TypeVar

from rankwise.analysis.nodes.binding import NodePlace
from rankwise.records import dataclass
from rankwise.text.units import bin_text, byte_text, count_text, percent_text, ratio_text, second_text

AnyRow = TypeVar("AnyRow", contravariant=True)  # a column for general rows also serves special ones

Value = str | int | float | None
"""What a cell holds; None = nothing, or it is not known."""

MISSING = "-"
"""In place of a value that is None."""


class Detail(Flag):
    """How much is asked for, and in which answers a table or column is: in short ones, with -v, in both."""

    BRIEF = auto()
    VERBOSE = auto()
    ALL = BRIEF | VERBOSE


@dataclass(frozen=True)
class Format:
    """How the values of a column are written.

    Attributes:
        name: for outputs that format values themselves.
        text: value → text; never called with None.
        unit: of the values: `B`, `s`, `%`; '' = none.
        right: aligned right.
        flexible: the column may be made narrower than its longest text.
        whole: a name: it is not broken where another column can give way.
        drawn: the characters that stand for the digits 0 to 9 where they can be shown; '' = the digits do.
    """

    name: str
    text: Callable[[Any], str]
    unit: str = ""
    right: bool = False
    flexible: bool = False
    whole: bool = False
    drawn: str = ""


def _or_missing(text: Callable[[float], str]) -> Callable[[float], str]:
    """Return what writes nothing as a dash: most calls send nothing, and what there is stands out."""
    return lambda number: text(number) if number else MISSING


NAME = Format("name", str, flexible=True, whole=True)
TEXT = Format("text", str, flexible=True)
WORD = Format("word", str)
"""A short text."""
FIGURES = Format("figures", str, right=True)
"""A short text of several numbers: `2 x 16`."""
NUMBER = Format("number", str, right=True)
"""A number that names something, or has to be exact."""
COUNT = Format("count", count_text, right=True)
BYTES = Format("bytes", byte_text, "B", right=True)
VOLUME = Format("bytes", _or_missing(byte_text), "B", right=True)
SIZES = Format("sizes", bin_text, right=True)
"""A size bin of the profile."""
SECONDS = Format("seconds", second_text, "s", right=True)
PERCENT = Format("percent", percent_text, "%", right=True)
SHARE = Format("percent", _or_missing(percent_text), "%", right=True)
RATIO = Format("ratio", ratio_text, right=True)
STRIP = Format("strip", str, flexible=True, drawn="·▁▁▂▃▄▅▆▇█")
"""Heights from 0 to 9 in a row, `-` for a missing one."""
BYTE_RATE = Format("rate", lambda rate: f"{byte_text(rate)}/s", "B/s", right=True)


@dataclass(frozen=True)
class Cell:
    """One value.

    Attributes:
        text: as it is written.
        value: as it is.
        note: a sentence on this cell, '' = none.
        file: path of the profile that it names, which a page links, '' = none.
    """

    text: str = ""
    value: Value = None
    note: str = ""
    file: str = ""


Line = Mapping[str, Cell]
"""The cells of a line by the names of their columns; a column that has nothing to say there is missing."""


@dataclass(frozen=True)
class Column(Generic[AnyRow]):
    """One column.

    Attributes:
        name: its title, with "% of what".
        value: of a row.
        format: how values are written.
        meaning: of the values, a sentence without its subject and its full stop.
        obvious: MPI users understand the name, so that it is not explained below the table.
        total: the value of several rows taken together; None = no such value.
        mark: characters after the value of a row, which `meaning` explains.
        note: a sentence on the value of a row, '' = none.
        detail: the answers that the column is in.
        key: right of the names, and tells rows apart with them.
        choice: pages offer its values as a filter.
        file: path of the profile that the value of a row names; None = it names no profile.
    """

    name: str
    value: Callable[[AnyRow], Value]
    format: Format
    meaning: str
    _: KW_ONLY
    obvious: bool = False
    total: Callable[[Sequence[AnyRow]], Value] | None = None
    mark: Callable[[AnyRow], str] | None = None
    note: Callable[[AnyRow], str] | None = None
    detail: Detail = Detail.ALL
    key: bool = False
    choice: bool = False
    file: Callable[[AnyRow], str] | None = None

    def cell(self, row: AnyRow) -> Cell:
        """Return the cell of a row."""
        value = self.value(row)
        note = self.note(row) if self.note else ""
        mark = self.mark(row) if self.mark else ""
        missing = "" if note else MISSING
        file = self.file(row) if self.file else ""
        return Cell((missing if value is None else self.format.text(value)) + mark, value, note, file)

    def total_cell(self, rows: Sequence[AnyRow]) -> Cell:
        """Return the cell of several rows taken together."""
        value = self.total(rows) if self.total else None
        marks = dict.fromkeys(map(self.mark, rows)) if self.mark else ()
        return Cell() if value is None else Cell(self.format.text(value) + "".join(marks), value)


def label(
    name: str, value: Callable[[AnyRow], Value], meaning: str, *, kind: Format = NAME, choice: bool = False
) -> Column[AnyRow]:
    """Return a column of names, which needs no explanation below the table."""
    return Column(name, value, kind, meaning, obvious=True, choice=choice)


def number(
    name: str,
    value: Callable[[AnyRow], float],
    kind: Format,
    meaning: str,
    *,
    obvious: bool = False,
    detail: Detail = Detail.ALL,
) -> Column[AnyRow]:
    """Return a column of numbers that can be added up."""
    return Column(
        name,
        value,
        kind,
        meaning,
        obvious=obvious,
        total=lambda rows: sum(map(value, rows)),
        detail=detail,
    )


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        columns: from left to right; their names differ.
        rows: all, in the order of showing. Who draws them may cut them, and shows the total of the rest.
        empty: the sentence in place of a table without rows: why, and the cure.
        title: a line above, or ''.
        sums: lines below the total, on all rows taken together.
        apart: lines below these, which are in no total and no share, and never cut.
        notes: sentences below the table, in addition to the meanings of the columns.
        parts: by the value of the first column the title of its rows, in the order of showing: they are drawn
            as a separate table, without that column. Empty = all rows are one table.
        detail: the answers that the table is in.
        whole: it is never cut.
    """

    columns: Sequence[Column[Any]]
    rows: Sequence[Any]
    empty: str
    _: KW_ONLY
    title: str = ""
    sums: Sequence[Line] = ()
    apart: Sequence[Line] = ()
    notes: Sequence[str] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    detail: Detail = Detail.ALL
    whole: bool = False

    def columns_in(self, detail: Detail) -> list[Column[Any]]:
        """Return the columns that are in an answer."""
        return [column for column in self.columns if column.detail & detail]

    def total_lines(self) -> list[Line]:
        """Return the total of all rows, and the other sums; nothing of less than two rows."""
        if len(self.rows) < 2:
            return []
        total = {column.name: column.total_cell(self.rows) for column in self.columns if column.total}
        return [{self.columns[0].name: Cell("total"), **total}, *self.sums] if total else [*self.sums]


def line(columns: Sequence[Column[AnyRow]], row: AnyRow) -> Line:
    """Return the cells of a row."""
    return {column.name: column.cell(row) for column in columns}


def legend(columns: Sequence[Column[Any]]) -> str:
    """Return the meanings of the columns that are not obvious, those with the same meaning together."""
    meanings: dict[str, list[str]] = {}
    for column in columns:
        if not column.obvious:
            meanings.setdefault(column.meaning, []).append(column.name)
    return " ".join(f"{', '.join(names)}: {meaning}." for meaning, names in meanings.items())


@dataclass(frozen=True)
class View:
    """What there is to show of one kind.

    Attributes:
        title: the main finding as a sentence, without its full stop; '' = no finding.
        tables: in the order of showing.
        nodes: drawn below the tables: the inside of each, with its ranks.
        data: what `--json` answers: its keys, and the analysis' own objects, nothing cut. All keys are there
            if the view was made with all detail.
    """

    title: str
    tables: Sequence[Table]
    data: Mapping[str, object]
    nodes: Sequence[NodePlace] = ()

    def with_table(self, table: Table) -> View:
        """Return the view with one more table at the end."""
        return replace(self, tables=[*self.tables, table])
