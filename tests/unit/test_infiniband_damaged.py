"""Files of InfiniBand that are malformed, cut off, mixed up or hostile: one line that names file and line."""

import gzip
import random
import re

import pytest
from recorded_fabrics import path_of

from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.network.sources.infiniband import join
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import read_text

PAIRS = [
    ("ibdiagnet.lst", "ibdiagnet.fdbs"),
    ("opensm-subnet.lst", "opensm.fdbs"),
    ("opensm-subnet.lst", "opensm-lfts.dump"),
    ("ibnetdiscover.txt", "dump_lfts.txt"),
    ("ibnetdiscover-p.txt", "opensm.fdbs"),
    ("ibdiagnet.lst", "ibdiagnet.fdbs", "guid2lid"),
]
FOLDERS = ["small-ftree", "small-ftree-lmc1", "dual-ftree"]


def data_of(name, folder="small-ftree"):
    return read_text(path_of(folder, name)).data


def opened_of(tmp_path, files):
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return open_fabric([str(tmp_path / name) for name in files])


def complaint(tmp_path, name, change, pair=("ibdiagnet.lst", "ibdiagnet.fdbs")):
    files = {file: data_of(file) for file in pair}
    changed = change(files[name].decode())
    assert changed.encode() != files[name]
    with pytest.raises(RankwiseError) as error:
        opened_of(tmp_path, files | {name: changed.encode()})
    return str(error.value).removeprefix(f"{tmp_path}/")


LINE_3 = {  # of a file, what to change, what is said then
    "cut": ("ibdiagnet.lst", "LOG=ACT", "LO", "line 3: is not a link, or only a part of one"),
    "no hexadecimal": ("ibdiagnet.lst", "LID:0002", "LID:00G2", "line 3: is not a link"),
    "a group's LID": ("ibdiagnet.lst", "LID:0002", "LID:C002", "line 3: LID 0xc002 is above the maximum"),
    "port 0": ("ibdiagnet.lst", "PN:03", "PN:00", "line 3: port 0 is not between 1 and 254"),
    "port 255": ("ibdiagnet.lst", "PN:03", "PN:FF", "line 3: port 255 is not between 1 and 254"),
    "two cables": ("ibdiagnet.lst", "PN:03", "PN:02", "line 3: port 2 of leaf01 has another cable already"),
    "another LID": ("ibdiagnet.lst", "LID:0002", "LID:0004", "line 3: the LID of leaf01 is 4, but 2 in"),
    "another name": (
        "ibdiagnet.lst",
        "leaf01",
        "leaf99",
        "line 3: the description of leaf01 is 'leaf99', but",
    ),
    "a row's LID": ("ibdiagnet.fdbs", "0x0001", "0xC001", "line 3: its LID is above the maximum 0xbfff"),
    "a row's port": ("ibdiagnet.fdbs", ": 001", ": 256", "line 3: its port is above 254"),
    "no port": ("ibdiagnet.fdbs", ": 001", ": a01", "line 3: is not a row of a forwarding table"),
    "LID 0": ("ibdiagnet.fdbs", "0x0001", "0x0000", "line 3: LID 0 is not a valid LID of a port"),
}


@pytest.mark.parametrize("case", LINE_3)
def test_a_wrong_line_is_named(tmp_path, case):
    name, old, new, said = LINE_3[case]

    def change(text):
        lines = text.splitlines()
        lines[2] = lines[2].replace(old, new, 1)
        return "\n".join(lines) + "\n"

    assert f"{name}: {said}" in complaint(tmp_path, name, change)


OF_TWO_MOMENTS = "; the files were not taken at the same time"


@pytest.mark.parametrize(("links", "tables"), PAIRS[:4])
def test_a_port_that_the_switch_has_not(tmp_path, links, tables):
    way = r"(0x0009 (?:: )?)007"
    said = complaint(tmp_path, tables, lambda text: re.sub(way, r"\g<1>099", text, count=1), (links, tables))
    assert re.fullmatch(
        rf"{tables}: line \d+: the table of \w+, which begins here, has port 99 for LID 0x0009; "
        "the switch has 8 ports",
        said,
    )


