"""What an open profile answers: data, which shows itself on a terminal and in a notebook."""

from __future__ import annotations

import io
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

from rankwise.analysis.calls.spread import Spread
from rankwise.analysis.opened import damage_told
from rankwise.analysis.to_json import json_text, to_json
from rankwise.errors import RankwiseError
from rankwise.extras import NOTEBOOK, check
from rankwise.reading.arguments import check_stream, row_limit
from rankwise.reading.rows import Rows
from rankwise.text.empty import NOTHING_SELECTED
from rankwise.text.safe import safe
from rankwise.views.view import Detail, View

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pandas
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from rankwise.analysis.messages.matrix import Matrix as Messages
    from rankwise.analysis.overview import Trust
    from rankwise.analysis.selection import Selected
    from rankwise.analysis.summary import Summary
    from rankwise.diagnosis.model import Diagnosis
    from rankwise.render.terminal.page import Page

LIMIT = 30
"""Rows that are shown of a table, as a rule."""

# The parts of `--json` besides rows, by one of their keys, and their attributes here.
_BESIDE = {
    "calls": ("calls_over_ranks", "procedure", "over_ranks"),
    "families": ("families_over_ranks", "family", "over_ranks"),
    "communicators": ("communicators_over_ranks", "name", "over_ranks"),
    "ranks": ("top_calls", "rank", "top_call"),
}


class Answer(ABC):
    """Data that shows itself: `str()` as on a terminal, HTML in a notebook, `data` as `--json`."""

    def __init__(self, path: Path) -> None:
        """Belong to the profile at `path`."""
        self._path = path

    @property
    @abstractmethod
    def data(self) -> dict[str, Any]:
        """What `--json` prints: lists, dictionaries, numbers and texts."""

    @abstractmethod
    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:
        """Write it to the file."""

    def show(self, file: TextIO | None = None, *, verbose: int = 0, limit: int = LIMIT) -> None:
        """Write it as the command line does.

        Args:
            file: a terminal (its width and colours are used), or anything else; stdout if None.
            verbose: 1: more columns and rows; 2: of the summary, everything.
            limit: rows of a table, 0 for all.

        Raises:
            RankwiseError: the profile has turned out to be damaged, or the limit is no number of rows.
        """
        to, rows = file or sys.stdout, row_limit(limit)
        check_stream("file", to)
        with damage_told(self._path):
            self._write(to, verbose=verbose, limit=rows)

    def text(self, *, verbose: int = 0, limit: int = LIMIT) -> str:
        """Return what `show` writes, without colours, as wide as COLUMNS says, else 100."""
        file = io.StringIO()
        self.show(file, verbose=verbose, limit=limit)
        return file.getvalue()

    def to_json(self) -> str:
        """Return what `--json` prints.

        Raises:
            RankwiseError: the profile has turned out to be damaged.
        """
        return "".join(self.json_text())

    def json_text(self) -> Iterator[str]:
        """Give what `--json` prints, in pieces.

        Raises:
            RankwiseError: the profile has turned out to be damaged.
        """
        with damage_told(self._path):
            yield from json_text(self._content)

    @property
    def _content(self) -> Mapping[str, Any]:
        """What `data` is made from."""
        return self.data

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from rankwise.render.html_tables import text_html

        return text_html(self.text())


