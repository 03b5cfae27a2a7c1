"""What `rankwise map` says of how far a placement can be trusted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from profiles import write_traffic
from test_map import INSIDE, machine, mapped, ring

from rankwise.placement.certainty import verified_certainty

COSTLY: list[dict[str, object]] = [
    {"name": "machine", "cost": {"latency_us": 1, "bandwidth_mb_s": 1000}},
    {"name": "node", "count": 4, "names": "n[0-3]", "cost": {"latency_us": 0.5, "us_per_byte": 0.0005}},
    {"name": "core", "count": 3},
]


@pytest.fixture
def dealt_out(tmp_path: Path) -> Path:
    """A ring of 8 ranks, dealt out in turns to 4 nodes; each sends 2 messages of together 1,000 bytes."""
    return write_traffic(tmp_path / "ring.rankwise", [f"n{rank % 4}" for rank in range(8)], ring(8))


def kinds(answer: dict[str, object]) -> list[str]:
    statements = answer["certainty"]
    assert isinstance(statements, list)
    return [statement["kind"] for statement in statements]


def test_bytes_are_certain_if_all_were_counted(dealt_out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert kinds(mapped(capsys, dealt_out)) == ["certain", "unknown", "unknown"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE run SET partial = 1, partial_reason = 'rank 3 ended early'",
        "UPDATE ranks SET transport_state = 'refused' WHERE rank = 1",
        "UPDATE ranks SET transport_sees = 'between-nodes' WHERE rank = 1",
        "UPDATE run SET only = '[\"MPI_Bcast\"]'",
    ],
)
def test_bytes_are_a_lower_bound_if_some_were_not(
    dealt_out: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    with sqlite3.connect(dealt_out) as connection:
        connection.execute(change)
    assert kinds(mapped(capsys, dealt_out))[0] == "lower bound"


def test_what_happened_inside_collectives_does_not_count_for_the_program(
    dealt_out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(dealt_out) as connection:
        connection.execute("UPDATE ranks SET transport_state = 'refused'")
    assert kinds(mapped(capsys, dealt_out, "--kind", "program"))[0] == "certain"


def test_times_by_level(dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """2 messages and 1,000 bytes take 2 x 1 us + 1,000 B / 1,000 MB/s = 3 us off node, else 1.5 us."""
    answer = mapped(capsys, dealt_out, "--machine", machine(tmp_path / "m.json", COSTLY))
    assert kinds(answer) == ["certain", "estimated", "unknown"]
    times = [
        {level["level"]: level["us"] for level in answer[order]["levels"]} for order in ("present", "found")
    ]
    assert times == [
        pytest.approx({"machine": 8 * 3, "node": 0}),
        pytest.approx({"machine": 4 * 3, "node": 4 * 1.5}),
    ]


def test_no_times_without_costs_of_a_level(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = [{key: value for key, value in level.items() if key != "cost"} for level in COSTLY]
    answer = mapped(capsys, dealt_out, "--machine", machine(tmp_path / "m.json", levels))
    assert kinds(answer) == ["certain", "unknown", "unknown"]
    assert {level["us"] for level in answer["found"]["levels"]} == {None}


@pytest.mark.parametrize(
    ("counted", "said"),
    [([100, 100, 102], ""), ([104, 105, 110], "5.0 % more"), ([50], "50.0 % less"), ([], None)],
)
def test_what_was_verified(counted: list[int], said: str | None) -> None:
    statements = verified_certainty(len(counted), 100, counted)
    if said is None:
        assert statements == []
        return
    assert statements[0].kind == "measured"
    assert statements[1].kind == ("measured" if said else "certain")
    assert said in statements[1].text


def test_inside_collectives_another_algorithm_is_possible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = write_traffic(tmp_path / "F.rankwise", ["a", "b", "a", "b"], ring(4, INSIDE))
    first, *_ = mapped(capsys, profile)["certainty"]
    assert "collectives" in first["text"]
