"""What was measured outlives a place where the settings can't be written."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from profiles import write_profile

from rankwise.__main__ import main
from rankwise.commands.tune import parameters
from rankwise.errors import RankwiseError
from rankwise.trials.interval import ratio_interval
from rankwise.tuning.parameters.outcome import Outcome, Step, Tried
from rankwise.tuning.parameters.parameter import Parameter, Setting
from rankwise.tuning.parameters.race import STATE
from rankwise.tuning.program import Program
from rankwise.tuning.settings import file

BEFORE, AFTER = [10.0] * 6, [8.0] * 6
FULL = os.strerror(errno.ENOSPC)
FASTER = ratio_interval(BEFORE, AFTER)
LIMIT = Parameter(name="limit", variable="OMPI_MCA_limit", values=(None, "8192"), expected_seconds=2)


def outcome(*, gains: bool = True, short: bool = False, measured: bool = True) -> Outcome:
    setting = Setting("OMPI_MCA_limit", "8192")
    tried = Tried(setting, FASTER) if measured else Tried(setting, why_not="status-9")
    made = Outcome(steps=[Step(LIMIT, [tried], short=short)])
    if gains:
        made.kept, made.interval = {"OMPI_MCA_limit": "8192"}, FASTER
        made.before, made.after = BEFORE, AFTER
    return made


class Tune:
    """`rankwise tune parameters` with a race that only leaves its runs."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.profile, self.outcome = write_profile(place / "app.rankwise"), outcome()
        self.store = place / "app.rankwise-parameters"
        self.resumed: list[bool] = []

        def raced(*arguments: object) -> Outcome:
            (store,) = (argument for argument in arguments if isinstance(argument, Path))
            self.resumed.append((store / STATE).exists())
            (store / STATE).touch()
            return self.outcome

        monkeypatch.setattr(parameters, "_raced", raced)
        monkeypatch.setattr(Program, "refuse_other_library", lambda *_: None)
        monkeypatch.setattr(shutil, "which", lambda name, **_: f"/bin/{name}")

    def __call__(self, *options: str) -> int:
        given = ["tune", "parameters", str(self.profile), *options]
        return main([*given, "--", "mpirun", "-n", "2", "true"])


@pytest.fixture
def tune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tune]:
    yield Tune(tmp_path, monkeypatch)


def test_a_place_where_nothing_can_be_written_costs_nothing_that_was_measured(
    tune: Tune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table is printed, and the next call goes on from there; only then is the store removed."""

    def full(*_: object, **__: object) -> list[Path]:
        raise RankwiseError(f"t.json can't be written: {FULL}", 1)

    with monkeypatch.context() as broken:
        broken.setattr(file, "write_all", full)
        assert tune("-o", str(tmp_path / "t.json")) == 1
    said = capsys.readouterr()
    assert "20.0 %" in said.out
    assert FULL in said.err
    assert str(tune.store) in said.err
    assert tune("-o", str(tmp_path / "t.json")) == 0
    assert tune.resumed == [False, True]
    assert json.loads((tmp_path / "t.json").read_text())["environment"] == {"OMPI_MCA_limit": "8192"}
    assert not tune.store.exists()


def test_without_a_file_the_settings_are_kept_for_the_same_command_with_one(
    tune: Tune, tmp_path: Path
) -> None:
    assert tune() == 0
    assert tune.store.exists()
    assert tune("-o", str(tmp_path / "t.json")) == 0
    assert tune.resumed == [False, True]
    assert not tune.store.exists()


def test_what_was_too_short_is_kept_and_goes_on_with_another_budget(tune: Tune) -> None:
    tune.outcome = outcome(gains=False, short=True)
    assert tune("--budget", "10h") == 0
    assert tune("--budget", "20h") == 0
    assert tune.resumed == [False, True]
    tune.outcome = outcome(gains=False)
    assert tune() == 0
    assert tune.resumed == [False, True, True]
    assert not tune.store.exists()


def test_another_list_is_another_race(tune: Tune, tmp_path: Path) -> None:
    """What was measured for each of them stays."""
    tune.outcome = outcome(gains=False, short=True)
    for number, text in enumerate(("A = 1", "A = 2", "A = 1")):
        (tmp_path / "list.txt").write_text(text)
        assert tune("--list", str(tmp_path / "list.txt")) == 0
        assert len(list(tune.store.iterdir())) == min(number + 1, 2)
    assert tune.resumed == [False, False, True]


def test_where_no_value_could_be_tried_that_is_the_answer(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    tune.outcome = outcome(gains=False, measured=False)
    assert tune() == 1
    assert "status-9" in capsys.readouterr().out
    assert tune("--json") == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "not tried"


def test_a_budget_that_is_too_short_is_refused_before_anything_runs(
    tune: Tune, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tune("--budget", "1s") == 2
    assert "--budget" in capsys.readouterr().err
    assert tune.resumed == []
    assert not tune.store.exists()
