"""Fabrics opened from files, directories and several subnets."""

import gzip
import os
import re
import shutil

import pytest
from recorded_fabrics import FABRICS, assert_same, opened, path_of

from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Source
from rankwise.network.sources.fabric_json.write import write_fabric
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import read_text

LST, FDBS = "ibdiagnet.lst", "ibdiagnet.fdbs"


@pytest.fixture(scope="module")
def small():
    return opened("small-ftree", LST, FDBS).subnets[0]


@pytest.fixture
def rails(tmp_path):
    """Two rails with GUIDs of their own, as real ones have, and the same LIDs and hosts."""
    for rail, digit in (("first", "0"), ("second", "7")):
        (tmp_path / rail).mkdir()
        for name in (LST, FDBS):
            text = read_text(path_of("small-ftree", name)).data.decode()
            (tmp_path / rail / name).write_text(re.sub(r"(?<=[:x])0(?=0{9}[0-9a-f]{6}\b)", digit, text))
    return tmp_path


def test_gzipped_or_not(tmp_path, small):
    for name in (LST, FDBS):
        (tmp_path / name).write_bytes(gzip.compress(path_of("small-ftree", name).read_bytes()))
    fabric = open_fabric([str(tmp_path)])
    assert_same(fabric.subnets[0], small)
    assert fabric.subnets[0].name == ""


def test_names_of_files_do_not_matter(tmp_path, small):
    shutil.copy(path_of("small-ftree", LST), tmp_path / "tables.gz")
    shutil.copy(path_of("small-ftree", FDBS), tmp_path / "links.txt")
    assert_same(open_fabric([str(tmp_path / "links.txt"), str(tmp_path / "tables.gz")]).subnets[0], small)


def test_a_pipe_is_read(small):
    read, write = os.pipe()
    os.write(write, path_of("small-ftree", LST).read_bytes())
    os.close(write)
    try:
        fabric = open_fabric([f"/dev/fd/{read}", str(path_of("small-ftree", FDBS))])
    finally:
        os.close(read)
    assert_same(fabric.subnets[0], small)


def test_other_files_in_a_directory_are_passed_over(tmp_path, small, golden: Golden):
    for name in (LST, FDBS):
        shutil.copy(path_of("small-ftree", name), tmp_path)
    (tmp_path / "osm.log").write_text("ABC 42 -> Entering DISCOVERING state\n")
    (tmp_path / "picture").write_bytes(bytes(range(256)))
    (tmp_path / "old.gz").write_bytes(b"\x1f\x8b\x08damaged")
    os.mkfifo(tmp_path / "pipe")
    fabric = open_fabric([str(tmp_path)])
    assert_same(fabric.subnets[0], small)
    (warning,) = fabric.warnings
    assert "old.gz can't be unpacked" in warning
    golden.says(warning)


def check_rails(fabric, names, small):
    assert [subnet.name for subnet in fabric.subnets] == names
    assert len(fabric.sources) == 2
    for subnet in fabric.subnets:
        assert subnet.ports.hosts == small.ports.hosts
        assert (subnet.forward == small.forward).all()
    assert fabric.subnets[0].switches.guids[0] == 0x200000
    assert fabric.subnets[1].switches.guids[0] == 0x7000000000200000
    assert fabric.warnings == ()


def test_rails_in_directories_of_one(rails, small):
    check_rails(open_fabric([str(rails)]), ["first", "second"], small)


def test_rails_in_two_directories(rails, small):
    check_rails(open_fabric([str(rails / "first"), str(rails / "second")]), ["first", "second"], small)


def test_rails_file_by_file_in_any_order(rails, small):
    files = ["first/ibdiagnet.lst", "second/ibdiagnet.fdbs", "first/ibdiagnet.fdbs", "second/ibdiagnet.lst"]
    check_rails(open_fabric([str(rails / file) for file in files]), ["rail 1", "rail 2"], small)


def test_rails_in_one_directory(rails, small):
    for rail in ("first", "second"):
        for name in (LST, FDBS):
            (rails / rail / name).rename(rails / f"{rail}-{name}")
    check_rails(open_fabric([str(rails)]), ["rail 1", "rail 2"], small)


BOTH = ("opensm.fdbs", "opensm-subnet.lst")


def copied(folder, to):
    to.mkdir(parents=True)
    for name in BOTH:
        shutil.copy(path_of(folder, name), to)
    return to


@pytest.mark.parametrize(
    "more",
    [
        [FABRICS / "small-ftree"],
        [FABRICS / "small-ftree" / name for name in BOTH],
        ["{copy}"],
        ["{copy}/opensm.fdbs"],
        ["{copy}/../fabric.json"],
        ["{copy}/../fabric.json", "{copy}/../fabric.json"],
    ],
)
def test_a_subnet_in_two_places_is_one(tmp_path, small, more):
    copy = copied("small-ftree", tmp_path / "copy")
    write_fabric(opened("small-ftree", LST, FDBS), tmp_path / "fabric.json", force=False)
    fabric = open_fabric([str(FABRICS / "small-ftree"), *(str(path).format(copy=copy) for path in more)])
    (subnet,) = fabric.subnets
    assert_same(subnet, small)
    assert fabric.warnings == ()


