"""All that the pages of `rankwise centre site` show, as plain data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rankwise.centre import questions
from rankwise.centre.asked import Asked
from rankwise.centre.details import Details, details
from rankwise.centre.engines.engine import Engine
from rankwise.centre.engines.remembering import Remembering
from rankwise.centre.questions import Hosts, Programs, Ranked, Trends, Waste
from rankwise.centre.values import identity
from rankwise.errors import RankwiseError
from rankwise.records import dataclass

_MOST_ROWS = 100  # of a table
_PARTS = 20  # programs, and users, with a page
_JOBS_OF_PART = 20  # on the page of a program or a user
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")


@dataclass(frozen=True, kw_only=True)
class Part:
    """A program, or a user, with a page.

    Attributes:
        name: its name.
        waste: of its runs.
        jobs: of its runs.
        trends: of its runs.
    """

    name: str
    waste: Waste
    jobs: Ranked
    trends: Trends


@dataclass(frozen=True, kw_only=True)
class Content:
    """All that a site shows.

    Attributes:
        waste: of all its runs.
        programs: of all its runs.
        jobs: of all its runs.
        trends: of all its runs.
        users: None = the site is of one user.
        hosts: None = the site is of one user.
        of_programs: programs with a page.
        of_users: users with a page.
        runs: with a page.
    """

    waste: Waste
    programs: Programs
    jobs: Ranked
    trends: Trends
    users: Ranked | None
    hosts: Hosts | None
    of_programs: Sequence[Part]
    of_users: Sequence[Part]
    runs: Sequence[Details]


def site_content(engine: Engine, asked: Asked) -> Content:
    """Return what a site shows.

    Args:
        engine: over the store.
        asked: which runs; with a user, the site has nothing about others.

    Raises:
        RankwiseError: there are no runs of the user, or the store can't be read.
    """
    engine = Remembering(engine)
    waste = questions.waste(engine, asked, _MOST_ROWS)
    if asked.user and not waste.scope.totals["runs"]:
        raise RankwiseError(f"the store has no runs of user {asked.user}, in this period")
    programs = questions.programs(engine, asked, _MOST_ROWS)
    jobs = questions.jobs(engine, asked, _MOST_ROWS)
    users = None if asked.user else questions.users(engine, asked, _MOST_ROWS)
    of_programs = [
        _part(engine, replace(asked, program=row["program"]), row["program"])
        for row in programs.programs[:_PARTS]
        if row["program"]
    ]
    of_users = [
        _part(engine, replace(asked, user=row["user"]), row["user"])
        for row in (users.rows[:_PARTS] if users else ())
        if row["user"]
    ]
    rows = [waste.programs, programs.programs, jobs.rows, users.rows if users else ()]
    rows += [some for part in (*of_programs, *of_users) for some in (part.waste.programs, part.jobs.rows)]
    return Content(
        waste=waste,
        programs=programs,
        jobs=jobs,
        trends=questions.trends(engine, asked, _MOST_ROWS),
        users=users,
        hosts=None if asked.user else questions.hosts(engine, asked),
        of_programs=of_programs,
        of_users=of_users,
        runs=details(engine, asked, _runs(rows)),
    )


def all_users(engine: Engine, asked: Asked) -> Iterator[tuple[str, str]]:
    """Give the users with runs, and the name of a folder for each: the user's name if it is a plain one."""
    for row in questions.users(engine, asked, 0).rows:
        user = row["user"]
        if user:
            plain = _PLAIN_NAME.fullmatch(user)
            yield user, user if plain else f"-{identity('user', user) % (1 << 64):016x}"


def _part(engine: Engine, asked: Asked, name: str) -> Part:
    return Part(
        name=name,
        waste=questions.waste(engine, asked, _JOBS_OF_PART),
        jobs=questions.jobs(engine, asked, _JOBS_OF_PART),
        trends=questions.trends(engine, asked, _JOBS_OF_PART),
    )


def _runs(rows: Iterable[Sequence[Any]]) -> list[int]:
    """Return the runs that rows show, each once."""
    return [*dict.fromkeys(row["run"] for some in rows for row in some if row["run"] is not None)]
