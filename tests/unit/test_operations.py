"""What the runtime knows of operations whose communicator is gone: nothing, also if its handle returns."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

RUNTIME = Path(__file__).parents[2] / "src" / "runtime"


def test_operations_of_communicators_that_come_and_go(tmp_path: Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    sources = [Path(__file__).with_name("operations.cpp"), RUNTIME / "inside" / "operations.cpp"]
    program = tmp_path / "operations"
    flags = ["-std=c++20", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]
    words = [*compiler.split(), *flags, "-o", str(program), *map(str, sources)]
    subprocess.run(words, check=True, timeout=120)
    done = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == ""
