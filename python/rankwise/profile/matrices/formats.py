"""The formats of matrices: how each is recognised, and read.

- Square tables, with blanks, commas, semicolons or tabs, with or without names of the rows and columns:
  MPI_M_rootflush, TreeMatch and spreadsheets write them.
- Lists of pairs: MPI_M_flush writes one file for each rank; CSV with a head.
- Matrix Market, coordinate and array: https://math.nist.gov/MatrixMarket/formats.html
- Graphs of Scotch: "Scotch and libScotch user's guide", section "Graph format".
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.matrices.messages import FormatError, Messages, messages_of

_HEAD = 10_000  # characters that tell the format
_MARKET = "%%MatrixMarket"
_ROW_HEAD = "# from to messages bytes"
_SEPARATORS = (",", ";", "\t")
_NAMES = {
    "source": ("source", "from", "src", "sender", "rank", "row"),
    "destination": ("destination", "to", "dst", "dest", "receiver", "peer", "column"),
    "bytes": ("bytes", "size", "volume"),
    "messages": ("messages", "count", "counts", "number"),
}
_FLAGS = re.compile(r"[01]{3}")
_MARKET_FIELDS = ("real", "double", "integer")
_MARKET_SYMMETRIES = ("general", "symmetric")
_SCOTCH_NOTE = "a graph has no direction: its weights are shown as bytes from the lower to the higher rank"


def read(path: Path, text: str) -> Messages:
    """Read a file.

    Args:
        path: of the file; files that belong to it are in the same directory.
        text: its content.

    Raises:
        FormatError: it has none of the formats, or is damaged.
    """
    head = text[:_HEAD].splitlines()[:5]
    if not head:
        raise FormatError("is empty")
    if head[0].startswith(("@ mpiP", "@ Command", "mpiP")):
        raise FormatError("is a report of mpiP, which has no pairs of ranks: use `rankwise run`")
    if head[0].lower().startswith(_MARKET.lower()):
        return _market(text)
    if any(line.strip() == _ROW_HEAD for line in head):
        return _rows_of_ranks(path, text)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "%"))]
    if _is_scotch(lines):
        return _scotch(lines)
    return _table(path, lines)


def _numbers(words: Sequence[str]) -> NDArray[np.float64]:
    try:
        return np.array(words, np.float64)
    except ValueError:
        wrong = next((word for word in words if not _is_number(word)), "")
        raise FormatError(f"has {wrong[:20]!r} where a number is expected") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _cells(line: str) -> list[str]:
    """Return the cells of a line of a table."""
    separator = next((each for each in _SEPARATORS if each in line), None)
    if separator is None:
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]


def _table(path: Path, lines: Sequence[str]) -> Messages:
    first = _cells(lines[0]) if lines else []
    if columns := _columns(first):
        return _pairs(columns, [_cells(line) for line in lines[1:]])
    is_named = not all(map(_is_number, filter(None, first))) or (first and not first[0])
    body = lines[1:] if is_named else lines
    if not any(_is_number(cell) for line in body[:1] for cell in _cells(line)):
        raise FormatError(
            "is not a Rankwise profile, and no matrix of messages: give a file that `rankwise run` wrote"
        )
    size, rows = len(body), []
    for number, line in enumerate(body, 1):
        cells = _cells(line)
        if is_named:
            cells = cells[len(cells) - size :]  # without the name of the row
        if len(cells) != size:
            raise FormatError(f"is no square table: {size} rows, and {len(cells)} numbers in row {number}")
        rows.append(_numbers(cells))  # at once: as texts, a large table would not fit in memory
    sizes = np.array(rows)
    source, destination = np.nonzero(sizes)
    beside = _counts_beside(path, size)
    counts = None if beside is None else beside[source, destination]
    return messages_of(size, source, destination, sizes[source, destination], counts, "a square table")


def _matrix(rows: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    return np.array([_numbers(row) for row in rows]).reshape(len(rows), -1)


def _counts_beside(path: Path, size: int) -> NDArray[np.float64] | None:
    """Return the numbers of messages that MPI_M_rootflush writes beside the sizes; None without them."""
    other = path.with_name(path.name.replace("_sizes.", "_counts."))
    if other == path or not other.is_file():
        return None
    lines = other.read_text(encoding="utf-8", errors="replace").splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise FormatError(f"and {other.name} differ in the number of ranks")
    return _matrix(rows)


def _columns(head: Sequence[str]) -> dict[str, int]:
    """Return the places of the columns of a list of pairs, by the keys of _NAMES; none if it is none."""
    words = [word.lower().strip("\"'") for word in head]
    known = {
        key: next(words.index(name) for name in names if name in words)
        for key, names in _NAMES.items()
        if any(name in words for name in names)
    }
    return known if {"source", "destination", "bytes"} <= known.keys() else {}


def _pairs(columns: dict[str, int], rows: Sequence[Sequence[str]]) -> Messages:
    least = max(columns.values()) + 1
    for number, row in enumerate(rows, 1):
        if len(row) < least:
            raise FormatError(f"has too few cells in row {number}")
    values = {key: _numbers([row[place] for row in rows]) for key, place in columns.items()}
    source, destination = values["source"].astype(np.int64), values["destination"].astype(np.int64)
    ranks = int(max(source.max(initial=0), destination.max(initial=0))) + 1
    return messages_of(ranks, source, destination, values["bytes"], values.get("messages"), "a list of pairs")


def _rows_of_ranks(path: Path, text: str) -> Messages:
    """Read what MPI_M_flush writes: NAME.[rank].prof for each rank, which belong together."""
    name = re.fullmatch(r"(.*\.)\d+(\.prof)", path.name)
    if not name:
        texts = [text]
    else:
        files = sorted(path.parent.glob(f"{_quoted(name[1])}*{_quoted(name[2])}"))
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
        texts = [each for each in texts if _ROW_HEAD in each]
    rows = [
        line.split()
        for each in texts
        for line in each.splitlines()
        if line.strip() and not line.startswith("#")
    ]
    messages = _pairs({"source": 0, "destination": 1, "messages": 2, "bytes": 3}, rows)
    if len(texts) < messages.ranks:
        raise FormatError(
            f"and the files next to it have the rows of {len(texts)} ranks, but name {messages.ranks} ranks: "
            "put all files into one directory"
        )
    return messages


def _quoted(text: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", text)


def _market(text: str) -> Messages:
    head, *lines = text.splitlines()
    words = head.lower().split()
    if len(words) != 5 or words[1] != "matrix" or words[2] not in ("coordinate", "array"):
        raise FormatError(f"begins with {head[:60]!r}, which is no matrix of Matrix Market")
    _, _, form, field, symmetry = words
    if field not in _MARKET_FIELDS or symmetry not in _MARKET_SYMMETRIES:
        raise FormatError(f"is a {field} {symmetry} matrix: give a real or integer, general or symmetric one")
    entries = [line.split() for line in lines if line.strip() and not line.startswith("%")]
    sizes = _numbers(entries[0]).astype(int).tolist() if entries else []
    if len(sizes) != (3 if form == "coordinate" else 2) or sizes[0] != sizes[1]:
        raise FormatError("is not square: it needs a row and a column for each rank")
    ranks = sizes[0]
    if form == "array":
        return _market_array(ranks, _numbers([word for row in entries[1:] for word in row]), symmetry)
    if len(entries) - 1 != sizes[2] or any(len(entry) != 3 for entry in entries[1:]):
        raise FormatError(f"says that it has {sizes[2]} entries, and has {len(entries) - 1}")
    table = _numbers([word for entry in entries[1:] for word in entry]).reshape(-1, 3)
    row, column = table[:, 0].astype(np.int64) - 1, table[:, 1].astype(np.int64) - 1
    value = table[:, 2]
    if symmetry == "symmetric":
        off = row != column
        row, column, value = (
            np.concatenate([row, column[off]]),
            np.concatenate([column, row[off]]),
            np.concatenate([value, value[off]]),
        )
    return messages_of(ranks, row, column, value, None, "Matrix Market")


def _market_array(ranks: int, values: NDArray[np.float64], symmetry: str) -> Messages:
    """Read values column by column; of a symmetric matrix, from the diagonal down."""
    if symmetry == "symmetric":
        column, row = np.triu_indices(ranks)
    else:
        column, row = np.divmod(np.arange(ranks * ranks), max(ranks, 1))
    if len(values) != len(row):
        raise FormatError(f"has {len(values)} numbers, where {len(row)} are needed")
    matrix = np.zeros((ranks, ranks))
    matrix[row, column] = values
    if symmetry == "symmetric":
        matrix[column, row] = values
    source, destination = np.nonzero(matrix)
    return messages_of(ranks, source, destination, matrix[source, destination], None, "Matrix Market")


def _is_scotch(lines: Sequence[str]) -> bool:
    if len(lines) < 4 or lines[0].split() != ["0"]:
        return False
    third = lines[2].split()
    return len(lines[1].split()) == 2 and len(third) == 2 and bool(_FLAGS.fullmatch(third[1].zfill(3)))


def _scotch(lines: Sequence[str]) -> Messages:
    """Read the graph: each edge comes once with each of its ends, with the same weight."""
    ranks, arcs = _numbers(lines[1].split()).astype(int).tolist()
    base_text, flags = lines[2].split()
    base, (labels, edge_weights, vertex_weights) = int(base_text), (flag == "1" for flag in flags.zfill(3))
    if labels:
        raise FormatError("has labels of vertices: leave them out, so that vertices are ranks in order")
    if len(lines) - 3 != ranks:
        raise FormatError(f"says that it has {ranks} vertices, and has {len(lines) - 3}")
    source: list[int] = []
    destination: list[int] = []
    weights: list[int] = []
    for rank, line in enumerate(lines[3:]):
        words = _numbers(line.split()).astype(np.int64).tolist()[int(vertex_weights) :]
        degree, rest = (words[0], words[1:]) if words else (0, [])
        step = 1 + edge_weights
        if len(rest) != degree * step:
            raise FormatError(f"does not list {degree} edges of vertex {rank + base}")
        source += [rank] * degree
        destination += [end - base for end in rest[step - 1 :: step]]
        weights += rest[::step] if edge_weights else [1] * degree
    if len(source) != arcs:
        raise FormatError(f"says that it has {arcs} arcs, and has {len(source)}")
    once = [
        number for number, (start, end) in enumerate(zip(source, destination, strict=True)) if start < end
    ]
    return messages_of(
        ranks,
        [source[number] for number in once],
        [destination[number] for number in once],
        [weights[number] for number in once],
        None,
        "a graph of Scotch",
        _SCOTCH_NOTE,
    )
