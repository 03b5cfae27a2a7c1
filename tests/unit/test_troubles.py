"""What the system refuses, in words: where, what, and what cures it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from rankwise.text.troubles import trouble


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "x/launch.json"),
            "x/launch.json: No space left on device: make room there, or give another place",
        ),
        (
            OSError(errno.EACCES, "Permission denied", b"x"),
            "x: Permission denied: see to its permissions, or give another place",
        ),
        (
            OSError(errno.EXDEV, "Invalid cross-device link", "a", None, "b"),
            "a, b: Invalid cross-device link",
        ),
        (
            OSError(errno.EMFILE, "Too many open files", 7),  # a descriptor tells nobody anything
            "Too many open files: raise the limit of open files (ulimit -n)",
        ),
        (OSError("it is not a regular file"), "it is not a regular file"),
        (
            MemoryError(),
            "there is too little memory: raise the limit of memory (ulimit -v), or ask for more",
        ),
    ],
)
def test_it_has_a_place_and_a_cure(error: OSError | MemoryError, told: str) -> None:
    assert trouble(error) == told


def test_a_write_that_tells_no_name_names_what_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = OSError(errno.ENOSPC, "No space left on device")
    cure = "make room there, or give another place"
    there = SimpleNamespace(f_blocks=100, f_bavail=0, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: there)
    assert trouble(error).startswith(f"the current directory, {tmp_path}")
    assert trouble(error).endswith(f": No space left on device: {cure}")
    there.f_bavail = 100
    assert trouble(error) == f"No space left on device: {cure}"


def test_who_is_nowhere_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    monkeypatch.chdir(place)
    place.rmdir()
    assert trouble(OSError(errno.ENOENT, "No such file or directory")).startswith(
        "the current directory is not there"
    )
