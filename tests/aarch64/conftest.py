"""Sets up what the tests of AArch64 share, or says what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import emulation
import pytest

import rankwise._files

# The programs, and the libraries of this machine.
sys.path.append(str(Path(__file__).parents[1] / "mpi"))


@pytest.fixture(scope="session", autouse=True)
def runtime() -> Path:
    """The preloaded library for AArch64, under the path of the installed one."""
    if not emulation.is_set_up():
        pytest.skip("no compiler, emulator or libraries for AArch64 here: see `make test-aarch64`")
    library = rankwise._files.installed("lib/librankwise.so")
    emulation.build_runtime(library)
    return library
