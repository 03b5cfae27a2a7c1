"""What a running program is tuned by, and what becomes of what it wrote: plans, cells, rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import version_of
from rankwise.render.terminal.online import print_online
from rankwise.tuning.libraries import by_label, offers_of
from rankwise.tuning.online.found import Outcome, lines_of, outcome_of, refuse_unfit
from rankwise.tuning.online.plan import Plan, plan
from rankwise.tuning.racing.offers import Variable

OPEN_MPI = "Open MPI v4.1.4"
MPICH = "MPICH Version: 4.0.2"


def variable(name: str, *items: str, value: int = 0, description: str = "") -> Variable:
    return Variable(name, value, True, tuple(enumerate(items)), description)


def of_open_mpi(*, han: bool = False, bitwise: bool = False) -> Plan:
    made = [
        variable("coll_tuned_use_dynamic_rules", value=1),
        variable("coll_tuned_alltoallv_algorithm", "ignore", "basic_linear", "pairwise"),
        variable("coll_tuned_allreduce_algorithm", "ignore", "basic_linear", "ring"),
        variable("coll_tuned_bcast_algorithm", "ignore", "basic_linear", "pipeline"),
        variable("coll_tuned_bcast_algorithm_segmentsize"),
        variable("coll_tuned_barrier_algorithm", "ignore", "linear", "two_proc"),
        variable("coll_tuned_priority", value=30),
    ]
    if han:
        made.append(variable("coll_han_priority", value=35))
    offers = offers_of(OPEN_MPI, {control.name: control for control in made})
    return plan(by_label("Open MPI"), offers, 0.02, bitwise=bitwise)


def test_the_plan_of_open_mpi() -> None:
    lines = of_open_mpi().text.splitlines()
    assert lines[:2] == ["chosen communicators", "millionths 20000"]
    assert "arm Alltoallv 0 0 coll_tuned_alltoallv_algorithm 2" in lines
    # With segments, and for messages that are longer alone.
    name = "coll_tuned_bcast_algorithm"
    assert f"arm Bcast 0 8192 {name} 2 {name}_segmentsize 8192" in lines
    assert "arm Barrier 1 0 coll_tuned_barrier_algorithm 2" in lines


def test_the_plan_of_mpich() -> None:
    text = "Variable to select\nauto - Internal\nbinomial - Force\nnb - Force\n"
    made = variable("MPIR_CVAR_BCAST_INTRA_ALGORITHM", description=text)
    fallback = variable("MPIR_CVAR_COLLECTIVE_FALLBACK")
    offers = offers_of(MPICH, {control.name: control for control in (made, fallback)})
    lines = plan(by_label("MPICH"), offers, 0.005, bitwise=False).text.splitlines()
    # What an algorithm can't do is left to the library's own choice: the program must not fail.
    assert lines == [
        "chosen calls",
        "millionths 5000",
        f"arm Bcast 0 0 {made.name} 1",
        f"arm Bcast 0 0 {made.name} 2",
    ]


def test_han_has_to_leave_calls_to_the_algorithms() -> None:
    arms = [line for line in of_open_mpi(han=True).text.splitlines() if line.startswith("arm")]
    assert arms
    assert all(line.endswith(" coll_han_priority 0") for line in arms)


def test_bitwise_leaves_reductions_alone() -> None:
    assert "MPI_Allreduce" in dict(of_open_mpi().arms)
    assert "MPI_Allreduce" not in dict(of_open_mpi(bitwise=True).arms)


PLAN = of_open_mpi()


def number_of(procedure: str, label: str) -> int:
    return next(i for i, (name, arm) in enumerate(PLAN.arms) if (name, arm.label) == (procedure, label))


def said(
    procedure: str, label: str, *, state: str = "kept", members: Sequence[int] = (0, 1, 2, 3), **further: Any
) -> dict[str, Any]:
    """Of a cell that 1000 calls were made of, 400 of them by the library's own choice: 30 us, or else 10."""
    candidate = number_of(procedure, label)
    pairs = [[30_000 + 10 * i, 10_000] for i in range(16)] if state in ("kept", "none") else []
    return {
        "communicator": 0,
        "cell": 0,
        "procedure": procedure,
        "processes": len(members),
        "low": 1024,
        "high": 1024,
        "in_place": False,
        "other_order": False,
        "members": list(members),
        "state": state,
        "calls": 1000,
        "calls_by_default": 400 if state == "kept" else 1000,
        "default_ns": 30_000,
        "rounds": 9,
        "candidate": candidate,
        "pairs": pairs,
        "arms": [{"arm": candidate, "out": "", "trial": 0.3, "ratios": [0.33] * 9}],
        **further,
    }


