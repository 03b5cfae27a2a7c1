"""What two runs show of a rule: other messages, other calls of the library's algorithms, or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

import profiles
import pytest
from settings_made import rule

from rankwise.trials.recorded import watched
from rankwise.tuning.effect import Effect, effects, effects_of

RULE = rule("Allreduce", 4, 8, 8)


def run(
    tmp_path: Path, name: str, calls: Mapping[str, tuple[int, ...]], statement: str = "", ranks: int = 2
) -> Path:
    """A run whose ranks have called algorithms so often; a statement changes its messages."""
    profile = profiles.write_inside(tmp_path / f"{name}.rankwise")
    if statement:
        with sqlite3.connect(profile) as connection:
            connection.execute(statement)
    if calls:
        watched(profile).mkdir()
    for rank in range(ranks if calls else 0):
        lines = [f"{what} {times[rank]}\n" for what, times in calls.items()]
        (watched(profile) / f"node.{rank}").write_text("".join(lines))
    return profile


LINEAR = {"allreduce linear 4": (100, 100), "bcast pipeline 4": (5, 5)}
RING = {"allreduce ring 4": (90, 90), "allreduce linear 4": (10, 10), "bcast pipeline 4": (5, 5)}
OTHER = "UPDATE pattern_messages SET messages = 7 WHERE source = 0"


@pytest.mark.parametrize(
    ("before", "after", "verdict", "names"),
    [
        (LINEAR, RING, "changed", (("linear",), ("ring",))),
        (LINEAR, LINEAR, "same calls", (("linear",), ("linear",))),
        ({}, {}, "not visible", ((), ())),
        # What was counted says nothing of this collective, or of communicators of this size.
        ({"bcast pipeline 4": (5, 5)}, {"bcast pipeline 4": (5, 5)}, "not visible", ((), ())),
        ({"allreduce linear 2": (5, 5)}, {"allreduce linear 2": (5, 5)}, "not visible", ((), ())),
        # One algorithm as before, called half as often: the library did something else around it.
        (LINEAR, {"allreduce linear 4": (50, 50)}, "changed", (("linear",), ())),
    ],
)
@pytest.mark.reported("tune/bad")
def test_the_same_messages_leave_it_to_the_library(
    before: Mapping[str, tuple[int, ...]],
    after: Mapping[str, tuple[int, ...]],
    verdict: str,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    tmp_path: Path,
) -> None:
    outcome = effects(run(tmp_path, "before", before), run(tmp_path, "after", after), [RULE])
    [effect] = outcome.rules
    assert (effect.verdict, effect.messages, (effect.before, effect.after)) == (verdict, "same", names)
    assert outcome.others == []


def test_other_messages_are_an_effect_whatever_was_counted(tmp_path: Path) -> None:
    outcome = effects(run(tmp_path, "before", LINEAR), run(tmp_path, "after", LINEAR, OTHER), [RULE])
    assert (outcome.rules[0].verdict, outcome.rules[0].messages) == ("changed", "other")
    # That no rule is about them is told of others.
    outcome = effects(tmp_path / "before.rankwise", tmp_path / "after.rankwise", [rule("Bcast", 4)])
    assert (outcome.rules[0].verdict, outcome.others) == ("same calls", ["Allreduce on W, 8 B"])


def test_messages_that_were_not_seen(tmp_path: Path) -> None:
    unseen = "UPDATE patterns SET complete = 0"
    outcome = effects(run(tmp_path, "before", {}, unseen), run(tmp_path, "after", {}, unseen), [RULE])
    assert (outcome.rules[0].verdict, outcome.rules[0].messages) == ("not visible", "unknown")


def test_effects_are_kept_for_a_further_call(tmp_path: Path) -> None:
    outcome = effects(run(tmp_path, "before", LINEAR), run(tmp_path, "after", RING), [RULE])
    assert effects_of(outcome.as_record(), [RULE]) == outcome
    assert outcome.rules == [Effect(RULE, "changed", "same", ("linear",), ("ring",))]
