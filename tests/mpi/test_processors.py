"""Ranks that have no processor, and others that only seem to have none: programs/processors.c."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import Compile, Recording

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.processors import MUCH_WAIT
from rankwise.findings.finding import Finding
from rankwise.findings.search import findings

CPUS = sorted(os.sched_getaffinity(0))
EXACT = Path("/proc/self/schedstat").exists() and int(Path("/proc/self/schedstat").read_text().split()[0]) > 0
RULES = {"oversubscribed", "badly-bound", "preempted"}

pytestmark = [
    pytest.mark.skipif(not EXACT, reason="this kernel does not tell how long threads wait for a processor"),
    pytest.mark.skipif(len(CPUS) < 2, reason="needs two processors"),
]

Run = Callable[..., Recording]


@pytest.fixture
def run(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Run:
    program = compiled(mpi, "processors.c")

    def run_(ranks: int, *words: object) -> Recording:
        # (Launchers bind their ranks, whatever they themselves may use.)
        before = ["taskset", "-c", f"{CPUS[0]},{CPUS[1]}"]
        command = mpi.launch(ranks, *before, program, *map(str, words))
        done = recording.run_on(mpi, command, tmp_path / f"{words[0]}.rankwise")
        assert done.process.returncode == 0, done.process.stderr
        return done

    return run_


def waited(done: Recording) -> dict[int, float]:
    """The share of its run time in which a thread of each rank was ready and had no processor, summed."""
    rows = done.rows("SELECT rank, run_queue_wait / run FROM ranks JOIN places USING (rank)")
    return dict(rows)  # type: ignore[arg-type]


def run_seconds(done: Recording) -> float:
    [(seconds,)] = done.rows("SELECT SUM(run) FROM ranks")
    return float(seconds)  # type: ignore[arg-type]


def findings_by_rule(done: Recording) -> dict[str, Finding]:
    """Findings on processors, by rule."""
    with done.database as database:
        all_findings = [entry.finding for entry in findings(Evidence(database)).found]
    return {finding.rule: finding for finding in all_findings if finding.rule in RULES}


def test_four_ranks_that_compute_on_one_processor(run: Run) -> None:
    done = run(4, "spins", 1)
    assert sum(waited(done).values()) >= 4 * 0.5  # three of four have none at any time
    [finding] = findings_by_rule(done).values()
    assert finding.rule == "oversubscribed"
    assert finding.title.startswith("4 ranks share 1 processor on ")
    assert finding.confidence == "high"
    assert finding.saved_seconds >= 0.5 * run_seconds(done)
    assert "4 ranks share 1 processor on " in done.shown()


def test_threads_that_compute_are_more_than_the_processors(run: Run) -> None:
    done = run(2, "spins", 2, 4)
    assert done.rows("SELECT computing FROM places") == [(4,), (4,)]
    assert sum(waited(done).values()) >= 2 * 4 * 0.5
    by_rule = findings_by_rule(done)
    if os.cpu_count() == 2:
        assert list(by_rule) == ["oversubscribed"]
        assert by_rule["oversubscribed"].title.startswith("2 ranks with 8 threads share 2 processors on ")
    else:  # there are others
        assert list(by_rule) == ["badly-bound"]


SLEEP_S = 0.002


def not_slept(done: Recording) -> float:
    """The share of the run time in which ranks did not sleep: they had a processor, or waited for one."""
    [(run, sleeps)] = done.rows(
        "SELECT SUM(run), SUM(voluntary_switches) FROM ranks JOIN system_counters USING (rank)"
    )
    return 1 - SLEEP_S * sleeps / run  # type: ignore[operator]


@pytest.mark.parametrize("processors", [1, 2])
def test_who_sleeps_does_not_wait_for_a_processor(run: Run, processors: int) -> None:
    done = run(2, "sleeps", processors)
    share = sum(waited(done).values()) / 2
    # (On a busy machine it waits when it has slept enough.)
    assert share <= not_slept(done) + 0.1
    by_rule = findings_by_rule(done)
    assert ("oversubscribed" in by_rule) is (processors == 1)
    assert sum(finding.saved_seconds for finding in by_rule.values()) <= (share + 0.001) * run_seconds(done)


def test_a_yield_is_no_preemption(run: Run) -> None:
    """Of which the kernel makes an involuntary switch if another thread is there that is ready."""
    done = run(2, "yields", 2)
    shares = waited(done)
    by_rule = findings_by_rule(done)
    assert by_rule.keys() == ({"preempted"} if max(shares.values()) >= MUCH_WAIT else set())
    if "preempted" in by_rule:  # by other jobs on the machine
        [finding] = by_rule.values()
        assert finding.saved_seconds <= sum(shares.values()) * run_seconds(done)


def test_a_process_beside_takes_half_of_a_processor(run: Run) -> None:
    done = run(2, "hog", 2)
    assert waited(done)[0] >= 0.3
    assert list(findings_by_rule(done)) == ["preempted"]
