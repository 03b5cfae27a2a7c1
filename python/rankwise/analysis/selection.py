"""A part of a profile: calls and messages of some communicators, ranks, procedures, regions, nodes, sizes.

The part replaces the whole in the open profile: temporary tables hide the originals under the same names, so
other code reads the part unchanged.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import fields

from rankwise.analysis.calls.procedures import procedure_ids
from rankwise.analysis.calls.spanned import Spanned
from rankwise.analysis.calls.totals import BETWEEN
from rankwise.analysis.percent import percent
from rankwise.errors import RankwiseError
from rankwise.host_names import short_name
from rankwise.profile.join.families import library_of, with_library
from rankwise.profile.store.database import MOST_RANKS, calculate_sums
from rankwise.records import dataclass

_LIST = re.compile(r"[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*")
_COUNTS = re.compile(r"([0-9]{1,9})(?:(-)([0-9]{0,9}))?")
_MARK = "selection"  # a temporary view that exists while a part is selected


@dataclass(frozen=True)
class Selection:
    """The wanted part, each criterion as the user gave it; '' = all.

    Attributes:
        communicator: names, families, libraries with private communicators, or names that the program gave,
            separated by commas.
        rank: a list such as `0-3,7`.
        call: procedures, in any case, with or without MPI_, separated by commas.
        region: names or paths, separated by commas; with a slash at the end the regions nested in it, too.
        node: hosts, with or without their domain, separated by commas.
        size: size bins, the first and the last; None = all.
        spans: number of nodes that the members of a communicator are on: `1`, `2-4`, `2-`.
    """

    communicator: str = ""
    rank: str = ""
    call: str = ""
    region: str = ""
    node: str = ""
    size: tuple[int, int] | None = None
    spans: str = ""

    def given(self) -> list[str]:
        """Return the names of the given criteria."""
        return [field.name for field in fields(self) if getattr(self, field.name)]


@dataclass(frozen=True)
class Selected:
    """The selected part, as in `Selection`, and its share of the run's time in MPI, in percent."""

    communicator: str
    rank: str
    call: str
    region: str
    node: str
    size_bins: tuple[int, int] | None
    spans: str
    percent_of_mpi: float

    @property
    def of_calls(self) -> bool:
        """Whether only some calls of a rank are selected, rather than all calls of some ranks."""
        return bool(self.communicator or self.spans or self.call or self.region or self.size_bins)


def is_part(connection: sqlite3.Connection) -> bool:
    """Return whether a part has replaced the whole."""
    marks = connection.execute("SELECT 1 FROM sqlite_temp_master WHERE name = ?", (_MARK,))
    return marks.fetchone() is not None


