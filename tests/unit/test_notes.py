"""Notes of a run directory: small files, read without more memory than they need."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from rankwise.profile.collect.launch_note import read_launch_note


def test_a_note_takes_no_more_memory_than_it_is_long(tmp_path: Path) -> None:
    (tmp_path / "launch.json").write_text('{"job": "17"}')
    tracemalloc.start()
    try:
        note = read_launch_note(tmp_path)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert note.job == "17"
    assert peak_bytes < 1 << 20
