"""Output of mpiGraph: the bandwidth from each rank to each other while all of them send, as text.

    START mpiGraph v1.5
    MsgSize <TAB> 16384
    Times   <TAB> 100
    Window  <TAB> 50
    Procs   <TAB> 2
    ...
    Send    <TAB> node0:0 <TAB> node1:1 <TAB>
    node0:0 to <TAB> 0.000 <TAB> 2710.330 <TAB>
    node1:1 to <TAB> 2698.127 <TAB> 0.000 <TAB>
    ...
    Recv    <TAB> node0:0 <TAB> node1:1 <TAB>
    node0:0 from <TAB> 0.000 <TAB> 2700.012 <TAB>
    ...
    END mpiGraph

A row of `Send` has the rank's messages to each rank, a row of `Recv` those from each, in units of 2^20 bytes
a second; 0 is unknown. Lines of other kinds may stand anywhere but inside the tables. One of the two tables
is enough; of both, the slower value counts: a transfer is over when both ends say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.dense import from_matrices
from rankwise.latency.measurement import Measurement

_MEBIBYTE = 1 << 20
_MEGABYTE = 10**6
_KEYS = ("MsgSize", "Times", "Window", "Procs")
_TABLES = {"Send": "to", "Recv": "from"}


def is_output(start: str) -> bool:
    """Return whether a file that begins so is output of mpiGraph."""
    return re.search(r"^START mpiGraph|^(Send|Recv)\t[^\t\n]*:0\t", start, re.MULTILINE) is not None


def read(path: Path) -> Measurement:
    """Read mpiGraph's output: `forward` and `backward` of all pairs; it knows no times.

    Raises:
        RankwiseError: not readable, without a table, or with one that is cut short or damaged.
    """
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            return _Output(path, file).measurement()
    except OSError as error:
        raise RankwiseError(f"{path}: {error.strerror or error}; give a file that can be read") from error


class _Output:
    """The output while it is read."""

    def __init__(self, path: Path, lines: Iterator[str]) -> None:
        self._path = path
        self._lines = enumerate(lines, 1)
        self._names: list[str] = []

    def measurement(self) -> Measurement:
        numbers: dict[str, int] = {}
        tables: dict[str, NDArray[np.float64]] = {}
        version = ""
        for number, line in self._lines:
            head, _, rest = line.partition("\t")
            if head in _KEYS and rest.strip().isdecimal() and len(rest) < 20:
                numbers[head] = int(rest)
            elif head in _TABLES and rest.partition("\t")[0].endswith(":0"):
                tables[head] = self._table(number, rest, _TABLES[head])
            elif line.startswith("START mpiGraph"):
                version = line.removeprefix("START mpiGraph").strip()
        if not tables:
            raise self._wrong("it has no table `Send` or `Recv`: the run did not end")
        if "MsgSize" not in numbers:
            raise self._wrong("it does not say MsgSize")
        if numbers.get("Procs", len(self._names)) != len(self._names):
            raise self._wrong(f"its tables are of {len(self._names)} ranks, not of {numbers['Procs']}")
        about = {"tool": f"mpiGraph {version}".strip(), "mode": "loaded"}
        return from_matrices(
            self._names,
            {},
            {numbers["MsgSize"]: _bandwidth(tables)},
            repeats=max(numbers.get("Times", 1), 1),
            about=about | {"repeats": numbers["Times"]} if "Times" in numbers else about,
        )

    def _table(self, number: int, heads: str, preposition: str) -> NDArray[np.float64]:
        """Read the rows of a table; `number` is of the line with its heads."""
        ends = heads.split()
        names = [end.rpartition(":")[0] for end in ends]
        if len(names) < 2 or [end.rpartition(":")[2] for end in ends] != [str(i) for i in range(len(ends))]:
            raise self._wrong(f"line {number} has no heads of at least two ranks, from 0 on")
        if self._names and names != self._names:
            raise self._wrong(f"line {number} names other hosts than the table before")
        self._names = names
        return np.array([self._row(f"{end} {preposition}", len(ends)) for end in ends])

    def _row(self, title: str, count: int) -> list[float]:
        number, line = next(self._lines, (0, ""))
        if not number:
            raise self._wrong(f"it ends before the row `{title}`")
        words = line.rstrip().split("\t")
        try:
            values = [float(word) for word in words[1:]]
        except ValueError:
            values = []
        right = all(0 <= value < np.inf for value in values)
        if words[0] != title or len(values) != count or not right:
            raise self._wrong(f"line {number} is not the row `{title}` with {count} bandwidths")
        return values

    def _wrong(self, what: str) -> RankwiseError:
        return RankwiseError(
            f"{self._path} is not the complete output of mpiGraph: {what}; give the output of a complete run"
        )


def _bandwidth(tables: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return MB/s (10^6 bytes), row = sender."""
    both_sides = [tables["Send"]] if "Send" in tables else []
    both_sides += [tables["Recv"].T] if "Recv" in tables else []
    known = [np.where(table > 0, table, np.nan) for table in both_sides]
    rates = np.fmin(known[0], known[-1]) * (_MEBIBYTE / _MEGABYTE)
    np.fill_diagonal(rates, np.nan)
    return rates
