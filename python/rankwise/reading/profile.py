"""A profile: what ran, every view of it, of all or of a part of the run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rankwise.analysis.messages.matrix import ENDS, KINDS, MEASURES, matrix
from rankwise.analysis.opened import opened_messages, opened_profile
from rankwise.analysis.overview import Run, Trust, run_facts, trust
from rankwise.analysis.selection import Selected, Selection
from rankwise.errors import RankwiseError
from rankwise.reading.answers import MatrixAnswer, SummaryAnswer, TableView
from rankwise.reading.arguments import path_of
from rankwise.reading.parts import EXPORT, MATRIX, Names, Ranks, Sizes, not_exported, selected, selection
from rankwise.text.safe import safe
from rankwise.views.by import VIEWS, view
from rankwise.views.view import Detail

if TYPE_CHECKING:
    from rankwise.reading.explanation import Explanation
    from rankwise.reading.plots import Plots
    from rankwise.reading.rows import Rows
    from rankwise.reading.traces import WrittenTrace


def open_profile(path: str | PathLike[str]) -> Profile:
    """Open a profile.

    Args:
        path: of a file that `rankwise run` wrote.

    Raises:
        RankwiseError: it can't be read: the line that the command line prints.
    """
    profile = Profile(path_of("path", path))
    with profile._read("run"):
        return profile


class Profile:
    """A profile that can be read, or a part of one.

    Nothing stays open: each answer is read when it is asked for, and whole. All methods raise RankwiseError,
    with the line that the command line prints.

    Attributes:
        path: of the file.
        wanted: the part of the run that it is.
    """

    def __init__(self, path: Path, wanted: Selection | None = None) -> None:
        """Read the profile at `path` when it is asked for; of `wanted` alone, None = all."""
        self.path = path
        self.wanted = wanted or Selection()

    def __enter__(self) -> Profile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing: nothing is open."""

    def __repr__(self) -> str:
        run = self.run
        part = "".join(f", {name} {getattr(self.wanted, name)}" for name in self.wanted.given())
        return safe(f"<Profile {self.path.name}: {run.ranks} ranks, {run.wall_seconds:.3g} s{part}>", "utf-8")

    @cached_property
    def run(self) -> Run:
        """What ran: `run.ranks`, `run.wall_seconds`, `run.mpi_library`, ..., of the whole run."""
        with opened_profile(self.path) as connection:
            return run_facts(connection)

    @cached_property
    def trust(self) -> Trust:
        """The gaps in the numbers of the run, and the cost of recording them."""
        with opened_profile(self.path) as connection:
            return trust(connection)

    def part(
        self,
        *,
        communicator: Names = "",
        rank: Ranks = "",
        call: Names = "",
        region: Names = "",
        node: Names = "",
        size: Sizes | None = None,
        spans: str | int = "",
    ) -> Profile:
        """Return a part of the run: its shares and totals are of the part.

        Args:
            communicator: names, names of families, or the program's names.
            rank: a rank, several, or a list such as "0-3,7".
            call: procedures, in any case, with or without MPI_.
            region: names.
            node: names of hosts, with or without their domain.
            size: of calls, such as "1K-64K", 0, "1M-".
            spans: number of nodes that the members of a communicator are on: 1, "2-4", "2-".
        """
        more = selection(communicator, rank, call, region, node, size, spans)
        return self.restricted(more)

    def restricted(self, more: Selection) -> Profile:
        """Return a part of the run; it replaces earlier restrictions of the same kind."""
        return Profile(
            self.path, replace(self.wanted, **{name: getattr(more, name) for name in more.given()})
        )

    def view(self, name: str, *, detail: Detail = Detail.ALL, **part: Any) -> TableView:
        """Return a view of `rankwise show --by`.

        Args:
            name: of the view: `communicator`, `call`, ...
            detail: the extent: for short answers, for verbose ones, or everything.
            part: of the run, as for `part`.
        """
        if name not in VIEWS:
            raise RankwiseError(f"there is no view {name!r}: there are {', '.join(VIEWS)}")
        with self._of(part)._read(name) as (connection, chosen):
            return TableView(self.path, name, view(name, connection, detail), trust(connection), chosen)

    def communicators(self, **part: Any) -> TableView:
        """Return families of communicators, each communicator, and the calls on each."""
        return self.view("communicator", **part)

    def calls(self, **part: Any) -> TableView:
        """Return the calls of each MPI procedure."""
        return self.view("call", **part)

    def sites(self, **part: Any) -> TableView:
        """Return the calls by the places in the code that make them."""
        return self.view("site", **part)

    def libraries(self, **part: Any) -> TableView:
        """Return the calls by the libraries that make them, and the program."""
        return self.view("library", **part)

    def paths(self, **part: Any) -> TableView:
        """Return the calls by the functions through which they are made."""
        return self.view("path", **part)

    def sizes(self, **part: Any) -> TableView:
        """Return the calls by the size of their data."""
        return self.view("size", **part)

    def pairs(self, **part: Any) -> TableView:
        """Return the pairs of senders and receivers."""
        return self.view("pair", **part)

    def collectives(self, **part: Any) -> TableView:
        """Return the messages inside collectives."""
        return self.view("collective", **part)

    def algorithms(self, **part: Any) -> TableView:
        """Return the algorithm of each collective."""
        return self.view("algorithm", **part)

    def waiting(self, **part: Any) -> TableView:
        """Return the waiting in collectives, and the ranks that caused it."""
        return self.view("waiting", **part)

    def time(self, **part: Any) -> TableView:
        """Return the phases of the run, and what each rank did when."""
        return self.view("time", **part)

    def ranks(self, **part: Any) -> TableView:
        """Return the time and the process of each rank."""
        return self.view("rank", **part)

    def nodes(self, **part: Any) -> TableView:
        """Return the nodes, and what leaves them."""
        return self.view("node", **part)

    def network(self, **part: Any) -> TableView:
        """Return the bytes at the nodes' network ports, and the ranks' messages among them."""
        return self.view("network", **part)

    def regions(self, **part: Any) -> TableView:
        """Return the regions that the program names."""
        return self.view("region", **part)

    def counters(self, **part: Any) -> TableView:
        """Return what the system and the processors counted."""
        return self.view("counter", **part)

    def files(self, **part: Any) -> TableView:
        """Return the files, and the calls on each."""
        return self.view("file", **part)

    def matrix(
        self,
        ends: str = ENDS[0],
        *,
        kind: str = KINDS[0],
        of: str = MEASURES[0],
        **part: Any,
    ) -> MatrixAnswer:
        """Return the bytes or messages between ranks.

        Args:
            ends: `rank` or `node`.
            kind: of the messages: `all`, `program` (point-to-point and one-sided), `point-to-point`,
                `one-sided` or `in-collective`.
            of: `bytes` or `messages`.
            part: of the run, as for `part`.
        """
        if of not in MEASURES:
            raise RankwiseError(f"a matrix is of {' or '.join(MEASURES)}, not of {of!r}")
        for given, known, what in ((ends, ENDS, "ends"), (kind, KINDS, "kind")):
            if given not in known:
                raise RankwiseError(f"a matrix has no {what} {given!r}: there are {', '.join(known)}")
        return self._of(part)._matrix(ends, kind, of)

    def summary(self) -> SummaryAnswer:
        """Return the summary, which is of the whole run."""
        if given := self.wanted.given():
            raise RankwiseError(f"--{given[0]} goes with --by or --matrix: the summary is of the whole run")
        from rankwise.analysis.evidence import Evidence
        from rankwise.analysis.summary import summary
        from rankwise.diagnosis.kept import diagnosis

        with opened_profile(self.path) as connection:
            evidence = Evidence(connection)
            conclusions = diagnosis(evidence)
            return SummaryAnswer(self.path, summary(connection, evidence, conclusions.account), conclusions)

    def explain(self) -> Explanation:
        """Return what the whole run's time is lost to, and what can be done about it."""
        from rankwise.reading.explanation import explain

        if given := self.wanted.given():
            raise RankwiseError(f"--{given[0]} can't be explained separately: findings are for the whole run")
        return explain(self.path)

    @property
    def plot(self) -> Plots:
        """Drawings: `plot.matrix()`, `plot.communicators()`, `plot.sizes()`, and the others of `Plots`."""
        from rankwise.reading.plots import Plots

        return Plots(self)

    @property
    def tables(self) -> list[str]:
        """Names of the tables that `export` writes: docs/reference/profile-format.md."""
        from rankwise.analysis.export_tables import export_tables

        with opened_profile(self.path) as connection:
            names = [table.name for table in export_tables(connection)]
        left_out = not_exported(self.wanted)
        return [name for name in names if name not in left_out]

    def table(self, name: str) -> Rows:
        """Return the rows of one of `tables`, as `export` writes them."""
        from rankwise.analysis.export_tables import export_tables
        from rankwise.reading.rows import Rows

        if name not in self.tables:
            raise RankwiseError(f"there is no table {name!r}: there are {', '.join(self.tables)}")
        with self._read(EXPORT) as (connection, _):
            (columns_and_rows,) = (table for table in export_tables(connection) if table.name == name)
            return Rows(name, columns_and_rows.objects(connection), [*columns_and_rows.columns])

    def export(self, directory: str | PathLike[str], to: str = "csv", *, force: bool = False) -> list[str]:
        """Write the tables as files, `DIRECTORY/calls.csv` and so on.

        Args:
            directory: made if it does not exist.
            to: `csv`, `json` or `parquet`.
            force: replace files that exist.

        Returns:
            Names of the tables that are left out, because they can't be restricted to the part.
        """
        from rankwise.reading.exporting import write_tables

        target = path_of("directory", directory)
        with self._read(EXPORT) as (connection, _):
            return write_tables(connection, target, to, not_exported(self.wanted), force=force)

    def export_trace(
        self, path: str | PathLike[str], to: str = "perfetto", *, force: bool = False
    ) -> WrittenTrace:
        """Write single calls, as far as they are known, and the time line, for a viewer of traces.

        Args:
            path: of `perfetto` a file, compressed if its name ends in .gz; of `otf2` a directory.
            to: `perfetto` or `otf2`.
            force: replace what exists.
        """
        from rankwise.reading.traces import write_trace

        target = path_of("path", path)
        with self._read(EXPORT) as (connection, _):
            return write_trace(connection, target, to, not_exported(self.wanted), force=force)

    def _of(self, part: dict[str, Any]) -> Profile:
        return self.part(**part) if part else self

    @contextmanager
    def _read(self, what: str) -> Iterator[tuple[sqlite3.Connection, Selected | None]]:
        """Open the file, and put the part in the place of the whole."""
        with opened_profile(self.path) as connection:
            yield connection, selected(connection, self.wanted, what)

    def _matrix(self, ends: str, kind: str, of: str) -> MatrixAnswer:
        with opened_messages(self.path) as opened:
            connection = opened.connection
            if opened.matrix is not None and (ends == "node" or kind != "all"):
                raise RankwiseError(f"{self.path} is a matrix of ranks, without nodes and kinds of messages")
            if opened.matrix is not None and opened.matrix.counts is None and of == "messages":
                raise RankwiseError(f"{self.path} has no numbers of messages: ask for bytes")
            chosen = selected(connection, self.wanted, MATRIX)
            traffic = matrix(connection, ends, kind)
            return MatrixAnswer(self.path, traffic, of, trust(connection), chosen, opened.notes())