class TableView(Answer):
    """A view of `rankwise show --by`, or another answer in tables.

    Attributes:
        name: of the view.
        title: the main finding, a sentence without its full stop; '' = no finding.
        names: of the lists of rows in it, the main one first.
        selected: the part that it is of; None = all.
    """

    def __init__(
        self, path: Path, name: str, view: View, trust: Trust | None = None, selected: Selected | None = None
    ) -> None:
        """Take the view.

        Args:
            path: of the profile.
            name: of the view.
            view: the view.
            trust: gaps and uncertainty of the numbers; None = already reported.
            selected: its part of the run; None = everything.
        """
        if selected:  # the sentences in place of empty tables are on the whole program
            tables = [replace(table, empty=NOTHING_SELECTED) for table in view.tables]
            view = replace(view, tables=tables)
        super().__init__(path)
        self.name = name
        self.title = view.title
        self._view, self._trust, self.selected = view, trust, selected

    @cached_property
    def data(self) -> dict[str, Any]:
        """What `--json` prints."""
        content: dict[str, Any] = to_json(self._content)
        return content

    @property
    def _content(self) -> Mapping[str, Any]:
        head: dict[str, Any] = {"trust": self._trust} if self._trust else {}
        if self.selected:
            head["selected"] = self.selected
        return {**head, **self._view.data}

    @property
    def objects(self) -> Mapping[str, Any]:
        """What `data` is made from, with attributes: `objects["calls"][0].totals.seconds`."""
        return self._view.data

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the lists of rows, the main one first."""
        return tuple(self._lists)

    @cached_property
    def _lists(self) -> dict[str, list[Any]]:
        """The lists of rows; where the view is one object, those in it, with its name before theirs."""
        lists: dict[str, list[Any]] = {}
        for key, value in self.data.items():
            if isinstance(value, list):
                lists[key] = value
            elif isinstance(value, dict) and key == self.name:
                inner = {name: rows for name, rows in value.items() if isinstance(rows, list)}
                lists |= {f"{key}_{name}": rows for name, rows in inner.items()}
        return lists

    def rows(self, name: str = "") -> Rows:
        """Return rows.

        Args:
            name: of the list, '' = the main one.

        Raises:
            RankwiseError: no list has this name.
        """
        chosen = name or self.names[0]
        if chosen not in self.names:
            raise RankwiseError(f"{self.name} has no {chosen!r}: it has {', '.join(self.names)}")
        rows = self._lists[chosen]
        if chosen in _BESIDE and _BESIDE[chosen][0] in self.data:
            beside, key, prefix = _BESIDE[chosen]
            others: Any = self._view.data[beside]
            rows = [{**row, prefix: _beside(others.get(row[key]))} for row in rows]
        return Rows(chosen, rows)

    def to_dict(self, name: str = "") -> dict[str, list[Any]]:
        """Return the columns of `rows(name)` as lists."""
        return self.rows(name).to_dict()

    def to_numpy(self, name: str = "") -> NDArray[np.void]:
        """Return `rows(name)` as a structured array."""
        return self.rows(name).to_numpy()

    def to_pandas(self, name: str = "") -> pandas.DataFrame:
        """Return `rows(name)` as a DataFrame."""
        return self.rows(name).to_pandas()

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:
        from rankwise.render.terminal.page import Page
        from rankwise.render.terminal.view import show_view

        page = Page(file)
        _write_head(page, self._lines())
        show_view(page, self._view, _detail(verbose), limit)

    def __repr__(self) -> str:
        rows = ", ".join(f"{name}: {len(self.rows(name))}" for name in self.names)
        return safe(f"<{self.name}{f': {self.title}' if self.title else ''} ({rows})>", "utf-8")

    def _repr_html_(self) -> str:
        from rankwise.render.html_tables import view_html

        head = [sentence for sentence, _ in self._lines()]
        return view_html(self._view, Detail.BRIEF, LIMIT, head)

    def _lines(self) -> list[tuple[str, str]]:
        """Return the sentences that come first, and their styles."""
        return _head(self._trust, self.selected)


class SummaryAnswer(Answer):
    """The summary of a run.

    Attributes:
        found: everything, as objects.
        diagnosis: the conclusions, as objects.
    """

    def __init__(self, path: Path, summary: Summary, diagnosis: Diagnosis) -> None:
        """Take the results for the profile at `path`."""
        super().__init__(path)
        self.found = summary
        self.diagnosis = diagnosis

    @cached_property
    def data(self) -> dict[str, Any]:
        """What `--json` prints."""
        from rankwise.diagnosis.as_json import diagnosis_json
        from rankwise.findings.as_json import findings_json

        return {
            **to_json(self.found),
            "diagnosis": diagnosis_json(self.diagnosis),
            "findings": findings_json(self.diagnosis.findings.found, self.found.run, self._path),
        }

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:  # noqa: ARG002 - it chooses its rows
        from rankwise.render.terminal.summary import write_summary

        write_summary(self.found, self.diagnosis, self._path, file, verbose=verbose)

    def __repr__(self) -> str:
        run, times = self.found.run, self.found.times
        return (
            f"<summary: {run.ranks} ranks, {times.wall_seconds:.3g} s, MPI {times.mpi_percent_of_run:.1f} %>"
        )


class MatrixAnswer(Answer):
    """The bytes or messages between ranks: `rankwise show --matrix`.

    Attributes:
        found: its cells that are not empty, as objects.
        labels: of its rows and columns: numbers of ranks, or names of nodes.
        selected: the part that it is of; None = all.
        notes: on a file that is a matrix of another tool, as sentences.
    """

    def __init__(
        self,
        path: Path,
        messages: Messages,
        measure: str,
        trust: Trust,
        selected: Selected | None,
        notes: Sequence[str] = (),
    ) -> None:
        """Take the matrix; `measure` is bytes or messages."""
        super().__init__(path)
        self.found = messages
        self.measure = measure
        self.labels: Sequence[int | str] = messages.nodes or range(messages.size)
        self._trust, self.selected, self.notes = trust, selected, notes

    @cached_property
    def data(self) -> dict[str, Any]:
        """What `--json` prints."""
        part: dict[str, Any] = {"selected": self.selected} if self.selected else {}
        part |= {"notes": self.notes} if self.notes else {}
        data: dict[str, Any] = to_json({"trust": self._trust, **part, "matrix": self.found})
        return data

    @property
    def shape(self) -> tuple[int, int]:
        """Rows (who sends) and columns (who gets)."""
        return self.found.size, self.found.size

    def rows(self) -> Rows:
        """Return the cells that are not empty."""
        columns = ("source", "destination", "messages", "bytes")
        return Rows("cells", to_json(self.found.cells), columns)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the cells that are not empty, a row each."""
        return self.rows().to_pandas()

    def to_numpy(self) -> NDArray[np.int64]:
        """Return the whole matrix, shape (N, N): row = who sends, column = who gets."""
        import numpy as np

        whole = np.zeros(self.shape, dtype=np.int64)
        for cell in self.found.cells:
            whole[cell.source, cell.destination] = getattr(cell, self.measure)
        return whole

    def to_scipy(self) -> csr_array:
        """Return it as a sparse matrix (CSR), in the same way.

        Raises:
            RankwiseError: SciPy is not installed.
        """
        check("scipy", NOTEBOOK)
        import numpy as np
        from scipy.sparse import csr_array

        cells = self.found.cells
        values = np.array([getattr(cell, self.measure) for cell in cells], dtype=np.int64)
        ends = [[cell.source for cell in cells], [cell.destination for cell in cells]]
        return csr_array((values, ends), shape=self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.to_numpy() if dtype is None else self.to_numpy().astype(dtype)

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:  # noqa: ARG002 - ranks share a row
        from rankwise.render.terminal.matrix import matrix_lines
        from rankwise.render.terminal.page import Page

        page = Page(file)
        _write_head(page, _head(self._trust, self.selected))
        page.write(*matrix_lines(page, self.found, self.measure))
        for note in self.notes:
            page.write(*page.wrapped(note, "dim"))

    def __repr__(self) -> str:
        size, cells = self.found.size, len(self.found.cells)
        return f"<matrix of {size} {self.found.ends}s: {cells} cells of {self.measure}>"


def _head(trust: Trust | None, selected: Selected | None) -> list[tuple[str, str]]:
    """Return the sentences that come first, and their styles."""
    from rankwise.text.trust import partial_line, selected_line

    head = []
    if trust and not trust.complete:
        head.append((partial_line(trust), "bold red"))
    if selected:
        head.append((selected_line(selected), "bold"))
    return head


def _write_head(page: Page, sentences: Sequence[tuple[str, str]]) -> None:
    for sentence, style in sentences:
        page.write(*page.wrapped(sentence, style, indent=2))
    if sentences:
        page.write(page.text(""))


def _beside(value: object) -> object:
    if isinstance(value, Spread):
        return {**to_json(value), "imbalance": value.imbalance}
    return value


def _detail(verbose: int) -> Detail:
    return Detail.VERBOSE if verbose else Detail.BRIEF
