"""Names of the files of a site: they never depend on the characters of foreign names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rankwise.centre.values import identity
from rankwise.records import dataclass
from rankwise.render.page.centre.markup import Links

INDEX = "index.html"


@dataclass(frozen=True, kw_only=True)
class Pages:
    """The pages of programs, users and runs.

    Attributes:
        programs: their names.
        users: their names.
        runs: their numbers.
    """

    programs: Collection[str]
    users: Collection[str]
    runs: Collection[int]

    def of_program(self, name: str | None) -> str | None:
        """Return the file name of a program's page; None = it has no page."""
        return file_name("program", name) if name in self.programs else None

    def of_user(self, name: str | None) -> str | None:
        """Return the file name of a user's page; None = it has no page."""
        return file_name("user", name) if name in self.users else None

    def of_run(self, run: int | None) -> str | None:
        """Return the file name of a run's page; None = it has no page."""
        return file_name("job", run) if run in self.runs else None

    def links(self) -> Links:
        """Return where the cells of tables lead to."""
        return {
            "program": lambda row: self.of_program(_value(row, "program")),
            "in": lambda row: self.of_program(_value(row, "program")),
            "user": lambda row: self.of_user(_value(row, "user")),
            "of user": lambda row: self.of_user(_value(row, "user")),
            "job": lambda row: self.of_run(_value(row, "run")),
        }


def file_name(kind: str, what: object) -> str:
    """Return the name of a page's file."""
    return f"{kind}-{identity(kind, what) % (1 << 64):016x}.html"


def _value(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)
