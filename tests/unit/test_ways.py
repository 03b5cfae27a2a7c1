"""Runs of ways to start a program: whose failure it is that one fails, and what is not measured twice."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.trials import ways
from rankwise.trials.piped_input import keep_piped_input
from rankwise.trials.process import End, run
from rankwise.trials.recorded import Command
from rankwise.trials.run import Rejected, UnrunnableError
from rankwise.trials.saved_runs import SavedRuns
from rankwise.trials.ways import Runs, Way

GIVEN = Way("as given", Command(("mpirun", "./app"), {}), as_given=True)
TUNED = Way("tuned", Command(("mpirun", "./app"), {}), {"A": "1"})


class Program:
    """Says by the ways that it was run in when it fails, and of what."""

    def __init__(self, fails: Callable[[list[str]], str]) -> None:
        self.fails, self.ran = fails, list[str]()

    def record(self, _: Command, how: object, profile: Path, limit: object, signals: object) -> End:
        del how, limit, signals
        self.ran.append(profile.name.split(".")[1])
        if why := self.fails(self.ran):
            raise RankwiseError(f"it ended with status 1: {why}", 1)
        return End(0, 2.0)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path, Signals(), given=GIVEN)


def program(monkeypatch: pytest.MonkeyPatch, fails: Callable[[list[str]], str]) -> Program:
    made = Program(fails)
    monkeypatch.setattr(ways, "record", made.record)
    return made


def test_settings_with_which_alone_it_fails(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    made = program(monkeypatch, lambda ran: "no such pml" if ran[-1] == "tuned" else "")
    runs.profile(GIVEN, 0)
    with pytest.raises(Rejected, match="no such pml"):
        runs.profile(TUNED, 0)
    assert made.ran == ["as-given", "tuned", "as-given"]


@pytest.mark.parametrize(
    ("line", "refuses"),
    [
        ("out.dat already exists", True),
        ("out.dat already exists", True),
        ("won't overwrite out.dat", True),
        ("segmentation fault", False),
        ("in.dat does not exist", False),
    ],
)
def test_a_program_that_runs_once_only(
    line: str,
    refuses: bool,
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whichever way comes second, the settings are not out, and its own line is told."""
    program(monkeypatch, lambda ran: line if len(ran) > 1 else "")
    runs.profile(GIVEN, 0)
    for way in (TUNED, GIVEN):
        with pytest.raises(UnrunnableError, match=line) as error:
            runs.profile(way, 1)
        assert ("earlier run" in str(error.value)) == refuses


def test_a_program_that_refuses_what_the_profiled_run_has_left(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(monkeypatch, lambda _: "refusing to overwrite out.dat")
    with pytest.raises(UnrunnableError, match=r"refusing to overwrite.*earlier run"):
        runs.profile(GIVEN, 0)


@pytest.mark.parametrize("way", [GIVEN, TUNED])
def test_a_full_file_system_is_not_the_programs_fault(
    way: Way, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = program(monkeypatch, lambda _: "write failed")

    def full(directory: Path) -> None:
        raise OSError(28, os.strerror(28), str(directory))

    monkeypatch.setattr(ways, "TemporaryFile", lambda dir: full(dir))  # noqa: A006
    with pytest.raises(UnrunnableError, match=f"{runs.directory}: {os.strerror(28)}"):
        runs.profile(way, 0)
    assert len(made.ran) == 1


def test_a_run_that_can_not_be_kept(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def record(*_: object) -> End:
        raise OSError(13, os.strerror(13))

    monkeypatch.setattr(ways, "record", record)
    with pytest.raises(UnrunnableError, match=os.strerror(13)):
        runs.profile(TUNED, 0)


def test_one_slow_run_says_little_of_the_others(runs: Runs) -> None:
    runs.took = [30.0, 2.0, 2.1]
    assert runs.usual_seconds() == 2.1


def test_saved_runs_are_not_made_again(tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    made = program(monkeypatch, lambda _: "it must not run")
    SavedRuns(tmp_path / "runs.json").add("a race", "tuned", 1, 3.0)
    runs.saved, runs.race = SavedRuns(tmp_path / "runs.json"), "a race"
    assert runs.seconds(TUNED, 1) == 3.0
    assert runs.usual_seconds() == 3.0
    runs.race = "another one"
    with pytest.raises(UnrunnableError):
        runs.seconds(TUNED, 1)
    # What outputs are compared with has to be an output of this call.
    runs.race, runs.check = "a race", ("diff",)
    with pytest.raises(UnrunnableError):
        runs.seconds(TUNED, 1)
    assert made.ran


def test_every_run_gets_all_that_came_out_of_a_pipe(tmp_path: Path) -> None:
    """More than fits into the pipe."""
    sent = b"".join(b"line %d\n" % number for number in range(50_000))
    kept, (ours, theirs) = os.dup(0), os.pipe()
    os.dup2(ours, 0)
    os.close(ours)

    def write() -> None:
        with os.fdopen(theirs, "wb") as pipe:
            pipe.write(sent)

    writer = threading.Thread(target=write)
    writer.start()
    said: list[str] = []
    try:
        keep_piped_input(said.append)
        for _ in range(2):
            run(["cat"], os.environ, tmp_path / "out", 60.0, Signals())
            assert (tmp_path / "out").read_bytes() == sent
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        writer.join()
    assert f"{len(sent):,} B" in said[0]


def test_a_pipe_that_nobody_writes_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankwise.trials.piped_input._PATIENCE_SECONDS", 0.01)
    kept, (ours, theirs) = os.dup(0), os.pipe()
    os.dup2(ours, 0)
    said: list[str] = []
    try:
        keep_piped_input(said.append)
    finally:
        os.dup2(kept, 0)
        for descriptor in (kept, ours, theirs):
            os.close(descriptor)
    assert "no input" in said[0]
