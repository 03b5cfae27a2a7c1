"""Files that were cut off between two lines: what is missing is said first, or the files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from infiniband_made import two_leaves
from recorded_fabrics import path_of

from golden import Golden
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import read_text

MADE = two_leaves("n1 mlx5_0", "n2 mlx5_0", "n3 mlx5_0", "n4 mlx5_0", "n5 mlx5_0")


def written(folder: Path, links: str, tables: str = "") -> str:
    (folder / "links").write_text(links)
    if tables:
        (folder / "tables").write_text(tables)
    return str(folder)


def test_tables_of_which_most_are_missing_are_refused(tmp_path: Path, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        open_fabric([written(tmp_path, MADE.links(), MADE.tables("leaf2"))])
    golden.says(error.value, "tables .. n1 to n2 .. 2 .. leaf1")


def test_a_switch_without_a_table_is_said_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 12 pairs 6 go over the spine: with half of the bytes on links, it is not told what limits."""
    made = two_leaves(*(f"n{n} mlx5_0" for n in range(4)))
    written(tmp_path, made.links(), made.tables("leaf1", "leaf2"))
    monkeypatch.chdir(tmp_path)
    assert main(["links", "--fabric", ".", "--all-to-all", "1M"]) == 0
    said = capsys.readouterr().out
    first = said[: said.index("\n\n")]
    golden.says(first, "1 .. spine")
    golden.says(said[len(first) :].strip().split("\n\n")[0], "unknown: only 50.0 %")


def test_hosts_that_links_lack_and_tables_have(tmp_path: Path, golden: Golden) -> None:
    """The links of the last host are missing, and the tables show it: 1 LID of 8."""
    fewer = two_leaves(*(f"n{n} mlx5_0" for n in range(4)))
    fabric = open_fabric([written(tmp_path, fewer.links(), MADE.tables())])
    assert len(fabric.subnets[0].ports.hosts) == 4
    [gap] = fabric.gaps
    golden.says(gap, "1 .. 8")


@pytest.mark.parametrize("name", ["opensm-subnet.lst", "ibnetdiscover.txt", "ibnetdiscover-p.txt"])
def test_links_that_only_one_end_tells(tmp_path: Path, name: str, golden: Golden) -> None:
    """These tools tell each link from both ends; half a file has many of them from one."""
    lines = read_text(path_of("small-ftree", name)).lines
    fabric = open_fabric([written(tmp_path, "\n".join(lines[: len(lines) // 2]) + "\n")])
    golden.says(fabric.gaps[0], "links .. line")
    whole = open_fabric([str(path_of("small-ftree", name))])
    assert not whole.gaps


def test_whole_files_have_no_gaps() -> None:
    for folder in ("small-ftree", "dual-ftree", "medium-ftree-lmc1"):
        assert not open_fabric([str(path_of(folder, "opensm.fdbs").parent)]).gaps
