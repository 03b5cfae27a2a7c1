"""The binary table of a measurement: one record for each pair of ranks (docs/reference/latency-file.md)."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import BANDWIDTHS, STATISTICS, Pairs

Field = tuple[str, int | None, str]
"""Name, message size or None, numpy's type."""

TYPES = ("<u4", "<f4", "<f8")
_CHUNK = 1 << 24


def fields_of(sizes: Sequence[int]) -> list[Field]:
    """Return the fields of a record with these message sizes, in the order that we write."""
    fields: list[Field] = [("first", None, "<u4"), ("second", None, "<u4"), ("overhead", None, "<f4")]
    for size in sizes:
        fields.append(("repeats", size, "<u4"))
        fields += [(name, size, "<f4") for name in (*STATISTICS, *BANDWIDTHS)]
    return fields


def record_type(fields: Sequence[Field]) -> np.dtype[np.void]:
    """Return the type of a record."""
    return np.dtype([(_key(name, size), kind) for name, size, kind in fields])


def read_table(
    path: Path, fields: Sequence[Field], sizes: Sequence[int], ranks: int, pairs: int, alone: int
) -> tuple[Pairs, Pairs]:
    """Read the pairs, and those that were measured once more, alone.

    Args:
        path: of the table.
        fields: of a record; all of `fields_of(sizes)`, in any order.
        sizes: message sizes in bytes.
        ranks: number of ranks.
        pairs: number of records.
        alone: number of records behind them.

    Raises:
        RankwiseError: it is missing, has a wrong length, or has impossible values.
    """
    kind = record_type(fields)
    expected = (pairs + alone) * kind.itemsize
    try:
        length = path.stat().st_size
        if length != expected:
            cut = "it was cut short" if length < expected else "it belongs to another header"
            raise RankwiseError(
                f"{path}: {length} bytes in place of {expected}: {cut}; copy it again with its header"
            )
        records = np.memmap(path, kind, mode="r") if length else np.empty(0, kind)
        both_tables = _pairs(path, records[:pairs], sizes, ranks), _pairs(path, records[pairs:], sizes, ranks)
    except OSError as error:
        cause = error.strerror or str(error)
        raise RankwiseError(
            f"{path}: {cause}; keep the header and its table in the same directory"
        ) from error
    _check_order(path, both_tables[0], ranks)
    return both_tables


def checksum(path: Path) -> int:
    """Return the CRC-32 of a table (zlib's)."""
    crc = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            crc = zlib.crc32(chunk, crc)
    return crc


def write_table(path: Path, sizes: Sequence[int], tables: Sequence[Pairs]) -> None:
    """Write the records of the tables, one behind the other."""
    with path.open("wb") as file:
        for pairs in tables:
            records = np.empty(len(pairs), record_type(fields_of(sizes)))
            records["first"], records["second"] = pairs.first, pairs.second
            records["overhead"] = pairs.overhead
            for column, size in enumerate(sizes):
                records[_key("repeats", size)] = pairs.repeats[:, column]
                for name, values in {**pairs.times, **pairs.bandwidths}.items():
                    records[_key(name, size)] = values[:, column]
            records.tofile(file)


def _key(name: str, size: int | None) -> str:
    return name if size is None else f"{name} {size}"


def _pairs(path: Path, records: NDArray[np.void], sizes: Sequence[int], ranks: int) -> Pairs:
    def columns(name: str) -> NDArray[np.float64]:
        values = np.empty((len(records), len(sizes)))
        for column, size in enumerate(sizes):
            values[:, column] = records[_key(name, size)]
        return values

    read = Pairs(
        first=records["first"].astype(np.int64),
        second=records["second"].astype(np.int64),
        overhead=records["overhead"].astype(np.float64),
        repeats=columns("repeats").astype(np.int64),
        times={name: columns(name) for name in STATISTICS},
        bandwidths={name: columns(name) for name in BANDWIDTHS},
    )
    _check_ranks(path, read, ranks)
    _check_values(path, read)
    return read


def _check_ranks(path: Path, pairs: Pairs, ranks: int) -> None:
    for wrong, what in (
        (pairs.second >= ranks, f"with a rank outside of the {ranks} ranks"),
        (pairs.first >= pairs.second, "with the first rank not below the second"),
    ):
        if wrong.any():
            place = int(wrong.argmax())
            pair = f"{pairs.first[place]} - {pairs.second[place]}"
            raise _damaged(path, f"record {place} is of a pair {pair}, {what}")


def _check_order(path: Path, pairs: Pairs, ranks: int) -> None:
    steps = np.diff(pairs.first * ranks + pairs.second)
    if (steps <= 0).any():
        place = int((steps <= 0).argmax()) + 1
        pair = f"{pairs.first[place]} - {pairs.second[place]}"
        raise _damaged(
            path, f"pair {pair} is given twice" if steps[place - 1] == 0 else "its pairs are not in order"
        )


def _check_values(path: Path, pairs: Pairs) -> None:
    """Refuse values that no clock can show; unmeasured ones may have any bytes."""
    unmeasured = pairs.repeats == 0
    for values in (*pairs.times.values(), *pairs.bandwidths.values()):
        values[unmeasured] = np.nan
    with np.errstate(invalid="ignore"):
        for name, values in {**pairs.times, "overhead": pairs.overhead[:, None]}.items():
            _refuse(path, pairs, name, (values < 0) | np.isinf(values), values)
        for name, values in pairs.bandwidths.items():
            _refuse(path, pairs, name, (values <= 0) | np.isinf(values), values)


def _refuse(
    path: Path, pairs: Pairs, name: str, wrong: NDArray[np.bool_], values: NDArray[np.float64]
) -> None:
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        pair = f"{pairs.first[row]} - {pairs.second[row]}"
        raise _damaged(path, f"{name} of pair {pair} is {values[row, column]:g}")


def _damaged(path: Path, what: str) -> RankwiseError:
    return RankwiseError(f"{path} is damaged: {what}; copy it again, or measure again")
