"""Scripts that take LD_PRELOAD away from what they start: the line is named, and what to write instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from golden import Golden
from rankwise.launch.plan import look
from rankwise.launch.resets import cure, resets
from rankwise.launchers.base import Preload

PRELOAD = Preload(Path("/rw.so"), Path("/run"))
OURS = 'LD_PRELOAD="$LD_PRELOAD" RANKWISE_DIR="$RANKWISE_DIR"'


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("LD_PRELOAD= ./app", "./app"),
        ('LD_PRELOAD="" exec ./app "$@"', 'exec ./app "$@"'),
        ("cd /x; LD_PRELOAD=a.so ./app", 'cd /x; LD_PRELOAD="a.so:$LD_PRELOAD" ./app'),
        ("export LD_PRELOAD='a.so b.so'", 'export LD_PRELOAD="a.so b.so:$LD_PRELOAD"'),
        ("setenv LD_PRELOAD /a.so", 'setenv LD_PRELOAD "/a.so:$LD_PRELOAD"'),
        ("unset A LD_PRELOAD; ./app", "unset A; ./app"),
        ("env -i A=b ./app", f"env -i {OURS} A=b ./app"),
        ("exec env - ./app", f"exec env - {OURS} ./app"),
        ("exec -c ./app", f"exec env -i {OURS} ./app"),
        ("env -u LD_PRELOAD ./app", "env ./app"),
        ("mpirun -x LD_PRELOAD=a.so -n 2 ./app", 'mpirun -x LD_PRELOAD="a.so:$LD_PRELOAD" -n 2 ./app'),
    ],
)
def test_what_to_write_instead(line: str, instead: str) -> None:
    assert cure(line) == f"write instead: {instead}"
    assert cure(instead) == ""


@pytest.mark.parametrize("line", ["unset LD_PRELOAD", "unset -v LD_PRELOAD", "export -n LD_PRELOAD"])
def test_a_line_to_leave_out(line: str, golden: Golden) -> None:
    golden.says(cure(line))


@pytest.mark.parametrize("line", ["sudo ./app", "cd /x && exec sudo -E ./app", "true | doas ./app"])
def test_another_user(line: str) -> None:
    assert "rankwise run -- COMMAND" in cure(line)


@pytest.mark.parametrize(
    "line",
    [
        "export LD_PRELOAD",
        "export LD_PRELOAD=a.so:$LD_PRELOAD",
        "LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}a.so ./app",
        "MY_LD_PRELOAD=a.so ./app",
        "unset OTHER",
        "env A=b ./app",
        "echo sudoku",
    ],
)
def test_what_does_no_harm(line: str) -> None:
    assert cure(line) == ""


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_line_is_named_wherever_it_is(tmp_path: Path) -> None:
    inner = script(tmp_path / "inner.sh", "# LD_PRELOAD= no\n\nLD_PRELOAD= exec ./app")
    outer = script(tmp_path / "outer.sh", "set -e\nexec ./inner.sh outer.sh")
    [reset] = resets(outer, os.environ)
    assert (reset.script, reset.number, reset.line) == (inner, 4, "LD_PRELOAD= exec ./app")
    assert resets(tmp_path / "none", os.environ) == []

    planned = look([str(outer)], os.environ)
    said = planned.why_nothing_was_seen(0, PRELOAD)
    assert f"{inner}, line 4" in said
    assert said.endswith("write instead: exec ./app")
    # Also where a process was seen to run without the library.
    assert planned.why_nothing_was_seen(0, PRELOAD, "rank 0 ...").endswith("write instead: exec ./app")


def test_a_command_as_another_user() -> None:
    said = look(["sudo", "mpirun", "-n", "2", "./a b"], os.environ).why_nothing_was_seen(1, PRELOAD)
    assert said.endswith("sudo rankwise run -- mpirun -n 2 './a b'")
