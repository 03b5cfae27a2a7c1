"""What `rankwise run` says when a launch did not go as its user meant it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from golden import Golden
from rankwise.commands import messages
from rankwise.commands.run import _several_programs
from rankwise.launch.commandline import parse
from rankwise.launch.detect import Detection, Kind
from rankwise.launch.plan import Plan
from rankwise.launchers.base import Preload
from rankwise.profile.assemble import Assembly


def profile(number: int, ranks: int) -> Assembly:
    return Assembly(Path(f"out.{number}.rankwise"), ranks, ranks, False, "")


def test_several_programs_are_one_line(golden: Golden) -> None:
    sentence = _several_programs([profile(1, 2), profile(2, 3)])
    golden.says(sentence, "2 MPI")


def test_worlds_of_one_process_hint_at_the_launcher(golden: Golden) -> None:
    sentence = _several_programs([profile(number, 1) for number in range(1, 5)])
    golden.says(sentence, "another MPI .. `rankwise doctor -- COMMAND`")


def test_a_library_that_is_not_found_is_named() -> None:
    words = ("mpirun", "-n", "2", "./app")
    preload = Preload(Path("/r/rw.so"), Path("/run/dir"))
    detection = Detection(program="./app", kind=Kind.MPI, mpi="mpich", missing=("libmpi.so.12",))
    plan = Plan(words, parse(words), (detection,), {}, "", None)
    assert "not found here: libmpi.so.12; load the modules" in plan.why_nothing_was_seen(127, preload)
    assert "libmpi" not in plan.why_nothing_was_seen(0, preload)


def test_what_takes_long_after_the_end_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    with messages.Waiting("nothing", wanted=True):
        pass
    monkeypatch.setattr(messages, "PATIENCE_S", 0.0)
    printed = ""
    end = time.monotonic() + 30
    with messages.Waiting("a.rankwise to be written", wanted=True):
        while not printed and time.monotonic() < end:
            time.sleep(0.01)
            printed = capsys.readouterr().err
    golden.says(printed, "a.rankwise")
