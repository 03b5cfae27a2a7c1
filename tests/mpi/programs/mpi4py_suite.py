"""Runs mpi4py's own tests: mpi4py_suite.py FOLDER OUTPUT [argument of its test/main.py] ...

Each rank writes the outcomes to OUTPUT.RANK, a line a test as soon as it is known.
"""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Any

FOLDER, OUTPUT, *ARGUMENTS = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)


def search_first(module: str) -> None:
    """Put a module before all others.

    To pickle a function of mpi4py, Python looks through all modules until it finds it, which takes half the
    time of all tests.
    """
    others = {name: other for name, other in sys.modules.items() if name != module}
    first = sys.modules[module]
    sys.modules.clear()
    sys.modules.update({module: first, **others})


class Outcomes(unittest.TestResult):
    """Notes "passed", or what else became of a test."""

    def __init__(self, *_: Any) -> None:
        super().__init__()
        from mpi4py import MPI

        search_first("mpi4py.MPI")
        self._file = Path(f"{OUTPUT}.{MPI.COMM_WORLD.Get_rank()}").open("w", encoding="utf-8")  # noqa: SIM115
        self._outcome = ""

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().startTest(test)
        self._outcome = "passed"

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().stopTest(test)
        print(f"{test.id()} {self._outcome}", file=self._file, flush=True)

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self._outcome = "error"

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self._outcome = "failed"

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self._outcome = "skipped"

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addExpectedFailure(test, err)
        self._outcome = "failed-as-expected"

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().addUnexpectedSuccess(test)
        self._outcome = "unexpectedly-passed"

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._outcome = "failed"

    def printErrors(self) -> None:  # noqa: N802
        """For TextTestRunner, which wants more of a result than TestResult has."""

    separator2 = ""


if __name__ == "__main__":
    import main  # mpi4py's

    runner = unittest.TextTestRunner(resultclass=Outcomes, verbosity=0)  # type: ignore[type-var]
    main.TestProgram(module=None, argv=["main.py", "-q", *ARGUMENTS], testRunner=runner)
