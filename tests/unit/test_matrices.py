"""Matrices of messages in the formats of other tools: read exactly, and shown where that is enough."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from profiles import write_profile

from rankwise.__main__ import main
from rankwise.analysis.opened import opened_messages
from rankwise.errors import RankwiseError
from rankwise.profile.matrices.as_profile import matrix_at

# Four ranks in a row: neighbours send each other 100, 7 and 9 bytes; rank 0 sends itself 3.
PAIRS = {(0, 0): 3, (0, 1): 100, (1, 0): 100, (1, 2): 7, (2, 1): 7, (2, 3): 9, (3, 2): 9}
COUNTS = {pair: number + 1 for number, pair in enumerate(PAIRS)}
TABLE = [[PAIRS.get((row, column), 0) for column in range(4)] for row in range(4)]
ONE_WAY = {pair: size for pair, size in PAIRS.items() if pair[0] < pair[1]}


def square(separator: str, *, names: bool = False) -> str:
    rows = [[str(cell) for cell in row] for row in TABLE]
    if names:
        rows = [["", *"abcd"], *([name, *row] for name, row in zip("abcd", rows, strict=True))]
    return "".join(separator.join(row) + "\n" for row in rows)


def pairs(head: str, order: Callable[[int, int, int, int], tuple[int, ...]]) -> str:
    lines = [order(*pair, size, COUNTS[pair]) for pair, size in PAIRS.items()]
    return "\n".join([head, *(",".join(map(str, line)) for line in lines)]) + "\n"


def market(form: str, symmetry: str, entries: list[str]) -> str:
    sizes = f"4 4 {len(entries)}" if form == "coordinate" else "4 4"
    head = f"%%MatrixMarket matrix {form} integer {symmetry}"
    return "\n".join([head, "% a comment", sizes, *entries]) + "\n"


SPARSE = [f"{row + 1} {column + 1} {size}" for (row, column), size in PAIRS.items()]
LOWER = [f"{row + 1} {column + 1} {size}" for (row, column), size in PAIRS.items() if row >= column]
DENSE = [str(TABLE[row][column]) for column in range(4) for row in range(4)]
DENSE_LOWER = [str(TABLE[row][column]) for column in range(4) for row in range(column, 4)]
# The same graph, with the weight of each edge before its end; vertices count from 1, and have weights.
SCOTCH = "0\n4 6\n1 011\n5 1 100 2\n5 2 100 1 7 3\n5 2 7 2 9 4\n5 1 9 3\n"

FORMATS = {
    "blanks": (square(" "), PAIRS, None),
    "commented": ("# of the messages none can be seen\n" + square(" "), PAIRS, None),
    "commas": (square(","), PAIRS, None),
    "semicolons": (square(";"), PAIRS, None),
    "tabs": (square("\t"), PAIRS, None),
    "names": (square(",", names=True), PAIRS, None),
    "decimals": (square(" ").replace("100", "99.6"), PAIRS, None),
    "list": (
        pairs("source,destination,messages,bytes", lambda a, b, size, n: (a, b, n, size)),
        PAIRS,
        COUNTS,
    ),
    "other names": (pairs("Bytes,to,FROM", lambda a, b, size, n: (size, b, a)), PAIRS, None),  # noqa: ARG005
    "coordinate": (market("coordinate", "general", SPARSE), PAIRS, None),
    "symmetric": (market("coordinate", "symmetric", LOWER), PAIRS, None),
    "array": (market("array", "general", DENSE), PAIRS, None),
    "symmetric array": (market("array", "symmetric", DENSE_LOWER), PAIRS, None),
    "Scotch": (SCOTCH, ONE_WAY, None),
}


def entries(path: Path) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int] | None]:
    messages = matrix_at(path)
    assert messages is not None
    assert messages.ranks == 4
    ends = list(zip(messages.source.tolist(), messages.destination.tolist(), strict=True))
    sizes = dict(zip(ends, messages.bytes.tolist(), strict=True))
    return sizes, None if messages.counts is None else dict(zip(ends, messages.counts.tolist(), strict=True))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read_exactly(name: str, tmp_path: Path) -> None:
    text, sizes, counts = FORMATS[name]
    (tmp_path / "matrix").write_text(text)
    assert entries(tmp_path / "matrix") == (sizes, counts)


def test_entries_of_a_pair_add_up(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("from,to,bytes,count\n0,3,5,1\n0,3,6,2\n1,2,0,0\n")
    assert entries(tmp_path / "list.csv") == ({(0, 3): 11}, {(0, 3): 3})


def test_what_a_session_flushes(tmp_path: Path) -> None:
    """One file for each rank, which belong together."""
    for rank in range(4):
        lines = [f"{rank} {to} {COUNTS.get((rank, to), 0)} {TABLE[rank][to]}" for to in range(4)]
        (tmp_path / f"run.{rank}.prof").write_text("\n".join(["# from to messages bytes", *lines]) + "\n")
    (tmp_path / "other.0.prof").write_text("# from to messages bytes\n0 1 1 1\n")
    assert entries(tmp_path / "run.2.prof") == (PAIRS, COUNTS)
    (tmp_path / "run.3.prof").unlink()
    with pytest.raises(RankwiseError, match="3 ranks, but name 4"):
        matrix_at(tmp_path / "run.0.prof")


def test_what_its_root_flushes(tmp_path: Path) -> None:
    """Two matrices: numbers of messages are in the other one."""
    (tmp_path / "run_sizes.0.prof").write_text(square(" "))
    assert entries(tmp_path / "run_sizes.0.prof") == (PAIRS, None)
    rows = (" ".join(str(COUNTS.get((row, column), 0)) for column in range(4)) for row in range(4))
    (tmp_path / "run_counts.0.prof").write_text("\n".join(rows))
    assert entries(tmp_path / "run_sizes.0.prof") == (PAIRS, COUNTS)
    (tmp_path / "run_counts.0.prof").write_text("1 2\n3 4\n")
    with pytest.raises(RankwiseError, match=r"run_counts\.0\.prof"):
        matrix_at(tmp_path / "run_sizes.0.prof")


DAMAGED = {
    "": "empty",
    "# nothing else\n": "no matrix",
    "1 2\n3\n": "row 2",
    "1 2\n3 x\n": "'x'",
    "1 -2\n3 4\n": "negative",
    "1 nan\n3 4\n": "negative or infinite",
    "1 1e300\n3 4\n": "2\\^62",
    "from,to,bytes\n0,1\n": "row 1",
    "from,to,bytes\n0,-1,5\n": "rank -1",
    "from,to,bytes\n0,99999999,5\n": "ranks",
    "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n": "pattern",
    "%%MatrixMarket matrix coordinate real general\n2 3 0\n": "not square",
    "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n": "2 entries",
    "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n": "rank 2",
    "%%MatrixMarket matrix array real general\n2 2\n1\n": "1 numbers",
    "%%MatrixMarket\n": "no matrix",
    "0\n2 2\n0 000\n1 1\n": "2 vertices",
    "0\n2 3\n0 000\n1 1\n1 0\n": "3 arcs",
    "0\n2 2\n0 100\n7 1 1\n8 1 0\n": "labels",
    "0\n2 2\n0 010\n1 1\n1 0\n": "vertex 0",
    "@ mpiP\n@ Command : ./a.out\n": "mpiP",
}


@pytest.mark.parametrize("text", DAMAGED, ids=lambda text: repr(text)[:40])
def test_damaged_files_are_refused_with_a_reason(text: str, tmp_path: Path) -> None:
    path = tmp_path / "matrix"
    path.write_text(text)
    with pytest.raises(RankwiseError, match=DAMAGED[text]) as caught:
        matrix_at(path)
    assert str(caught.value).startswith(f"{path} ")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(square(","))
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main([*map(str, words), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_it_is_shown(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = printed(capsys, "show", table, "--matrix")["matrix"]["cells"]
    assert {(cell["source"], cell["destination"]): cell["bytes"] for cell in cells} == PAIRS


def test_it_is_placed(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Messages between ranks 1 and 2 have to cross, 7 bytes in each direction."""
    answer = printed(capsys, "map", "predict", table, "--shape", "2x2")
    assert answer["found"]["bytes_off_node"] == 14
    assert (answer["messages"], answer["found"]["messages_off_node"]) == (None, None)
    answer = printed(capsys, "map", "predict", table, "--shape", "2x2,1x4")
    assert [machine["found"]["bytes_off_node"] for machine in answer["machines"]] == [14, 0]
    assert main(["map", "predict", str(table), "--shape", "2x2"]) == 0
    assert "messages  " not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["map", "F"], "map predict"),
        (["show", "F"], "show --matrix"),
        (["report", "F"], "show --matrix"),
        (["show", "F", "--matrix", "--of", "messages"], "bytes"),
        (["show", "F", "--matrix", "--by", "node"], "nodes"),
        (["links", "F", "--fabric", "NONE"], "NONE"),
    ],
)
def test_what_it_can_not_tell_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str], words: list[str], cure: str
) -> None:
    assert main([str(table) if word == "F" else word for word in words]) != 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert cure in captured.err


def test_profiles_are_opened_as_before(tmp_path: Path) -> None:
    with opened_messages(write_profile(tmp_path / "run.rankwise")) as opened:
        assert opened.matrix is None
        assert opened.notes() == []
    with pytest.raises(RankwiseError, match="not found"), opened_messages(tmp_path / "missing"):
        pass
