"""Which function a line of Python is in."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import pytest

from rankwise.profile.join.python_functions import functions

AT_HAND = math.inf, 1 << 62  # there is time, and nothing was changed since
SOURCE = """\
import math

class Solver:
    limit = 3

    def step(self):
        return [
            math.sqrt(x) for x in range(3)
        ]

    class Part:
        async def run(self):
            def inner():
                return 1
            return inner()

def last(): return 2
"""


def test_the_innermost_function(tmp_path: Path) -> None:
    path = tmp_path / "solver.py"
    path.write_text(SOURCE, encoding="utf-8")
    lines = [1, 4, 6, 8, 9, 12, 14, 15, 17, 99]
    assert functions(path, lines, *AT_HAND) == [
        *(None, None, None, "Solver.step", "Solver.step", None),
        *("Solver.Part.run.inner", "Solver.Part.run", "last", None),
    ]


HEADS = """\
@register(
    barrier()
)
def work(
    first=barrier(),
    *, second=barrier(),
) -> barrier():
    @register(
        barrier())
    def inner(): barrier()
    class Local:
        barrier()
    (lambda:
        barrier())()
"""


def test_what_is_evaluated_outside_of_a_function(tmp_path: Path) -> None:
    path = tmp_path / "heads.py"
    path.write_text(HEADS, encoding="utf-8")
    assert functions(path, list(range(1, 15)), *AT_HAND) == [
        *[None] * 7,
        *("work", "work", "work.inner", "work", "work", "work", "work"),
    ]


@pytest.mark.parametrize("text", [b"def broken(:\n", b"\xff\xfe\x00", b"x = 1\0\n", b"(" * 100_000])
def test_what_is_no_python(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "broken.py"
    path.write_bytes(text)
    assert functions(path, [1, 2], *AT_HAND) == [None, None]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert functions(tmp_path / "<stdin>", [3], *AT_HAND) == [None]


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), Path("/proc/self/maps"), Path("a\0b")):
        assert functions(path, [1], *AT_HAND) == [None]


def test_changed_since_it_ran(tmp_path: Path) -> None:
    path = tmp_path / "solver.py"
    path.write_text(SOURCE, encoding="utf-8")
    assert functions(path, [8], math.inf, time.time_ns()) == ["Solver.step"]
    assert functions(path, [8], math.inf, 0) == [None]
    assert functions(path, [8], 0, 1 << 62) == [None]
