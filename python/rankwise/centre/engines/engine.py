"""What all engines have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rankwise.centre.queries import Query
from rankwise.records import dataclass

MONTH = "month"
"""The column that folders of the data set are named by, in all tables: of the start, UTC, 2026-11."""


@dataclass(frozen=True)
class Rows:
    """The answer to a query.

    Attributes:
        columns: their names.
        rows: values in the order of the columns; None = NULL.
    """

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def named(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Engine(ABC):
    """An engine over the tables and views of a store."""

    @abstractmethod
    def ask(self, query: Query, parameters: Mapping[str, Any]) -> Rows:
        """Return the answer to one of Rankwise's queries.

        Args:
            query: with named parameters.
            parameters: their values; others are ignored.

        Raises:
            RankwiseError: a file is damaged, or memory or disk do not suffice.
        """

    @abstractmethod
    def keep(self, name: str, query: Query, parameters: Mapping[str, Any]) -> None:
        """Keep the answer to a query as a table, in place of an earlier one of this name.

        Args:
            name: of the table.
            query: as for `ask`.
            parameters: as for `ask`.

        Raises:
            RankwiseError: as for `ask`.
        """

    @abstractmethod
    def ask_sql(self, sql: str) -> Rows:
        """Return the answer to a user's query.

        Raises:
            RankwiseError: it is wrong, or does something else than read.
        """

    @abstractmethod
    def close(self) -> None:
        """End."""

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
