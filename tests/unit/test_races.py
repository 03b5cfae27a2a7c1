"""What threads share in the runtime, under ThreadSanitizer: races.cpp has the scenes.

Left to `make test-all`: the runtime is compiled anew, which takes half a minute.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

RUNTIME = Path(__file__).parents[2] / "src" / "runtime"
COMPILER = shlex.split(os.environ.get("CXX", "c++"))
SOURCES = [
    *sorted(RUNTIME.glob("*.cpp")),
    RUNTIME / "keeper_image.S",
    RUNTIME / "hooks" / "longjmp.S",
    *(RUNTIME / "inside" / f"{name}.cpp" for name in ("inside", "operations", "patterns", "running")),
]
OPTIONS = [
    "-std=c++20",
    "-O1",
    "-g",
    "-D_GNU_SOURCE",
    '-DRANKWISE_VERSION="0"',
    "-I",
    RUNTIME.parents[1] / "include",
]


def build(program: Path, *options: str) -> None:
    words = [
        *COMPILER,
        *OPTIONS,
        *options,
        "-pthread",
        Path(__file__).with_name("races.cpp"),
        *SOURCES,
        "-o",
        program,
    ]
    subprocess.run([str(word) for word in words], check=True, timeout=300)


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("races") / "races"
    words = [*COMPILER, "-fsanitize=thread", "-x", "c++", "-", "-o", program]
    if subprocess.run(words, input="int main() {}", text=True, capture_output=True, timeout=60).returncode:
        pytest.skip("the compiler has no ThreadSanitizer")
    build(program, "-fsanitize=thread")
    return program


@pytest.mark.exhaustive
@pytest.mark.parametrize("scene", ["stamps", "late calls", "entered at once", "same handles"])
def test_no_race(races: Path, scene: str) -> None:
    done = subprocess.run([races, scene], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
