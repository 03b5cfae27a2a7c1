"""The benchmark where only Rankwise is installed: its parts ask modules of the tests, but not for pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"

WITHOUT_PYTEST = """
import sys
sys.modules["pytest"] = None
sys.path.insert(0, sys.argv[1])
import importlib.util
spec = importlib.util.spec_from_file_location("bench_main", sys.argv[1] + "/__main__.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)
sys.exit(bench.main([sys.argv[2], "--help"]))
"""


@pytest.mark.parametrize("part", ["predicted", "reorder", "wire", "scale", "sizes", "tuning"])
def test_a_part_that_starts_jobs(part: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYTEST, BENCH, part], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: bench")