def test_a_copy_in_a_directory_within(tmp_path, small):
    for directory in ("", "old"):
        copied("small-ftree", tmp_path / "log" / directory)
    (subnet,) = open_fabric([str(tmp_path / "log")]).subnets
    assert_same(subnet, small)


def test_a_file_is_in_the_sources_once(tmp_path):
    copy = copied("small-ftree", tmp_path / "copy")
    (tmp_path / "latest").symlink_to(copy)
    (source,) = open_fabric([str(path) for path in (copy, copy, tmp_path / "latest", copy / BOTH[0])]).sources
    assert source.what == f"{copy}/opensm-subnet.lst and {copy}/opensm.fdbs"


def test_files_of_two_moments_are_refused(tmp_path, golden: Golden):
    now, old = (
        copied(folder, tmp_path / place)
        for folder, place in (("small-ftree", "now"), ("small-ftree-lmc1", "old"))
    )
    for paths in ([tmp_path], [now, old]):
        with pytest.raises(RankwiseError) as error:
            open_fabric([str(path) for path in paths])
        golden.says(
            error.value,
            f"{old}/opensm-subnet.lst: line 1: .. node0001 HCA-1 .. 2 .. 1 .. {now}/opensm-subnet.lst: ",
        )


def test_a_fabric_json_of_another_moment_is_refused(tmp_path):
    write_fabric(opened("small-ftree-lmc1", LST, FDBS), tmp_path / "old.json", force=False)
    with pytest.raises(RankwiseError) as error:
        open_fabric([str(path_of("small-ftree", name)) for name in BOTH] + [str(tmp_path / "old.json")])
    said = str(error.value)
    assert said.startswith(f"{tmp_path}/old.json")
    assert "GUID 0x0000000000100001 is in " in said
    assert_facts(said, "opensm.fdbs .. LIDs .. GUID")


def test_a_lid_that_a_port_had_in_another_subnet_joins_nothing(rails, small):
    """OpenSM keeps them in guid2lid."""
    shutil.copy(path_of("small-ftree", "guid2lid"), rails / "first")
    with (rails / "first" / "guid2lid").open("a") as file:
        file.write("0x7000000000100001 0x0030 0x0030\n")
    check_rails(open_fabric([str(rails)]), ["first", "second"], small)


def test_what_made_up_guids_stand_for_is_of_one_directory(rails, small):
    """ibdiagnet begins at the same one in each subnet."""
    for rail, digit in (("first", 0), ("second", 7)):
        (rails / rail / "masks").write_text(f"NodeGuid,0xffffffff00000001\t0x{digit}000000000200000\n")
        for name in (LST, FDBS):
            path = rails / rail / name
            path.write_text(
                re.sub(
                    f"(NodeGUID:|Switch 0x){digit}000000000200000", r"\1ffffffff00000001", path.read_text()
                )
            )
    check_rails(open_fabric([str(rails)]), ["first", "second"], small)


def test_warnings_name_the_rail(rails, golden: Golden):
    tables = rails / "second" / FDBS
    tables.write_text("\n\n".join(tables.read_text().split("\n\n")[:5]) + "\n")
    fabric = open_fabric([str(rails)])
    assert all(warning.startswith("second: ") for warning in fabric.warnings)
    golden.says(fabric.warnings[0], "1 .. spine02")


def test_what_a_directory_lacks_is_in_another_file(tmp_path, small):
    shutil.copy(path_of("small-ftree", LST), tmp_path)
    fabric = open_fabric([str(tmp_path), str(path_of("small-ftree", FDBS))])
    assert_same(fabric.subnets[0], small)


def test_sources_name_what_is_taken_and_what_agrees():
    (source,) = open_fabric([str(FABRICS / "small-ftree")]).sources
    assert source.kind == "ibdiagnet"
    taken, _, agree = source.what.partition("; in agreement with ")
    assert [re.sub(".*/", "", path) for path in taken.split(" and ")] == [LST, FDBS]
    assert len(agree.split(", ")) == 9


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ([FDBS], "ibdiagnet.fdbs .. ibdiagnet.lst"),
        (["guid2lid"], "guid2lid .. LIDs"),
        (["../README.md", LST, FDBS], "README.md"),
        (["no-such-file"], "cannot read"),
        (["x" * 5000], "File name too long"),
    ],
)
def test_what_is_missing(files, complaint, golden: Golden):
    with pytest.raises(RankwiseError) as error:
        open_fabric([str(FABRICS / "small-ftree" / file) for file in files])
    golden.says(error.value, complaint)


def test_a_directory_without_a_fabric(tmp_path, golden: Golden):
    (tmp_path / "note").write_text("nothing\n")
    with pytest.raises(RankwiseError) as error:
        open_fabric([str(tmp_path)])
    golden.says(error.value)


def test_words_tell_what_to_make(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fabric = open_fabric(["torus:4x4", str(FABRICS / "small-ftree")])
    assert [subnet.name for subnet in fabric.subnets] == ["rail 1", "small-ftree"]
    assert fabric.sources[0] == Source("generator", "torus:4x4")
    assert len(fabric.subnets[0].switches.names) == 16
    with pytest.raises(RankwiseError, match="torus:4x-4"):
        open_fabric(["torus:4x-4"])
