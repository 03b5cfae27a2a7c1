"""What trials have cost, and after how many runs a gain has paid for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import Golden
from rankwise.render.terminal.cost import cost_text
from rankwise.trials.cost import Cost, Spent
from rankwise.trials.interval import ratio_interval


def test_node_hours() -> None:
    assert Cost(1800.0, 4).node_hours == 2.0


@pytest.mark.parametrize(("saved", "runs"), [(10.0, 9), (100.0, 1), (0.0, None), (-1.0, None)])
def test_after_how_many_runs_it_has_paid(saved: float, runs: int | None) -> None:
    """On as many nodes as the program: their number does not matter."""
    assert Cost(90.0, 1).runs_to_pay(saved) == Cost(90.0, 8).runs_to_pay(saved) == runs


def test_what_earlier_calls_have_taken_counts(tmp_path: Path) -> None:
    now = 100.0
    first = Spent(tmp_path / "there", lambda: now)
    (tmp_path / "there").mkdir()
    now = 130.0
    assert first.seconds == 30.0
    first.keep()
    second = Spent(tmp_path / "there", lambda: now)
    now = 140.0
    assert second.seconds == 40.0
    (tmp_path / "there" / "spent.json").write_text("damaged")
    assert Spent(tmp_path / "there", lambda: now).seconds == 0.0
    Spent(tmp_path / "nowhere", lambda: now).keep()
    assert not (tmp_path / "nowhere").exists()


def test_in_a_sentence(golden: Golden) -> None:
    before, after = [10.0] * 6, [8.0, 8.1, 7.9, 8.2, 7.8, 8.0]
    faster = ratio_interval(before, after)
    golden.says(cost_text(Cost(600.0, 4), before, faster), "10 min .. 4 .. 0.667 .. 300")
    # Without a gain it never pays.
    golden.says(cost_text(Cost(600.0, 1), before, ratio_interval(before, before)), "10 min")
    golden.says(cost_text(Cost(600.0, 1), [], None), "10 min")
