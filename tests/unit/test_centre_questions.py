"""Questions about a month of runs whose answers are known by construction."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from centre_made import (
    BLOCKED_HOST,
    FAULTY_HOST,
    GROUPS,
    LATE_HOST,
    MONTH,
    NEW_KERNEL,
    NEW_LIBRARY,
    NOT_RECORDED_HOURS,
    OLD_KERNEL,
    OLD_LIBRARY,
    STRANGE_PROGRAM,
    STRANGE_USER,
    Group,
    Planted,
    empty_store,
    job_hours,
    month_of,
    planted_month,
    write,
)

import rankwise
from rankwise.__main__ import main
from rankwise.centre.engines.duckdb_engine import DuckDB
from rankwise.centre.schema import ACCOUNTING, FINDINGS, HOSTS, RUNS
from rankwise.centre.store import Store
from rankwise.errors import RankwiseError
from rankwise.runs.significance import sign_chance
from rankwise.views.centre.trends import change, signed

QUESTIONS = ("waste", "programs", "jobs", "users", "hosts", "trends")


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    store = tmp_path_factory.mktemp("centre") / "store"
    return store, planted_month(store)


@pytest.fixture(scope="module")
def centre(planted):
    with rankwise.open_centre(planted[0]) as opened:
        yield opened


def sums(rows, *keys, value="node_hours"):
    return {tuple(row[key] for key in keys) if len(keys) > 1 else row[keys[0]]: row[value] for row in rows}


def test_kinds_of_waste_are_in_the_planted_order(planted, centre):
    kinds = sums(centre.waste().rows("kinds"), "waste")
    assert list(kinds) == list(planted[1].by_kind)
    assert kinds == pytest.approx(planted[1].by_kind)


def test_programs_with_their_waste_are_in_the_planted_order(planted, centre):
    found = sums(centre.waste(rows=0).rows("programs"), "program", "waste")
    assert list(found) == list(planted[1].by_program)
    assert found == pytest.approx(planted[1].by_program)


def test_time_in_mpi_and_findings_of_low_confidence_are_no_waste(centre):
    busiest = max(GROUPS, key=lambda group: group.mpi * group.node_hours)
    assert busiest.program == "fft"
    for rows in (centre.waste(rows=0).rows("programs"), centre.jobs(rows=0).rows()):
        assert busiest.program not in {row["program"] for row in rows}


def test_the_total_counts_the_largest_finding_of_a_run(planted, centre):
    totals = centre.waste().data["totals"]
    assert totals["node_hours"] == pytest.approx(planted[1].node_hours)
    assert totals["waste_node_hours"] == pytest.approx(planted[1].waste_node_hours)
    assert sum(planted[1].by_kind.values()) > planted[1].waste_node_hours  # vasp has two kinds


def test_upper_bounds_are_said(centre):
    bounded = {row["waste"]: row["bounded_node_hours"] > 0 for row in centre.waste().rows("kinds")}
    planted_bounds = {"waiting", "placement", "network"}
    assert {waste for waste, is_bounded in bounded.items() if is_bounded} == planted_bounds
    assert centre.waste().title.startswith("Up to ")
    assert centre.waste(program="gromacs").title.startswith("About ")


def test_the_best_job_is_the_one_with_most_node_hours(centre):
    (row,) = centre.waste(program="gromacs").rows("programs")
    last = sum(group.runs for group in GROUPS[:2])
    assert row["job"] == str(10_000 + last)
    assert row["explain"] == f"rankwise explain /profiles/gromacs.{last}.rankwise"
    assert centre.waste(program="gromacs").next == [row["explain"]]


def test_programs_have_their_efficiency_and_their_waste(planted, centre):
    rows = centre.programs(rows=0).rows()
    wasted = {row["program"]: row["waste_node_hours"] for row in rows if row["waste_node_hours"] > 0}
    assert list(wasted) == list(planted[1].waste_by_program)
    assert wasted == pytest.approx(planted[1].waste_by_program)
    by_name = {row["program"]: row for row in rows}
    assert by_name["gromacs"]["median_percent"] == 50
    assert (by_name["lammps"]["low_percent"], by_name["lammps"]["high_percent"]) == (70, 90)
    assert by_name["quiet"]["median_percent"] is None


def test_a_slower_mpi_library_is_found(centre):
    (change,) = centre.programs().objects["changes"]
    assert (change.program, change.changed) == ("lammps", "MPI library")
    assert (change.library_before, change.library_after) == (OLD_LIBRARY, NEW_LIBRARY)
    assert change.wall.percent == pytest.approx(25, abs=0.1)
    assert change.chance < 0.05
    assert change.more_node_hours == pytest.approx(0.25 * 2 * 12, rel=0.02)


@pytest.mark.parametrize(
    ("other", "changed", "before", "after"),
    [
        ({"kernel": NEW_KERNEL}, "kernel", f"Linux {OLD_KERNEL}", f"Linux {NEW_KERNEL}"),
        (
            {"kernel": NEW_KERNEL, "library": NEW_LIBRARY},
            "MPI library and kernel",
            f"{OLD_LIBRARY}, Linux {OLD_KERNEL}",
            f"{NEW_LIBRARY}, Linux {NEW_KERNEL}",
        ),
        ({"kernel": "", "library": NEW_LIBRARY}, "MPI library", OLD_LIBRARY, NEW_LIBRARY),
    ],
)
def test_what_changed_before_a_program_became_slower_is_named(other, changed, before, after, tmp_path):
    base = Group("app", "alice", 12, 2, 1.0)
    planted_month(tmp_path, groups=[base, replace(base, hours=1.25, day=15, **other)])
    with rankwise.open_centre(tmp_path) as centre:
        answer = centre.programs()
    (change,) = answer.objects["changes"]
    assert change.changed == changed
    assert (change.kernel_before, change.kernel_after) == (OLD_KERNEL, other["kernel"])
    assert change.wall.percent == pytest.approx(25, abs=0.1)
    assert f"another {changed}" in answer.title
    for text in (changed, before, after):
        assert text in " ".join(answer.text(verbose=1).split())


@pytest.mark.parametrize(
    ("hours", "other", "compared"),
    [
        # The same times on both sides, in an order that does not go with the software.
        (1.0, {"library": NEW_LIBRARY}, 1),
        (1.0, {"kernel": NEW_KERNEL}, 1),
        # Nothing that is known changed.
        (1.25, {"kernel": OLD_KERNEL}, 0),
        (1.25, {"kernel": ""}, 0),
    ],
)
def test_software_that_makes_no_difference_is_not_reported(hours, other, compared, tmp_path):
    base = Group("app", "alice", 12, 2, 1.0)
    planted_month(tmp_path, groups=[base, replace(base, hours=hours, day=15, **other)])
    with rankwise.open_centre(tmp_path) as centre:
        answer = centre.programs()
    assert answer.objects["changes"] == []
    assert (
        f"in {compared} comparison" in answer.text() if compared else "No configuration has" in answer.text()
    )


def test_a_kernel_that_was_not_known_for_a_while_is_compared(tmp_path):
    base = Group("app", "alice", 12, 2, 1.0)
    later = [
        replace(base, kernel="", day=8),
        replace(base, kernel=NEW_KERNEL, hours=1.25, day=15),
    ]
    planted_month(tmp_path, groups=[base, *later])
    with rankwise.open_centre(tmp_path) as centre:
        (change,) = centre.programs().objects["changes"]
    assert (change.changed, change.kernel_before, change.kernel_after) == ("kernel", OLD_KERNEL, NEW_KERNEL)


def test_runs_without_arguments_in_the_store_are_not_compared(tmp_path):
    rows = month_of(MONTH, GROUPS)
    for run in rows[RUNS]:
        run["arguments"] = None  # --private
        run["profile"] = None
    write(tmp_path, rows, MONTH, "private")
    with rankwise.open_centre(tmp_path) as centre:
        assert centre.programs().objects["changes"] == []
        assert centre.waste().next == []


def test_jobs_are_in_the_order_of_their_waste(centre):
    rows = centre.jobs(rows=0).rows()
    hours = [row["waste_node_hours"] for row in rows]
    assert hours == sorted(hours, reverse=True)
    assert rows[0]["program"] == "icon"
    assert len(rows) == sum(
        group.runs for group in GROUPS if any(p.confidence == "high" for p in group.findings)
    )


def test_runs_of_a_job_are_taken_together_and_runs_without_one_are_not(tmp_path):
    rows = month_of(MONTH, [Group("app", "alice", 4, 2, 1.0, (Planted("late-ranks", 0.5),))])
    for run, job in zip(rows[RUNS], ("7", "7", "", ""), strict=True):
        run["job"] = job
    write(tmp_path, rows, MONTH, "jobs")
    with rankwise.open_centre(tmp_path) as centre:
        found = [(row["job"], row["runs"]) for row in centre.jobs().rows()]
    assert sorted(found) == [("", 1), ("", 1), ("7", 2)]
    assert found[0] == ("7", 2)


def test_users_are_in_the_planted_order(planted, centre):
    rows = [row for row in centre.users().rows() if row["waste_node_hours"] > 0]
    assert sums(rows, "user", value="waste_node_hours") == pytest.approx(planted[1].waste_by_user)
    assert [row["user"] for row in rows] == list(planted[1].waste_by_user)
    assert (rows[0]["waste"], rows[0]["program"]) == ("waiting", "vasp")


def test_the_late_host_is_found_and_no_other(centre):
    (host,) = centre.hosts().rows("slow_hosts")
    assert (host["host"], host["slower_percent"]) == (LATE_HOST, 12)
    assert host["slow_runs"] == host["runs"]
    # 100 s of the ranks of each run: 8 on each node.
    assert host["caused_node_hours"] == pytest.approx(host["runs"] * 100 / 8 / 3600)


def test_ports_that_are_blocked_or_faulty_are_found(centre):
    answer = centre.hosts()
    assert [row["host"] for row in answer.rows("blocked_ports")] == [BLOCKED_HOST]
    (faulty,) = answer.rows("faulty_ports")
    assert (faulty["host"], faulty["errors"]) == (FAULTY_HOST, 20 * faulty["runs"])


def test_a_few_slow_runs_are_chance(tmp_path):
    planted_month(tmp_path, groups=[Group("app", "alice", 4, 8, 1.0)])
    with rankwise.open_centre(tmp_path) as centre:
        assert not centre.hosts().rows("slow_hosts")


@pytest.mark.parametrize("coins", (2000, 2001, 10_000))
def test_the_sign_test_for_many_runs_is_the_exact_one_nearly(coins):
    # Two standard deviations, for which the normal limit is 0.0228.
    assert sign_chance(coins // 2 + round(coins**0.5), coins) == pytest.approx(0.0228, rel=0.1)


def test_trends_compare_the_last_two_whole_months(tmp_path):
    # The last run of a month starts in its last two days, the first one in its first two.
    whole = [replace(group, day=group.day) for group in GROUPS if group.program == "vasp"]
    ends = Group("end", "alice", 1, 1, 0.1, day=29)
    more = [
        replace(whole[0], findings=(Planted("late-ranks", 0.6, upper_bound=True),), runs=whole[0].runs),
        ends,
    ]
    planted_month(tmp_path, month="2026-08", groups=[*whole, ends])
    planted_month(tmp_path, month="2026-10", groups=more)
    planted_month(tmp_path, month="2026-11", groups=[Group("new", "bob", 3, 1, 1.0)])
    with rankwise.open_centre(tmp_path) as centre:
        answer = centre.trends()
    assert (answer.data["earlier"], answer.data["later"]) == ("2026-08", "2026-10")
    first = answer.rows("changes")[0]
    assert (first["program"], first["waste"]) == ("vasp", "waiting")
    assert first["later_node_hours"] == pytest.approx(2 * first["earlier_node_hours"])
    assert [row["month"] for row in answer.rows("months")] == ["2026-08", "2026-10", "2026-11"]


def test_rounding_is_no_change():
    rows = [
        {"later_node_hours": 0.1 + 0.2, "earlier_node_hours": 0.3},
        {"later_node_hours": 1.0, "earlier_node_hours": 3.0},
    ]
    assert [signed(change(row)) for row in rows] == ["0", "-2.00"]


def test_the_share_without_a_profile_is_known_from_the_accounting(centre):
    recorded = sum(
        job_hours(group, place) for group in GROUPS if group.in_accounting for place in range(group.runs)
    )
    share = 100 * NOT_RECORDED_HOURS / (recorded + NOT_RECORDED_HOURS)
    assert centre.waste().data["without_profile_percent"] == pytest.approx(share)
    assert f"{share:.1f} %" in centre.waste().text()


def test_without_accounting_the_share_is_unknown(tmp_path):
    planted_month(tmp_path, accounting=False)
    with rankwise.open_centre(tmp_path) as centre:
        answer = centre.waste()
        assert answer.data["without_profile_percent"] is None
        assert "accounting" in answer.text()
        assert centre.waste(account="physics").data["totals"]["runs"] == 0


def test_a_job_belongs_to_its_user_its_cluster_and_its_time(centre):
    # Other jobs have the same number: of another user, on another cluster, at another time.
    (row,) = centre.sql(
        "SELECT account, job_node_hours FROM run_job WHERE job = '10001' AND user = 'alice'"
    ).rows()
    assert row["account"] == "physics"
    assert centre.sql("SELECT COUNT(*) AS jobs FROM run_in_job WHERE job = '10001'").rows()[0]["jobs"] == 1
    for account in ("elsewhere", "before", "other"):
        assert centre.waste(account=account).data["totals"]["runs"] == 0


def test_a_run_that_claims_the_job_of_another_user_gets_nothing(tmp_path):
    rows = month_of(MONTH, GROUPS[:1])
    write(tmp_path, rows, MONTH, "honest")
    crafted = [{**run, "run": run["run"] ^ 1, "user": "mallory"} for run in rows[RUNS]]
    write(tmp_path, {RUNS: crafted}, MONTH, "crafted")
    with rankwise.open_centre(tmp_path) as centre:
        assert centre.waste(account="physics").data["totals"]["runs"] == len(rows[RUNS])
        recorded = centre.waste().data["recorded"][0]
    assert recorded["recorded_jobs"] == len(rows[RUNS])


def test_all_components_of_a_heterogeneous_job_are_recorded(tmp_path):
    rows = month_of(MONTH, GROUPS[:1])
    leader = rows[ACCOUNTING][0]
    components = [
        {**leader, "job": str(int(leader["job"]) + 50_000 + at), "partition": f"part{at}", "nodes": at}
        for at in (1, 2)
    ]
    rows[ACCOUNTING] += components
    write(tmp_path, rows, MONTH, "heterogeneous")
    with rankwise.open_centre(tmp_path) as centre:
        (month,) = centre.waste().data["recorded"]
        assert month["recorded_jobs"] == len(rows[RUNS]) + len(components)
        hours = sum(job_hours(GROUPS[0], place) for place in range(len(rows[RUNS])))
        assert month["recorded_node_hours"] == pytest.approx(hours + 2 * leader["node_hours"])
        assert centre.waste().data["totals"]["runs"] == len(rows[RUNS])
        assert centre.waste(partition="part2").data["totals"]["runs"] == 1
        (job,) = centre.sql(f"SELECT job_nodes FROM run_job WHERE job = '{leader['job']}'").rows()
        assert job["job_nodes"] == leader["nodes"]


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({"user": "carol"}, lambda group: group.user == "carol"),
        ({"program": "vasp"}, lambda group: group.program == "vasp"),
        ({"account": "climate"}, lambda group: group.user in ("carol", "dave")),
        ({"partition": "big"}, lambda group: group.nodes >= 8),
        (
            {"account": "physics", "partition": "standard"},
            lambda g: g.user in ("alice", "bob") and g.nodes < 8,
        ),
        ({"cluster": "alpha"}, lambda _: True),
        ({"cluster": "beta"}, lambda _: False),
        ({"since": "2026-11"}, lambda _: False),
        ({"until": "2026-09-30"}, lambda _: False),
        ({"since": "2026-10", "until": "2026-10"}, lambda _: True),
        ({"since": "2026", "until": "2026"}, lambda _: True),
        ({"user": STRANGE_USER}, lambda group: group.user == STRANGE_USER),
        ({"program": STRANGE_PROGRAM}, lambda group: group.program == STRANGE_PROGRAM),
    ],
)
def test_options_choose_runs(centre, options, chosen):
    in_doubt = "account" in options or "partition" in options
    groups = [group for group in GROUPS if group.in_accounting or not in_doubt]
    wanted = sum(group.runs for group in groups if chosen(group))
    for question in ("waste", "users", "programs"):
        assert getattr(centre, question)(**options).data["totals"]["runs"] == wanted


def test_a_day_is_a_whole_day(tmp_path):
    rows = month_of(MONTH, GROUPS[:1])
    rows[RUNS] = rows[RUNS][:3]
    for run, at in zip(
        rows[RUNS], (timedelta(0), timedelta(hours=23, minutes=59), timedelta(days=1)), strict=True
    ):
        run["started"] = run["started"].replace(day=10, hour=0, minute=0, second=0) + at
    write(tmp_path, rows, MONTH, "days")
    with rankwise.open_centre(tmp_path) as centre:
        assert centre.waste(since="2026-10-10", until="2026-10-10").data["totals"]["runs"] == 2
        assert centre.waste(since="2026-10-10T00:01", until="2026-10-10T23:59").data["totals"]["runs"] == 1
        assert centre.waste(since="2026-10-10", until="2026-10-10T22").data["totals"]["runs"] == 1


@pytest.mark.parametrize(
    "text", ("2026-13", "2026-02-30", "yesterday", "2026-1", "'; DROP TABLE runs; --", "0000")
)
def test_what_is_no_date_is_refused(centre, text):
    with pytest.raises(RankwiseError, match=r"such as 2026-11"):
        centre.waste(since=text)


def test_a_period_that_ends_before_it_begins_is_refused(centre):
    with pytest.raises(RankwiseError, match="ends before"):
        centre.waste(since="2026-11", until="2026-10")


@pytest.mark.parametrize("text", ("x' OR '1'='1", "'; DROP VIEW runs; --", "$since", ":user", "%", '"', "\\"))
@pytest.mark.parametrize("option", ("user", "program", "account", "partition", "cluster"))
def test_names_are_values_and_never_sql(centre, planted, option, text):
    assert centre.waste(**{option: text}).data["totals"]["runs"] == 0
    assert centre.waste().data["totals"]["runs"] == planted[1].runs


def test_details_of_runs_that_are_being_added_do_not_count(centre):
    # The store has a finding of a million node hours, a host and a port of no run.
    for table in ("run_finding", "run_host", "run_port", "findings", "hosts", "ports"):
        count = centre.sql(f"SELECT COUNT(*) AS rows FROM {table} WHERE run NOT IN (SELECT run FROM runs)")
        assert count.rows()[0]["rows"] == 0
    assert centre.waste().rows("kinds")[0]["node_hours"] < 1e6


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_empty_store_has_one_sentence(tmp_path, question):
    with rankwise.open_centre(empty_store(tmp_path)) as centre:
        text = getattr(centre, question)().text()
        assert text.strip().startswith("No run is left")
        assert len(text.splitlines()) == 1


def test_what_is_no_store_is_refused_with_its_cure(tmp_path):
    with pytest.raises(RankwiseError, match=r"rankwise centre ingest PROFILES --into"):
        rankwise.open_centre(tmp_path)


def test_a_store_of_a_newer_version_is_refused(tmp_path):
    with pytest.raises(RankwiseError, match="version 99"):
        rankwise.open_centre(empty_store(tmp_path, 99))


@pytest.mark.parametrize("table", (RUNS, FINDINGS, HOSTS, ACCOUNTING), ids=lambda table: table.name)
@pytest.mark.parametrize("how", ("cut", "empty", "middle", "text"))
def test_a_damaged_file_is_named_in_one_line(tmp_path, table, how, capsys):
    planted_month(tmp_path)
    (path, *_) = Store(tmp_path).files(table, MONTH)
    content = path.read_bytes()
    damaged = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "middle": content[:100] + bytes(len(content) // 2) + content[100 + len(content) // 2 :],
        "text": b"no parquet\n" * 100,
    }
    path.write_bytes(damaged[how])
    question = "hosts" if table is HOSTS else "waste"
    assert main(["centre", question, str(tmp_path)]) != 0
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{path} is damaged" in error


def test_a_file_that_disappears_is_not_damaged(tmp_path):
    planted_month(tmp_path)
    with rankwise.open_centre(tmp_path) as centre:
        Store(tmp_path).files(HOSTS, MONTH)[0].unlink()
        with pytest.raises(RankwiseError, match="ask again"):
            centre.hosts()


def test_the_store_is_only_read_and_nothing_else_is(planted, centre, tmp_path):
    before = sorted(path for path in planted[0].rglob("*"))
    (file, *_) = Store(planted[0]).files(RUNS, MONTH)
    for sql in (
        f"COPY runs TO '{tmp_path / 'x'}'",
        f"COPY (SELECT 1) TO '{file}'",
        f"ATTACH '{tmp_path / 'x.db'}'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "DROP VIEW runs",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM before",
        "",
    ):
        with pytest.raises(RankwiseError):
            centre.sql(sql)
    assert sorted(path for path in planted[0].rglob("*")) == before
    assert list(tmp_path.iterdir()) == []


def test_columns_of_the_same_name_are_kept_apart(centre):
    (row,) = centre.sql("SELECT 1 AS a, 2 AS a, TIMESTAMP '2026-10-01 12:00:00' AS t").rows()
    assert [*row.values()] == [1, 2, "2026-10-01T12:00:00"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_command_prints_text_json_and_csv(planted, question, capsys):
    command = ["centre", question, str(planted[0])]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert main([*command, "--csv"]) == 0
    table = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert text
    assert document["totals"]["runs"] == planted[1].runs
    assert len(table) == len(next(iter(document.values())))


def test_a_query_of_the_user_is_answered(planted, capsys, monkeypatch):
    store, query = str(planted[0]), "SELECT COUNT(*) AS runs FROM runs"
    assert main(["centre", "sql", store, "--json", query]) == 0
    assert json.loads(capsys.readouterr().out) == {"rows": [{"runs": planted[1].runs}]}
    monkeypatch.setattr("sys.stdin", io.StringIO(query))
    assert main(["centre", "sql", "--csv", store, "-"]) == 0
    assert capsys.readouterr().out.split() == ["runs", str(planted[1].runs)]
    assert main(["centre", "sql", store, "tables", "--limit", "0"]) == 0
    assert capsys.readouterr().out.count("accounting") >= len(ACCOUNTING.columns)


def test_names_from_programs_can_not_move_the_cursor(tmp_path):
    name = "\x1b[2Jevil\nprogram"
    planted_month(
        tmp_path,
        groups=[
            Group(name, name.replace("program", "user"), 1, 1, 1.0, GROUPS[0].findings, in_accounting=False),
            Group("x", "alice", 1, 1, 0.1),
        ],
    )
    with rankwise.open_centre(tmp_path) as centre:
        for question in QUESTIONS:
            text = getattr(centre, question)().text(verbose=1)
            assert "\x1b" not in text
            assert "evil\n" not in text


def test_a_path_with_quotes_and_equal_signs_is_read(tmp_path):
    store = tmp_path / "it's a=b" / "store"
    expected = planted_month(store)
    with rankwise.open_centre(store) as centre:
        assert centre.waste().data["totals"]["runs"] == expected.runs
        assert {row["month"] for row in centre.trends().rows("months")} == {MONTH}


def test_a_folder_that_looks_like_a_month_is_refused(tmp_path):
    store = tmp_path / "month=1999-01" / "store"
    planted_month(store)
    with pytest.raises(RankwiseError, match="month=1999-01"):
        rankwise.open_centre(store)


def test_temporary_files_are_removed(planted, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with DuckDB(Store(planted[0])) as engine:
        assert len(list(tmp_path.iterdir())) == 1
        engine.ask_sql("SELECT 1")
    assert list(tmp_path.iterdir()) == []
