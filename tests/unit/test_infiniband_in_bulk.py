"""Files that are read in bulk, in pieces or at once: nothing differs from reading them line by line."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

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
from rankwise.network.sources.infiniband.listing import Listing
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import TextFile, read_text

LINKS, TABLES = SOURCES["infiniband-diags"]


def line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Listing, "read", lambda _, place, line: (place, line))


@pytest.mark.parametrize("folder", FOLDERS)
def test_cables_are_the_same_as_line_by_line(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = read_text(path_of(folder, LINKS))
    at_once = ibnetdiscover.read_ibnetdiscover(file)
    fabric = opened(folder, LINKS, TABLES)
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
    changed = content.replace(before, after, -1 if before == "\n" else 1).encode()
    assert_read_alike(changed, tmp_path / "links", monkeypatch)


PIECES = (*b'\n "[]#\t\r\xff09afSHR', b"\n\n", b"0x", b'" lid ', b" lmc 3", b"[255]", b"[ext 4]", b" (scp)")


@pytest.mark.parametrize("seed", range(60))
def test_damaged_files_are_read_or_refused_alike(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    content = path_of("small-ftree", LINKS).read_bytes()
    for _ in range(random.choice((1, 1, 2, 5))):
        place = random.randrange(len(content))
        piece = random.choice(PIECES)
        inserted = bytes([piece]) if isinstance(piece, int) else piece
        content = content[:place] + inserted + content[place + random.choice((0, 1, 1, 3, 30)) :]
    assert_read_alike(content, tmp_path / "links", monkeypatch)


def assert_read_alike(content: bytes, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(content)
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
    assert b"".join(map(bytes, file.pieces())) == data
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


def test_paragraphs_of_an_unusual_form_are_between_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ports of an adapter with an extended number, and of one whose facts come late."""
    content = path_of("small-ftree", LINKS).read_bytes()
    paragraphs = content.split(b"\n\n")
    paragraphs[2] = paragraphs[2].replace(b"[1]", b"[1][ext 1]", 1)
    first, *rest = paragraphs[3].split(b"\n[")
    paragraphs[3] = b"\n[".join([first, rest[0] + b"\nsysimgguid=0x77", *rest[1:]])
    file = TextFile("links", b"\n\n".join(paragraphs))
    in_bulk: list[int] = []
    read = Listing.read

    def counted(listing: Listing, place: int, line: int) -> tuple[int, int]:
        before = len(listing)
        behind = read(listing, place, line)
        in_bulk.append(len(listing) - before)
        return behind

    monkeypatch.setattr(Listing, "read", counted)
    mixed = ibnetdiscover.read_ibnetdiscover(file).cables
    line_by_line(monkeypatch)
    assert list(mixed) == list(ibnetdiscover.read_ibnetdiscover(file).cables)
    assert any(cable.near.system == 0x77 for cable in mixed)
    assert 0 < sum(in_bulk) < len(mixed)


def test_facts_about_a_device_may_change_at_each_port() -> None:
    content = 'Switch\t3 "S-0000000000200003"\t\t# "leaf04" base port 0 lid 6 lmc 0\n' + "".join(
        f'sysimgguid=0x{port}\n[{port}]\t"H-000000000010001{port}"[1](1{port})\t# "n{port}" lid 7 4xSDR\n'
        for port in (1, 2, 3)
    )
    cables = ibnetdiscover.read_ibnetdiscover(TextFile("links", content.encode())).cables
    assert [cable.near.system for cable in cables] == [1, 2, 3]


def test_of_several_wrong_files_the_first_is_named(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    content = path_of("small-ftree", LINKS).read_bytes()
    small.write_bytes(content + b"[")
    large.write_bytes(content + b"# a remark\n" * 1000 + b"[")
    for paths in ([small, large], [large, small], [large, tmp_path / "none"]):
        with pytest.raises(RankwiseError, match=f"^{paths[0]}: line "):
            open_fabric([str(path) for path in paths])


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_all_to_all_is_the_sum_over_all_pairs(seed: int, split: bool) -> None:
    subnet = at_random(seed, split=split, broken=seed % 2 == 1)
    ports = len(subnet.ports.hosts)
    source, destination = np.divmod(np.arange(ports**2), ports)
    expected = link_loads(subnet, source, destination, np.ones(len(source)))
    np.testing.assert_allclose(all_to_all(subnet, np.arange(ports)).loads, expected, atol=1e-9)
