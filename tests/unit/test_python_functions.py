"""Which function a line of Python is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.profile.python_functions import functions

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
    assert functions(path, lines) == [
        *(None, None, "Solver.step", "Solver.step", "Solver.step", "Solver.Part.run"),
        *("Solver.Part.run.inner", "Solver.Part.run", "last", None),
    ]


@pytest.mark.parametrize("text", [b"def broken(:\n", b"\xff\xfe\x00", b"x = 1\0\n", b"(" * 100_000])
def test_what_is_no_python(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "broken.py"
    path.write_bytes(text)
    assert functions(path, [1, 2]) == [None, None]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert functions(tmp_path / "<stdin>", [3]) == [None]
