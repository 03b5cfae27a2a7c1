"""SQL that DuckDB, Spark and Trino share. The first line of a file says what a row is.

`views` belong to the data set. `questions` have named parameters (`:since`), which engines bind. They read
the tables, the views, and `parts`: above all `chosen`, the runs that the options of a question leave.
`details` are of single runs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

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
_PARTS = {
    "chosen_by_run": "chosen_by_run",
    "chosen": "chosen_by_job",
    "wasted": "wasted",
}
"""Relation -> its file, in an order in which each reads only earlier ones."""


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


def question(name: str, *, by_job: bool = False, kept: Collection[str] = ()) -> Query:
    """Return a question, with the parts that it reads.

    Args:
        name: of the question.
        by_job: whether the runs are chosen by what the accounting knows of their jobs, too.
        kept: parts that the engine keeps already.
    """
    return _with_parts(_read("questions", name), by_job, kept)


def part(name: str, *, by_job: bool = False) -> Query:
    """Return a part that several questions read, for an engine to keep; see `question`."""
    return _with_parts(_read("parts", name), by_job, ())


def _with_parts(asked: Query, by_job: bool, kept: Collection[str]) -> Query:
    files = _PARTS if by_job else {**_PARTS, "chosen": "chosen_by_run"}
    needed: dict[str, str] = {}
    words = {*_WORD.findall(asked.sql)}
    for relation, file in reversed(files.items()):
        if relation in words and relation not in kept:
            needed[relation] = _read("parts", file).sql
            words |= {*_WORD.findall(needed[relation])}
    if not by_job:
        needed.pop("chosen_by_run", None)
    parts = ",\n".join(f"{relation} AS (\n{sql})" for relation, sql in reversed(needed.items()))
    own = asked.sql.removeprefix(_WITH)
    apart = "," if own != asked.sql else ""
    return Query(asked.row, f"{_WITH}{parts}{apart}\n{own}" if parts else asked.sql)


def detail(name: str, runs: Iterable[int]) -> Query:
    """Return a query of details, of these runs; there is at least one."""
    query = _read("details", name)
    numbers = ", ".join(str(int(run)) for run in runs)
    return Query(query.row, query.sql.replace(":runs", numbers))


def _read(folder: str, name: str) -> Query:
    first, _, rest = (_FOLDER / folder / f"{name}.sql").read_text(encoding="utf-8").partition("\n")
    return Query(first.removeprefix("-- "), rest)
