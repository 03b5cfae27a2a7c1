"""The state of the processors: what is found for each combination, and that all screens say the same."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from assembled import made as assembled
from assembled import rows
from made_profile import RUN_S, Made
from synthetic import small_world

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.nodes.binding import node_places
from rankwise.findings.finding import HIGH, LOW
from rankwise.findings.processors import crowded
from rankwise.findings.search import findings
from rankwise.text.processors import shortage_fields

RANKS = 4
RULES = ("oversubscribed", "badly-bound", "preempted")
WAITS = {"much": 0.5 * RUN_S, "hardly": 0.001 * RUN_S, "unknown": None}
Case = tuple[str, bool, str]
CASES: list[Case] = list(product(("0-1", "0-3"), (True, False), WAITS))  # processors, busy, waited


def made(case: Case, *, switches: int = 0, threads: int = 1) -> Made:
    """Four ranks of 10 s on the processors of their node, which they used nearly all the time, or hardly."""
    cpus, busy, waited = case
    run = Made(RANKS, cpus=cpus)
    processors = int(cpus[-1]) + 1
    run.insert("node_shapes", host="node", shape=1)
    for processor in range(processors):
        run.insert("shape_processors", shape=1, processor=processor, core=processor, kind="any")
    for rank in range(RANKS):
        used = (0.95 if busy else 0.05) * RUN_S * processors / RANKS
        used = min(used, RUN_S * threads - (WAITS[waited] or 0.0))
        run.insert(
            "system_counters",
            rank=rank,
            region=0,
            task_clock=used,
            involuntary_switches=switches,
            scaled=0,
        )
        run.insert("places", rank=rank, omp_proc_bind="", omp_places="", run_queue_wait=WAITS[waited])
        for thread in range(threads):
            run.insert("tasks", rank=rank, tid=thread, name="", cpus_allowed=cpus, busy=used / threads)
    return run


def rules(run: Made) -> dict[str, float]:
    """What the rules on processors find could be saved."""
    every = [entry.finding for entry in findings(run.seen).found]
    return {finding.rule: finding.saved_seconds for finding in every if finding.rule in RULES}


@pytest.mark.parametrize("case", CASES)
def test_more_ranks_than_processors_is_always_said(case: Case) -> None:
    cpus, _, waited = case
    saved = rules(made(case))
    assert ("oversubscribed" in saved) is (cpus == "0-1")
    assert ("preempted" in saved) is (cpus == "0-3" and waited == "much")
    assert "badly-bound" not in saved


@pytest.mark.parametrize(
    ("case", "saved"),
    [
        (("0-1", True, "much"), RANKS * 0.5 * RUN_S),
        (("0-1", True, "hardly"), RANKS * 0.001 * RUN_S),
        (("0-1", False, "much"), RANKS * 0.5 * RUN_S),
        (("0-1", True, "unknown"), RANKS * RUN_S * 0.95 * (1 - 2 / RANKS)),  # these were in use for 95 %
        (("0-1", False, "unknown"), 0.0),  # hardly ever did one want a processor in vain
    ],
)
def test_it_costs_what_ranks_waited_if_that_is_known(case: Case, saved: float) -> None:
    assert rules(made(case))["oversubscribed"] == pytest.approx(saved)


def test_what_is_known_is_sure() -> None:
    for case in CASES[:6]:
        [finding] = [
            entry.finding for entry in findings(made(case).seen).found if entry.finding.rule in RULES
        ]
        _, busy, waited = case
        assert finding.confidence == (HIGH if busy or waited != "unknown" else LOW)


def test_threads_wait_side_by_side() -> None:
    """Four threads of a rank wait 5 s together: the rank loses a fourth of that."""
    assert rules(made(("0-3", True, "much"), threads=4)) == {"oversubscribed": pytest.approx(RANKS * 1.25)}
    assert rules(made(("0-3", True, "hardly"), threads=4)) == {}  # they don't compute at the same time


def test_more_threads_than_processors() -> None:
    [sharing] = made(("0-3", True, "much"), threads=2).seen.shortages.sharing
    assert (sharing.threads, sharing.processors, sharing.is_of_node) == (8, 4, True)
    assert sharing.what == "4 ranks with 8 threads share 4 processors on node"


def short_lived(cpus: str, used: float, waited: float) -> Made:
    """Four ranks whose first threads wait, and other threads are gone when somebody looks."""
    run = made((cpus, True, "much"))
    run.connection.execute("UPDATE system_counters SET task_clock = ?", (used * RUN_S,))
    run.connection.execute("UPDATE places SET run_queue_wait = ?", (waited * RUN_S,))
    return run


def test_threads_that_nobody_saw_are_known_by_what_they_used(golden: Golden) -> None:
    """A rank used a processor all the time, and its first thread had none for half of it."""
    run = short_lived("0-3", 1.0, 0.5)
    assert rules(run) == {"oversubscribed": pytest.approx(RANKS * 0.5 * RUN_S)}
    [sharing] = run.seen.shortages.sharing
    golden.says(sharing.what, "4 ranks .. 6 threads .. 4 processors")
    assert run.seen.shortages.preempted is None


@pytest.mark.parametrize(("used", "waited"), [(0.5, 0.5), (0.6, 0.45), (1.05, 0.01)])
def test_what_one_thread_may_use_and_wait_is_no_sign_of_more(used: float, waited: float) -> None:
    assert "oversubscribed" not in rules(short_lived("0-3", used, waited))


def test_threads_are_those_that_compute() -> None:
    """OMP_NUM_THREADS counts only where nobody saw the threads."""
    run = made(("0-3", True, "much"))
    run.connection.execute("UPDATE places SET omp_threads = 8")
    assert [place.threads for place in node_places(run.connection)[0].ranks] == [1] * RANKS
    run.connection.execute("UPDATE places SET computing = 3")  # of which two have ended
    assert [place.threads for place in node_places(run.connection)[0].ranks] == [3] * RANKS
    run.connection.execute("UPDATE places SET computing = NULL")
    run.connection.execute("DELETE FROM tasks")
    assert [place.threads for place in node_places(run.connection)[0].ranks] == [8] * RANKS


@pytest.mark.parametrize("switches", [1000, 30_000])  # 100 a second, and so many as of who yields
def test_switches_count_only_where_the_wait_is_not_known(switches: int) -> None:
    for busy in (True, False):
        known = made(("0-3", busy, "hardly"), switches=switches)
        assert rules(known) == {}
        assert known.seen.shortages.preempted is None
        unknown = rules(made(("0-3", busy, "unknown"), switches=switches))
        assert unknown.keys() == ({"preempted"} if switches == 1000 else set())


def test_who_sleeps_is_not_preempted() -> None:
    """Ranks that are off their processors for 95 % of the time, and don't wait for them."""
    assert rules(made(("0-3", False, "hardly"), switches=1000)) == {}


