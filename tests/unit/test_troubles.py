"""What the system refuses, in words: where, what, and what cures it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from golden import Golden
from rankwise.text.troubles import trouble


@pytest.mark.parametrize(
    ("error", "facts"),
    [
        (OSError(errno.ENOSPC, "No room", "x/launch.json"), "x/launch.json: No room: "),
        (OSError(errno.EACCES, "Denied", b"x"), "x: Denied: "),
        (OSError(errno.EXDEV, "Invalid link", "a", None, "b"), "a, b: Invalid link"),
        (
            OSError(errno.EMFILE, "Too many", 7),
            "Too many: .. ulimit -n",
        ),  # a descriptor tells nobody anything
        (OSError(errno.EFBIG, "Too large", "a"), "a: Too large: .. ulimit -f"),
        (OSError("no regular file"), "no regular file"),
        (MemoryError(), "ulimit -v"),
    ],
    ids=["no room", "denied", "two places", "descriptors", "size", "no number", "memory"],
)
def test_it_has_a_place_and_a_cure(error: OSError | MemoryError, facts: str, golden: Golden) -> None:
    golden.says(trouble(error), facts.strip())


def test_a_write_that_tells_no_name_names_what_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    error = OSError(errno.ENOSPC, "No room")
    there = SimpleNamespace(f_blocks=100, f_bavail=0, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: there)
    golden.says(trouble(error), f"{tmp_path}: No room: ")
    there.f_bavail = 100
    golden.says(trouble(error), "No room: ")
    assert str(tmp_path) not in trouble(error)


def test_who_is_nowhere_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    monkeypatch.chdir(place)
    place.rmdir()
    golden.says(trouble(OSError(errno.ENOENT, "Not found")))
