"""Writes rows of calls and messages into a profile, and keeps their sums."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.batches import KINDS, Batch
from rankwise.profile.join.grouping import Columns, Groups

_REGION_SHIFT, _PROCEDURE_SHIFT = 18, 7
_PLACE_SHIFT = 30

# Whether a procedure is frequent, by its id; the last is for unknown ids. (np.isin loads `numpy.ma`.)
_FREQUENT = np.zeros(max(procedure.id for procedure in PROCEDURES) + 2, bool)
_FREQUENT[[procedure.id for procedure in PROCEDURES if procedure.frequent]] = True
_COUNTS = ("calls", "bytes_sent", "bytes_received", "seconds", "unfinished")
_ADD_COUNTS = ", ".join(f"{name} = {name} + excluded.{name}" for name in _COUNTS)
# Two processes may have counted the same direction: one put there what the other fetched from it.
_ADD_MESSAGES = "messages = messages + excluded.messages, bytes = bytes + excluded.bytes"
_ADD_PROCEDURES = "ranks = ranks + excluded.ranks, min = MIN(min, excluded.min), max = MAX(max, excluded.max)"
_ADD_COMMUNICATORS = (
    f"{_ADD_COUNTS}, ranks = ranks + excluded.ranks, with_data = MAX(with_data, excluded.with_data),"
    " least_calls = MIN(least_calls, excluded.least_calls),"
    " most_calls = MAX(most_calls, excluded.most_calls),"
    " least_seconds = MIN(least_seconds, excluded.least_seconds),"
    " most_seconds = MAX(most_seconds, excluded.most_seconds)"
)
_ADD_SPREADS = (
    "ranks = ranks + excluded.ranks, seconds = seconds + excluded.seconds,"
    " least_seconds = MIN(least_seconds, excluded.least_seconds), least_rank ="
    " CASE WHEN (excluded.least_seconds, excluded.least_rank) < (least_seconds, least_rank)"
    " THEN excluded.least_rank ELSE least_rank END,"
    " most_seconds = MAX(most_seconds, excluded.most_seconds), most_rank ="
    " CASE WHEN (-excluded.most_seconds, excluded.most_rank) < (-most_seconds, most_rank)"
    " THEN excluded.most_rank ELSE most_rank END,"
    " callers = callers || ',' || excluded.callers"
)


class RowWriter:
    """Puts batches into a profile, one after the other.

    Attributes:
        totals: calls, seconds in MPI and seconds in MPI_Init and MPI_Finalize, by rank.
        frequent_calls: of the calls, those of frequent procedures.
    """

    def __init__(self, profile: sqlite3.Connection, families: Sequence[str], hosts: Sequence[str]) -> None:
        """Prepare to write.

        Args:
            profile: with the tables of the schema.
            families: names, by the numbers in the batches.
            hosts: names, by the numbers in the batches.
        """
        self.totals: dict[int, tuple[int, float, float]] = {}
        self.frequent_calls: Counter[int] = Counter()
        self._profile = profile
        self._families = families
        self._hosts = hosts
        self._places = 0
        self._by_host: dict[tuple[int, int], list[int]] = {}

    def write(self, batch: Batch) -> None:
        """Write the rows of a batch, and add them to the sums."""
        self._write_calls(batch.calls)
        kinds = [KINDS[kind] for kind in batch.messages["kind"].tolist()]
        self._insert("messages", batch.messages, _ADD_MESSAGES, kind=kinds)
        self._insert("rank_sums", batch.by_rank)
        self._insert("procedure_sums", _with_seconds(batch.by_procedure), _ADD_PROCEDURES)
        self._insert("family_sums", self._named(batch.by_family), _ADD_COUNTS)
        self._insert("communicator_sums", batch.by_communicator, _ADD_COMMUNICATORS)
        for table, spreads in batch.spreads.items():
            self._insert(table, self._named(spreads), _ADD_SPREADS)
        self._count_frequent(batch.calls)
        times = (batch.by_rank[name] / NANOSECONDS for name in ("ns", "init_finalize_ns"))
        totals = zip(*(column.tolist() for column in (batch.by_rank["calls"], *times)), strict=True)
        self.totals.update(zip(batch.by_rank["rank"].tolist(), totals, strict=True))
        for host, kind, *numbers in zip(*(column.tolist() for column in batch.by_host.values()), strict=True):
            before = self._by_host.setdefault((host, kind), [0] * len(numbers))
            self._by_host[host, kind] = [value + other for value, other in zip(before, numbers, strict=True)]

    def finish(self) -> None:
        """Write the sums that were not written yet."""
        self._profile.executemany(
            "INSERT INTO host_sums VALUES (?, ?, ?, ?, ?, ?)",
            (
                (self._hosts[host] if host >= 0 else None, KINDS[kind], *numbers)
                for (host, kind), numbers in sorted(self._by_host.items())
            ),
        )

    def _count_frequent(self, calls: Columns) -> None:
        frequent = _FREQUENT[np.minimum(calls["procedure"], len(_FREQUENT) - 1)]
        of_ranks = Groups({"rank": calls["rank"][frequent]}, ["rank"])
        counts = of_ranks.total(calls["calls"][frequent].astype(np.int64))
        self.frequent_calls.update(dict(zip(of_ranks.keys["rank"].tolist(), counts.tolist(), strict=True)))

    def _named(self, columns: Columns) -> Columns:
        """Put the names of families in place of their numbers."""
        if "family" not in columns:
            return columns
        names = np.array(self._families, object)
        return columns | {"family": names[columns["family"]]}

    def _write_calls(self, calls: Columns) -> None:
        where = [calls[name] for name in ("rank", "communicator", "site")]
        is_new = np.ones(len(where[0]), bool)
        is_new[1:] = np.any([column[1:] != column[:-1] for column in where], axis=0)
        places = self._places + np.cumsum(is_new)
        self._places += int(is_new.sum())
        new = (column[is_new].tolist() for column in (places, *where))
        self._profile.executemany(
            "INSERT INTO call_places VALUES (?, ?, ?, NULLIF(?, 0))", zip(*new, strict=True)
        )
        key = places << _PLACE_SHIFT | calls["region"] << _REGION_SHIFT
        key |= calls["procedure"] << _PROCEDURE_SHIFT | calls["size_bin"]
        names = ("calls", "bytes_sent", "bytes_received", "ns", "min_ns", "max_ns", "unfinished")
        columns = [key, *(calls[name] for name in names)]
        self._profile.executemany(
            "INSERT INTO call_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            zip(*(column.tolist() for column in columns), strict=True),
        )

    def _insert(self, table: str, columns: Columns, added: str = "", **texts: list[str]) -> None:
        """Insert rows; rows with the same key are updated."""
        known = self._profile.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)).fetchall()
        names = [name for name, _ in known]
        values: list[list[Any]] = [texts[name] if name in texts else columns[name].tolist() for name in names]
        # (SQLite before 3.35 wants the columns of the key.)
        key = ", ".join(name for name, is_key in known if is_key)
        conflict = f"ON CONFLICT ({key}) DO UPDATE SET {added}" if added else ""
        self._profile.executemany(
            f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))}) {conflict}",
            zip(*values, strict=True),
        )


def _with_seconds(columns: Columns) -> Columns:
    times = {name.removesuffix("_ns"): name for name in columns if name.endswith("_ns")}
    return columns | {name: columns[ns] / NANOSECONDS for name, ns in times.items()}
