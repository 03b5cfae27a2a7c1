"""Whether the clocks of nodes are compared: only where every process is certain to have Rankwise."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch import clock_sync
from rankwise.launch.detect import Kind
from rankwise.launch.plan import look

LIBRARY = Path("/apps/tools/rankwise/librankwise.so")
SHARED = [("/", "ext4"), ("/apps", "nfs4")]
ON = {"RANKWISE_CLOCK_SYNC": "on"}


def programs(*kinds: Kind, known: bool = True, privilege: str = "") -> Any:
    """A launch of one program of each kind."""
    detections = tuple(SimpleNamespace(kind=kind, program="./app", privilege=privilege) for kind in kinds)
    command = SimpleNamespace(known=object() if known else None, contexts=kinds)
    return SimpleNamespace(command=command, detections=detections, environment={})


@pytest.mark.parametrize(
    ("planned", "mounts", "certain"),
    [
        (programs(Kind.MPI), SHARED, True),
        (programs(Kind.MPI), [("/", "ext4")], False),
        (programs(Kind.MPI), [("/", "nfs4"), ("/apps/tools", "overlay")], False),
        (programs(Kind.MPI), [("/apps", "ext4"), ("/apps", "lustre")], True),
        (programs(Kind.MPI), [("/app", "nfs4"), ("/", "tmpfs")], False),
        (programs(Kind.MPI), [], False),
        # It may be a starter of other programs.
        (programs(Kind.PYTHON), SHARED, False),
        (programs(Kind.SCRIPT), SHARED, False),
        (programs(Kind.CONTAINED), SHARED, False),
        (programs(Kind.LINKED), SHARED, False),
        (programs(Kind.MPI, known=False), SHARED, False),
        # LD_PRELOAD has no effect.
        (programs(Kind.MPI, privilege="is set-uid"), SHARED, False),
        # Programs of one job may have environments of their own.
        (programs(Kind.MPI, Kind.MPI), SHARED, False),
        (programs(), SHARED, False),
    ],
)
def test_where_it_is_certain(
    monkeypatch: pytest.MonkeyPatch, planned: Any, mounts: list[tuple[str, str]], *, certain: bool
) -> None:
    monkeypatch.setattr(clock_sync, "_mounts", lambda: mounts)
    assert clock_sync.setting(None, planned, LIBRARY) == (ON if certain else {})


def test_a_launcher_that_reads_a_program_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_sync, "_mounts", lambda: SHARED)
    shell = str(Path("/bin/sh"))
    for words in (
        ["srun", "-n", "2", "--multi-prog", "list"],
        ["mpirun", "-n", "2", shell, ":", "--app", "list"],
    ):
        assert clock_sync.setting(None, look(words, {"PATH": "/usr/bin"}, ask_python=False), LIBRARY) == {}


def test_the_user_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_sync, "_mounts", lambda: SHARED)
    assert clock_sync.setting(True, programs(Kind.SCRIPT), LIBRARY) == ON
    assert clock_sync.setting(False, programs(Kind.MPI), LIBRARY) == {}
    # None of its processes would take part, and one of another program would wait for them.
    with pytest.raises(RankwiseError, match=r"^--clock-sync: \./app has MPI linked in statically"):
        clock_sync.setting(True, programs(Kind.MPI, Kind.LINKED), LIBRARY)


def test_the_environment_decides_where_the_user_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """An image, or an installation that each node has, says so once."""
    monkeypatch.setattr(clock_sync, "_mounts", lambda: SHARED)
    planned = programs(Kind.PYTHON)
    planned.environment["RANKWISE_CLOCK_SYNC"] = "on"
    assert clock_sync.setting(None, planned, LIBRARY) == ON
    assert clock_sync.setting(False, planned, LIBRARY) == {}
    certain = programs(Kind.MPI)
    certain.environment["RANKWISE_CLOCK_SYNC"] = "off"
    assert clock_sync.setting(None, certain, LIBRARY) == {}


def test_why_not(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    """The reason is that of the launch, and there is none where clocks are compared."""
    monkeypatch.setattr(clock_sync, "_mounts", lambda: SHARED)
    assert not clock_sync.why_not(programs(Kind.MPI), LIBRARY)
    for planned in (
        programs(Kind.MPI, known=False),
        programs(Kind.MPI, Kind.MPI),
        programs(Kind.SCRIPT),
        programs(Kind.PYTHON),
        programs(Kind.CONTAINED),
        programs(Kind.MPI, privilege="is set-uid"),
    ):
        golden.says(clock_sync.why_not(planned, LIBRARY))
    monkeypatch.setattr(clock_sync, "_mounts", lambda: [("/", "overlay")])
    golden.says(clock_sync.why_not(programs(Kind.MPI), LIBRARY), "/apps/tools/rankwise")


def test_the_file_systems_of_this_machine() -> None:
    assert any(point == "/" for point, _ in clock_sync._mounts())