@pytest.mark.parametrize(("links", "tables"), PAIRS[:4])
@pytest.mark.parametrize("folders", [FOLDERS[:2], FOLDERS[1::-1]])
def test_tables_that_send_on_what_is_for_their_switch(tmp_path, links, tables, folders):
    with pytest.raises(RankwiseError) as error:
        opened_of(tmp_path, {links: data_of(links, folders[0]), tables: data_of(tables, folders[1])})
    assert re.fullmatch(
        rf"{tmp_path}/{tables}: line \d+: .*\bport \d\b.*\bLID 0x\w+\b.* "
        rf"{tmp_path}/{links}: line \d+{OF_TWO_MOMENTS}",
        str(error.value),
    )


def test_tables_by_which_no_host_reaches_any_other(tmp_path):
    """All LIDs are others, as after another subnet manager has taken over."""

    def change(text):
        return re.sub("^0x00", "0x01", text, flags=re.MULTILINE)

    said = complaint(tmp_path, "ibdiagnet.fdbs", change)
    assert said.startswith(f"ibdiagnet.lst and {tmp_path}/ibdiagnet.fdbs: ")
    assert_facts(said, "node0001 to node0002 .. LIDs")
    assert said.endswith(OF_TWO_MOMENTS.removeprefix("; "))


def test_some_hosts_that_others_do_not_reach_are_counted(tmp_path, golden: Golden):
    text = data_of("ibdiagnet.fdbs").decode()
    files = {"links": data_of("ibdiagnet.lst"), "tables": text.replace("0x0001 : ", "0x0101 : ").encode()}
    gap, warning = opened_of(tmp_path, files).warnings
    golden.says(warning, "15 .. 240 .. node0002 .. node0001")
    golden.says(gap, "1 .. 257")


def test_a_lid_that_is_there_twice(tmp_path, golden: Golden):
    said = complaint(tmp_path, "ibdiagnet.fdbs", lambda text: text.replace("0x0002", "0x0001", 1))
    golden.says(said, "ibdiagnet.fdbs .. 4 .. LID 0x0001")


def test_a_switch_that_is_there_twice(tmp_path):
    said = complaint(tmp_path, "ibdiagnet.fdbs", lambda text: text + text)
    assert said.startswith("ibdiagnet.fdbs: line ")
    assert said.endswith("switch 0x0000000000200000 was already given in line 1")


def test_rows_without_a_switch(tmp_path, golden: Golden):
    text = "#\n0x0001 : 001  : 00   : yes\nosm_ucast_mgr_dump_ucast_routes: Switch 0x0000000000200000\n"
    (tmp_path / "tables").write_text(text)
    with pytest.raises(RankwiseError) as error:
        open_fabric([str(tmp_path / "tables")])
    golden.says(error.value)
    text = text.replace("#\n", "").replace("osm", "0x0002 : 001  : 00   : yes\nosm")
    said = complaint(tmp_path, "ibdiagnet.fdbs", lambda content: content.split("\n")[0] + "x\n" + content)
    golden.says(said, "1")


def test_lost_rows_of_dump_lfts_are_missed(tmp_path):
    pair = ("ibnetdiscover.txt", "dump_lfts.txt")
    said = complaint(tmp_path, "dump_lfts.txt", lambda text: re.sub(r"0x0005 .*\n", "", text, count=1), pair)
    assert "expected 22 rows above, found 21" in said
    assert re.search(r"line \d+", said)


@pytest.mark.parametrize("name", ["dump_lfts.txt", "opensm-lfts.dump"])
def test_tables_without_an_end_are_cut_off(tmp_path, name, golden: Golden):
    pair = ("opensm-subnet.lst", name)
    said = complaint(tmp_path, name, lambda text: text.rpartition("0x0016")[0], pair)
    golden.says(re.sub(r"line \d+", "line N", said), "line N: ")


def test_files_of_different_moments(tmp_path, golden: Golden):
    files = {"a.lst": data_of("ibdiagnet.lst"), "a.fdbs": data_of("ibdiagnet.fdbs")}
    other = data_of("opensm.fdbs").replace(b"0x0005 : 002", b"0x0005 : 003", 1)
    with pytest.raises(RankwiseError) as error:
        opened_of(tmp_path, files | {"b.fdbs": other})
    golden.says(str(error.value), "b.fdbs .. 1 .. 0x0000000000200000 .. 3 .. LID 0x0005")
    assert "but port 2 in" in str(error.value)


