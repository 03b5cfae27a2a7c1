"""`rankwise map --plot`: the matrix in the order of slots, and the file that it is drawn into."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from profiles import write_traffic
from test_map import USER, refusal, ring

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.what_if.shapes import machine_of_shape, shapes_of
from rankwise.render.figures.placement.cells import cells


def test_cells() -> None:
    """Rank 0 is in the last slot, 2 in the first: in the order of slots they are 2, 1, 3, 0."""
    [shape] = shapes_of("2x1x2")
    traffic = Traffic(4, [0, 2, 3, 1], [2, 1, 2, 2], [10, 20, 30, 40])
    picture = cells(traffic, machine_of_shape(shape), [3, 1, 0, 2])
    assert picture.ranks == [2, 1, 3, 0]
    assert np.argwhere(picture.within).tolist() == [[0, 1], [1, 0]]
    assert (picture.within[0, 1], picture.within[1, 0]) == (20, 40)
    assert np.argwhere(picture.off_node).tolist() == [[2, 0], [3, 0]]
    assert (picture.off_node[3, 0], picture.off_node[2, 0]) == (10, 30)
    assert (picture.borders, picture.outer, picture.hosts) == ([2], [], ["node0", "node1"])
    [wider] = shapes_of("2x2x1")
    assert cells(traffic, machine_of_shape(wider), [3, 1, 0, 2]).outer == [2]


def test_many_ranks_share_cells() -> None:
    ranks = 2000
    [shape] = shapes_of("1000x2")
    every_rank = np.arange(ranks)
    traffic = Traffic(ranks, every_rank, every_rank ^ 1, np.full(ranks, 3))
    picture = cells(traffic, machine_of_shape(shape), every_rank)
    assert len(picture.within) < ranks
    assert (picture.within.sum(), picture.off_node.sum()) == (3 * ranks, 0)
    assert len(picture.borders) == 999


@pytest.fixture
def dealt_out(tmp_path: Path) -> Path:
    return write_traffic(tmp_path / "ring.rankwise", [f"n{rank % 4}" for rank in range(8)], ring(8))


def test_the_drawing(dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "1.svg", tmp_path / "2.svg"
    for path in (first, second):
        assert main(["map", str(dealt_out), "--plot", str(path)]) == 0
    text = first.read_text()
    assert first.read_bytes() == second.read_bytes()
    for said in (
        "Placement of 8 ranks on 4 nodes x 2 slots",
        "The cost falls by 50.0 %; 7.81 KiB off node become 3.91 KiB.",
        "present placement: 7.81 KiB off node",
        "found: 3.91 KiB off node",
        "light to dark: 1000 B to 1000 B in a cell",
        *("n0", "n1", "n2", "n3"),
    ):
        assert f">{said}" in text or said in text
    capsys.readouterr()
    assert "--plot" in refusal(capsys, dealt_out, "--plot", first)
    assert main(["map", "predict", str(dealt_out), "--shape", "2x4", "--plot", str(first), "--force"]) == 0
    assert "natural order: 1.95 KiB off node" in first.read_text()
    assert main(["map", str(dealt_out), "--plot", str(tmp_path / "1.png")]) == 0
    assert (tmp_path / "1.png").read_bytes().startswith(b"\x89PNG")


def test_what_can_not_be_drawn(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    golden.says(refusal(capsys, dealt_out, "--plot", "a.gif"))
    assert "one placement" in refusal(capsys, "predict", dealt_out, "--plot", "a.svg", "--shape", "4x2,2x4")
    assert main(["map", str(dealt_out), "--plot", str(tmp_path / "no" / "a.svg")]) == 1
    golden.says(capsys.readouterr().err, "--plot")
    empty = write_traffic(tmp_path / "F.rankwise", ["a", "b"], [(0, 1, USER, 1, 0)])
    assert main(["map", str(empty), "--plot", str(tmp_path / "a.svg")]) == 0
