"""Files that are read in bulk, in pieces or at once: nothing differs from reading them line by line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from fabrics_made import at_random
from recorded_fabrics import FOLDERS, SOURCES, assert_same, opened, path_of

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.routes.all_to_all import all_to_all
from rankwise.network.routes.walk import link_loads
from rankwise.network.sources import text
from rankwise.network.sources.found import FabricFiles
from rankwise.network.sources.infiniband import ibnetdiscover, lfts
from rankwise.network.sources.infiniband.listed import ListedCables
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import TextFile, read_text

LINKS, TABLES = SOURCES["infiniband-diags"]


def line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ibnetdiscover, "_read_at_once", lambda _: None)


@pytest.mark.parametrize("folder", FOLDERS)
def test_cables_are_the_same_as_line_by_line(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = read_text(path_of(folder, LINKS))
    at_once = ibnetdiscover.read_ibnetdiscover(file)
    fabric = opened(folder, LINKS, TABLES)
    assert isinstance(at_once.cables, ListedCables)
    line_by_line(monkeypatch)
    one_by_one = ibnetdiscover.read_ibnetdiscover(file)
    assert list(at_once.cables) == list(one_by_one.cables)
    assert at_once.port_counts == one_by_one.port_counts
    assert set(at_once.guids()) == set(one_by_one.guids())
    assert_same(fabric.subnets[0], opened(folder, LINKS, TABLES).subnets[0])


@pytest.mark.parametrize("other", ["ibdiagnet.lst", "ibnetdiscover-p.txt", "opensm-subnet.lst"])
def test_other_files_complete_cables_that_were_read_at_once(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = LINKS, other, TABLES
    at_once = opened("small-ftree", *files)
    line_by_line(monkeypatch)
    assert_same(at_once.subnets[0], opened("small-ftree", *files).subnets[0])


CHANGES = {
    "a LID": (" lid 19 4x", " lid 18 4x"),
    "a name": ('"node0013 HCA-1" lid', '"node0099 HCA-1" lid'),
    "a far port": ('"S-0000000000200004"[7]', '"S-0000000000200004"[8]'),
    "a rate": ("lid 7 4xSDR", "lid 7 4xQDR"),
    "another width": ("lid 7 4xSDR", "lid 7 1xSDR"),
    "an unknown rate": ("lid 19 4xSDR", "lid 19 4x???"),
    "a port that is out of range": ("[1]\t", "[255]\t"),
    "a port twice": ("[2]\t", "[1]\t"),
    "a line less": ('[5]\t"S-0000000000200004"[7]\t\t# "spine01" lid 7 4xSDR\n', ""),
    "a comment": ("[5]\t", "# a remark\n[5]\t"),
    "a blank at the end": ("lid 7 4xSDR", "lid 7 4xSDR "),
    "a complaint": ("[5]\t", "ibwarn: [1] no answer\n[5]\t"),
    "Windows' ends of lines": ("\n", "\r\n"),
    "half a line": ("lid 7 4xSDR", "lid 7"),
    "no device": ('Switch\t8 "S-0000000000200003"', "#"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changed_files_are_read_or_refused_alike(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = CHANGES[case]
    content = path_of("small-ftree", LINKS).read_text()
    assert before in content
    path = tmp_path / "links"
    path.write_bytes(content.replace(before, after, -1 if before == "\n" else 1).encode())
    files = [str(path), str(path_of("small-ftree", TABLES))]

    def result() -> object:
        try:
            return open_fabric(files)
        except RankwiseError as error:
            return str(error)

    at_once = result()
    line_by_line(monkeypatch)
    slowly = result()
    if isinstance(at_once, str) or isinstance(slowly, str):
        assert at_once == slowly
    else:
        assert_same(at_once.subnets[0], slowly.subnets[0])  # type: ignore[attr-defined]
        assert at_once.warnings == slowly.warnings  # type: ignore[attr-defined]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("piece", [100, 1000, 5000])
@pytest.mark.parametrize("name", ["dump_lfts.txt", "opensm.fdbs", "ibdiagnet.fdbs", "opensm-lfts.dump"])
def test_tables_are_the_same_in_pieces(
    name: str, piece: int, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = opened("dual-ftree", "ibdiagnet.lst", name)
    data = path_of("dual-ftree", name).read_bytes()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if packed else data)
    monkeypatch.setattr(text, "_PIECE", piece)
    monkeypatch.setattr(text, "_AT_ONCE", 0)
    monkeypatch.setattr(text, "_AT_ONCE_PACKED", 0)
    file = read_text(path)
    assert file.content is None
    assert b"".join(file.pieces()) == data
    with monkeypatch.context() as limited:
        limited.setattr(text, "MOST_BYTES", len(data) - 1)  # of a file that is read as a whole
        FabricFiles().add(str(path))
    in_pieces = open_fabric([str(path_of("dual-ftree", "ibdiagnet.lst")), str(path)])
    assert_same(whole.subnets[0], in_pieces.subnets[0])
    assert in_pieces.warnings == whole.warnings


def table(switch: int, rows: list[str]) -> str:
    head = f"Unicast lids [0x0-0x20] of switch Lid {switch} guid 0x{switch:016x} (s{switch}):\n"
    return head + "".join(f"{row}\n" for row in rows) + f"{len(rows)} valid lids dumped\n"


def test_tables_may_have_different_lids_and_lengths() -> None:
    several = {
        1: [(1, 0), (2, 1), (3, 2)],
        2: [(1, 7), (2, 0), (3, 2)],
        3: [(1, 7), (3, 0)],
        4: [(1, 7), (2, 1), (3, 2), (4, 0)],
        5: [(1, 6), (2, 1), (3, 2), (4, 3)],
        6: [(1, 6), (2, 1), (3, 2), (5, 3)],
    }
    content = "".join(
        table(switch, [f"0x{lid:04x} {port:03d} : (x)" for lid, port in rows])
        for switch, rows in several.items()
    )
    tables = lfts.read_lfts(TextFile("tables", content.encode())).tables
    for switch, rows in several.items():
        found = zip(tables[switch].lids.tolist(), tables[switch].ports.tolist(), strict=True)
        assert list(found) == rows


FAULTS = {
    "no port": ("0x0002 0a1 : (x)", "line 13"),
    "a port out of range": ("0x0002 256 : (x)", "line 13 .. 254"),
    "a LID twice": ("0x0001 001 : (x)", "line 13 .. 0x0001"),
    "a group's LID": ("0xc000 001 : (x)", "line 13 .. 0xbfff"),
    "LID 0": ("0x0000 001 : (x)", "line 13 .. LID 0"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_in_a_table_like_the_one_before_is_found(case: str, golden: Golden) -> None:
    row, facts = FAULTS[case]
    rows = ["0x0001 001 : (x)", "0x0002 002 : (x)", "0x0003 003 : (x)"]
    content = table(1, rows) + table(2, rows) + table(3, [rows[0], row, rows[2]]) + table(4, rows)
    with pytest.raises(RankwiseError) as error:
        lfts.read_lfts(TextFile("tables", content.encode()))
    golden.says(error.value, facts)


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_all_to_all_is_the_sum_over_all_pairs(seed: int, split: bool) -> None:
    subnet = at_random(seed, split=split, broken=seed % 2 == 1)
    ports = len(subnet.ports.hosts)
    source, destination = np.divmod(np.arange(ports**2), ports)
    expected = link_loads(subnet, source, destination, np.ones(len(source)))
    np.testing.assert_allclose(all_to_all(subnet, np.arange(ports)).loads, expected, atol=1e-9)
