"""What sacct prints becomes rows of the accounting: the same ones from lines and from JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rankwise.centre.accounting import COMMAND, Accounting, read_accounting
from rankwise.centre.schema import ACCOUNTING
from rankwise.errors import RankwiseError

COLUMNS = COMMAND.rpartition("--format=")[2].split(",")
START = 1_795_906_855
STARTED = datetime(2026, 11, 28, 23, 0, 55)  # the same, in UTC
JOB = {
    "JobIDRaw": "1",
    "JobID": "1",
    "Cluster": "alps",
    "User": "ann",
    "Account": "physics",
    "Partition": "all",
    "State": "COMPLETED",
    "Start": str(START),
    "End": str(START + 60),
    "ElapsedRaw": "60",
    "NNodes": "2",
    "NCPUS": "8",
}


def lines(*jobs: Mapping[str, str], columns: Sequence[str] = COLUMNS) -> str:
    """As `sacct --parsable2` writes them."""
    rows = [columns, *([{**JOB, **job}[name] for name in columns] for job in jobs)]
    return "".join(f"{'|'.join(row)}\n" for row in rows)


def as_json(**other: Any) -> dict[str, Any]:
    """The same job, as `sacct --json` of Slurm 22.05 has it: what a job has not is null."""
    return {
        "account": "physics",
        "allocation_nodes": 2,
        "array": {"job_id": 0, "task_id": None},
        "association": {"account": "physics", "cluster": "alps", "partition": None, "user": "ann"},
        "cluster": "alps",
        "het": {"job_id": 0, "job_offset": None},
        "job_id": 1,
        "name": "job.sh",
        "partition": "all",
        "state": {"current": "COMPLETED", "reason": "None"},
        "time": {"elapsed": 60, "end": START + 60, "start": START, "suspended": 0},
        "tres": {
            "allocated": [
                {"type": "cpu", "name": None, "id": 1, "count": 8},
                {"type": "energy", "name": None, "id": 3, "count": None},
                {"type": "node", "name": None, "id": 4, "count": 2},
            ]
        },
        "user": "ann",
    } | other


def read(tmp_path: Path, text: str | bytes) -> Accounting:
    path = tmp_path / "sacct.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_accounting(path)


def named(accounting: Accounting) -> list[dict[str, Any]]:
    names = [column.name for column in ACCOUNTING.columns]
    return [dict(zip(names, row, strict=True)) for row in accounting.rows]


def the_row(accounting: Accounting) -> dict[str, Any]:
    assert accounting.wrong == []
    [row] = named(accounting)
    return row


@pytest.fixture
def zurich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Zurich")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_job(tmp_path: Path) -> None:
    assert the_row(read(tmp_path, lines({}))) == {
        "cluster": "alps",
        "job": "1",
        "leader": "1",
        "user": "ann",
        "job_of_user": None,  # this and the allocation: not before the user has a pseudonym
        "account": "physics",
        "partition": "all",
        "name": "",
        "state": "COMPLETED",
        "started": STARTED,
        "allocation": None,
        "ended": STARTED + timedelta(minutes=1),
        "nodes": 2,
        "processors": 8,
        "node_hours": 2 * 60 / 3600,
    }


@pytest.mark.parametrize(
    "newer",
    [
        {},
        {"state": {"current": ["COMPLETED"]}},
        {"state": {"current": ["COMPLETED"]}, "allocation_nodes": {"set": True, "number": 2}},
        {"time": {name: {"number": n} for name, n in (("start", START), ("end", START + 60))}},
        {"user": None},
        {"tres": {}, "allocation_nodes": 2},
    ],
)
def test_json_has_the_same(newer: dict[str, Any], tmp_path: Path) -> None:
    of_lines = the_row(read(tmp_path, lines({"JobName": "job.sh"}, columns=["JobName", *COLUMNS])))
    of_json = the_row(read(tmp_path, json.dumps({"jobs": [as_json(**newer)]})))
    if "tres" in newer:
        of_lines["processors"] = None
    assert of_json == of_lines


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("CANCELLED by 1000", "CANCELLED"),
        ("TIMEOUT", "TIMEOUT"),
        ("OUT_OF_MEMORY", "OUT_OF_MEMORY"),
        ("OUT_OF_ME+", "OUT_OF_ME"),  # by %10
        ("REQUEUED", "REQUEUED"),  # it ran, and will run again
        ("RESIZING", "RESIZING"),
    ],
)
def test_ends(state: str, expected: str, tmp_path: Path) -> None:
    assert the_row(read(tmp_path, lines({"State": state})))["state"] == expected


@pytest.mark.parametrize(
    "job",
    [
        {"State": "RUNNING", "End": "Unknown"},
        {"State": "RUNNING"},  # cut at the end of the period, by --truncate
        {"State": "SUSPENDED", "End": "Unknown"},
        {"State": "PENDING", "Start": "Unknown", "End": "Unknown"},
        {"State": "PENDING", "JobIDRaw": "7_[1-5]", "Start": "None", "End": "None"},
        {"State": "CANCELLED by 0", "Start": "None"},  # while it was waiting
        {"State": "CANCELLED by 0", "Start": "Unknown"},
        {"State": "REVOKED", "Start": "Unknown"},  # runs on another cluster of the federation
    ],
)
def test_jobs_that_have_not_run_or_not_ended(job: dict[str, str], tmp_path: Path) -> None:
    done = read(tmp_path, lines(job))
    assert (done.rows, done.not_ended, done.wrong) == ([], 1, [])


@pytest.mark.parametrize(
    "job",
    [
        as_json(state={"current": "RUNNING"}, time={"start": START, "end": 0, "elapsed": 5}),
        as_json(state={"current": "CANCELLED"}, time={"start": 0, "end": START, "elapsed": 0}),
    ],
)
def test_they_are_the_same_in_json(job: dict[str, Any], tmp_path: Path) -> None:
    done = read(tmp_path, json.dumps({"jobs": [job]}))
    assert (done.rows, done.not_ended, done.wrong) == ([], 1, [])


def test_steps_are_parts_of_their_jobs(tmp_path: Path) -> None:
    steps = [{"JobIDRaw": f"1.{step}"} for step in ("batch", "extern", "0", "1")]
    assert the_row(read(tmp_path, lines({}, *steps)))["job"] == "1"


ARRAY_AND_HETEROGENEOUS = [
    {"JobID": "7_3", "JobIDRaw": "7"},
    {"JobID": "7_1", "JobIDRaw": "8"},
    {"JobID": "18+0", "JobIDRaw": "18"},
    {"JobID": "18+1", "JobIDRaw": "19"},
]
LEADERS = [("7", "7"), ("8", "8"), ("18", "18"), ("19", "18")]


def test_arrays_and_heterogeneous_jobs_by_their_own_ids(tmp_path: Path) -> None:
    done = read(tmp_path, lines(*ARRAY_AND_HETEROGENEOUS))
    assert [(row["job"], row["leader"]) for row in named(done)] == LEADERS
    without = [name for name in COLUMNS if name != "JobID"]
    done = read(tmp_path, lines(*ARRAY_AND_HETEROGENEOUS, columns=without))
    assert [(row["job"], row["leader"]) for row in named(done)] == [(job, job) for job, _ in LEADERS]


@pytest.mark.parametrize("newer", [False, True])
def test_they_have_the_same_leaders_in_json(newer: bool, tmp_path: Path) -> None:
    jobs = []
    for job, leader in LEADERS:
        number = int(leader) if int(leader) == 18 else 0  # as Slurm has it: 0 is none
        het = {"job_id": {"set": bool(number), "number": number} if newer else number}
        jobs.append(as_json(job_id=int(job), het={**het, "job_offset": None}))
    done = read(tmp_path, json.dumps({"jobs": jobs}))
    assert [(row["job"], row["leader"]) for row in named(done)] == LEADERS


@pytest.mark.parametrize("job_id", ["7_3", "18+1", "", "1; DROP TABLE runs", "x"])
def test_ids_that_no_run_can_have(job_id: str, tmp_path: Path) -> None:
    columns = COLUMNS[1:]
    done = read(tmp_path, lines({"JobID": job_id}, {"JobID": "2"}, columns=columns))
    assert [row["job"] for row in named(done)] == ["2"]
    [fault] = done.wrong
    assert "line 2" in fault
    assert "JobIDRaw" in fault


def test_a_job_that_ran_twice_and_clusters_of_a_federation(tmp_path: Path) -> None:
    again = {"Start": str(START + 100), "End": str(START + 130), "ElapsedRaw": "30"}
    done = read(
        tmp_path,
        lines({"State": "REQUEUED"}, again, {"Cluster": "jura", "JobIDRaw": "134217729"}),
    )
    assert done.wrong == []
    assert [(row["cluster"], row["job"]) for row in named(done)] == [
        ("alps", "1"),
        ("alps", "1"),
        ("jura", "134217729"),
    ]


def test_time_in_which_a_job_is_suspended_costs_nothing(tmp_path: Path) -> None:
    hours = 2 * 20 / 3600
    assert the_row(read(tmp_path, lines({"ElapsedRaw": "20"})))["node_hours"] == pytest.approx(hours)
    suspended = as_json(time={"start": START, "end": START + 60, "elapsed": 20, "suspended": 40})
    row = the_row(read(tmp_path, json.dumps({"jobs": [suspended]})))
    assert row["node_hours"] == pytest.approx(hours)
    assert row["ended"] - row["started"] == timedelta(minutes=1)
    without = [name for name in COLUMNS if name != "ElapsedRaw"]
    row = the_row(read(tmp_path, lines({}, columns=without)))
    assert row["node_hours"] == pytest.approx(2 * 60 / 3600)


@pytest.mark.parametrize("name", ["a|b", "|||", "a|", "COMPLETED|1|2"])
@pytest.mark.parametrize("place", [0, 3, len(COLUMNS) - 1])
def test_names_with_separators(name: str, place: int, tmp_path: Path) -> None:
    columns = [*COLUMNS[:place], "JobName", *COLUMNS[place:]]
    row = the_row(read(tmp_path, lines({"JobName": name}, columns=columns)))
    assert (row["name"], row["job"], row["processors"]) == (name, "1", 8)


def test_names_with_separators_beside_other_texts(tmp_path: Path) -> None:
    columns = ["JobName", "Comment", *COLUMNS]
    done = read(
        tmp_path, lines({"JobName": "a|b", "Comment": ""}, {"JobName": "a", "Comment": ""}, columns=columns)
    )
    assert [row["name"] for row in named(done)] == ["a"]
    [fault] = done.wrong
    assert f"{len(columns) + 1} fields" in fault
    assert "JobName" in fault


@pytest.mark.parametrize("place", [0, 3, len(COLUMNS)])
def test_no_user_can_forge_jobs_of_others(place: int, tmp_path: Path) -> None:
    """A name of a job may contain a line break, and behind it what looks like a line of sacct."""
    columns = [*COLUMNS[:place], "JobName", *COLUMNS[place:]]
    forged = lines({"JobName": "x", "User": "root"}, columns=columns).splitlines()[1]
    with pytest.raises(RankwiseError, match="JobName"):
        read(tmp_path, lines({"JobName": f"x\n{forged}\ny"}, columns=columns))
    row = the_row(read(tmp_path, json.dumps({"jobs": [as_json(name=f"x\n{forged}\ny")]})))
    assert row["user"] == "ann"


def test_other_breaks_than_that_of_lines(tmp_path: Path) -> None:
    name = "a\u2028b\x85c\x0bd\x1ce\rf"
    columns = ["JobName", *COLUMNS]
    assert the_row(read(tmp_path, lines({"JobName": name}, columns=columns)))["name"] == name
    assert the_row(read(tmp_path, lines({}).replace("\n", "\r\n")))["processors"] == 8


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    text = lines({"Account": "?"}).encode().replace(b"?", b"\xff\xfe")
    assert the_row(read(tmp_path, text))["account"] == "��"


@pytest.mark.parametrize("missing", range(1, 40, 3))
def test_a_file_that_was_cut_short(missing: int, tmp_path: Path) -> None:
    text = lines({}, {"JobIDRaw": "2", "NCPUS": "1234"})
    done = read(tmp_path, text[:-missing])
    assert [row["job"] for row in named(done)] == ["1"]
    [fault] = done.wrong
    assert "line 3" in fault
    with pytest.raises(RankwiseError, match="cut short"):
        read(tmp_path, json.dumps({"jobs": [as_json()]})[:-missing])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "sacct: error: Connection refused\n",
        lines({}).partition("\n")[2],  # with --noheader
        lines({}).replace("|", "^"),  # with --delimiter
        "JobIDRaw|User|State|NNodes\n1|ann|COMPLETED|2\n",
        "       JobID  Partition\n------------ ----------\n",
        "{}",
        '{"jobs": null}',
        "[" * 100_000,
        "{" * 100_000,
    ],
)
def test_what_is_no_such_output(text: str, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"sacct\.txt is no .*`sacct|write it with `SLURM"):
        read(tmp_path, text)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="cannot be read"):
        read_accounting(tmp_path / "missing")


@pytest.mark.parametrize(
    "job",
    [
        {"Start": "28 Nov 23:00"},
        {"Start": "Ystday 23:00"},  # SLURM_TIME_FORMAT=relative
        {"Start": "9" * 30},
        {"End": str(START - 1)},
        {"NNodes": "two"},
        {"NNodes": "-2"},
        {"NCPUS": "1e99"},
        {"NCPUS": "9" * 30},
    ],
)
def test_a_wrong_line_is_named_and_left_out(job: dict[str, str], tmp_path: Path) -> None:
    done = read(tmp_path, lines(job, {"JobIDRaw": "2"}))
    assert [row["job"] for row in named(done)] == ["2"]
    [fault] = done.wrong
    assert fault.startswith(f"{tmp_path / 'sacct.txt'}, line 2: ")


@pytest.mark.parametrize(
    "job",
    [
        None,
        {},
        as_json(state=None),
        as_json(time={}),
        as_json(time={"start": START, "end": START - 1, "elapsed": 0}),
        as_json(job_id="../../x"),
        as_json(association=None, user=None),
        as_json(tres={"allocated": [{"type": "node", "count": "many"}]}),
        as_json(tres={"allocated": [{"type": "node", "count": 1 << 80}]}),
        as_json(time={"start": 10**30, "end": 10**30, "elapsed": 0}),
        as_json(user=["ann"]),
    ],
)
def test_a_wrong_job_in_json_is_named_and_left_out(job: Any, tmp_path: Path) -> None:
    done = read(tmp_path, json.dumps({"jobs": [job, as_json(job_id=2)]}))
    assert [row["job"] for row in named(done)] == ["2"]
    [fault] = done.wrong
    assert fault.startswith(f"{tmp_path / 'sacct.txt'}, job 1: ")


@pytest.mark.usefixtures("zurich")
def test_local_times(tmp_path: Path) -> None:
    local = {"Start": "2026-11-29T00:00:55", "End": "2026-11-29T00:01:55"}
    assert the_row(read(tmp_path, lines(local)))["started"] == STARTED
    assert the_row(read(tmp_path, lines({})))["started"] == STARTED
    with_zone = {"Start": "2026-11-29T03:00:55+04:00", "End": "2026-11-29T03:01:55+04:00"}
    assert the_row(read(tmp_path, lines(with_zone)))["started"] == STARTED


# On 25 October 2026 the clocks of Zurich went from 03:00 back to 02:00: 02:30 was at 00:30 and at 01:30 UTC.
@pytest.mark.usefixtures("zurich")
@pytest.mark.parametrize(
    ("start", "end", "elapsed", "start_utc"),
    [
        ("01:30", "02:30", 3600, "23:30"),
        ("01:30", "02:30", 7200, "23:30"),
        ("02:30", "02:40", 600, "00:30"),
        ("02:30", "02:40", 4200, "00:30"),
        ("02:50", "02:10", 1200, "00:50"),
        ("02:30", "03:10", 2400, "01:30"),
        ("02:30", "03:10", 6000, "00:30"),
    ],
)
def test_clocks_that_are_set_back(start: str, end: str, elapsed: int, start_utc: str, tmp_path: Path) -> None:
    times = {"Start": f"2026-10-25T{start}:00", "End": f"2026-10-25T{end}:00", "ElapsedRaw": str(elapsed)}
    row = the_row(read(tmp_path, lines(times)))
    assert f"{row['started']:%H:%M}" == start_utc
    assert (row["ended"] - row["started"]).total_seconds() == elapsed
    assert row["node_hours"] == pytest.approx(2 * elapsed / 3600)


@pytest.mark.usefixtures("zurich")
def test_an_end_before_the_start_by_the_clock_alone(tmp_path: Path) -> None:
    without = [name for name in COLUMNS if name != "ElapsedRaw"]
    times = {"Start": "2026-10-25T02:50:00", "End": "2026-10-25T02:10:00"}
    row = the_row(read(tmp_path, lines(times, columns=without)))
    assert row["ended"] - row["started"] == timedelta(minutes=20)


@pytest.mark.usefixtures("zurich")
def test_clocks_that_are_set_forward(tmp_path: Path) -> None:
    times = {"Start": "2026-03-29T01:30:00", "End": "2026-03-29T03:30:00", "ElapsedRaw": "3600"}
    row = the_row(read(tmp_path, lines(times)))
    assert row["ended"] - row["started"] == timedelta(hours=1)
