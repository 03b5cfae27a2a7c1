"""The rows of one profile: what the data set keeps of a run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from os import stat_result
from pathlib import Path
from statistics import median
from typing import Any

from rankwise.analysis.calls.totals import RUN_SECONDS, THREAD_SECONDS
from rankwise.analysis.columns import decoded_list
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.locality import OWN_MESSAGES
from rankwise.analysis.nodes.network import network_use
from rankwise.analysis.opened import damage_told, opened_profile
from rankwise.analysis.overview import kernels
from rankwise.analysis.to_json import to_json
from rankwise.centre.schema import CALLS, FAMILIES, FINDINGS, HOSTS, PORTS, RUNS, TAGS, Table
from rankwise.centre.values import Row, checked, identity
from rankwise.centre.waste import KIND_OF_RULE
from rankwise.diagnosis.kept_content import content_by_any_rules
from rankwise.findings.finding import HIGH
from rankwise.runs.configuration import program_and_arguments
from rankwise.runs.headline import owner_name
from rankwise.text.names import library_name

MOST_CALLS = 40
"""Rows of a run in `calls`, without the rest."""
MOST_FAMILIES = 20
"""Rows of a run in `families`, without the rest."""
_KIND_OF_OTHER_RULES = "other"  # that this Rankwise does not know
REST = "(other)"
"""Stands for families and procedures without a row."""

_TABLES = (
    "run",
    "ranks",
    "tags",
    "diagnosis",
    "communicators",
    "procedures",
    "family_sums",
    "host_sums",
    "network_ports",
    "kernels",
)
_LONGEST_WALL_S = 366 * 86400.0
_OUTSIDE = f"MAX({RUN_SECONDS} - mpi / MAX(threads, 1), 0.0)"
_LEAST_HOSTS = 3  # so that one can differ from the others

RunRows = Mapping[Table, Sequence[Row]]
"""Rows by table; exactly one of `RUNS`."""


def source_of(path: Path, status: stat_result) -> int:
    """Return the number that stands for a file as it is: another one after each change."""
    return identity(str(path), status.st_size, status.st_mtime_ns)


def run_rows(path: Path, cluster: str) -> RunRows:
    """Return the rows of a profile.

    Args:
        path: of the profile, absolute.
        cluster: on which it ran; '' = not given.

    Raises:
        RankwiseError: it is damaged, of another version, no profile, or tells what no run can be.
    """
    with opened_profile(path, _TABLES) as connection:
        if connection.execute("SELECT 1 FROM diagnosis LIMIT 1").fetchone():
            return _rows(connection, path, cluster)
    # The rules read all tables.
    with opened_profile(path) as connection:
        return _rows(connection, path, cluster)


def _rows(connection: sqlite3.Connection, path: Path, cluster: str) -> RunRows:
    with damage_told(path):
        status = path.stat()
        (facts,) = _named(connection, "SELECT * FROM run")
        program, arguments = program_and_arguments(decoded_list(facts["programs"]), facts["executable"])
        of_run = {
            "run": _identity(connection, facts, status.st_uid),
            "cluster": cluster,
            "user": owner_name(status.st_uid),
            "started": _instant(facts["started"]),
            "program": program,
        }
        rows = _Rows(connection, _diagnosis(connection))
        by_table = {
            TAGS: rows.tags(),
            FINDINGS: rows.findings(),
            FAMILIES: rows.families(),
            CALLS: rows.calls(),
            HOSTS: rows.hosts(),
            PORTS: rows.ports(),
            RUNS: [rows.run_row(facts, path, status, arguments)],
        }
        return {
            table: [checked(table, {**of_run, **row}) for row in of_table]
            for table, of_table in by_table.items()
        }


def _identity(connection: sqlite3.Connection, facts: Mapping[str, Any], user: int) -> int:
    """Return the number of a run: the same for each copy of its profile that a user owns.

    The user counts: else a profile of somebody else with the same facts could keep a run out.
    """
    first = connection.execute("SELECT rank, host, pid, started FROM ranks ORDER BY rank LIMIT 1").fetchone()
    keys = ("job", "started", "world", "wall", "command", "directory")
    return identity(user, *(facts[key] for key in keys), *(first or ()))


def _diagnosis(connection: sqlite3.Connection) -> Any:
    """Return the diagnosis as JSON: the kept one by any rules, else by today's; None if a rule fails."""
    kept = content_by_any_rules(connection)
    if kept is not None:
        return kept[0]
    from rankwise.diagnosis.make import make_diagnosis  # most profiles keep theirs

    try:
        return json.loads(json.dumps(to_json(make_diagnosis(Evidence(connection)))))
    except Exception:  # any rule may fail in any way
        return None


