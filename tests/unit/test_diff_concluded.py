"""`rankwise diff`: waiting, efficiency, findings, call sites and processors of runs made by construction."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from made_profile import RUN_S, Made
from test_shortages import made as on_processors

import rankwise
from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.comparison.compare import Comparison
from rankwise.comparison.estimates import Estimated
from rankwise.comparison.places import moved_sites

CALLS, MOVES = 40, 0.001


def with_a_late_rank(late: float, *, kept: int = CALLS) -> Made:
    """Four ranks in Allreduce, to which rank 3 comes so much later each time, as it computes for longer.

    Args:
        late: seconds.
        kept: instances of which arrivals are kept.
    """
    run = Made()
    for number in range(kept):
        at = 0.2 * number
        since = [None if not number else 0.05] * 3 + [None if not number else 0.05 + late]
        run.instance("MPI_Allreduce", number + 1, [at] * 3 + [at + late], at + late + MOVES, since=since)
    for rank in range(4):
        waits = late if rank < 3 else 0.0
        run.call(rank, "MPI_Allreduce", CALLS * (waits + MOVES), calls=CALLS)
    return run


def with_late_messages(late: float, *, sends: bool) -> Made:
    """Rank 0 receives a message, or sends one unbuffered, and rank 1 is late for it."""
    run = Made(2)
    procedure = "MPI_Ssend" if sends else "MPI_Recv"
    run.call(0, procedure, late + MOVES)
    run.wait(0, procedure, 1, 1.0, 1.0 + late + MOVES, 1.0 + late, sends=sends, size=1 << 20)
    return run


@pytest.fixture
def compared(tmp_path: Path) -> Callable[..., Comparison]:
    """Compares made runs: one or several a side."""

    def of(before: Made | Sequence[Made], after: Made | Sequence[Made]) -> Comparison:
        sides = [
            [run.write(tmp_path / f"{side}{number}") for number, run in enumerate(runs)]
            for side, runs in (
                (name, [some] if isinstance(some, Made) else some)
                for name, some in (("a", before), ("b", after))
            )
        ]
        return rankwise.diff(*sides).found

    return of


Compare = Callable[..., Comparison]


def part(comparison: Comparison, name: str) -> Estimated:
    return next(
        estimate for estimate in (*comparison.time_in_mpi, *comparison.efficiency) if estimate.name == name
    )


def change(comparison: Comparison, name: str) -> float:
    of = part(comparison, name).change
    assert of is not None
    return of.value


def states(comparison: Comparison) -> dict[tuple[str, str], str]:
    return {(finding.rule, finding.subject): finding.state for finding in comparison.findings}


def test_a_late_rank_that_is_mended(compared: Compare) -> None:
    """Three of four ranks waited for 40 x 0.1 s, and do so for 40 x 0.001 s now."""
    comparison = compared(with_a_late_rank(0.1), with_a_late_rank(0.001))
    assert change(comparison, "collectives") == pytest.approx(-3 / 4 * CALLS * 0.099)
    assert part(comparison, "collectives").exceeds_error
    assert change(comparison, "transfer") == pytest.approx(0.0)
    assert change(comparison, "late senders") == change(comparison, "not known") == 0.0
    of = states(comparison)
    assert of["late-ranks", "3"] == "gone"
    assert not {"new", "stays"} & {of[key] for key in of if key[0] != "load-imbalance"}
    # Useful time: 10 s less that in MPI.
    mean = RUN_S - 3 / 4 * CALLS * 0.1 - CALLS * MOVES
    assert part(comparison, "parallel").before.value == pytest.approx(mean / RUN_S, abs=1e-4)  # type: ignore[union-attr]
    assert part(comparison, "load balance").exceeds_error
    assert change(comparison, "load balance") > 0.25
    assert (comparison.before.limit, comparison.after.limit) == ("waiting", "computing")
    back = compared(with_a_late_rank(0.001), with_a_late_rank(0.1))
    assert states(back)["late-ranks", "3"] == "new"


@pytest.mark.parametrize(("sends", "cause"), [(False, "late senders"), (True, "late receivers")])
def test_messages_are_late_by_their_cause(compared: Compare, sends: bool, cause: str) -> None:
    comparison = compared(with_late_messages(4.0, sends=sends), with_late_messages(1.0, sends=sends))
    assert change(comparison, cause) == pytest.approx(-3.0 / 2)
    assert part(comparison, cause).exceeds_error
    other = {"late senders", "late receivers"} - {cause}
    assert change(comparison, other.pop()) == 0.0


def test_what_is_not_known_may_be_waiting(compared: Compare) -> None:
    """After, no arrival is kept: the waiting seems to be gone, but may be all the time there is."""
    comparison = compared(with_a_late_rank(0.1), with_a_late_rank(0.1, kept=0))
    waiting = part(comparison, "collectives")
    assert waiting.after is not None
    assert (waiting.after.value, waiting.after.high) == pytest.approx((0.0, 3 / 4 * 4.0 + 0.04))
    assert not waiting.exceeds_error
    assert change(comparison, "not known") == pytest.approx(3 / 4 * 4.0 + 0.04)
    assert part(comparison, "serialisation").value is None
    assert states(comparison)["late-ranks", "3"] == "unknown after"


def test_a_change_within_the_error_of_a_sample(compared: Compare) -> None:
    """Of 40 calls six are kept, some of which nobody is late for: by chance there may be others."""

    def sampled(waits: Sequence[float], seconds: float) -> Made:
        run = Made()
        for number, late in enumerate(waits):
            at = 1.0 * number
            run.instance("MPI_Allreduce", 5 * number + 1, [at] * 3 + [at + late], at + late + MOVES)
        for rank in range(4):
            run.call(rank, "MPI_Allreduce", CALLS * seconds, calls=CALLS)
        return run

    comparison = compared(
        sampled([0.1, 0.0, 0.1, 0.0, 0.1, 0.0], 0.05), sampled([0.1, 0.0, 0.1, 0.0, 0.0, 0.0], 0.045)
    )
    waiting = part(comparison, "collectives")
    assert waiting.change is not None
    assert waiting.change.low < waiting.change.value < 0 < waiting.change.high
    assert not waiting.exceeds_error


def test_findings_of_some_runs_only(compared: Compare) -> None:
    before = [with_a_late_rank(late) for late in (0.1, 0.101, 0.102)]
    after = [with_a_late_rank(late) for late in (0.001, 0.103, 0.0011)]
    for at, run in enumerate([*before, *after]):
        run.connection.execute("UPDATE run SET wall = ?", (10 + at / 100,))
    comparison = compared(before, after)
    [late] = [finding for finding in comparison.findings if finding.rule == "late-ranks"]
    assert (late.state, late.before.runs, late.after.runs, late.after.asked) == ("in some runs", 3, 1, 3)
    assert part(comparison, "collectives").value.verdict == "unknown"  # type: ignore[union-attr]
    assert (comparison.after.limit, comparison.after.limited_runs) == ("computing", 2)


def test_processors_that_lack_on_one_side(compared: Compare) -> None:
    crowded, free = on_processors(("0-1", True, "much")), on_processors(("0-3", True, "hardly"))
    [reason] = [text for text in compared(crowded, free).unlike if "processors" in text]
    assert_facts(reason, "can't be compared .. before only .. 4 ranks share 2 processors")
    [reason] = compared(crowded, on_processors(("0-1", True, "much"))).unlike
    assert_facts(reason, "both sides")
    assert not compared(free, free).unlike


def with_sites(sites: Sequence[tuple[int, str | None, str | None, int | None, float]]) -> Made:
    """A run whose rank 0 calls Barrier at sites: offset, function, file, line, and its seconds there."""
    run = Made(2)
    run.insert("objects", id=1, path="/bin/app", is_program=1)
    for key, (offset, function, file, line, seconds) in enumerate(sites, 1):
        run.insert("sites", id=key, object=1, offset=offset, function=function, file=file, line=line)
        run.call(0, "MPI_Barrier", seconds, site=key)
    return run


def test_call_sites_are_matched_by_the_source(compared: Compare) -> None:
    """Two lines were put in above, a call was taken out and another put in; all addresses differ."""
    before = [
        (0x10, "step", "/old/heat.c", 40, 1.0),
        (0x20, "step", "/old/heat.c", 50, 2.0),
        (0x30, "init", "/old/heat.c", 9, 0.5),
        (0x40, "check", "/old/heat.c", 99, 0.25),
        (0x50, None, None, None, 0.125),
    ]
    after = [
        (0x11, "step", "/new/heat.c", 42, 3.0),
        (0x21, "step", "/new/heat.c", 52, 2.0),
        (0x31, "init", "/new/heat.c", 9, 0.5),
        (0x41, "save", "/new/heat.c", 80, 0.25),
        (0x51, None, None, None, 0.25),
    ]
    comparison = compared(with_sites(before), with_sites(after))
    rows = {
        (row.site, row.site_before, row.function): (row.seconds.change, row.only)
        for row in comparison.rows["sites"]
    }
    assert rows == {
        ("heat.c:42", "heat.c:40", "step"): (1.0, ""),
        ("heat.c:52", "heat.c:50", "step"): (0.0, ""),
        ("heat.c:9", "", "init"): (0.0, ""),
        ("heat.c:99", "", "check"): (-0.125, "before"),
        ("heat.c:80", "", "save"): (0.125, "after"),
        ("app", "", ""): (0.0625, ""),
    }


def test_lines_that_can_not_be_paired_came_and_went() -> None:
    old = {("a.c:1", "f", "MPI_Send"), ("a.c:5", "f", "MPI_Send"), ("a.c:7", "f", "MPI_Recv")}
    new = {("a.c:2", "f", "MPI_Send"), ("a.c:8", "f", "MPI_Recv"), ("lib", "", "MPI_Send")}
    assert moved_sites(old, new) == {("a.c:8", "f", "MPI_Recv"): ("a.c:7", "f", "MPI_Recv")}


def test_sites_of_one_side_are_not_compared(compared: Compare) -> None:
    assert compared(with_sites([(1, "f", "a.c", 2, 1.0)]), with_a_late_rank(0.1)).rows["sites"] == []


def test_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    with_a_late_rank(0.1).write(Path("a.rankwise"))
    with_a_late_rank(0.002, kept=12).write(Path("b.rankwise"))
    assert main(["diff", "a.rankwise", "b.rankwise"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    golden.says(text, "gone .. late-ranks .. 30.0 .. 0.6")


def test_as_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [with_a_late_rank(late).write(tmp_path / name) for late, name in ((0.1, "a"), (0.001, "b"))]
    assert main(["diff", *map(str, paths), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    waiting = answer["time_in_mpi"][0]
    assert waiting["name"] == "collectives"
    assert waiting["exceeds_error"] is True
    assert waiting["before"]["value"] - waiting["after"]["value"] == pytest.approx(
        -waiting["change"]["value"]
    )
    assert waiting["value"]["verdict"] == "unknown"  # one run each
    assert [factor["name"] for factor in answer["efficiency"]][:2] == ["parallel", "load balance"]
    gone = [
        (finding["rule"], finding["after"]["asked"])
        for finding in answer["findings"]
        if finding["state"] == "gone"
    ]
    assert ("late-ranks", 1) in gone
    assert answer["before"]["limit"] == "waiting"
    assert rankwise.diff(*paths).to_pandas("findings").shape[0] == len(answer["findings"])