def test_files_of_different_subnets_with_the_same_guids(tmp_path):
    files = {"a.lst": data_of("ibdiagnet.lst"), "b.lst": data_of("ibdiagnet.lst", "dual-ftree")}
    with pytest.raises(RankwiseError, match=r"b\.lst: line \d+: .*/a\.lst: line \d+"):
        opened_of(tmp_path, files | {"a.fdbs": data_of("ibdiagnet.fdbs")})


def test_a_gzip_file_that_is_cut_off(tmp_path, golden: Golden):
    packed = gzip.compress(data_of("ibdiagnet.lst"))[:-20]
    with pytest.raises(RankwiseError) as error:
        opened_of(tmp_path, {"a.lst": packed})
    golden.says(error.value, "a.lst")


def test_hostile_lines_are_refused(tmp_path):
    long = data_of("ibdiagnet.lst").replace(b"{leaf01}", b"{" + b"x" * 5000 + b"}", 1)
    with pytest.raises(RankwiseError, match="line 1: is longer than 4096 characters"):
        opened_of(tmp_path, {"a.lst": long})
    escapes = data_of("ibdiagnet.lst").replace(b"{leaf01}", b"{\x1b[31m\xe2\x80\xae}")
    fabric = opened_of(tmp_path, {"a.lst": escapes, "a.fdbs": data_of("ibdiagnet.fdbs")})
    assert "?[31m?" in fabric.subnets[0].switches.names


def test_many_switches_are_no_reason_to_take_all_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(join, "_LARGEST_TABLES", 4 << 20)
    line = data_of("ibdiagnet.lst").splitlines()[0].decode()
    lines = [
        line.replace("NodeGUID:0000000000200000", f"NodeGUID:{0xA00000 + number:016X}")
        .replace("PortGUID:0000000000200000", f"PortGUID:{0xA00000 + number:016X}")
        .replace("NodeGUID:0000000000100000", f"NodeGUID:{0xB00000 + number:016X}")
        .replace("PortGUID:0000000000100001", f"PortGUID:{0xB00000 + number:016X}")
        .replace("LID:0001", "LID:0000")
        .replace("LID:0002", "LID:0000")
        for number in range(45)
    ]
    tables = "dump_ucast_routes: Switch 0x0000000000a00000\n0xBFFF : 001  : 00   : yes\n"
    files = {"a.lst": ("\n".join(lines) + "\n").encode(), "a.fdbs": tables.encode()}
    with pytest.raises(RankwiseError, match=r"the tables of 45 switches would take 4\.22 MiB"):
        opened_of(tmp_path, files)


def damaged(data, chance):
    """Return the data cut off, with bytes or digits changed, or a part missing or doubled."""
    kind = chance.randrange(6)
    changed = bytearray(data)
    place, other = chance.randrange(len(data)), chance.randrange(len(data))
    size = chance.randrange(1, 400)
    if kind == 0:
        del changed[place:]
    elif kind == 1:
        changed[place], changed[other] = changed[other], changed[place]
    elif kind == 2:
        changed[place] = chance.randrange(256)
    elif kind == 3:
        del changed[place : place + size]
    elif kind == 4:
        changed[place:place] = data[other : other + size]
    else:
        digits = [at for at, byte in enumerate(data) if chr(byte) in "0123456789abcdefABCDEF"]
        for at in chance.choices(digits, k=3):
            changed[at] = ord(chance.choice("0123456789abcdef"))
    packed = gzip.compress(bytes(changed))
    return packed[: chance.randrange(1, len(packed))] if chance.random() < 0.1 else bytes(changed)


@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_whatever_is_damaged_ends_in_one_line_or_in_a_fabric(tmp_path, pair):
    chance = random.Random(" ".join(pair))
    said = set()
    for _ in range(60):
        folder = chance.choice(FOLDERS)
        files = {name: data_of(name, folder) for name in pair}
        name = chance.choice(pair)
        files[name] = damaged(files[name], chance)
        try:
            opened_of(tmp_path, files)
        except RankwiseError as error:
            said.add(str(error))
    assert all("\n" not in line and str(tmp_path) in line for line in said)
    assert len([line for line in said if re.search(r": line \d+: ", line)]) > 10
