"""A run of tests keeps files together, covers every library, and tells what passed only when tried again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import patience
import schedule
from golden import assert_facts

TESTS = Path(schedule.__file__).parent
HOOKS = ["exhaustive", "patient_tests", "schedule", "tries"]

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
    if first_try("hang") or first_try("hang again"):
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


LIBRARIES = """
import pytest
from exhaustive import few

FAMILIES = {"one": "openmpi", "two": "openmpi", "three": "mpich", "four": "mpich", "five": "mpich"}
ALL = [
    type("Mpi", (), {"name": name, "family": family, "mpifort": name in ("two", "three"), "share": 1})
    for name, family in FAMILIES.items()
]


@pytest.mark.parametrize("mpi", ALL, ids=FAMILIES)
def test_it(mpi):
    pass


@pytest.mark.each_family
@pytest.mark.parametrize("mpi", ALL, ids=FAMILIES)
def test_build(mpi):
    pass


@pytest.mark.only_on(lambda mpi: mpi.name == "four", "only four")
@pytest.mark.parametrize("mpi", ALL, ids=FAMILIES)
def test_special(mpi):
    pass


@pytest.mark.parametrize("mpi", ALL[1:], ids=list(FAMILIES)[1:])
@pytest.mark.parametrize("number", range(2))
def test_fortran(mpi, number):
    pass


@pytest.mark.slow_on(lambda mpi: mpi.family == "mpich", "it takes long")
@pytest.mark.parametrize("mpi", ALL, ids=FAMILIES)
def test_slow(mpi):
    pass


@pytest.mark.each_value
@pytest.mark.parametrize("letter", "abc")
@pytest.mark.parametrize("number", range(2))
def test_values(letter, number):
    pass


@pytest.mark.parametrize(("letter", "number"), few([("a", 1), ("b", 2), ("c", 3)], 2))
def test_few(letter, number):
    pass


def test_that_runs_on_none():
    pass
"""


def run(place: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a directory with the hooks that ours have."""
    place.joinpath("pytest.ini").write_text("[pytest]")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    hooks = [word for name in HOOKS for word in ("-p", name)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *hooks, *options],
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
    return run(place, "--numprocesses=2", "--reruns=2", "--most-unstable=1", "-rP")


def test_what_was_tried_again_is_counted_by_its_kind(distributed: subprocess.CompletedProcess[str]) -> None:
    lines = distributed.stdout.splitlines()
    [line] = [line for line in lines if line.startswith("held up: ")]
    assert_facts(line, "2")
    assert "16 passed, 5 rerun in" in lines[-4]


def test_the_last_lines_tell_what_is_unstable_and_why(distributed: subprocess.CompletedProcess[str]) -> None:
    first, *others = distributed.stdout.splitlines()[-3:]
    assert_facts(first, "unstable: 2 .. 1")
    assert others == [
        "  test_tried_again.py::test_of_a_wrong_value: AssertionError: assert not True",
        "  test_tried_again.py::test_of_another_exception: KeyError: 'absent'",
    ]


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
        lines = [line for line in distributed.stdout.splitlines() if f"of test_{number}.py on gw" in line]
        assert len(lines) == 4
        assert len({line.split()[-1] for line in lines}) == 1


@pytest.mark.parametrize(
    ("load", "seconds", "waited"),
    [(4.0, 60, 60), (8.0, 60, 120), (100.0, 60, 300), (100.0, 5, 5), (0.1, 60, 60)],
)
def test_limits_follow_the_load(
    monkeypatch: pytest.MonkeyPatch, load: float, seconds: float, waited: float
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert patience.limit(seconds) == waited
    assert time.monotonic() < patience.end(seconds) <= time.monotonic() + waited


@pytest.mark.parametrize("wait", [subprocess.Popen.wait, subprocess.Popen.communicate])
def test_processes_are_waited_for_longer_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, wait: Callable[..., object]
) -> None:
    monkeypatch.setattr(patience, "limit", lambda seconds: seconds + 60)
    with subprocess.Popen(["sleep", "0.3"]) as process:
        wait(process, timeout=0.01)
    assert process.returncode == 0


def test_what_never_comes_is_a_hold_up() -> None:
    with pytest.raises(TimeoutError, match="no sign"):
        patience.wait_until(lambda: False, 0.01, lambda: "no sign")


def collected(place: Path, *options: str) -> list[tuple[str, ...]]:
    """(file, function, parameters) of the tests that are left by the options."""
    lines = run(place, "--collect-only", "-q", *options).stdout.splitlines()
    return [tuple(re.split(r"::|\[|\]", line)) for line in lines if "::" in line]


@pytest.fixture(scope="module")
def on_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten files of tests on five libraries of two families."""
    place = tmp_path_factory.mktemp("on_libraries")
    for number in range(10):
        place.joinpath(f"test_{number}.py").write_text(LIBRARIES)
    return place


def test_each_function_stays_with_one_library(on_libraries: Path) -> None:
    few, rest = collected(on_libraries, "-m", "not exhaustive"), collected(on_libraries, "-m", "exhaustive")
    assert len({*few, *rest}) == len(few) + len(rest) == 10 * (4 * 5 + 2 * 4 + 2 * 3 + 3 + 1)
    touched = set()
    for number in range(10):
        by_function: dict[str, list[str]] = defaultdict(list)
        for file, function, *parameters in few:
            if file == f"test_{number}.py":
                by_function[function] += parameters[:1]
        [library] = by_function["test_it"]
        touched.add(library)
        both = by_function["test_build"]
        assert library in both
        assert sorted(name in ("one", "two") for name in both) == [False, True]
        assert by_function["test_special"] == ["four"]
        # Where bindings are needed that only some libraries have, it is one of these.
        assert sorted(by_function["test_fortran"]) in (
            ["0-three", "1-three"],
            ["0-two", "1-two"],
        )
        assert by_function["test_slow"] in (["one"], ["two"])
        assert len(by_function["test_values"]) == 3
        assert {value for both in by_function["test_values"] for value in both.split("-")} == set("01abc")
        assert by_function["test_few"] == ["a-1", "b-2"]
        assert by_function["test_that_runs_on_none"] == []
    assert touched == {"one", "two", "three", "four", "five"}


def test_shares_of_what_is_left_are_the_whole(on_libraries: Path) -> None:
    whole = collected(on_libraries, "-m", "exhaustive")
    parts = [collected(on_libraries, "-m", "exhaustive", f"--share={number}/3") for number in (1, 2, 3)]
    assert sorted(test for part in parts for test in part) == sorted(whole)
    assert all(parts)
    few = collected(on_libraries, "-m", "not exhaustive")
    assert collected(on_libraries, "-m", "not exhaustive", "--share=1/3") == few


def test_what_has_passed_is_left_out(tmp_path: Path) -> None:
    tmp_path.joinpath("test_of_two.py").write_text(
        "def test_that_passes(): pass\n\n\ndef test_that_fails(): assert False\n"
    )
    options = ("--numprocesses=1", "--passed=passed")
    assert "1 failed, 1 passed" in run(tmp_path, *options).stdout
    assert tmp_path.joinpath("passed").read_text() == "test_of_two.py::test_that_passes\n"
    assert collected(tmp_path, "--passed=passed") == [("test_of_two.py", "test_that_fails")]


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
