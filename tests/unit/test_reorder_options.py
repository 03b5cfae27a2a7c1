"""--reorder and --machine: what they become for the processes, what they refuse, what is shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import profiles
import pytest

import rankwise
from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.messages.world_order import WorldOrder
from rankwise.errors import RankwiseError
from rankwise.launch import reorder

MACHINE = """{"format": "rankwise-machine", "version": 1, "levels": [{"name": "node", "count": 2}]}"""


def test_settings(tmp_path: Path) -> None:
    machine = tmp_path / "machine.json"
    machine.write_text(MACHINE)
    assert reorder.asked(reorder=False, machine=None) is None
    by_nodes = reorder.asked(reorder=True, machine=None)
    assert by_nodes
    assert by_nodes.settings() == {"RANKWISE_REORDER": "nodes"}
    by_machine = reorder.asked(reorder=True, machine=machine)
    assert by_machine
    assert by_machine.settings() == {"RANKWISE_REORDER": "machine"}
    assert by_machine.machine == MACHINE
    with pytest.raises(RankwiseError, match="add --reorder"):
        reorder.asked(reorder=False, machine=machine)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, "cannot read"),
        ("{", "is no JSON"),
        ("{}", "machine.json"),
        (MACHINE[:-1] + ', "network": {"kind": "torus", "dims": [2]}}', "network"),
    ],
)
def test_bad_machines(text: str | None, line: str, tmp_path: Path, golden: Golden) -> None:
    machine = tmp_path / "machine.json"
    if text is not None:
        machine.write_text(text)
    with pytest.raises(RankwiseError) as error:
        reorder.asked(reorder=True, machine=machine)
    golden.says(str(error.value), line)
    assert "\n" not in str(error.value)


def test_nothing_is_started_with_a_bad_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--reorder", "--machine", "none.json", "--", "touch", "started"]) == 2
    assert capfd.readouterr().err.startswith("rankwise: cannot read none.json")
    assert list(tmp_path.iterdir()) == []


def test_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")

    def shown(*options: str) -> str:
        assert main(["show", str(path), *options]) == 0
        return capsys.readouterr().out

    def word() -> str:
        [line] = [line for line in shown("--by", "communicator").splitlines() if "Cart_create" in line]
        return line.split()[-4]

    assert word() == "asked"
    assert "reordered" not in shown()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE communicators SET reordered = reorder")
        connection.commit()
    assert word() == "done"
    golden.says(shown(), "1 .. 1")


def with_order(path: Path, launched: Sequence[int]) -> None:
    """Make a profile as if the launcher had given its ranks these numbers."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE communicators SET reordered = 1 WHERE name = 'W'")
        connection.executemany("INSERT INTO launcher_ranks VALUES (?, ?)", enumerate(launched))
        connection.commit()


def test_what_an_order_of_the_world_is_good_for(tmp_path: Path, golden: Golden) -> None:
    """Two nodes with two ranks each; 0 and 1 exchange 300 bytes, 0 and 2 send 10."""
    path = tmp_path / "a.rankwise"
    kind = "point-to-point"
    messages = [(0, 1, kind, 2, 200), (1, 0, "in-collective", 1, 100), (0, 2, kind, 1, 10)]
    profiles.write_traffic(path, ["a", "a", "b", "b"], messages)
    with rankwise.open(path) as profile:
        assert profile.summary().found.world_order is None
    with_order(path, [0, 2, 1, 3])
    with rankwise.open(path) as profile:
        summary = profile.summary()
    assert summary.found.world_order == WorldOrder(4, 2, 10, 300)
    golden.says(summary.text())


@pytest.mark.parametrize("launched", [[0, 2, 1], [0, 2, 1, 1], [0, 2, 1, 9]], ids=["lost", "twice", "none"])
def test_an_order_that_is_not_whole_is_not_judged(launched: list[int], tmp_path: Path) -> None:
    path = tmp_path / "a.rankwise"
    profiles.write_traffic(path, ["a", "a", "b", "b"], [(0, 1, "point-to-point", 2, 200)])
    with_order(path, launched)
    with rankwise.open(path) as profile:
        summary = profile.summary()
    assert summary.found.world_order
    assert summary.found.world_order.bytes_off_node is None
    assert summary.found.world_order.bytes_off_node_as_launched is None
    assert "(calculated)" not in summary.text()
