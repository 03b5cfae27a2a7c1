"""What Slurm accounts for: the output of `sacct --parsable2` or `sacct --json`.

In lines, sacct escapes nothing: users can write | and line breaks into the names of their jobs, and so rows
for other users. If a line is broken off, no line of the file is trusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from itertools import product
from pathlib import Path
from typing import Any

from rankwise.centre.schema import ACCOUNTING
from rankwise.centre.values import Row, checked
from rankwise.errors import RankwiseError
from rankwise.records import dataclass

COMMAND = (
    "SLURM_TIME_FORMAT=%s sacct --allusers --allocations --duplicates --parsable2"
    " --format=JobIDRaw,JobID,Cluster,User,Account,Partition,State,Start,End,ElapsedRaw,NNodes,NCPUS"
)
"""The command whose output is read; a period such as `--starttime 2026-11-01 --endtime now` goes with it.

`--duplicates`: a job that was requeued has a row for each time that it ran.
"""

_NEEDED = ("User", "State", "Start", "End")
_ANY_OF = (("JobIDRaw", "JobID"), ("NNodes", "AllocNodes"))
# Columns in which no user can write anything; '' ends the lines of `sacct --parsable`.
_PLAIN = {"", "Cluster", "User", "UID", "Group", "Account", "Partition", "QOS", "State", "ExitCode"}
_PLAIN |= {"JobIDRaw", "JobID", "Submit", "Start", "End", "Elapsed", "ElapsedRaw", "Suspended"}
_PLAIN |= {"NNodes", "AllocNodes", "NCPUS", "AllocCPUS"}
_CHOSEN_BY_USERS = "leave out columns with texts that users choose, such as JobName"
_NOT_ENDED = frozenset({"PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "STAGE_OUT"})
_NEVER = frozenset({"", "Unknown", "None", "0"})
_JOB = re.compile(r"[0-9]+")
_COMPONENT = re.compile(r"([0-9]+)\+[0-9]+")
"""A component of a heterogeneous job, by the id of the first one."""
# Of values that are not what they should be.
_FAULTS = (ValueError, TypeError, LookupError, AttributeError, OverflowError, OSError)


@dataclass
class Accounting:
    """Jobs that have ended.

    Attributes:
        rows: of `ACCOUNTING`.
        not_ended: jobs that are left out, as they have not ended, or never started.
        wrong: lines that can't be read, each with its reason.
    """

    rows: list[Row]
    not_ended: int
    wrong: list[str]


def read_accounting(path: Path) -> Accounting:
    """Read the output of sacct.

    Times without a zone are local times of this machine, as sacct writes them without SLURM_TIME_FORMAT=%s.
    Where clocks are set back there are two such times: the elapsed time tells which one is meant.

    Raises:
        RankwiseError: the file can't be read, or is no such output.
    """
    try:
        # (Not by `read_text`, to which \r is a line break, too.)
        text = path.read_bytes().decode(errors="replace")
    except OSError as error:
        raise RankwiseError(f"{path} cannot be read: {error.strerror}") from error
    jobs = _from_json(path, text) if text.lstrip().startswith("{") else _from_lines(path, text)
    read = Accounting([], 0, [])
    for where, job in jobs:
        try:
            if isinstance(job, str):
                raise ValueError(job)
            if str(job["state"]) in _NOT_ENDED or not job["started"] or not job["ended"]:
                read.not_ended += 1
                continue
            read.rows.append(_row(job))
        except _FAULTS as error:
            read.wrong.append(f"{path}, {where}: {error or type(error).__name__}")
    return read


def _row(job: Mapping[str, Any]) -> Row:
    nodes = job["nodes"]
    if not _JOB.fullmatch(job["job"]):
        raise ValueError(f"{job['job']!r} is no id of a job: give sacct the column JobIDRaw")
    if nodes < 0:
        raise ValueError(f"{nodes} nodes")
    started, ended = _period(job["started"], job["ended"], job["elapsed"])
    seconds = (ended - started).total_seconds() if job["elapsed"] is None else job["elapsed"]
    return checked(
        ACCOUNTING, {**job, "started": started, "ended": ended, "node_hours": nodes * seconds / 3600}
    )


def _period(
    starts: Sequence[datetime], ends: Sequence[datetime], elapsed: int | None
) -> tuple[datetime, datetime]:
    """Return when a job started and ended.

    Args:
        starts: the instants that the start may be.
        ends: the same for its end.
        elapsed: seconds without suspension; None = unknown.

    Raises:
        ValueError: it would end before it starts.
    """
    possible = [(started, ended) for started, ended in product(starts, ends) if started <= ended]
    if not possible:
        raise ValueError("the job ends before it starts")
    if elapsed is None:
        return possible[0]
    return min(possible, key=lambda period: abs((period[1] - period[0]).total_seconds() - elapsed))


def _from_lines(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    *lines, rest = text.split("\n")  # (`splitlines` breaks at other characters, too.)
    names = lines[0].rstrip("\r").split("|") if lines else []
    missing = [name for name in _NEEDED if name not in names]
    missing += [" or ".join(some) for some in _ANY_OF if not any(name in names for name in some)]
    if missing:
        raise RankwiseError(
            f"{path} is no output of sacct with the columns {', '.join(missing)}: write it with `{COMMAND}`"
        )
    if names[-1] not in _PLAIN:
        raise RankwiseError(f"{path} ends its lines with {names[-1]}: {_CHOSEN_BY_USERS}")
    for number, line in enumerate(lines[1:], start=2):
        fields = line.rstrip("\r").split("|")
        if len(fields) < len(names):
            raise RankwiseError(
                f"{path}, line {number}, is broken off, so that no line can be trusted: {_CHOSEN_BY_USERS}"
            )
        values = _by_name(names, fields)
        if isinstance(values, str):
            yield f"line {number}", values
            continue
        job_id = values.get("JobIDRaw") or values.get("JobID", "")
        if "." not in job_id:  # else a step of a job
            yield f"line {number}", _job_of_line(values, job_id)
    if rest:
        yield f"line {len(lines) + 1}", "the file is cut short here: write it again"


def _by_name(names: Sequence[str], fields: Sequence[str]) -> dict[str, str] | str:
    """Return the fields of a line by the names of the columns, or the reason why that fails.

    A | that is too much is in the only text that a user chose.
    """
    more = len(fields) - len(names)
    chosen = [at for at, name in enumerate(names) if name not in _PLAIN]
    if more and len(chosen) != 1:
        return f"{len(fields)} fields for {len(names)} columns: {_CHOSEN_BY_USERS}"
    at = chosen[0] if more else 0
    return dict(
        zip(
            names, [*fields[:at], "|".join(fields[at : at + more + 1]), *fields[at + more + 1 :]], strict=True
        )
    )


def _job_of_line(values: Mapping[str, str], job_id: str) -> dict[str, Any] | str:
    component = _COMPONENT.fullmatch(values.get("JobID", ""))
    try:
        return {
            "cluster": values.get("Cluster", ""),
            "job": job_id,
            "leader": component[1] if component else job_id,
            "user": values["User"],
            "account": values.get("Account", ""),
            "partition": values.get("Partition", ""),
            "name": values.get("JobName", ""),
            "state": values["State"].split(" ")[0].rstrip("+"),  # CANCELLED by 1000
            "started": _instants(values["Start"]),
            "ended": _instants(values["End"]),
            "elapsed": int(values["ElapsedRaw"]) if values.get("ElapsedRaw") else None,
            "nodes": int(values.get("NNodes") or values["AllocNodes"]),
            "processors": int(values["NCPUS"]) if values.get("NCPUS") else None,
        }
    except ValueError as error:
        return f"{error}"


def _instants(text: str) -> tuple[datetime, ...]:
    """Return the instants that a time may be, in UTC without their zone; none = it has not come.

    Raises:
        ValueError: it is no time.
    """
    if text in _NEVER:
        return ()
    try:
        at = (
            datetime.fromtimestamp(int(text), timezone.utc)
            if text.isdigit()
            else datetime.fromisoformat(text)
        )
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text[:40]!r} is no time: run sacct with SLURM_TIME_FORMAT=%s") from None
    both = (at.replace(fold=fold).astimezone(timezone.utc).replace(tzinfo=None) for fold in (0, 1))
    return tuple(dict.fromkeys(both))


def _from_json(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    try:
        jobs = json.loads(text)["jobs"]
        if not isinstance(jobs, list):
            raise TypeError("jobs")
    except (ValueError, TypeError, LookupError, RecursionError):
        raise RankwiseError(f"{path} is no output of `sacct --json`, or cut short: write it again") from None
    for number, job in enumerate(jobs, start=1):
        yield f"job {number}", _job_or_fault(job)


def _job_or_fault(job: Mapping[str, Any]) -> dict[str, Any] | str:
    try:
        return _job_of_json(job)
    except _FAULTS as error:
        return f"{type(error).__name__}: {error}"


def _job_of_json(job: Mapping[str, Any]) -> dict[str, Any]:
    state = job["state"]["current"]
    # (What a job may not have, such as energy, has no count.)
    allocated = {one["type"]: one["count"] for one in job.get("tres", {}).get("allocated", ())}
    nodes = allocated.get("node", job.get("allocation_nodes"))
    time = job["time"]
    return {
        "cluster": job.get("cluster") or "",
        "job": str(job["job_id"]),
        "leader": str(_number(job.get("het", {}).get("job_id")) or job["job_id"]),
        "user": job.get("user") or job["association"]["user"] or "",
        "account": job.get("account") or "",
        "partition": job.get("partition") or "",
        "name": job.get("name") or "",
        "state": state[0] if isinstance(state, list) else state,
        "started": _instants(str(_number(time["start"]))),
        "ended": _instants(str(_number(time["end"]))),
        "elapsed": _number(time.get("elapsed")),
        "nodes": int(_number(nodes)),
        "processors": allocated.get("cpu"),
    }


def _number(value: Any) -> Any:
    """Return a number of Slurm's JSON, which newer versions wrap."""
    return value["number"] if isinstance(value, Mapping) else value
