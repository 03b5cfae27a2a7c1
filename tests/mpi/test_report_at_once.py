"""`rankwise run --report`: the report that `rankwise report` would write, in the same go."""

from __future__ import annotations

from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile, run_on

from golden import assert_facts
from rankwise.__main__ import main

mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def test_the_report_is_that_of_the_profile(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # commands in the report name the profile as it is seen from here
    profile, report = tmp_path / "a.rankwise", tmp_path / "a.html"
    command = mpi.launch(4, compiled(mpi, "late_groups.c"), "none", "2")
    done = run_on(mpi, command, profile, "--report").process
    assert done.returncode == 0, done.stderr
    assert main(["report", str(profile), "-o", str(tmp_path / "later.html")]) == 0
    assert report.read_bytes() == (tmp_path / "later.html").read_bytes()
    # What is there is not replaced, and nothing is started.
    profile.unlink()
    again = run_on(mpi, command, profile, "--report").process
    assert again.returncode == 2
    assert_facts(again.stderr, f"{report} is there already .. --force")
    assert not profile.exists()