END = {"elapsed_ns": 100_000_000, "spent_ns": 1_500_000}


def made_of(*lines: dict[str, Any], untranslatable: str = "") -> Outcome:
    return outcome_of(
        [*lines, END], PLAN, version_of(OPEN_MPI), 4, lambda rules: untranslatable if rules else ""
    )


def test_a_rule() -> None:
    outcome = made_of(said("MPI_Bcast", "basic_linear"))
    (rule,) = outcome.rules
    assert (rule.procedure, rule.processes, rule.low, rule.high) == ("MPI_Bcast", 4, 1024, 1024)
    assert rule.algorithm.number == 1
    assert rule.evidence is not None
    assert rule.evidence.ratio == pytest.approx(3.0, rel=0.01)
    assert 2.9 < rule.evidence.low <= rule.evidence.ratio <= rule.evidence.high < 3.1
    assert (outcome.elapsed, outcome.spent) == (0.1, 0.0015)
    # 400 calls by default, 600 by the winner, on four processes.
    (explored,) = outcome.explored
    assert explored.target.seconds == pytest.approx(4 * (400 * 30e-6 + 600 * 10e-6), rel=0.01)
    assert explored.saved_seconds == pytest.approx(4 * 600 * 20e-6, rel=0.01)


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        ("none", "no gain shown"),
        ("watching", "too little time"),
        ("racing", "not finished"),
        ("trying", "not finished"),
    ],
)
def test_no_rule(state: str, verdict: str) -> None:
    outcome = made_of(said("MPI_Bcast", "basic_linear", state=state))
    assert outcome.rules == ()
    assert [each.verdict for each in outcome.explored] == [verdict]


def test_all_sizes_have_one_rule() -> None:
    (rule,) = made_of(said("MPI_Alltoallv", "pairwise", low=0, high=0)).rules
    assert (rule.low, rule.high) == (0, None)


def test_communicators_that_disagree() -> None:
    rows = said("MPI_Bcast", "basic_linear")
    columns = said("MPI_Bcast", "pipeline", members=(0, 2, 4, 6), communicator=1)
    outcome = made_of(rows, columns)
    assert outcome.rules == ()
    assert [each.verdict for each in outcome.explored] == ["differs by communicator"]
    agreed = made_of(rows, said("MPI_Bcast", "basic_linear", members=(0, 2, 4, 6), communicator=1))
    assert [rule.processes for rule in agreed.rules] == [4]


def test_an_operation_that_does_not_commute() -> None:
    (explored,) = made_of(said("MPI_Allreduce", "ring", other_order=True)).explored
    assert explored.rule is None
    assert "not commutative" in explored.verdict


def test_what_the_library_cannot_be_told() -> None:
    (explored,) = made_of(said("MPI_Bcast", "basic_linear"), untranslatable="it can't").explored
    assert (explored.rule, explored.verdict) == (None, "it can't")


def test_files_of_processes(tmp_path: Path) -> None:
    first = said("MPI_Bcast", "basic_linear", state="racing")
    last = said("MPI_Bcast", "basic_linear")
    text = f"{json.dumps(first)}\n{json.dumps(last)}\n{json.dumps(END)}\n" + '{"cell": 0, "comm'
    (tmp_path / "node1.17").write_text(text)
    (tmp_path / "plan").write_text(PLAN.text)
    assert lines_of(tmp_path) == [last, END]


@pytest.mark.parametrize("why", ["no plan", "no variables", "threads", "differs"])
def test_a_program_that_cannot_be_tuned(tmp_path: Path, why: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as raised:
        refuse_unfit([{"unfit": why}], tmp_path)
    golden.says(raised.value)
    refuse_unfit([END], tmp_path)


def test_the_screen(golden: Golden) -> None:
    page = StringIO()
    outcome = made_of(
        said("MPI_Bcast", "basic_linear"), said("MPI_Barrier", "linear", cell=1, state="racing")
    )
    print_online(outcome, 2.0, [Path("app.tuned.json")], page, asked=True)
    golden.says(page.getvalue(), "Open MPI 4.1.4 .. 1.50 .. 100 ms .. 2")
