"""A run of tests tells those that passed only when tried again, and keeps files together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import schedule

TESTS = Path(schedule.__file__).parent

TRIED_AGAIN = """
import subprocess, time
from pathlib import Path

import pytest


def first_try(name):
    file = Path(__file__).with_name(name)
    try:
        file.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def test_of_a_wrong_value():
    assert not first_try("wrong value")


def test_of_another_exception():
    if first_try("exception"):
        {}["absent"]


def test_of_a_command_that_hangs():
    subprocess.run(["sleep", "60" if first_try("command") else "0"], timeout=0.5)


@pytest.mark.timeout(1)
def test_that_hangs():
    if first_try("hang"):
        time.sleep(60)
"""

GROUP = """
import os, time

import pytest


@pytest.mark.parametrize("number", range(4))
def test_it(number, record_property):
    time.sleep(0.02)
    print(f"{number} of {os.path.basename(__file__)} on {os.environ['PYTEST_XDIST_WORKER']}")
"""


def run(place: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a directory with the hooks that ours have."""
    place.joinpath("pytest.ini").write_text("[pytest]")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "schedule", "-p", "tries", *options],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=place,
        env=environment | {"PYTHONPATH": str(TESTS)},
    )


@pytest.fixture(scope="module")
def distributed(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """A run on two workers with tests that pass when tried again, and with some that share something."""
    place = tmp_path_factory.mktemp("distributed")
    place.joinpath("test_tried_again.py").write_text(TRIED_AGAIN)
    for number in range(3):
        place.joinpath(f"test_{number}.py").write_text(GROUP)
    return run(place, "--numprocesses=2", "--reruns=1", "--most-unstable=1", "-rP")


def test_what_was_tried_again_is_counted_by_its_kind(distributed: subprocess.CompletedProcess[str]) -> None:
    lines = distributed.stdout.splitlines()
    told = lines.index("unstable: 2 passed only when tried again, after a wrong value (at most 1 may)")
    assert lines[told + 1 : told + 4] == [
        "  test_tried_again.py::test_of_a_wrong_value",
        "  test_tried_again.py::test_of_another_exception",
        "held up: 2 tried again after a time limit or a launcher's failure",
    ]
    assert "16 passed, 4 rerun in" in lines[-1]


def test_more_unstable_tests_than_the_budget_fail_a_run(
    distributed: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    assert distributed.returncode == pytest.ExitCode.TESTS_FAILED
    tmp_path.joinpath("test_tried_again.py").write_text(TRIED_AGAIN)
    within = run(tmp_path, "--reruns=1", "--most-unstable=1", "-k", "wrong_value")
    assert "unstable: 1 passed" in within.stdout
    assert within.returncode == 0, within.stdout


def test_a_file_stays_on_one_worker(distributed: subprocess.CompletedProcess[str]) -> None:
    for number in range(3):
        told = [line for line in distributed.stdout.splitlines() if f"of test_{number}.py on gw" in line]
        assert len(told) == 4
        assert len({line.split()[-1] for line in told}) == 1


def test_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = [
        SimpleNamespace(name="mpich-pypi-abi", vendor=""),
        SimpleNamespace(name="mpich-pypi", vendor=""),
        SimpleNamespace(name="impi-pypi", vendor="Intel"),
    ]
    monkeypatch.setattr(schedule, "_libraries", lambda: libraries)
    assert schedule.group("mpi/test_a.py::test_b[mpich-pypi-4]") == "mpi/test_a.py mpich-pypi"
    assert schedule.group("mpi/test_a.py::test_b[mpich-pypi-abi]") == "mpi/test_a.py mpich-pypi-abi"
    assert schedule.group("mpi/test_a.py::test_b[2-impi-pypi]") == "Intel"
    assert schedule.group("unit/test_c.py::test_d[1]") == "unit/test_c.py"
    assert schedule.group("unit/test_c.py::test_e") == "unit/test_c.py"
