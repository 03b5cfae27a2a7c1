"""Finds the keeper of a job on this node, by the memory that it keeps."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from jobs import LIMIT_SECONDS

import patience
from rankwise.profile.collect import node_memory
from rankwise.profile.collect.control import read_control
from rankwise.profile.collect.node_memory import NodeMemory, is_alive


def memory_of(run_directory: Path) -> NodeMemory:
    """The memory of a job that counts, once there is a keeper."""

    def kept() -> list[NodeMemory]:
        return [candidate for candidate in node_memory.of_run(run_directory) if candidate.is_kept()]

    patience.wait_until(kept, LIMIT_SECONDS)
    [memory] = kept()
    return memory


def keeper_of(memory: NodeMemory) -> int:
    """Its process id."""
    control = read_control(memory.path / "control")
    assert control
    assert is_alive(control.keeper)
    return control.keeper


def assert_gone(run_directory: Path, *keepers: int) -> None:
    """Neither a keeper nor what it kept is left, or only for as long as it takes to save.

    Another keeper may have taken the place of one that was killed, and is waited for, too.
    """

    def kept() -> bool:
        return any(map(is_alive, keepers)) or any(m.is_kept() for m in node_memory.of_run(run_directory))

    patience.wait_until(lambda: not kept(), LIMIT_SECONDS)
    assert [memory.path for memory in node_memory.of_run(run_directory)] == []


def wait_for_end(pid: int) -> None:
    """Wait until a process is gone."""
    patience.wait_until(lambda: not is_alive(pid), LIMIT_SECONDS)


def unshared(*flags: str, prepare: str = ":") -> list[str]:
    """Words before a command that give it namespaces of its own; skips the test where that is not allowed.

    Args:
        flags: of unshare.
        prepare: shell commands that come first there.
    """
    try:
        tried = subprocess.run(
            ["unshare", *flags, "sh", "-c", prepare], capture_output=True, text=True, timeout=60
        )
    except FileNotFoundError:
        pytest.skip("no unshare command")
    if tried.returncode:
        pytest.skip(f"no namespaces of one's own: {tried.stderr.strip()}")
    return ["unshare", *flags, "sh", "-c", f'{prepare}; exec "$@"', "sh"]
