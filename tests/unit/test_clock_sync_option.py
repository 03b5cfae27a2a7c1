"""Whether the clocks of nodes are compared: only where every process is certain to have Rankwise."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.launch import clock_sync
from rankwise.launch.detect import Kind

LIBRARY = Path("/apps/tools/rankwise/librankwise.so")
SHARED = [("/", "ext4"), ("/apps", "nfs4")]
ON = {"RANKWISE_CLOCK_SYNC": "on"}


def programs(*kinds: Kind) -> Any:
    return [SimpleNamespace(kind=kind) for kind in kinds]


@pytest.mark.parametrize(
    ("kinds", "mounts", "certain"),
    [
        ([Kind.MPI], SHARED, True),
        ([Kind.MPI, Kind.LINKED], SHARED, True),
        ([Kind.PYTHON], SHARED, True),
        ([Kind.MPI, Kind.PYTHON], SHARED, False),
        ([Kind.SCRIPT], SHARED, False),
        ([Kind.MPI, Kind.CONTAINED], SHARED, False),
        ([], SHARED, False),
        ([Kind.MPI], [("/", "ext4")], False),
        ([Kind.MPI], [("/", "nfs4"), ("/apps/tools", "overlay")], False),
        ([Kind.MPI], [("/apps", "ext4"), ("/apps", "lustre")], True),
        ([Kind.MPI], [("/app", "nfs4"), ("/", "tmpfs")], False),
        ([Kind.MPI], [], False),
    ],
)
def test_where_it_is_certain(
    monkeypatch: pytest.MonkeyPatch, kinds: list[Kind], mounts: list[tuple[str, str]], *, certain: bool
) -> None:
    monkeypatch.setattr(clock_sync, "_mounts", lambda: mounts)
    assert clock_sync.setting(None, programs(*kinds), LIBRARY) == (ON if certain else {})


def test_the_user_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_sync, "_mounts", lambda: SHARED)
    assert clock_sync.setting(True, programs(Kind.SCRIPT), LIBRARY) == ON
    assert clock_sync.setting(False, programs(Kind.MPI), LIBRARY) == {}


def test_the_file_systems_of_this_machine() -> None:
    assert any(point == "/" for point, _ in clock_sync._mounts())