class _Rows:
    """The rows of an open profile, by names of columns, without the columns that all tables have."""

    def __init__(self, connection: sqlite3.Connection, diagnosis: Any) -> None:
        self.connection = connection
        self.diagnosis = diagnosis
        self.ranks, self.nodes, self.longest = connection.execute(
            "SELECT COUNT(*), COUNT(DISTINCT host), MAX(wall) FROM ranks"
        ).fetchone()
        (wall,) = connection.execute("SELECT wall FROM run").fetchone()
        if not 0.0 <= wall <= _LONGEST_WALL_S:
            raise ValueError(f"a run of {wall} s")
        self.wall = float(wall)
        self.node_hours = self.nodes * self.wall / 3600

    def run_row(
        self, facts: Mapping[str, Any], path: Path, status: stat_result, arguments: str
    ) -> dict[str, Any]:
        """Return the row of `runs`."""
        run_seconds, mpi, ends = self.connection.execute(
            f"SELECT TOTAL({THREAD_SECONDS}), TOTAL(mpi), TOTAL(init_finalize) FROM ranks"
        ).fetchone()
        on_node, off_node = self.connection.execute(
            f"SELECT TOTAL(bytes_on_node), TOTAL(bytes_off_node) FROM {OWN_MESSAGES}"
        ).fetchone()
        return {
            "source": source_of(path, status),
            "job": facts["job"],
            "wall_seconds": self.wall,
            "arguments": arguments,
            "directory": facts["directory"],
            "profile": str(path),
            "launcher": facts["launcher"],
            "mpi_library": library_name(facts["mpi_library"]),
            "kernel": " + ".join(kernels(self.connection)),
            "rankwise": facts["rankwise_version"],
            "ranks": facts["ranks_expected"],
            "nodes": self.nodes,
            "node_hours": self.node_hours,
            "exit_status": facts["exit_status"],
            "complete": not facts["partial"],
            "run_seconds": run_seconds,
            "mpi_seconds": mpi,
            "init_finalize_seconds": ends,
            "bytes_on_node": int(on_node),
            "bytes_off_node": int(off_node),
            **self._conclusions(),
        }

    def _conclusions(self) -> dict[str, Any]:
        if self.diagnosis is None:
            return {"limit": "", "verdict": "", "waste": ""}
        account = self.diagnosis["account"]
        efficiency = account["efficiency"] or {}
        best = max(
            (row for row in self.findings() if row["confidence"] == HIGH),
            key=lambda row: row["node_hours"],
            default=None,
        )
        known = account["waiting"] is not None or account["messages"] is not None
        return {
            "waiting_seconds": account["time"]["waiting_seconds"] if known else None,
            "parallel_efficiency": efficiency.get("parallel"),
            "load_balance": efficiency.get("load_balance"),
            "limit": self.diagnosis["limit"],
            "verdict": self.diagnosis["verdict"],
            "waste_node_hours": best["node_hours"] if best else 0.0,
            "waste": best["waste"] if best else "",
        }

    def tags(self) -> Iterator[dict[str, Any]]:
        """Return the rows of `tags`."""
        for name, value in self.connection.execute("SELECT name, value FROM tags"):
            yield {"name": name, "value": value}

    def findings(self) -> Iterator[dict[str, Any]]:
        """Return the rows of `findings`."""
        yield from with_largest([*self._all_findings()])

    def _all_findings(self) -> Iterator[dict[str, Any]]:
        found = self.diagnosis["findings"]["found"] if self.diagnosis else ()
        for place, entry in enumerate(found, start=1):
            finding = entry["finding"]
            saved = self._hours(float(finding["saved_seconds"]))
            command = finding["command"]
            yield {
                "place": place,
                "rule": finding["rule"],
                "waste": KIND_OF_RULE.get(finding["rule"], _KIND_OF_OTHER_RULES),
                "confidence": finding["confidence"],
                "upper_bound": finding["upper_bound"],
                "saved_percent": entry["saved_percent_of_run"],
                "node_hours": min(max(saved, 0.0), self.node_hours),
                "title": finding["title"],
                "command": " ".join([command["verb"], *command["options"]]),
            }

    def _hours(self, seconds: float) -> float:
        """Return the node hours of seconds of all ranks."""
        return float(seconds / max(self.ranks, 1) * self.nodes / 3600)

    def families(self) -> Iterator[dict[str, Any]]:
        """Return the rows of `families`."""
        rows = self.connection.execute(
            "SELECT family, SUM(calls), SUM(bytes_sent), SUM(seconds) AS seconds FROM family_sums"
            " JOIN procedures ON procedures.id = procedure WHERE class <> 'environment'"
            " GROUP BY family ORDER BY seconds DESC, family"
        ).fetchall()
        shapes = {
            family: shape
            for family, *shape in self.connection.execute(
                "SELECT family, MAX(user_name), COUNT(*), MIN(size), MAX(size) FROM communicators"
                " GROUP BY family"
            )
        }
        for family, *sums in _with_rest(rows, MOST_FAMILIES, 1):
            user_name, count, least, most = shapes.get(family, ("", None, None, None))
            yield {
                "family": family,
                "user_name": user_name,
                "communicators": count,
                "least_size": least,
                "most_size": most,
            } | dict(zip(("calls", "bytes_sent", "seconds"), sums, strict=True))

    def calls(self) -> Iterator[dict[str, Any]]:
        """Return the rows of `calls`."""
        rows = self.connection.execute(
            "SELECT family, name, SUM(calls), SUM(bytes_sent), SUM(bytes_received), SUM(seconds) AS seconds"
            " FROM family_sums JOIN procedures ON procedures.id = procedure WHERE class <> 'environment'"
            " GROUP BY family, procedure ORDER BY seconds DESC, family, name"
        ).fetchall()
        names = ("family", "procedure", "calls", "bytes_sent", "bytes_received", "seconds")
        for row in _with_rest(rows, MOST_CALLS, 2):
            yield dict(zip(names, row, strict=True))

    def hosts(self) -> Iterator[dict[str, Any]]:
        """Return the rows of `hosts`."""
        rows = self.connection.execute(
            f"SELECT host, COUNT(*), AVG({_OUTSIDE}), AVG(mpi / MAX(threads, 1)) FROM ranks"
            " GROUP BY host ORDER BY MIN(rank)"
        ).fetchall()
        sums = {
            host: moved
            for host, *moved in self.connection.execute(
                f"SELECT host, SUM(bytes_on_node), SUM(bytes_off_node) FROM {OWN_MESSAGES} GROUP BY host"
            )
        }
        caused = self._caused()
        for (host, ranks, outside, mpi), slower in zip(rows, _slower(rows), strict=True):
            on_node, off_node = sums.get(host, (0, 0))
            seconds = None if caused is None else caused.get(host, 0.0)
            yield {
                "host": host,
                "ranks": ranks,
                "outside_seconds": outside,
                "slower_percent": slower,
                "mpi_seconds": mpi,
                "bytes_on_node": on_node,
                "bytes_off_node": off_node,
                "caused_seconds": seconds,
                "caused_node_hours": None if seconds is None else self._hours(seconds),
            }

    def _caused(self) -> dict[str, float] | None:
        """Return the waiting that late ranks caused by host; None = unknown."""
        if self.diagnosis is None or not self.diagnosis["late"]["is_known"]:
            return None
        caused: dict[str, float] = {}
        for late in self.diagnosis["late"]["most"]:
            caused[str(late["host"])] = caused.get(str(late["host"]), 0.0) + float(late["seconds"])
        return caused

    def ports(self) -> Iterator[dict[str, Any]]:
        """Return the rows of `ports`."""
        if self.connection.execute("SELECT 1 FROM network_ports LIMIT 1").fetchone() is None:
            return
        for port in network_use(self.connection).ports:
            yield {
                "host": port.host,
                "port": port.name,
                "kind": port.kind,
                "seconds": port.seconds,
                "sent_bytes": port.sent_bytes,
                "received_bytes": port.received_bytes,
                "blocked_percent": port.wait_percent,
                "errors": sum(port.faults.values()),
                "retransmissions": port.retransmissions,
                "congestion_marks": port.congestion_marks,
            }