def select(connection: sqlite3.Connection, wanted: Selection, *, sent_only: bool = False) -> Selected:
    """Replace the whole by the wanted part.

    Args:
        connection: the profile; later queries read the part.
        wanted: the part.
        sent_only: select only the messages that the ranks send, not also the messages that they receive.

    Raises:
        RankwiseError: there is no such communicator, rank, procedure, region or node, or the text of one
            can't be read.
    """
    communicators = _wanted_communicators(connection, wanted)
    procedures = list(procedure_ids(connection, wanted.call.split(","))) if wanted.call else None
    regions = _regions(connection, wanted.region) if wanted.region else None
    ranks = _ranks(connection, wanted)
    sizes = None if wanted.size is None else range(wanted.size[0], wanted.size[1] + 1)
    (whole,) = connection.execute("SELECT TOTAL(mpi) FROM ranks").fetchone()
    connection.execute("PRAGMA temp_store = MEMORY")
    on = _among("communicator", communicators) + _among("procedure", procedures)
    _replace(
        connection,
        "calls",
        [*on, *_among("rank", ranks), *_among("region", regions), *_among("size_bin", sizes)],
    )
    ends = ["source"] if sent_only else ["source", "destination"]
    either = " OR ".join(condition for end in ends for condition in _among(end, ranks))
    _replace(connection, "messages", [*on, *([f"({either})"] if either else [])])
    _replace(
        connection,
        "file_accesses",
        [
            *_among("procedure", procedures),
            *_among("rank", ranks),
            *(f"file IN (SELECT id FROM files WHERE {condition})" for condition in _files(communicators)),
        ],
    )
    on_rows = [*on, *_among("rank", ranks), *_among("region", regions)]
    # (Call paths are known only for all calls of a site.)
    whole_sites = set(wanted.given()) <= {"call"}
    _replace(connection, "paths", _among("procedure", procedures) if whole_sites else ["0"])
    _replace(connection, "waits", on_rows)
    _replace(connection, "wait_messages", ["wait IN (SELECT id FROM waits)"])
    _replace(connection, "files", _files(communicators))
    if ranks is not None or procedures is not None:
        connection.execute(
            "UPDATE temp.files SET opens = (SELECT COALESCE(SUM(accesses), 0) FROM file_accesses"
            " JOIN procedures ON procedures.id = procedure"
            " WHERE file = files.id AND procedures.name = 'MPI_File_open')"
        )
    _replace(connection, "region_times", [*_among("rank", ranks), *_among("region", regions)])
    _replace(connection, "places", _among("rank", ranks))
    if regions is not None:  # it is known for the whole run only
        connection.execute("UPDATE temp.places SET run_queue_wait = NULL")
    if ranks is not None:  # other processes' use follows from the use of all ranks
        _replace(connection, "node_use", ["0"])
    _replace(connection, "tasks", _among("rank", ranks))
    _replace(connection, "system_counters", [*_among("rank", ranks), *_among("region", regions)])
    _replace(connection, "patterns", [*on, *_sized("size", sizes)])
    _replace(
        connection,
        "arrivals",
        [*on, *_among("rank", ranks), *_among("region", regions), *_sized("bytes", sizes)],
    )
    _replace(connection, "pattern_messages", ["pattern IN (SELECT id FROM patterns)"])
    for table in ("ranks", "time_lines", "intervals"):
        _replace(connection, table, _among("rank", ranks))
    calculate_sums(connection)
    if not {"rank", "node"}.issuperset(wanted.given()):
        connection.execute("CREATE TEMP TABLE part_seconds (rank INTEGER PRIMARY KEY, seconds REAL)")
        connection.execute(
            f"INSERT INTO part_seconds SELECT rank, SUM(seconds) FROM calls WHERE {BETWEEN} GROUP BY rank"
        )
        connection.execute(
            "UPDATE temp.ranks SET mpi ="
            " (SELECT TOTAL(seconds) FROM part_seconds WHERE part_seconds.rank = ranks.rank)"
        )
        connection.execute("DROP TABLE temp.part_seconds")
    connection.execute(f"CREATE TEMP VIEW {_MARK} AS SELECT 1")
    (part,) = connection.execute("SELECT TOTAL(mpi) FROM ranks").fetchone()
    given = (wanted.communicator, wanted.rank, wanted.call, wanted.region, wanted.node)
    return Selected(*given, wanted.size, wanted.spans, percent(part, whole))


def _among(column: str, keys: Sequence[int] | None) -> list[str]:
    """Return the SQL condition that a column is one of the keys; none for all."""
    return [] if keys is None else [f"{column} IN ({', '.join(map(str, keys))})"]


def _files(communicators: Sequence[int] | None) -> list[str]:
    """Return the SQL condition that a file was opened on one of these rows, or is one; none for all."""
    either = " OR ".join(
        condition for column in ("communicator", "named") for condition in _among(column, communicators)
    )
    return [f"({either})"] if either else []


def _sized(column: str, sizes: range | None) -> list[str]:
    """Return the SQL condition that a size is in one of the bins; none for all."""
    return [] if sizes is None else [f"{column} BETWEEN {_lowest(sizes[0])} AND {_lowest(sizes[-1] + 1) - 1}"]


def _lowest(size_bin: int) -> int:
    return 1 << (size_bin - 1) if size_bin else 0


def _replace(connection: sqlite3.Connection, name: str, conditions: Sequence[str]) -> None:
    """Replace a table or view by its rows that meet the conditions."""
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    connection.execute(f"CREATE TEMP TABLE part_of_{name} AS SELECT * FROM {name}{where}")
    # With legacy_alter_table, SQLite does not check now the views that refer to the table.
    connection.execute("PRAGMA legacy_alter_table = ON")
    connection.execute(f"ALTER TABLE temp.part_of_{name} RENAME TO {name}")


