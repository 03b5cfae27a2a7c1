"""Rules that fit no call of a run are found, and no others; `run --with` names them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from profiles import write_profile
from settings_made import rule, settings

from golden import Golden
from rankwise.analysis.opened import opened_profile
from rankwise.commands.with_settings import WithSettings
from rankwise.tuning.settings.met import met
from rankwise.tuning.settings.rule import Rule

# Calls of the made profile: Allreduce of 8 to 15 B on 4, Alltoallv of 64 to 128 KiB on 2, Bcast of 0 B and of
# 4 to 7 B on 2.
FIT = (
    rule("Allreduce", 4),
    rule("Allreduce", 4, 0, 8),
    rule("Allreduce", 4, 15, 1 << 20),
    rule("Alltoallv", 2),
    rule("Bcast", 2, 0, 0),
)
UNMET = (
    rule("Allreduce", 4, 0, 7),
    rule("Allreduce", 4, 16, 1 << 20),
    rule("Allreduce", 2),
    rule("Allreduce", 3),
    rule("Bcast", 2, 1, 3),
    rule("Alltoall", 2),
)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return write_profile(tmp_path / "a.rankwise")


def test_rules_that_fit_no_call(profile: Path) -> None:
    with opened_profile(profile) as connection:
        result = met([connection], (*FIT, *UNMET))
    assert result.unmet == UNMET
    assert result.processes == (2, 4)


def test_calls_on_an_unknown_communicator_may_fit_any_rule(profile: Path) -> None:
    with ExitStack() as opened:
        connection = opened.enter_context(opened_profile(profile))
        connection.execute("PRAGMA query_only = OFF")
        connection.execute(
            "CREATE TEMP TABLE calls AS SELECT 1 AS communicator, procedure, 127 AS size_bin FROM main.calls"
        )
        assert met([connection], UNMET).unmet == (rule("Alltoall", 2),)


@pytest.mark.parametrize(
    ("rules", "facts"),
    [
        ((FIT[0], UNMET[5]), "--with s.json: .. 1 of its 2 rules .. MPI_Alltoall on 2 .. 2 or 4"),
        ((UNMET[0],), "--with s.json: .. its rules .. MPI_Allreduce on 4 .. 0 to 7 B .. 2 or 4"),
        (UNMET, "MPI_Allreduce on 4 .. MPI_Allreduce on 2 .. 3 more .. 2 or 4"),
    ],
    ids=["one", "all", "many"],
)
def test_what_is_said_of_them(rules: tuple[Rule, ...], facts: str, profile: Path, golden: Golden) -> None:
    golden.says(WithSettings(Path("s.json"), settings(*rules), None, "", None).unmet([profile]), facts)


def test_nothing_is_said_where_each_rule_fits_a_call(profile: Path) -> None:
    for rules in ((), FIT):
        assert not WithSettings(Path("s.json"), settings(*rules), None, "", None).unmet([profile])


def test_a_profile_that_can_not_be_read_says_nothing(tmp_path: Path) -> None:
    assert WithSettings(Path("s.json"), settings(*UNMET), None, "", None).unmet([tmp_path / "none"]) == ""
