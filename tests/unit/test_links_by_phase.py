"""`rankwise links --by phase`: what it tells, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from phased_run import PAIR, STEP, run_of_eight
from profiles import write_traffic

from golden import Golden, assert_facts
from rankwise.__main__ import main

FABRIC = "fattree:leaf=4x2,spine=2,gbit=0.8"
PLACE = "node000[1-8]"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Two hosts a leaf: ranks 6 and 7, on the last leaf, send in the second phase alone."""
    return run_of_eight().write(tmp_path / "run.rankwise")


def words(profile: Path, *more: str) -> list[str]:
    return ["links", str(profile), "--fabric", FABRIC, "--place", PLACE, "--by", "phase", *more]


def json_of(capsys: pytest.CaptureFixture[str], profile: Path, *more: str) -> dict[str, Any]:
    assert main(words(profile, "--json", *more)) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_the_screen(profile: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    assert main(words(profile)) == 0
    out = capsys.readouterr().out
    text = " ".join(out.split())
    golden.says(text, "2 .. 2")
    lines = [line.split() for line in out.splitlines()]
    [second] = [line for line in lines if line[:3] == ["2", "2.00", "s"]]
    assert second[-2:] == ["0.2", "0.2"]
    assert ["2", "4", "2"] in lines  # hot, hidden
    hidden = [line for line in lines if line[:1] == ["2"] and "leaf04" in line and "Sendrecv" not in line]
    assert len(hidden) >= 2
    assert_facts(text, "93.7 % .. 6.2 %")


def test_all_figures(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json_of(capsys, profile)
    first, second = answer["phases"]
    assert (first["bytes"], second["bytes"], answer["bytes_in_no_phase"]) == (30 * PAIR, 4 * STEP, 77)
    assert answer["bytes_by_basis"] == {
        "sampled calls": 30 * PAIR,
        "messages of the sender": 4 * STEP,
        "not known": 77,
    }
    assert (first["hot"], first["hidden"], second["hot"], second["hidden"]) == (12, 0, 4, 2)
    assert answer["hidden_links"] == 2
    assert first["percent_busy"] == pytest.approx(2)
    assert (first["seconds"], second["seconds"], answer["seconds"]) == (
        pytest.approx(0.04),
        pytest.approx(0.005),
        pytest.approx(0.045),
    )
    for link in second["links"]:
        of_last = "leaf04" in (link["source"], link["destination"])
        assert (link["is_hot"], link["hot_in_run"]) == (True, not of_last)
        assert link["hot_in"] == ([2] if of_last else [1, 2])
        assert link["bytes"] == STEP
        assert [cause["cause"]["procedure"] for cause in link["causes"]] == ["MPI_Send"]


def test_a_part_of_the_messages(profile: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    answer = json_of(capsys, profile, "--call", "send")
    assert [each["bytes"] for each in answer["phases"]] == [0, 4 * STEP]
    golden.says(answer["verdict"])
    answer = json_of(capsys, profile, "--kind", "in-collective", "--limit", "1")
    assert [len(each["links"]) for each in answer["phases"]] == [1, 0]
    assert [each["hot"] for each in answer["phases"]] == [12, 0]
    answer = json_of(capsys, profile, "--communicator", "W_a1")
    assert [each["bytes"] for each in answer["phases"]] == [30 * PAIR, 0]


def test_hidden_links_that_are_not_told_are_counted(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(profile, "--limit", "1")) == 0
    out = capsys.readouterr().out
    assert_facts(out, "1 .. 2 .. --limit 0")
    assert "1 other" not in out
    assert main(words(profile, "--limit", "2")) == 0
    assert "--limit 0" not in capsys.readouterr().out


def test_what_has_no_phases(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    old = write_traffic(tmp_path / "a.rankwise", ["x"] * 8, [(0, 1, "point-to-point", 1, 8)])
    assert main(words(old)) == 2
    golden.says(capsys.readouterr().err)
    assert main(["links", "--fabric", FABRIC, "--all-to-all", "1M", "--by", "phase"]) == 2
    golden.says(capsys.readouterr().err, "--by")
    assert main(["links", "--fabric", FABRIC, "--by", "phase"]) == 2
    assert "needs a profile" in capsys.readouterr().err


def test_hostile_names_are_shown_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of_eight()
    run.connection.execute("UPDATE communicators SET user_name = ?", ("\x1b[2J[bold]\u202e",))
    assert main(words(run.write(tmp_path / "a.rankwise"))) == 0
    assert "\x1b" not in capsys.readouterr().out
