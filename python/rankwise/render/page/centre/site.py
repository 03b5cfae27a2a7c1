"""The pages of a site, from answers about all runs of a centre."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from rankwise.centre.details import Details
from rankwise.centre.questions import Scope, Trends, Waste
from rankwise.centre.site import Content, Part
from rankwise.render.page.beside import report_beside
from rankwise.render.page.centre.drawing import Month, kinds_chart, months_chart
from rankwise.render.page.centre.markup import (
    Section,
    code,
    facts_html,
    link,
    paragraph,
    sections_html,
    table_section,
)
from rankwise.render.page.centre.names import INDEX, Pages
from rankwise.render.page.html import filled, html_text
from rankwise.text.units import percent_text
from rankwise.version import __version__
from rankwise.views.centre import hosts, jobs, programs, run, trends, users, waste
from rankwise.views.centre.common import NO_RUNS, SAVINGS, hours_text, period_text, unknown_line
from rankwise.views.view import Table, View

_TEMPLATE = "centre.html"
_PROGRAMS, _JOBS, _USERS, _HOSTS, _TRENDS = (
    f"{name}.html" for name in ("programs", "jobs", "users", "hosts", "trends")
)
_ON_OVERVIEW = 10  # rows of a table
_FINDING = "finding"  # a column that a page has room for
_RESULT, _ALL = "Result", "All"  # titles of sections
_CURRENT = ' aria-current="page"'

Page = tuple[str, bytes]
"""File name, and content as UTF-8."""


def site_pages(content: Content, *, title: str, written: datetime, directory: Path) -> Iterator[Page]:
    """Give the pages, one after the other.

    Args:
        content: that they show.
        title: of the site.
        written: UTC.
        directory: in which the pages will be.
    """
    pages = Pages(
        programs={part.name for part in content.of_programs},
        users={part.name for part in content.of_users},
        runs={found.run["run"] for found in content.runs},
    )
    site = _Site(content, pages, title, written, directory)
    yield site.page(INDEX, title, site.overview())
    yield site.page(_PROGRAMS, "Programs", site.answer(programs.view(content.programs)))
    yield site.page(_JOBS, "Jobs", site.answer(jobs.view(content.jobs)))
    if content.users:
        yield site.page(_USERS, "Users", site.answer(users.view(content.users)))
    if content.hosts:
        yield site.page(_HOSTS, "Hosts", site.answer(hosts.view(content.hosts)))
    yield site.page(_TRENDS, "Trends", site.trends())
    for part in content.of_programs:
        yield site.page(pages.of_program(part.name) or "", f"Program {part.name}", site.part(part))
    for part in content.of_users:
        yield site.page(pages.of_user(part.name) or "", f"User {part.name}", site.part(part))
    for found in content.runs:
        yield site.page(pages.of_run(found.run["run"]) or "", run.name(found.run), site.run(found))


class _Site:
    """Makes the pages of a site."""

    def __init__(
        self, content: Content, pages: Pages, title: str, written: datetime, directory: Path
    ) -> None:
        self.content = content
        self.pages = pages
        self.title = title
        self.written = written
        self.directory = directory
        self.links = pages.links()

    def page(self, name: str, title: str, sections: list[Section]) -> Page:
        """Return a page."""
        of_site = "" if name == INDEX else f" - {self.title}"
        parts = {
            "title": html_text(f"{title}{of_site}"),
            "content": (
                f'<header><nav aria-label="Pages"><ul>{self._navigation(name)}</ul></nav></header>'
                f"<main><h1>{html_text(title)}</h1>{sections_html(sections)}</main>"
                f"<footer>{paragraph(self._about())}</footer>"
            ),
        }
        return name, filled(_TEMPLATE, parts)

    def overview(self) -> list[Section]:
        """Return the sections of the first page."""
        content, scope = self.content, self.content.waste.scope
        if not scope.totals["runs"]:
            return [Section("Node hours", paragraph(NO_RUNS))]
        found = waste.view(content.waste)
        kinds, by_program = found.tables
        sections = [
            Section(
                "Node hours",
                paragraph(f"{found.title}.", "lead")
                + facts_html(self._totals(scope))
                + paragraph(unknown_line(scope), "note"),
            ),
            table_section(kinds, self.links),
            *([_kinds(content.waste)] if content.waste.kinds else []),
            table_section(_first(by_program), self.links, also=(_FINDING,), title="Programs with most of it"),
            Section("By month", _months(content.trends)),
        ]
        if content.hosts:
            sections.append(Section("Hosts", paragraph(f"{hosts.title(content.hosts)}.")))
        return sections

    def answer(self, found: View) -> list[Section]:
        """Return the sections of an answer: what it found, and its tables."""
        tables = [
            table_section(table, self.links, also=(_FINDING,), title=table.title or _ALL)
            for table in found.tables
        ]
        return [*([_lead(found.title)] if found.title else []), *tables]

    def trends(self) -> list[Section]:
        """Return the sections of the page of months."""
        answer = self.answer(trends.view(self.content.trends))
        return [Section("By month", _months(self.content.trends)), *answer[1:]]

    def part(self, part: Part) -> list[Section]:
        """Return the sections of the page of a program or a user."""
        found = waste.view(part.waste)
        sections = [_lead(found.title)]
        if part.waste.kinds:
            kinds, by_program = found.tables
            sections.append(table_section(kinds, self.links))
            if part.waste.scope.asked.user:
                sections.append(table_section(by_program, self.links, also=(_FINDING,)))
        if part.jobs.rows:
            (table,) = jobs.view(part.jobs).tables
            sections.append(table_section(table, self.links, also=(_FINDING,), title="Jobs with most waste"))
        return [*sections, Section("By month", _months(part.trends))]

    def run(self, found: Details) -> list[Section]:
        """Return the sections of the page of a run."""
        view = run.view(found)
        facts = [(name, html_text(text)) for name, text in run.facts(found.run)]
        facts.insert(1, ("user", self._linked(self.pages.of_user(found.run["user"]), found.run["user"])))
        if address := self.pages.of_program(found.run["program"]):
            facts.append(("see also", link(address, f"all runs of {found.run['program']}")))
        facts.append(("report", self._report(found)))
        first = (paragraph(f"{view.title}.", "lead") if view.title else "") + facts_html(facts)
        return [Section("The run", first), *(table_section(table, self.links) for table in view.tables)]

    def _report(self, found: Details) -> str:
        command = run.report_command(found.run)
        if not command:
            return "the store does not have the path of its profile"
        address = report_beside(Path(found.run["profile"]), self.directory)
        return link(address, "open it") if address else f"write it with {code(command)}"

    def _linked(self, address: str | None, text: str) -> str:
        return link(address, text) if address else html_text(text)

    def _navigation(self, current: str) -> str:
        content = self.content
        places = [
            (INDEX, "Overview"),
            (_PROGRAMS, "Programs"),
            (_JOBS, "Jobs"),
            *([(_USERS, "Users")] if content.users else []),
            *([(_HOSTS, "Hosts")] if content.hosts else []),
            (_TRENDS, "Trends"),
        ]
        return "".join(
            f'<li><a href="{name}"{_CURRENT if name == current else ""}>{said}</a></li>'
            for name, said in places
        )

    def _totals(self, scope: Scope) -> list[tuple[str, str]]:
        totals = scope.totals
        lost = f"{hours_text(totals['waste_node_hours'])} ({percent_text(scope.waste_percent)} %)"
        recorded = scope.without_profile_percent
        return [
            ("node hours", html_text(hours_text(totals["node_hours"]))),
            ("could be saved", html_text(lost)),
            ("runs", html_text(f"{totals['runs']:,} {period_text(scope)}")),
            *([("users", html_text(f"{totals['users']:,}"))] if self.content.users else []),
            ("programs", html_text(f"{totals['programs']:,}")),
            (
                "recorded",
                "the share is unknown without the accounting"
                if recorded is None
                else f"{percent_text(100 - recorded)} % of the accounted node hours",
            ),
        ]

    def _about(self) -> str:
        return f"Written by Rankwise {__version__} on {self.written:%Y-%m-%d %H:%M} UTC. Times are UTC."


def _lead(title: str) -> Section:
    return Section(_RESULT, paragraph(f"{title}.", "lead"))


def _months(found: Trends) -> str:
    if not found.months:
        return paragraph(NO_RUNS)
    months = [Month(row["month"], row["node_hours"], row["waste_node_hours"]) for row in found.months]
    return months_chart(months) + paragraph(f"{trends.title(found)}.")


def _kinds(found: Waste) -> Section:
    kinds = [(row["waste"], row["node_hours"]) for row in found.kinds]
    return Section("Node hours that could be saved", kinds_chart(kinds, SAVINGS))


def _first(table: Table) -> Table:
    return replace(table, rows=table.rows[:_ON_OVERVIEW])
