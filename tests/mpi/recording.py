"""Running a program under `rankwise run` and asking its profile."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from libraries import Mpi

import leftovers
from rankwise.__main__ import main

PROGRAMS = Path(__file__).parent / "programs"
RANKWISE = Path(sys.executable).with_name("rankwise")
LIMIT_SECONDS = 120


@dataclass
class Recording:
    """A finished run and its profile."""

    process: subprocess.CompletedProcess[str]
    path: Path

    @property
    def database(self) -> sqlite3.Connection:
        """The profile, open for reading."""
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """All rows of a query."""
        with self.database as database:
            return database.execute(query, values).fetchall()

    def calls(self, procedure: str, communicator: str | None = None) -> dict[int, tuple[int, int, int]]:
        """(calls, bytes sent, bytes received) of a procedure by rank; on one communicator if it is named."""
        rows = self.rows(
            """SELECT rank, sum(calls), sum(bytes_sent), sum(bytes_received)
               FROM calls JOIN procedures ON procedures.id = calls.procedure
               JOIN communicators ON communicators.id = calls.communicator
               WHERE procedures.name = ? AND coalesce(?, communicators.name) = communicators.name
               GROUP BY rank ORDER BY rank""",
            procedure,
            communicator,
        )
        return {rank: (calls, sent, received) for rank, calls, sent, received in rows}  # type: ignore[misc]

    def bins(self, procedure: str) -> dict[int, int]:
        """Calls of a procedure by size bin, over all ranks."""
        rows = self.rows(
            """SELECT size_bin, sum(calls) FROM calls JOIN procedures ON procedures.id = calls.procedure
               WHERE procedures.name = ? GROUP BY size_bin""",
            procedure,
        )
        return dict(rows)  # type: ignore[arg-type]

    def messages(
        self, communicator: str | None = None, kind: str = "point-to-point", procedure: str | None = None
    ) -> dict[tuple[int, int], tuple[int, int]]:
        """(messages, bytes) of a kind by (source, destination); of one communicator or procedure if named."""
        rows = self.rows(
            """SELECT source, destination, sum(messages), sum(bytes)
               FROM messages JOIN communicators ON communicators.id = messages.communicator
               JOIN procedures ON procedures.id = messages.procedure
               WHERE kind = ? AND coalesce(?, communicators.name) = communicators.name
               AND coalesce(?, procedures.name) = procedures.name
               GROUP BY source, destination""",
            kind,
            communicator,
            procedure,
        )
        return {(s, d): (m, b) for s, d, m, b in rows}  # type: ignore[misc]

    def shown(self, *words: str) -> str:
        """What `rankwise show` prints, no line broken; it needs no process of its own, which takes longer."""
        import pytest  # not above: the benchmark asks this module where there is no pytest

        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as said,
        ):
            patch.setenv("COLUMNS", "400")
            status = main(["show", str(self.path), *words])
        assert (status, said.getvalue()) == (0, "")
        return out.getvalue()

    def communicators(self) -> dict[str, str]:
        """Members (world ranks) of the real communicators by name."""
        return dict(self.rows("SELECT name, members FROM communicators WHERE id >= 3"))  # type: ignore[arg-type]

    @property
    def warnings(self) -> list[str]:
        """What the profile itself says against its figures."""
        return [str(text) for (text,) in self.rows("SELECT text FROM warnings ORDER BY id")]

    @property
    def dropped(self) -> dict[str, int]:
        """What could not be recorded, over all ranks."""
        return dict(self.rows("SELECT what, sum(count) FROM dropped GROUP BY what"))  # type: ignore[arg-type]


Compile = Callable[[Mpi, str], Path]  # a program of PROGRAMS with an MPI
Record = Callable[..., Recording]  # ("name.c", ranks, *arguments, status=0)


def rankwise(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command that ends soon."""
    command = [str(RANKWISE), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)


def run(
    command: list[str], output: Path, environment: dict[str, str], *options: str, seconds: int = LIMIT_SECONDS
) -> Recording:
    """Runs a command under `rankwise run`, the profile going to `output`."""
    words = [str(RANKWISE), "run", "--quiet", "-o", str(output), *options, "--", *command]
    process = subprocess.run(
        words, capture_output=True, text=True, timeout=seconds, env=environment, cwd=output.parent
    )
    return Recording(process, output)


def run_on(mpi: Mpi, command: list[str], output: Path, *options: str) -> Recording:
    """The same on an MPI library; a job that hangs has two further tries where the library hangs by itself.

    A job of Intel MPI hung twice while another one ran on the node. On MPICH 5, programs that open MPI again
    hang in about one of six runs without Rankwise.
    """
    if mpi.vendor == "Intel" or mpi.name.startswith("mpich-pypi"):
        for _ in range(2):
            with contextlib.suppress(subprocess.TimeoutExpired):
                return run(command, output, mpi.env(), *options, seconds=LIMIT_SECONDS // 3)
            leftovers.end(os.environ[leftovers.MARK])
            shutil.rmtree(output.with_name(f"{output.name}-run"), ignore_errors=True)
            output.unlink(missing_ok=True)
    return run(command, output, mpi.env(), *options)