def test_what_others_took() -> None:
    run = made(("0-1", True, "much"))
    run.insert("node_use", host="node", processors=2, busy=25.0, seconds=RUN_S)
    [sharing] = run.seen.shortages.sharing
    assert sharing.others_seconds == pytest.approx(25 - 0.95 * 2 * RUN_S)


def test_what_others_took_from_ranks_that_were_preempted() -> None:
    run = made(("0-3", False, "much"))
    assert run.seen.shortages.preempted is not None
    run.insert("node_use", host="node", processors=4, busy=22.0, seconds=RUN_S)
    preempted = run.seen.shortages.preempted
    assert preempted is not None
    assert preempted.others_seconds == pytest.approx(22 - 0.05 * 4 * RUN_S)


@pytest.mark.parametrize("option", [("--rank", "0-2"), ("--region", "solve")])
def test_of_a_part_only_what_is_its_own(
    option: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(("0-1", True, "much"))
    run.insert("node_use", host="node", processors=2, busy=19.5, seconds=RUN_S)
    run.region(1, "solve", dict.fromkeys(range(RANKS), (1.0, 1.0)))
    for rank in range(RANKS):
        run.insert("system_counters", rank=rank, region=1, task_clock=0.5, scaled=0)
    run.write(tmp_path / "a.rankwise")
    assert main(["show", str(tmp_path / "a.rankwise"), "--by", "counter", "--json", *option]) == 0
    answer = json.loads(capsys.readouterr().out)
    waits = [row["waited_seconds"] for row in answer["rank_counters"]]
    assert waits == ([5.0] * 3 if option[0] == "--rank" else [None] * RANKS)
    if option[0] == "--rank":
        assert [sharing["others_seconds"] for sharing in answer["shortages"]["sharing"]] == [None]


def test_late_ranks_are_sure_where_processors_are_not_lacking() -> None:
    assert [bool(crowded(made(case).seen)) for case in CASES] == [True, False, True, True, False, False] + [
        False
    ] * 6


def screens(run: Made, path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What each screen says, in one line."""
    run.write(path)
    texts = {}
    for words in (["-v"], ["--by", "rank", "-v"], ["--by", "counter"]):
        assert main(["show", str(path), *words]) == 0
        texts[" ".join(words)] = " ".join(capsys.readouterr().out.split())
    assert main(["explain", str(path), "-v"]) == 0
    texts["explain"] = " ".join(capsys.readouterr().out.split())
    return texts


@pytest.mark.parametrize("switches", [0, 1000, 30_000])
@pytest.mark.parametrize("case", CASES)
def test_all_screens_say_the_same(
    case: Case,
    switches: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    run = made(case, switches=switches)
    fields = shortage_fields(run.seen.shortages)
    saved = rules(run)
    texts = screens(run, tmp_path / "a.rankwise", capsys)
    for name in ("--by rank -v", "--by counter"):
        assert all(field in texts[name] for field in fields)
    # (A finding stands for the same sentence of the summary, and is one with its rule's words.)
    for rule, words in (("oversubscribed", "4 ranks share 2 processors"), ("preempted", "anks 0-3")):
        is_said = any(words in field for field in fields) and (
            rule == "oversubscribed" or "preempted" in saved
        )
        assert (rule in saved) is is_said
        assert (words in texts["-v"]) is (
            is_said or (rule == "preempted" and any(words in field for field in fields))
        )
        looked_for = texts["explain"].partition("Checked, not found:")[2]
        assert (rule in looked_for) is (rule not in saved)


def test_what_processes_have_noted(tmp_path: Path) -> None:
    """Two hosts of two ranks; on the first the kernel tells all, on the second nothing."""
    processes = small_world(4)
    for rank, process in enumerate(processes):
        process.header["cpus_allowed"] = b"0-1"
        process.header["looks"] = 1
        process.header["host"] = b"a" if rank < 2 else b"b"
        if rank < 2:
            process.header["run_queue_wait_ns"] = rank * 10**9 + 1  # rank 0 did not wait, which is known
            process.header["computing_tasks"] = 3
    for process, known in ((processes[0], True), (processes[2], False)):
        process.processors = [
            {"os": cpu, "package": 0, "numa": 0, "l3": 0, "core": cpu, "busy_ticks": 451 * known}
            for cpu in range(2)
        ]
    path = assembled(tmp_path, processes).path
    assert rows(path, "SELECT run_queue_wait, computing FROM places ORDER BY rank") == [
        (0.0, 3),
        (1.0, 3),
        (None, None),
        (None, None),
    ]
    [(host, processors, busy, seconds)] = rows(path, "SELECT * FROM node_use")
    assert (host, processors, busy) == ("a", 2, 9.0)
    assert seconds == pytest.approx(9.0)


@pytest.mark.parametrize("ticks", [(0, 451), (451, 0)])
def test_others_are_known_only_if_every_processor_is(tmp_path: Path, ticks: tuple[int, int]) -> None:
    processes = small_world(1)
    processes[0].header["cpus_allowed"] = b"0-1"
    processes[0].processors = [{"os": cpu, "core": cpu, "busy_ticks": ticks[cpu]} for cpu in range(2)]
    assert rows(assembled(tmp_path, processes).path, "SELECT * FROM node_use") == []
