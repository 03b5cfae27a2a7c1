"""What Slurm accounts for: the output of `sacct --parsable2` or `sacct --json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rankwise.centre.schema import ACCOUNTING
from rankwise.centre.values import Row, checked
from rankwise.errors import RankwiseError
from rankwise.records import dataclass

COMMAND = (
    "sacct --allusers --allocations --parsable2"
    " --format=JobIDRaw,Cluster,User,Account,Partition,JobName,State,Start,End,NNodes,NCPUS"
)
"""The command whose output is read; a period such as `--starttime 2026-11-01 --endtime now` goes with it."""

_NEEDED = ("User", "State", "Start", "End")
_ANY_OF = (("JobIDRaw", "JobID"), ("NNodes", "AllocNodes"))
_NOT_ENDED = frozenset(
    {"PENDING", "RUNNING", "SUSPENDED", "REQUEUED", "RESIZING", "CONFIGURING", "COMPLETING", "STAGE_OUT"}
)
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

    Times without a zone are local times of this machine, as sacct writes them. Seconds since 1970 are also
    read (`SLURM_TIME_FORMAT=%s`).

    Raises:
        RankwiseError: the file can't be read, or is no such output.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RankwiseError(f"{path} cannot be read: {error.strerror}") from error
    jobs = _from_json(path, text) if text.lstrip().startswith("{") else _from_lines(path, text)
    read = Accounting([], 0, [])
    for where, job in jobs:
        try:
            if isinstance(job, str):
                raise ValueError(job)
            if str(job["state"]) in _NOT_ENDED or job["started"] is None:
                read.not_ended += 1
                continue
            read.rows.append(_row(job))
        except _FAULTS as error:
            read.wrong.append(f"{path}, {where}: {error or type(error).__name__}")
    return read


def _row(job: Mapping[str, Any]) -> Row:
    started, ended, nodes = job["started"], job["ended"], job["nodes"]
    if ended is None or ended < started:
        raise ValueError("the job ends before it starts")
    if nodes < 0:
        raise ValueError(f"{nodes} nodes")
    hours = nodes * (ended - started).total_seconds() / 3600
    return checked(ACCOUNTING, {**job, "node_hours": hours})


def _from_lines(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    lines = text.splitlines()
    names = lines[0].split("|") if lines else []
    missing = [name for name in _NEEDED if name not in names]
    missing += [" or ".join(some) for some in _ANY_OF if not any(name in names for name in some)]
    if missing:
        raise RankwiseError(
            f"{path} is no output of sacct with the columns {', '.join(missing)}: write it with `{COMMAND}`"
        )
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("|")
        values = dict(zip(names, fields, strict=False))
        job_id = values.get("JobIDRaw") or values.get("JobID", "")
        if not line or "." in job_id:
            continue  # a step of a job
        yield (
            f"line {number}",
            _job_of_line(values, job_id)
            if len(fields) == len(names)
            else (f"{len(fields)} fields, where there are {len(names)} columns"),
        )


def _job_of_line(values: Mapping[str, str], job_id: str) -> dict[str, Any] | str:
    try:
        return {
            "cluster": values.get("Cluster", ""),
            "job": job_id,
            "user": values["User"],
            "account": values.get("Account", ""),
            "partition": values.get("Partition", ""),
            "name": values.get("JobName", ""),
            "state": values["State"].split(" ")[0].rstrip("+"),  # CANCELLED by 1000
            "started": _instant(values["Start"]),
            "ended": _instant(values["End"]),
            "nodes": int(values.get("NNodes") or values["AllocNodes"]),
            "processors": int(values["NCPUS"]) if values.get("NCPUS") else None,
        }
    except ValueError as error:
        return f"{error}"


def _instant(text: str) -> datetime | None:
    """Return an instant in UTC, without its zone; None = it has not come.

    Raises:
        ValueError: it is none.
    """
    if text in ("", "Unknown", "None", "0"):
        return None
    at = datetime.fromtimestamp(int(text), timezone.utc) if text.isdigit() else datetime.fromisoformat(text)
    return at.astimezone(timezone.utc).replace(tzinfo=None)


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
    allocated = {one["type"]: int(one["count"]) for one in job.get("tres", {}).get("allocated", ())}
    nodes = allocated.get("node", job.get("allocation_nodes"))
    return {
        "cluster": job.get("cluster") or "",
        "job": str(job["job_id"]),
        "user": job.get("user") or job["association"]["user"],
        "account": job.get("account") or "",
        "partition": job.get("partition") or "",
        "name": job.get("name") or "",
        "state": state[0] if isinstance(state, list) else state,
        "started": _instant(str(_number(job["time"]["start"]))),
        "ended": _instant(str(_number(job["time"]["end"]))),
        "nodes": int(_number(nodes)),
        "processors": allocated.get("cpu"),
    }


def _number(value: Any) -> Any:
    """Return a number of Slurm's JSON, which newer versions wrap."""
    return value["number"] if isinstance(value, Mapping) else value