def _wanted_communicators(connection: sqlite3.Connection, wanted: Selection) -> list[int] | None:
    """Return the wanted communicators that span the wanted number of nodes; None = all."""
    named = _communicators(connection, wanted.communicator) if wanted.communicator else None
    if not wanted.spans:
        return named
    match = _COUNTS.fullmatch(wanted.spans)
    if not match:
        raise RankwiseError(f"{wanted.spans!r} is not a number of nodes, or a range, such as 1, 2-4 or 2-")
    least, dash, last = match.groups(default="")
    numbers = range(int(least), 1 + (int(last) if last else MOST_RANKS if dash else int(least)))
    spanned = Spanned(connection)
    found = [
        identity
        for identity, *groups in connection.execute("SELECT id, members, remote_members FROM communicators")
        if (named is None or identity in named) and spanned.nodes(*groups) in numbers
    ]
    if not found:
        raise RankwiseError(
            f"no such communicator spans {wanted.spans} nodes: `rankwise show F --by communicator` shows the"
            " nodes of each"
        )
    return found


def _communicators(connection: sqlite3.Connection, names: str) -> list[int]:
    known = [
        (identity, {own, family, with_library(own, family), library_of(family), user_name} - {""})
        for identity, own, family, user_name in connection.execute(
            "SELECT id, name, family, user_name FROM communicators"
        )
    ]
    numbers: list[int] = []
    for name in names.split(","):
        ids = [identity for identity, names in known if name.strip() in names]
        if not ids:
            raise RankwiseError(
                f"there is no communicator {name.strip()!r}: `rankwise show F --by communicator`"
                " shows their names"
            )
        numbers += ids
    return numbers


def _regions(connection: sqlite3.Connection, names: str) -> list[int]:
    rows = connection.execute("SELECT id, name, path, parent FROM regions ORDER BY id").fetchall()
    numbers: list[int] = []
    for wanted in map(str.strip, names.split(",")):
        if wanted == "(outside)":
            numbers.append(0)
            continue
        chosen = [key for key, name, path, _ in rows if wanted in (name, path)]
        if not chosen and wanted.endswith("/"):
            chosen = [key for key, name, path, _ in rows if wanted[:-1] in (name, path)]
            for key, _, _, parent in rows:  # nested regions have larger numbers
                if parent in chosen and key not in chosen:
                    chosen.append(key)
        if not chosen:
            raise RankwiseError(f"there is no region {wanted!r}: --by region shows their names")
        numbers += chosen
    return numbers


def _stretch(part: str) -> range:
    """Return the ranks of `3` or `0-3`; none of ''."""
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1) if part else range(0)


def _ranks(connection: sqlite3.Connection, wanted: Selection) -> list[int] | None:
    """Return the wanted ranks on the wanted nodes; None = all."""
    if not wanted.rank and not wanted.node:
        return None
    (size,) = connection.execute("SELECT ranks_expected FROM run").fetchone()
    if wanted.rank and not _LIST.fullmatch(wanted.rank):
        raise RankwiseError(f"{wanted.rank!r} is not a list of ranks, such as 0-3,7")
    beyond = [number for number in map(int, re.findall(r"[0-9]+", wanted.rank)) if number >= size]
    if beyond:
        raise RankwiseError(f"there is no rank {max(beyond)}: the run has ranks 0 to {size - 1}")
    ranks = {rank for part in wanted.rank.split(",") for rank in _stretch(part)}
    if wanted.rank and not ranks:
        raise RankwiseError(f"{wanted.rank!r} has no ranks: give a list such as 0-3,7")
    ranks = ranks or set(range(size))
    if wanted.node:
        hosts = connection.execute("SELECT rank, host FROM ranks").fetchall()
        on_nodes: set[int] = set()
        for name in map(str.strip, wanted.node.split(",")):
            on_node = {rank for rank, host in hosts if name in (host, short_name(host))}
            if not on_node:
                raise RankwiseError(f"there is no node {name!r}: --by node shows their names")
            on_nodes |= on_node
        ranks &= on_nodes
    return sorted(ranks)
