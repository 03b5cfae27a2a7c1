"""Files for launchers: the expected text is known by construction, and permutations are read back from it."""

from __future__ import annotations

import csv
import json
import random
import re
import shlex
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.launchers.binding import Binding
from rankwise.placement.files import LAUNCHERS, Written, check_output, write_all

PROGRAM = ("./app", "an argument")
CORES_OF_PACKAGE = 2


def binding(rank: int, host: str, core: int) -> Binding:
    """On a node with packages of two cores, whose processors the kernel numbers from 8 downwards."""
    return Binding(rank, host, core // CORES_OF_PACKAGE, core, core % CORES_OF_PACKAGE, 8 - core)


# Hosts are split; the first and second rank of each have the same cores on either; b has one rank more.
SPLIT = [binding(0, "b", 3), binding(1, "a", 3), binding(2, "b", 0), binding(3, "a", 0), binding(4, "b", 1)]
WHOLE = [binding(0, "b", 3), binding(1, "b", 0), binding(2, "a", 1), binding(3, "a", 2)]
UNKNOWN = [Binding(0, "b"), Binding(1, "a"), Binding(2, "b")]


def write(bindings: list[Binding], directory: Path) -> dict[str, Written]:
    """The files by their names; each has on disk what it says."""
    written = write_all(bindings, directory, PROGRAM)
    assert len(written) == len({file for files in LAUNCHERS.values() for file in files}) + 2
    assert sorted(directory.iterdir()) == sorted(file.path for file in written)
    assert all(file.path.read_text() == file.text for file in written)
    return {file.path.name: file for file in written}


def test_rankfiles(tmp_path: Path) -> None:
    files = write(SPLIT, tmp_path)
    four, five = files["openmpi4.ranks"], files["openmpi5.ranks"]
    expected = ["rank 0=b slot=1:1", "rank 1=a slot=1:1", "rank 2=b slot=0:0", "rank 3=a slot=0:0"]
    assert four.text.splitlines() == [*expected, "rank 4=b slot=0:1"]
    assert five.text == four.text
    assert four.command_line == f"mpirun -np 5 --rankfile {four.path} ./app 'an argument'"
    assert five.command_line == (
        f"mpirun -np 5 --hostfile {tmp_path}/openmpi.hosts --map-by rankfile:file={five.path}"
        " ./app 'an argument'"
    )


def test_a_rankfile_where_packages_are_not_known(tmp_path: Path) -> None:
    files = write([Binding(0, "a", core=5), Binding(1, "a", core=2)], tmp_path)
    assert files["openmpi4.ranks"].text == "rank 0=a slot=5\nrank 1=a slot=2\n"


def test_sequential(tmp_path: Path) -> None:
    written = write(SPLIT, tmp_path)["openmpi.hosts"]
    assert written.text == "b\na\nb\na\nb\n"
    assert written.words == (
        "mpirun", "-np", "5", "--hostfile", str(written.path), "--map-by", "seq", *PROGRAM
    )  # fmt: skip


def test_mpich(tmp_path: Path) -> None:
    written = write(WHOLE, tmp_path)["mpich.hosts"]
    assert written.text == "b:2\na:2\n"
    assert written.words == ("mpiexec", "-f", str(written.path), "-n", "4", *PROGRAM)
    assert "differ" in written.note


def test_mpich_with_split_hosts_names_each_host_once(tmp_path: Path) -> None:
    written = write(SPLIT, tmp_path)["mpich.hosts"]
    assert written.text == "b:3\na:2\n"
    assert written.words[3:7] == ("-rankmap", "0,1,0,1,0", "-bind-to", "user:5,8,7")
    assert "4.1" in written.note


def test_mpich_with_more_than_a_command_can_hold(tmp_path: Path) -> None:
    written = write([Binding(rank, f"n{rank % 2}") for rank in range(70_000)], tmp_path)["mpich.hosts"]
    assert written.words == ()
    assert "exceeds the length of a command-line argument" in written.note


def test_intel(tmp_path: Path) -> None:
    written = write(SPLIT, tmp_path)["intel.machines"]
    assert written.text == "b:1\na:1\nb:1\na:1\nb:1\n"
    assert written.words[3:6] == ("-genv", "I_MPI_PIN", "1")
    assert written.words[6:9] == ("-genv", "I_MPI_PIN_PROCESSOR_LIST", "5,8,7")
    assert written.note == ""


def test_slurm(tmp_path: Path) -> None:
    written = write(SPLIT, tmp_path)["slurm.hosts"]
    assert written.text == "b\na\nb\na\nb\n"
    assert written.command_line == (
        f"SLURM_HOSTFILE={written.path} srun -n 5 --distribution=arbitrary --cpu-bind=map_cpu:5,8,7"
        " ./app 'an argument'"
    )


@pytest.mark.parametrize(("bindings", "why"), [(WHOLE, "differ"), (UNKNOWN, "cores are unknown")])
def test_processors_that_one_list_can_not_tell(bindings: list[Binding], why: str, tmp_path: Path) -> None:
    files = write(bindings, tmp_path)
    for name, option in {
        "slurm.hosts": "--cpu-bind",
        "intel.machines": "PROCESSOR_LIST",
        "mpich.hosts": "-bind-to",
    }.items():
        assert option not in files[name].command_line
        assert why in files[name].note


def test_cray_has_a_line_a_node_in_the_order_of_names_and_cores(tmp_path: Path) -> None:
    bindings = [
        binding(0, "n10", 2),
        binding(1, "n9", 3),
        binding(2, "n10", 0),
        binding(3, "n10", 1),
        binding(4, "n9", 1),
    ]
    written = write(bindings, tmp_path)["MPICH_RANK_ORDER"]
    assert written.text == "4,1\n2-3,0\n"
    assert written.words == ("srun", "-N", "2", "-n", "5", "-w", "n9,n10", "--distribution=block", *PROGRAM)
    assert "as many ranks per node as the file has per line" in written.note
    assert dict(written.environment) == {
        "MPICH_RANK_REORDER_METHOD": "3",
        "MPICH_RANK_REORDER_FILE": str(written.path),
    }


def test_flux_and_lsf(tmp_path: Path) -> None:
    files = write(SPLIT, tmp_path)
    flux, lsf = files["flux.hosts"], files["lsf.hosts"]
    assert flux.text == "b\na\nb\na\nb\n"
    assert flux.words[:6] == ("flux", "run", "-N", "2", "-n", "5")
    assert flux.words[6:8] == ("--requires=host:b,a", f"--taskmap=hostfile:{flux.path}")
    assert lsf.text == "b 1\na 1\nb 1\na 1\nb 1\n"
    assert lsf.words == ("bsub", "-hostfile", str(lsf.path), *PROGRAM)


def test_tables(tmp_path: Path) -> None:
    files = write([binding(1, "a", 3), Binding(0, "b")], tmp_path)
    rows = list(csv.DictReader(files["placement.csv"].text.splitlines()))
    assert [list(row.values()) for row in rows] == [
        ["0", "b", "", "", "", ""],
        ["1", "a", "1", "3", "1", "5"],
    ]
    first, second = json.loads(files["placement.json"].text)
    assert first == dict.fromkeys(first) | {"rank": 0, "host": "b"}
    assert second == {"rank": 1, "host": "a", "package": 1, "core": 3, "core_of_package": 1, "cpu": 5}
    assert files["placement.csv"].command_line == ""


@pytest.mark.parametrize("name", ["openmpi4.ranks", "openmpi5.ranks"])
def test_no_rankfile_without_cores(name: str, tmp_path: Path) -> None:
    written = write(UNKNOWN, tmp_path)[name]
    assert written.text == "b\na\nb\n"
    assert written.words[3:7] == ("--hostfile", str(written.path), "--map-by", "seq")
    assert "cores are unknown" in written.note


def ranks_of_slots(text: str) -> list[int]:
    """Cray's file, expanded."""
    ranks = []
    for entry in text.replace("\n", ",").rstrip(",").split(","):
        first, _, last = entry.partition("-")
        ranks += range(int(first), int(last or first) + 1)
    return ranks


@pytest.mark.parametrize("seed", range(20))
def test_rank_to_slot_and_slot_to_rank_are_inverse(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    # Slots in the order of a launch in blocks: nodes with unequal numbers of cores.
    slots = [
        (f"n{node}", core) for node in range(chance.randint(1, 12)) for core in range(chance.randint(1, 5))
    ]
    slot = list(range(len(slots)))
    chance.shuffle(slot)
    bindings = [binding(rank, *slots[place]) for rank, place in enumerate(slot)]
    chance.shuffle(bindings)
    files = write(bindings, tmp_path)
    entries = re.findall(r"rank (\d+)=(\S+) slot=(\d+):(\d+)\n", files["openmpi4.ranks"].text)
    forward = [
        slots.index((host, int(package) * CORES_OF_PACKAGE + int(core))) for _, host, package, core in entries
    ]
    backward = ranks_of_slots(files["MPICH_RANK_ORDER"].text)
    assert [int(rank) for rank, *_ in entries] == list(range(len(slots)))
    assert forward == slot
    assert [backward[place] for place in forward] == list(range(len(slots)))
    assert [forward[rank] for rank in backward] == list(range(len(slots)))

    # All others that know hosts alone know the same ones.
    hosts = [slots[place][0] for place in slot]
    for name in ("openmpi.hosts", "slurm.hosts", "flux.hosts"):
        assert files[name].text.split() == hosts
    for name in ("intel.machines", "lsf.hosts"):
        runs = [re.split("[: ]", line) for line in files[name].text.splitlines()]
        assert [host for host, count in runs for _ in range(int(count))] == hosts
    mpich = [line.split(":") for line in files["mpich.hosts"].text.splitlines()]
    assert len({host for host, _ in mpich}) == len(mpich)
    if "-rankmap" in files["mpich.hosts"].words:
        words = files["mpich.hosts"].words
        numbers = map(int, words[words.index("-rankmap") + 1].split(","))
        assert [mpich[number][0] for number in numbers] == hosts
    else:
        assert [host for host, count in mpich for _ in range(int(count))] == hosts


def test_command_lines_survive_a_shell(tmp_path: Path) -> None:
    for written in write(SPLIT, tmp_path / "with a blank").values():
        settings = [f"{name}={value}" for name, value in written.environment]
        assert shlex.split(written.command_line) == [*settings, *written.words]


@pytest.mark.parametrize(
    ("bindings", "said"),
    [
        ([], "no ranks"),
        ([Binding(1, "a")], "rank 0"),
        ([Binding(0, "a"), Binding(0, "b")], "rank 0"),
        ([Binding(0, "a"), Binding(2, "b")], "rank 1"),
        ([Binding(-1, "a")], "rank -1"),
        ([Binding(0, "a b")], "'a b'"),
        ([Binding(0, "a\nrank 0=b")], "rank 0"),
        ([Binding(0, "-x")], "'-x'"),
        ([Binding(0, "")], "''"),
    ],
)
def test_bindings_that_can_not_be_written(bindings: list[Binding], said: str, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=re.escape(said)) as error:
        write_all(bindings, tmp_path / "new", PROGRAM)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "new").exists()


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    kept = tmp_path / "lsf.hosts"
    kept.write_text("mine\n")
    with pytest.raises(RankwiseError, match="--force"):
        write_all(WHOLE, tmp_path, PROGRAM)
    assert [path.name for path in tmp_path.iterdir()] == ["lsf.hosts"]
    assert kept.read_text() == "mine\n"
    with pytest.raises(RankwiseError, match="--force"):
        check_output(tmp_path, force=False)
    check_output(tmp_path, force=True)
    write_all(WHOLE, tmp_path, PROGRAM, force=True)
    assert kept.read_text() == "b 2\na 2\n"


def test_a_directory_that_is_a_file(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(RankwiseError, match="is a file"):
        write_all(WHOLE, place, PROGRAM)
    with pytest.raises(RankwiseError, match="can't be made"):
        write_all(WHOLE, place / "below", PROGRAM)
