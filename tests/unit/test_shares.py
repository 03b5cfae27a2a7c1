"""Whose the counters are of regions that are entered too often to read them each time."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def test_regions_that_are_entered_often(tmp_path: Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    program = tmp_path / "shares"
    flags = ["-std=c++20", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]
    source = Path(__file__).with_name("shares.cpp")
    subprocess.run([*compiler.split(), *flags, "-o", program, source], check=True, timeout=120)
    done = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == ""
