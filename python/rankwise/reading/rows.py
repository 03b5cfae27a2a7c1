"""Rows of a profile with names for their values, for computations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from numpy.typing import NDArray

Row = dict[str, Any]


class Rows(Sequence[Row]):
    """Rows of one kind, each a dictionary with the same keys: those of `rankwise show --json`.

    An object in a row of the JSON becomes a key for each of its members: `top_operation` with a
    `procedure` is `top_operation_procedure`. Times in seconds, sizes in bytes, shares in percent.

    Attributes:
        name: what the rows are of, the key of the JSON.
        columns: keys of the rows.
    """

    def __init__(self, name: str, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> None:
        """Take rows.

        Args:
            name: of them.
            rows: they may have objects in them, and lack keys.
            columns: keys that there are if there are no rows.
        """
        objects: set[str] = set()
        flat = [dict(_flat(row, objects)) for row in rows]
        names = dict.fromkeys(columns)
        for row in flat:
            names |= dict.fromkeys(row)
        self.name = name
        self.columns = [name for name in names if name not in objects]  # None for a missing object
        self._rows = [{column: row.get(column) for column in self.columns} for row in flat]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self)} row{'s' * (len(self) != 1)} of {', '.join(self.columns)}>"

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists."""
        return {column: [row[column] for row in self._rows] for column in self.columns}

    def to_numpy(self) -> NDArray[np.void]:
        """Return a structured array, shape (rows,), with a field for each column.

        Whole numbers are int64, others float64 (also whole ones where some are not known: NaN), truth values
        bool, names texts; everything else (lists, names that may be missing) are objects.
        """
        import numpy as np

        columns = {name: _array(values) for name, values in self.to_dict().items()}
        array = np.empty(len(self), [(name, values.dtype) for name, values in columns.items()])
        for name, values in columns.items():
            array[name] = values
        return array

    def to_pandas(self) -> pandas.DataFrame:
        """Return a DataFrame; whole numbers with unknown ones among them are of pandas' Int64.

        Raises:
            RankwiseError: pandas is not installed.
        """
        from rankwise.extras import check

        check("pandas")
        import pandas

        return pandas.DataFrame({name: _series(values) for name, values in self.to_dict().items()})


def _flat(row: Mapping[str, Any], objects: set[str], before: str = "") -> Iterator[tuple[str, Any]]:
    """Return the keys of a row and their values, with objects in it flattened; note their names."""
    for key, value in row.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            objects.add(name)
            yield from _flat(value, objects, f"{name}_")
        else:
            yield name, value


def _array(values: list[Any]) -> NDArray[Any]:
    import numpy as np

    kinds = {type(value) for value in values}
    if not kinds:
        return np.empty(0)
    if kinds == {bool}:
        return np.array(values, dtype=bool)
    if kinds == {int} and all(-(1 << 63) <= value < 1 << 63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds <= {int, float, type(None)} and kinds != {type(None)} and kinds != {int}:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if kinds == {str}:
        return np.array(values, dtype=str)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _series(values: list[Any]) -> Any:
    import pandas

    kinds = {type(value) for value in values}
    if kinds == {int, type(None)}:
        return pandas.array(values, dtype="Int64")
    return pandas.Series(values, dtype=object if kinds == {type(None)} else None)
