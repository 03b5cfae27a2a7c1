"""SQL that DuckDB, Spark and Trino share. The first line of a file says what a row is.

`views` belong to the data set. `questions` have named parameters (`:since`), which engines bind. They read
the tables, the views, and `parts`: above all `chosen`, the runs that the options of a question leave.
`details` are of single runs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from rankwise.centre.schema import FINDINGS, HOSTS, PORTS, RUNS
from rankwise.records import dataclass

_FOLDER = Path(__file__).parent
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")
_WORD = re.compile(r"\w+")
_WITH = "WITH "

VIEWS = (
    "run_in_job",
    "run_job",
    "run_finding",
    "run_host",
    "run_port",
    "run_family",
    "run_call",
    "run_tag",
)
"""In an order in which each reads only earlier ones."""
_CHOSEN_ROWS = {f"chosen_{table.name}": table.name for table in (FINDINGS, HOSTS, PORTS)}
"""Relation -> the table whose rows it chooses, as `chosen` chooses rows of `runs`."""
_PARTS = ("run_of_job", "chosen", *_CHOSEN_ROWS, "wasted")
"""In an order in which each reads only earlier ones."""
_CONDITION = re.compile(r"\n( *)AND \(:(\w+)(?: = '')? OR (.+)\)$", re.MULTILINE)
"""A line with a condition that is true unless its option is given."""


@dataclass(frozen=True)
class Query:
    """A query.

    Attributes:
        row: what a row is, as sentences.
        sql: its text.
    """

    row: str
    sql: str

    @property
    def parameters(self) -> list[str]:
        """Names of its parameters."""
        return [*dict.fromkeys(_PARAMETER.findall(self.sql))]

    def written(self, parameter: str) -> str:
        r"""Return the text with parameters as an engine writes them.

        Args:
            parameter: with \1 for the name.
        """
        return _PARAMETER.sub(parameter, self.sql)


def view(name: str) -> Query:
    """Return the query of a view."""
    return _read("views", name)


def questions() -> list[str]:
    """Return the names of the questions."""
    return sorted(path.stem for path in (_FOLDER / "questions").glob("*.sql"))


def question(name: str, options: Mapping[str, Any], *, kept: Collection[str] = ()) -> Query:
    """Return a question, with the parts that it reads.

    Args:
        name: of the question.
        options: parameters of all questions. Conditions that they make true are left out, so that engines
            do not read columns for them.
        kept: parts that the engine keeps already.
    """
    return _with_parts(_read("questions", name), options, kept)


def part(name: str, options: Mapping[str, Any]) -> Query:
    """Return a part that several questions read, for an engine to keep; see `question`."""
    return _with_parts(_read("parts", name), options, ())


def _with_parts(asked: Query, options: Mapping[str, Any], kept: Collection[str]) -> Query:
    own = _needed(asked.sql, options)
    words = {*_WORD.findall(own)}
    parts: list[str] = []
    for relation in reversed(_PARTS):
        if relation in words and relation not in kept:
            sql = _needed(_part_sql(relation), options)
            words |= {*_WORD.findall(sql)}
            parts.insert(0, f"{relation} AS (\n{sql})")
    if not parts:
        return Query(asked.row, own)
    rest = own.removeprefix(_WITH)
    joined = ",\n".join(parts if rest == own else [*parts, ""])
    return Query(asked.row, f"{_WITH}{joined.rstrip()}\n{rest}")


def _part_sql(relation: str) -> str:
    if relation in _CHOSEN_ROWS:
        return re.sub(rf"\b{RUNS.name}\b", _CHOSEN_ROWS[relation], _read("parts", "chosen").sql)
    return _read("parts", relation).sql


def _needed(sql: str, options: Mapping[str, Any]) -> str:
    """Return SQL with those conditions alone that the options do not make true."""
    return _CONDITION.sub(
        lambda match: "" if options[match[2]] in ("", True) else f"\n{match[1]}AND {match[3]}", sql
    )


def detail(name: str, runs: Iterable[int], months: Iterable[str] = ()) -> Query:
    """Return a query of details, of these runs; there is at least one.

    Args:
        name: of the query.
        runs: their numbers.
        months: of their starts, for queries that name them: engines read no other files then.
    """
    query = _read("details", name)
    lists = {
        ":runs": ", ".join(str(int(run)) for run in runs),
        ":months": ", ".join("'" + month.replace("'", "''") + "'" for month in months),
    }
    sql = query.sql
    for parameter, values in lists.items():
        sql = sql.replace(parameter, values)
    return Query(query.row, sql)


def _read(folder: str, name: str) -> Query:
    first, _, rest = (_FOLDER / folder / f"{name}.sql").read_text(encoding="utf-8").partition("\n")
    return Query(first.removeprefix("-- "), rest)
