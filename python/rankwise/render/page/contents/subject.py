"""The subject of a report: an open profile, and the container of its numbers."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.summary import Summary, summary
from rankwise.diagnosis.kept import diagnosis
from rankwise.diagnosis.model import Diagnosis
from rankwise.findings.search import Findings
from rankwise.render.page.container import Container
from rankwise.render.page.contents.axes import Axes, axes


@dataclass(frozen=True)
class Subject:
    """A profile in a report.

    Attributes:
        path: of the profile, as the user gave it.
        seen: its facts.
        axes: of its numbers.
        container: for the columns of the page.
    """

    path: Path
    seen: Evidence
    axes: Axes
    container: Container

    @cached_property
    def summary(self) -> Summary:
        """The summary, as on the terminal."""
        return summary(self.connection, self.seen, self.diagnosis.account)

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """The conclusions."""
        return diagnosis(self.seen)

    @property
    def findings(self) -> Findings:
        """The findings of the rules."""
        return self.diagnosis.findings

    @property
    def connection(self) -> sqlite3.Connection:
        """The open profile."""
        return self.seen.connection


def subject(path: Path, connection: sqlite3.Connection, container: Container) -> Subject:
    """Return the subject for an open profile."""
    return Subject(path, Evidence(connection), axes(connection, container), container)