def with_largest(findings: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Mark the findings of a run that promise most of their kind, of those with high confidence."""
    largest: dict[str, Mapping[str, Any]] = {}
    for row in findings:
        before = largest.get(row["waste"])
        if row["confidence"] == HIGH and (before is None or row["node_hours"] > before["node_hours"]):
            largest[row["waste"]] = row
    return ({**row, "largest": row is largest.get(row["waste"])} for row in findings)


def _with_rest(rows: Sequence[Sequence[Any]], most: int, keys: int) -> Iterable[Sequence[Any]]:
    """Return the first rows, and one more row with the sums of the others."""
    yield from rows[:most]
    if others := rows[most:]:
        yield [*[REST] * keys, *(sum(column) for column in list(zip(*others, strict=True))[keys:])]


def _slower(hosts: Sequence[Sequence[Any]]) -> list[float | None]:
    """Return by how much the ranks of each host were longer outside MPI than the others' median, percent.

    Args:
        hosts: name, number of ranks, and seconds outside MPI of each.
    """
    if len(hosts) < _LEAST_HOSTS or len({ranks for _, ranks, *_ in hosts}) > 1:
        return [None] * len(hosts)
    seconds = [outside for _, _, outside, *_ in hosts]
    middle = [median(seconds[:at] + seconds[at + 1 :]) for at in range(len(seconds))]
    return [
        (outside / other - 1) * 100 if other > 0 else None
        for outside, other in zip(seconds, middle, strict=True)
    ]


def _named(connection: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)


def _instant(text: str) -> datetime:
    """Return an instant in UTC, without its zone.

    Raises:
        ValueError: it is none, or no run can have started then.
    """
    at = datetime.fromisoformat(text)
    at = at.astimezone(timezone.utc).replace(tzinfo=None) if at.tzinfo else at
    if not 2000 <= at.year <= 2200:
        raise ValueError(f"a start in the year {at.year}")
    return at
