"""An engine that asks another one everything only once, for many pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.centre.engines.engine import Engine, Rows
from rankwise.centre.queries import Query


class Remembering(Engine):
    """Remembers the answers of an engine, which has to be closed by itself."""

    def __init__(self, engine: Engine) -> None:
        """Remember the answers of this engine."""
        self._engine = engine
        self._answers: dict[tuple[Any, ...], Rows] = {}
        self._kept: dict[str, tuple[Any, ...]] = {}

    def ask(self, query: Query, parameters: Mapping[str, Any]) -> Rows:
        """Return the answer to one of Rankwise's queries."""
        key = self._key(query, parameters)
        if key not in self._answers:
            self._answers[key] = self._engine.ask(query, parameters)
        return self._answers[key]

    def keep(self, name: str, query: Query, parameters: Mapping[str, Any]) -> None:
        """Keep the answer to a query as a table, in place of an earlier one of this name."""
        key = self._key(query, parameters)
        if self._kept.get(name) != key:
            self._engine.keep(name, query, parameters)
            self._kept[name] = key

    def ask_sql(self, sql: str) -> Rows:
        """Return the answer to a user's query."""
        return self._engine.ask_sql(sql)

    def close(self) -> None:
        """Forget the answers."""
        self._answers.clear()

    def _key(self, query: Query, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return what decides on an answer: the query, its parameters, and the kept tables that it reads."""
        kept = [(name, key) for name, key in self._kept.items() if name in query.sql]
        return (query.sql, *(parameters[name] for name in query.parameters), *kept)
