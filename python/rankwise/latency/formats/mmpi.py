"""Logs of mmpi: the mean round trip between every two ranks, as text.

    # Testing Hostname: login4
    # Processors: 4 MsgLen 64 Repeats: 100
    # ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev
    nid00670 000  nid00670 000       0.00    0.00
    nid00670 000  nid00670 001      10.44    0.12

One line for each pair i <= j, (0,0) (0,1) ... (1,1) ..., a rank with itself as 0. Times are of the whole
round trip; a Measurement has half of it. Between the columns there may be any number of blanks, and names may
include blanks, too, as on Blue Gene. The peculiarities of a log are kept in `about["mmpi"]`, so that
writing a log that was read gives the same bytes. MsgLen is taken as bytes. If pairs were measured with
different numbers of repeats, which mmpi never does, the head has `Repeats: 10 to 93`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.dense import no_pairs
from rankwise.latency.formats.mmpi_layout import Layout, Peculiar, WrongLineError, one_line
from rankwise.latency.measurement import BANDWIDTHS, STATISTICS, Host, Measurement, Pairs, Rank
from rankwise.whole_files import appearing, refuse_existing

TITLE = "# ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev"
_RUN = re.compile(
    r"#\s*Processors:\s*(\d{1,9})\s+MsgLen:?\s*(\d{1,18})\s+Repeats:\s*(\d{1,9})(?:\s+to\s+\d{1,9})?\s*"
)
_TESTING = re.compile(r"#\s*Testing Hostname:\s*(.*?)\s*")


def is_log(start: str) -> bool:
    """Return whether a file that begins so is a log of mmpi."""
    return any(_RUN.fullmatch(line) for line in start.split("\n")[:20])


def read(path: Path) -> Measurement:
    """Read a log: `mean` and `std` of all pairs; mmpi knows no other statistic.

    Raises:
        RankwiseError: not readable, cut short, or with a line that is none of the expected pair.
    """
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            return _Log(path, file).measurement()
    except OSError as error:
        raise RankwiseError(f"{path}: {error.strerror or error}; give a file that can be read") from error


def write(measurement: Measurement, path: Path, force: bool = False, size: int | None = None) -> None:
    """Write a measurement as mmpi's log; a pair that was not measured is `nan`.

    Args:
        measurement: all of its ranks are written.
        path: of the log.
        force: replace a file that is there.
        size: message size, one of the measurement's; the first if None.

    Raises:
        RankwiseError: the file is there already or can't be written, or there is no such size.
    """
    refuse_existing(path, force=force)
    if size is None:
        size = measurement.sizes[0]
    if size not in measurement.sizes:
        known = ", ".join(map(str, measurement.sizes))
        raise RankwiseError(f"{size} bytes were not measured: choose one of {known} with --size")
    with (
        appearing(path) as (new,),
        new.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file,
    ):
        for text in _texts(measurement, size):
            file.write(text)


def _texts(measurement: Measurement, size: int) -> Iterator[str]:
    """Yield the log: its head, and then the lines of one first rank after the other."""
    peculiar = Peculiar.of(measurement.about.get("mmpi"))
    names = measurement.host_names()
    layout = peculiar.layout
    yield "".join(peculiar.head) or _head(measurement, names[0], size)
    mean, std = 2 * measurement.matrix("mean", size), 2 * measurement.matrix("std", size)
    ends = layout.ends(names)
    number = 0
    for first in range(len(names)):
        lines = layout.lines(ends, first, mean[first, first:].tolist(), std[first, first:].tolist())
        for place in peculiar.odd.keys() & range(number, number + len(lines)) if peculiar.odd else ():
            lines[place - number] = peculiar.odd[place]
        number += len(lines)
        yield "".join(lines)
    yield peculiar.tail


def _head(measurement: Measurement, name: str, size: int) -> str:
    count = len(measurement.ranks)
    run = f"# Processors: {count} MsgLen {size} Repeats: {measurement.repeats_text(size)}"
    return f"# Testing Hostname: {one_line(name)}\n{run}\n{TITLE}\n"


class _Log:
    """A log while it is read, line by line."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._line = 0  # that was read last, from 1
        self._head: list[str] = []
        self._odd: dict[int, str] = {}

    def measurement(self) -> Measurement:
        ranks, size, repeats, testing, lines = self._read_head()
        lines += self._next(ranks - len(lines))
        try:
            layout, names = Layout.of_lines(lines)
        except WrongLineError as error:
            raise self._wrong(len(self._head) + 1 + error.place, lines[error.place]) from None
        ends = layout.ends(names)
        rows = []
        for first in range(ranks):
            rows.append(self._row(layout, ends, first, lines)[:, 1:])
            lines = self._next(ranks - first - 1)
        tail = self._file.read()
        if tail.strip():
            raise self._wrong(self._line + 1, tail, "the end")
        mean, std = np.concatenate(rows, axis=1) / 2
        peculiar = Peculiar(tuple(self._head), layout, self._odd, tail)
        about = {"tool": "mmpi", "mode": "serial", "repeats": repeats, "testing_hostname": testing}
        return _measurement(names, size, mean, std, {**about, "mmpi": peculiar.plain()})

    def _read_head(self) -> tuple[int, int, int, str, list[str]]:
        """Return ranks, size, repeats and tested host that the head names, and the line behind it, if any."""
        run, testing = None, ""
        for line in self._file:
            if not line.startswith("#"):
                break
            self._line += 1
            self._head.append(line)
            run = _RUN.fullmatch(line) or run
            named = _TESTING.fullmatch(line)
            testing = named[1] if named else testing
        else:
            line = ""
        if not run or int(run[1]) < 2:
            problem = (
                "its header does not give the number of processors"
                if not run
                else "a pair needs two processors"
            )
            raise RankwiseError(
                f"{self._path} is not a log of mmpi: {problem}; give the log of a complete run"
            )
        first = [line] if line else []
        self._line += len(first)
        return int(run[1]), int(run[2]), int(run[3]), testing, first

    def _next(self, count: int) -> list[str]:
        lines = list(islice(self._file, count))
        self._line += len(lines)
        if len(lines) < count:
            raise RankwiseError(
                f"{self._path} was cut short: it ends with line {self._line}; give the log of a complete run"
            )
        return lines

    def _row(self, layout: Layout, ends: list[str], first: int, lines: list[str]) -> NDArray[np.float64]:
        """Return mean and deviation of one first rank's L pairs, shape (2, L); keep lines that look odd."""
        start = self._line - len(lines)
        try:
            words = [line.rsplit(None, 2) for line in lines]
            mean = [float(word[1]) for word in words]
            deviation = [float(word[2]) for word in words]
        except (IndexError, ValueError):
            bad = next(place for place, line in enumerate(lines) if not _ends_with_numbers(line))
            raise self._wrong(start + bad + 1, lines[bad], f"ranks {first} and {first + bad}") from None
        expected = layout.lines(ends, first, mean, deviation)
        if lines != expected:
            for place, (line, other) in enumerate(zip(lines, expected, strict=True)):
                if line == other:
                    continue
                if line.split()[:-2] != other.split()[:-2]:
                    raise self._wrong(start + place + 1, line, f"ranks {first} and {first + place}")
                self._odd[start + place - len(self._head)] = line
        values = np.array((mean, deviation))
        impossible = ((values < 0) | np.isinf(values)).any(axis=0)
        if impossible.any():
            bad = int(impossible.argmax())
            raise self._wrong(start + bad + 1, lines[bad], "a time")
        return values

    def _wrong(self, number: int, line: str, expected: str = "a pair of ranks") -> RankwiseError:
        text = line.strip()
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        return RankwiseError(
            f"{self._path} is damaged: line {number} is {shown!r}, where {expected} should be; give the log "
            "of a complete run"
        )


def _ends_with_numbers(line: str) -> bool:
    words = line.rsplit(None, 2)
    try:
        return len(words) == 3 and all(float(word) is not None for word in words[1:])
    except ValueError:
        return False


def _measurement(
    names: list[str],
    size: int,
    mean: NDArray[np.float64],
    std: NDArray[np.float64],
    about: dict[str, object],
) -> Measurement:
    first, second = np.triu_indices(len(names), 1)
    unknown = np.full((len(first), 1), np.nan)
    known = {"mean": mean[:, None], "std": std[:, None]}
    repeats = about["repeats"] if isinstance(about["repeats"], int) else 0
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return Measurement(
        sizes=(size,),
        hosts=tuple(map(Host, places)),
        ranks=tuple(Rank(places[name]) for name in names),
        pairs=Pairs(
            first=first.astype(np.int64),
            second=second.astype(np.int64),
            overhead=np.full(len(first), np.nan),
            repeats=np.where(np.isnan(mean), 0, repeats)[:, None].astype(np.int64),
            times={name: known.get(name, unknown) for name in STATISTICS},
            bandwidths=dict.fromkeys(BANDWIDTHS, unknown),
        ),
        alone=no_pairs(1),
        about=about,
    )
