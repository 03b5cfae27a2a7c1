"""What `make test` leaves to `make test-all`: most pairs of a test and an MPI library, and long hunts.

A test that runs on every library stays with one of them, another one from file to file, so that each library
has its share of the files. Rankwise has one build for each family of libraries: what depends on it, marked
`each_family`, stays with one library of each. What holds on some libraries only is marked `only_on`. What
else takes long without touching anything new is marked by hand.

`--share 2/3` runs the second third of all that is left. The tests of a file on one library share recordings,
so they are in one share. `--passed FILE` leaves out what an earlier run with the same file has passed.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from libraries import Mpi

_MARKS = (
    "exhaustive: left to `make test-all`",
    "each_family: `make test` runs it on one library of each family",
    "only_on(holds, reason): for libraries for which holds(mpi) is true",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--share", type=_share, metavar="K/N", help="of exhaustive tests, only the Kth of N shares"
    )
    parser.addoption("--passed", type=Path, metavar="FILE", help="leave out what FILE names; add what passes")


def _share(text: str) -> tuple[int, int]:
    number, _, all_of_them = text.partition("/")
    if not 1 <= int(number) <= int(all_of_them):
        raise ValueError(text)
    return int(number), int(all_of_them)


def pytest_configure(config: pytest.Config) -> None:
    for mark in _MARKS:
        config.addinivalue_line("markers", mark)
    if config.option.passed and not hasattr(config, "workerinput"):  # workers hand their reports on
        config.pluginmanager.register(_Passed(config.option.passed))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests on libraries that others stand for; leave out other shares and what has passed."""
    on: dict[tuple[Path, str], dict[Mpi, None]] = defaultdict(dict)
    for item in items:
        if mpi := _library(item):
            on[_function(item)][mpi] = None
    for item in items:
        if not (mpi := _library(item)):
            continue
        if why := _why_not(item, mpi):
            item.add_marker(pytest.mark.skip(why))
        able = [one for one in on[_function(item)] if not _why_not(item, one)]
        if mpi not in _stand_for(able or [mpi], item):
            item.add_marker(pytest.mark.exhaustive)
    passed = set(_lines(config.option.passed))
    _leave_out(config, items, [item for item in items if item.nodeid in passed or _is_of_another_share(item)])


class _Passed:
    """Notes what passes, for a run that comes later."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            with self._path.open("a") as file:
                file.write(f"{report.nodeid}\n")


def _lines(path: Path | None) -> list[str]:
    return path.read_text().splitlines() if path and path.exists() else []


def _is_of_another_share(item: pytest.Item) -> bool:
    if not item.config.option.share or not item.get_closest_marker("exhaustive"):
        return False
    number, all_of_them = item.config.option.share
    mpi = _library(item)
    together = f"{item.path.name} {mpi.name}" if mpi else item.nodeid
    return zlib.crc32(together.encode()) % all_of_them != number - 1


def _leave_out(config: pytest.Config, items: list[pytest.Item], out: Sequence[pytest.Item]) -> None:
    if out:
        config.hook.pytest_deselected(items=out)
        gone = set(out)
        items[:] = [item for item in items if item not in gone]


def _library(item: pytest.Item) -> Mpi | None:
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params if callspec else {}
    found = parameters.get("mpi") or getattr(parameters.get("case"), "mpi", None)
    return found if hasattr(found, "family") else None  # (of an empty list pytest makes a test that it skips)


def _why_not(item: pytest.Item, mpi: Mpi) -> str:
    """Return why a test can't run on a library, or nothing."""
    for mark in item.iter_markers("only_on"):
        holds, reason = mark.args
        if not holds(mpi):
            return f"{mpi.name}: {reason}"
    return ""


def _function(item: pytest.Item) -> tuple[Path, str]:
    return item.path, item.name.partition("[")[0]


def _stand_for(some: Sequence[Mpi], item: pytest.Item) -> list[Mpi]:
    """Return the libraries that a function runs on instead of all of these.

    Each file has an order of its own of all libraries. One that is added to the machine takes its place there
    and changes nothing between the others.
    """
    if "fortran" in item.name:  # not every library has the bindings
        some = [mpi for mpi in some if mpi.mpifort] or some
    by_family: dict[str, list[Mpi]] = defaultdict(list)
    for mpi in some:
        by_family[mpi.family if item.get_closest_marker("each_family") else ""].append(mpi)
    return [
        max(alike, key=lambda mpi: zlib.crc32(f"{item.path.stem} {mpi.name}".encode()))
        for alike in by_family.values()
    ]
