"""--place and --renumber: what they become for the processes, and what they refuse."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from golden import Golden
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.placement.world_order import asked

MACHINE = """{"format": "rankwise-machine", "version": 1, "levels": [{"name": "node", "count": 2}]}"""
MATRIX = "0,5,0\n0,0,7\n1,0,0\n"


def written(directory: Path, text: str, name: str = "file") -> Path:
    path = directory / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("0,2,1,3\n", [0, 2, 1, 3]),
        ("# a comment of Cray's\n4-5,0\n1-3  # the other node\n", [4, 5, 0, 1, 2, 3]),
        ("1\n0\n", [1, 0]),
    ],
)
def test_orders(tmp_path: Path, text: str, order: list[int]) -> None:
    found = asked(written(tmp_path, text), None, renumber=False)
    assert found.settings() == {"RANKWISE_PLACE": "order"}
    assert found.files == {"world.order": "".join(f"{rank}\n" for rank in order).encode()}
    assert asked(written(tmp_path, text), None, renumber=True).settings() == {
        "RANKWISE_PLACE": "order renumber"
    }


def test_traffic(tmp_path: Path) -> None:
    """The file has a head, and then a column after the other."""
    found = asked(
        written(tmp_path, MATRIX, "m.csv"), written(tmp_path, MACHINE, "machine.json"), renumber=False
    )
    assert found.settings() == {"RANKWISE_PLACE": "traffic machine"}
    assert found.files["machine.json"].decode().strip() == MACHINE
    content = found.files["world.traffic"]
    assert struct.unpack("=8siiq", content[:24]) == (b"RANKTRAF", 3, 0, 3)
    assert np.frombuffer(content[24:48], np.float64).tolist() == [5, 7, 1]
    assert np.frombuffer(content[48:60], np.int32).tolist() == [0, 1, 2]
    assert np.frombuffer(content[60:], np.int32).tolist() == [1, 2, 0]
    assert asked(tmp_path / "m.csv", None, renumber=False).settings() == {"RANKWISE_PLACE": "traffic"}


@pytest.mark.parametrize(
    ("text", "machine", "renumber"),
    [
        ("0,0,1\n", False, False),  # neither an order nor a matrix
        ("5,6\n", False, False),
        ("a story\n", False, False),
        ("", False, False),
        ("1,0\n", True, False),
        (MATRIX, False, True),
        (None, False, False),
    ],
)
def test_refused(tmp_path: Path, text: str | None, machine: bool, renumber: bool, golden: Golden) -> None:
    file = tmp_path / "file" if text is None else written(tmp_path, text)
    described = written(tmp_path, MACHINE, "machine.json") if machine else None
    with pytest.raises(RankwiseError) as error:
        asked(file, described, renumber=renumber)
    assert "\n" not in str(error.value)
    golden.says(str(error.value).replace(str(tmp_path), "DIR"))


@pytest.mark.parametrize("words", [["--renumber"], ["--place", "order", "--reorder"], ["--place", "none"]])
def test_nothing_is_started(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "1,0\n", "order")
    assert main(["run", *words, "--", "touch", "started"]) == 2
    golden.says(capfd.readouterr().err)
    assert not (tmp_path / "started").exists()
