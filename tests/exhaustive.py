"""What `make test` leaves to `make test-all`: most pairs of a test and an MPI library, and long hunts.

A test that runs on every library stays with one of them, another one from file to file, so that each library
has its share of the files: a small one where its launches take long. Rankwise has one build for each family
of libraries: what depends on it, marked `each_family`, stays with one library of each. What holds on some
libraries only is marked `only_on`, and what takes long on some `slow_on`. A test with several parameters,
marked `each_value`, stays with so many of their combinations that each value is in one. `few` keeps some of
many random cases, and `repeated` some of the trials of a hunt. Other tests that take long without touching
anything new have the mark `exhaustive`.

`--share 2/10` runs the second tenth of all that is left. The tests of a file on one library share recordings,
so they are in one share. `--passed FILE` leaves out what an earlier run with the same file has passed.
"""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from libraries import Mpi

_MARKS = (
    "exhaustive: left to `make test-all`",
    "each_family: `make test` runs it on one library of each family",
    "only_on(holds, reason): for libraries for which holds(mpi) is true",
    "slow_on(holds, reason): left to `make test-all` on libraries for which holds(mpi) is true",
    "each_value: `make test` runs it with each value of each parameter, not with each combination",
)


def few(cases: Iterable[Any], number: int) -> list[Any]:
    """Return values for `parametrize`, tuples of them for several names: `make test` runs the first ones."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[pytest.mark.exhaustive] * (place >= number),
        )
        for place, case in enumerate(cases)
    ]


def repeated(some: int, many: int) -> pytest.MarkDecorator:
    """Give a hunt its number of `times`: `make test-all` also finds rare faults."""
    return pytest.mark.parametrize("times", few([some, many], 1))


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
        able = [
            library
            for library in on[_function(item)]
            if not _why_not(item, library) and not _is_slow(item, library)
        ]
        if mpi not in _stand_for(able or [mpi], item) or _is_slow(item, mpi):
            item.add_marker(pytest.mark.exhaustive)
    _mark_combinations(items)
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
    its_share: int = zlib.crc32(together.encode()) % all_of_them + 1
    return its_share != int(number)


def _leave_out(config: pytest.Config, items: list[pytest.Item], out: Sequence[pytest.Item]) -> None:
    if out:
        config.hook.pytest_deselected(items=out)
        gone = set(out)
        items[:] = [item for item in items if item not in gone]


def _library(item: pytest.Item) -> Mpi | None:
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params if callspec else {}
    mpi = parameters.get("mpi") or getattr(parameters.get("case"), "mpi", None)
    return mpi if hasattr(mpi, "family") else None  # (of an empty list pytest makes a test that it skips)


def _why_not(item: pytest.Item, mpi: Mpi) -> str:
    """Return why a test can't run on a library, or nothing."""
    for mark in item.iter_markers("only_on"):
        holds, reason = mark.args
        if not holds(mpi):
            return f"{mpi.name}: {reason}"
    return ""


def _is_slow(item: pytest.Item, mpi: Mpi) -> bool:
    return any(mark.args[0](mpi) for mark in item.iter_markers("slow_on"))


def _mark_combinations(items: Sequence[pytest.Item]) -> None:
    """Of functions marked `each_value`, leave with `make test` what is needed to cover each value."""
    combinations: dict[tuple[Path, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("each_value") and not item.get_closest_marker("exhaustive"):
            combinations[_function(item)].append(item)
    for some in combinations.values():
        values = {item: _values(item) for item in some}
        missing = set().union(*values.values())
        while missing:
            best = max(values, key=lambda item: len(values[item] & missing))
            missing -= values.pop(best)
        for item in values:
            item.add_marker(pytest.mark.exhaustive)


def _values(item: pytest.Item) -> set[tuple[str, int]]:
    """Return which value of each parameter a test has: tests that have the same one share the object."""
    parameters: dict[str, object] = item.callspec.params  # type: ignore[attr-defined]
    return {(name, id(value)) for name, value in parameters.items()}


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
    return [max(family, key=lambda mpi: _place(mpi, item.path.stem)) for family in by_family.values()]


def _place(mpi: Mpi, file: str) -> float:
    """Return where a library stands in the order of a file: the first one as often as its share is large."""
    drawn = (zlib.crc32(f"{file} {mpi.name}".encode()) + 1) / (1 << 32)
    return math.log(drawn) / mpi.share
