"""Measurements for other programs: CSV with a row for each pair, matrices for NumPy and for MATLAB.

Times are half a round trip in us, as everywhere in Rankwise.
"""

from __future__ import annotations

import csv
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import BANDWIDTHS, STATISTICS, Measurement
from rankwise.whole_files import appearing

_HEADS = (
    *("first", "second", "first_host", "second_host", "bytes", "repeats"),
    *(f"{statistic}_us" for statistic in STATISTICS),
    *(f"{direction}_mb_s" for direction in BANDWIDTHS),
)
_MOST_NUMBERS = 100_000_000  # in a matrix of MATLAB's format of version 4


def write(measurement: Measurement, path: Path, kind: str, size: int | None = None) -> None:
    """Write a file, in place of one that is there.

    Args:
        measurement: all of its pairs are written.
        path: of the file.
        kind: `csv`, `npz` or `mat`.
        size: of the messages, one of the measurement's; None: all in CSV, else the smallest.

    Raises:
        RankwiseError: there is no such size, the format can't hold so many ranks, or the file can't be
            written.
    """
    if size is not None and size not in measurement.sizes:
        known = ", ".join(map(str, measurement.sizes))
        raise RankwiseError(f"{size} bytes were not measured: choose one of {known} with --size")
    with appearing(path) as [unfinished]:
        if kind == "csv":
            _write_csv(measurement, unfinished, measurement.sizes if size is None else (size,))
            return
        arrays = matrices(measurement, min(measurement.sizes) if size is None else size)
        with unfinished.open("wb") as file:
            if kind == "npz":
                np.savez(file, **cast(Any, arrays))
            else:
                _write_mat(arrays, file)


def matrices(measurement: Measurement, size: int) -> dict[str, NDArray[Any]]:
    """Return the matrices of all statistics that were measured with a size, by name.

    Beside them `repeats`, `host` (a name for each rank) and `bytes` (the size).
    """
    arrays: dict[str, NDArray[Any]] = {}
    for name in (*STATISTICS, "bandwidth"):
        matrix = measurement.matrix(name, size)
        if np.isfinite(matrix[~np.eye(len(matrix), dtype=bool)]).any():
            arrays[name] = matrix
    repeats = np.zeros((len(measurement.ranks),) * 2, dtype=np.int64)
    first, second = measurement.pairs.first, measurement.pairs.second
    counts = measurement.pairs.repeats[:, measurement.sizes.index(size)]
    repeats[first, second] = repeats[second, first] = counts
    return {
        **arrays,
        "repeats": repeats,
        "host": np.array(measurement.host_names()),
        "bytes": np.array([[size]]),
    }


def _write_csv(measurement: Measurement, path: Path, sizes: tuple[int, ...]) -> None:
    pairs, hosts = measurement.pairs, measurement.host_names()
    values = [*(pairs.times[name] for name in STATISTICS), *(pairs.bandwidths[name] for name in BANDWIDTHS)]
    columns = [measurement.sizes.index(size) for size in sizes]
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(_HEADS)
        for place, (first, second) in enumerate(
            zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        ):
            for size, column in zip(sizes, columns, strict=True):
                numbers = [value[place, column] for value in values]
                table.writerow(
                    [
                        *(first, second, hosts[first], hosts[second], size, pairs.repeats[place, column]),
                        *("" if np.isnan(number) else f"{number:.7g}" for number in numbers),
                    ]
                )


def _write_mat(arrays: Mapping[str, NDArray[Any]], file: BinaryIO) -> None:
    """Write MATLAB's format of version 4, which needs no library and which all versions read."""
    for name, values in arrays.items():
        text = values.dtype.kind == "U"
        matrix = _characters(values) if text else values
        if matrix.size > _MOST_NUMBERS:
            raise RankwiseError(f"{len(matrix)} ranks are too many for --format mat: take --format npz")
        label = name.encode() + b"\0"
        file.write(struct.pack("<5i", int(text), *matrix.shape, 0, len(label)) + label)
        file.write(matrix.astype("<f8").tobytes("F"))


def _characters(texts: NDArray[Any]) -> NDArray[np.float64]:
    """Return a row of characters for each text, filled with blanks; MATLAB has ASCII here."""
    width = max(1, *(len(text) for text in texts.tolist()))
    rows = [text.encode("ascii", "replace").ljust(width) for text in texts.tolist()]
    return np.array([list(row) for row in rows], dtype=np.float64)
