from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing


def test_all_appear_at_the_end(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old")
    with appearing(first, second) as temporary:
        for path in temporary:
            path.write_text("new")
        assert first.read_text() == "old"
        assert not second.exists()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"first": "new", "second": "new"}


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("old")
    with (
        pytest.raises(RankwiseError, match=rf"target .*: {os.strerror(errno.ENOSPC)}.* --plot") as raised,
        appearing(target, option="--plot") as (temporary,),
    ):
        temporary.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert raised.value.exit_status == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"target": "old"}


def test_where_nothing_may_be_written_nothing_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(Path, "write_text", refuse)
    with (
        pytest.raises(RankwiseError, match=f"target .*: {os.strerror(errno.EROFS)};"),
        appearing(tmp_path / "target") as (temporary,),
    ):
        temporary.write_text("new")
