"""Ranks on a fabric: which ports they have, how that was found, and what is told of those that have none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from fabrics_synthetic import fabric, star
from made_profile import WORLD, Made

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launchers.binding import Binding
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.flows import flows
from rankwise.network.job.given_hosts import given_hosts
from rankwise.network.job.journeys import Journeys, journeys
from rankwise.network.job.rank_ports import Places, given_places, places_of_run
from rankwise.placement.files import instructions

FOUR = ("n1", "n2", "n3", "n4")


def run(hosts: Sequence[str]) -> Made:
    return Made(ranks=len(hosts), hosts=hosts)


def of_run(hosts: Sequence[str], on: Fabric, policy: str = "split") -> Places:
    return places_of_run(run(hosts).connection, on, policy)


def hosts_taken(places: Places, on: Fabric, rail: int = 0) -> list[list[str]]:
    """Host and device of the ports that each rank takes on a rail."""
    ports = on.subnets[rail].ports
    taken = places.rails[rail]
    return [
        [
            f"{ports.hosts[port]}/{ports.devices[port]}"
            for port, share in zip(row.tolist(), shares.tolist(), strict=True)
            if share > 0
        ]
        for row, shares in zip(taken.ports, taken.shares, strict=True)
    ]


def shares(places: Places, rank: int) -> list[list[float]]:
    return [rail.shares[rank].tolist() for rail in places.rails]


@pytest.mark.parametrize(
    ("of_job", "of_fabric"),
    [
        ("n1", "n1"),
        ("n1.site.org", "n1"),
        ("n1", "n1.site.org"),
        ("n1.site.org", "n1.ib.local"),
        ("N1", "n1"),
    ],
)
def test_names_with_and_without_a_domain(of_job: str, of_fabric: str) -> None:
    on = fabric(star([of_fabric, "n2"]))
    places = of_run([of_job, "n2"], on)
    assert [host.how for host in places.hosts] == ["name", "name"]
    assert hosts_taken(places, on) == [[f"{of_fabric}/mlx5_0"], ["n2/mlx5_0"]]
    assert places.how(0) == "name"
    assert places.warnings == ()


def test_a_name_that_may_be_two_hosts_is_none() -> None:
    on = fabric(star(["n1.a", "n1.b", "n2"]))
    places = of_run(["n1", "n2", "n1.b"], on)
    assert [host.on_fabric for host in places.hosts] == ["", "n2", "n1.b"]
    assert places.hosts[0].why == "it may be n1.a or n1.b of the fabric"


def test_two_hosts_of_the_job_are_not_the_same_host_of_the_fabric(golden: Golden) -> None:
    places = of_run(["n1.a", "n1.b", "n1.a"], fabric(star(FOUR)))
    assert [host.how for host in places.hosts] == ["name", ""]
    golden.says(places.hosts[1].why, "'n1.a'")


def test_hosts_that_the_fabric_lacks_are_told(golden: Golden) -> None:
    on = fabric(star(FOUR))
    places = of_run(["n1", "x1", "n2", "x1", "x2"], on)
    assert [host.name for host in places.absent] == ["x1", "x2"]
    [warning] = places.warnings
    golden.says(warning, "2 .. 3 .. x1, x2")
    assert places.rails[0].ports[:, 0].tolist() == [0, -1, 1, -1, -1]
    assert places.how(1) == ""
    with pytest.raises(RankwiseError) as error:
        of_run(["x1", "x2"], on)
    golden.says(error.value, "'x1'")


def test_a_rank_whose_host_is_not_known(golden: Golden) -> None:
    made = run(["n1", "n2"])
    made.connection.execute("DELETE FROM ranks WHERE rank = 1")
    places = places_of_run(made.connection, fabric(star(FOUR)))
    assert places.host.tolist() == [0, -1]
    [warning] = places.warnings
    golden.says(warning, "1 .. 2 .. 1")
    assert places.how(1) == ""


def test_rails_by_policy(golden: Golden) -> None:
    on = fabric(star(FOUR, 0, "r1"), star(FOUR, 1, "r2", ["mlx5_1"]))
    hosts = ["n1", "n1", "n1", "n2"]
    assert shares(of_run(hosts, on), 0) == [[0.5], [0.5]]
    assert shares(of_run(hosts, on, "first"), 0) == [[1], [0]]
    assert shares(of_run(hosts, on, "r2"), 0) == [[0], [1]]
    assert shares(of_run(hosts, on, "mlx5_1"), 3) == [[0], [1]]
    assert shares(of_run(hosts, on, "mlx5_0:1"), 3) == [[1], [0]]
    by_local_rank = of_run(hosts, on, "by-local-rank")
    assert [shares(by_local_rank, rank) for rank in range(4)] == [
        [[1], [0]],
        [[0], [1]],
        [[1], [0]],
        [[1], [0]],
    ]
    golden.says(str(by_local_rank.policy))
    with pytest.raises(RankwiseError) as error:
        of_run(hosts, on, "mlx5_7")
    golden.says(error.value, "'mlx5_7' .. r1 .. r2 .. mlx5_0")


def test_two_adapters_on_one_rail() -> None:
    on = fabric(star(FOUR, devices=["mlx5_0", "mlx5_1"]))
    places = of_run(["n1", "n3"], on)
    assert hosts_taken(places, on) == [["n1/mlx5_0", "n1/mlx5_1"], ["n3/mlx5_0", "n3/mlx5_1"]]
    assert shares(places, 1) == [[0.5, 0.5]]
    assert hosts_taken(of_run(["n1"], on, "mlx5_1"), on) == [["n1/mlx5_1"]]


def test_hosts_with_fewer_ports_are_told(golden: Golden) -> None:
    on = fabric(star(FOUR, 0, "r1"), star(FOUR[:2], 1, "r2", ["mlx5_1"]))
    places = of_run(["n1", "n3", "n4"], on)
    [warning] = places.warnings
    golden.says(warning, "2 .. 2 .. 2 .. n3, n4")
    assert shares(places, 1) == [[1], [0]]
    places = of_run(["n1", "n3"], on, "r2")
    golden.says(places.warnings[1], "r2 .. 1 .. 1 .. n3")


# ---- where the user puts the ranks


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("n[1-4]", "n1 n2 n3 n4"),
        ("n[1-2]*2", "n1 n1 n2 n2"),
        ("n4,n[1-2]*1,n3", "n4 n1 n2 n3"),
        ("n2*999999999", "n2 n2 n2 n2"),
    ],
)
def test_lists(given: str, expected: str) -> None:
    assert [place.host for place in given_hosts(given, 4)] == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n1\nn2\n\n# spare\nn1 # again\nn3\nn4\n", "n1 n2 n1 n3"),
        ("n2 slots=3 max-slots=8\nn1 slots = 2\n", "n2 n2 n2 n1"),
        ("n2 cpu=3\nn1 max_slots=9\n", "n2 n2 n2 n1"),
        ("n2 SLOTS=3\nn1 count=2\n", "n2 n2 n2 n1"),
        ("n2:ppn=3\nn1:PPN=2\n", "n2 n2 n2 n1"),
        # PE_HOSTFILE of Grid Engine: ranks, queue, processors; a host comes back for another queue.
        ("n2 2 all.q@n2 UNDEFINED\nn1 1 all.q@n1 0,0:0,1\nn2 1 fast.q@n2 <NULL>\n", "n2 n2 n1 n2"),
        ("10.0.0.2 slots=3\n10.0.0.1\n", "10.0.0.2 10.0.0.2 10.0.0.2 10.0.0.1"),
        ("fe80::1 slots=3\nfe80::2\n", "fe80::1 fe80::1 fe80::1 fe80::2"),
        ("rank 1=+n0 slot=0\nrank 0=+n1 slot=0:1\nrank 2=+N2 slot=1\nrank 3=n9 slot=2\n", "b a c n9"),
        ("n2:1\nn1:3\n", "n2 n1 n1 n1"),
        ("n2:2 binding=user:0\nn1:3\n", "n2 n2 n1 n1"),
        ("n2 2\nn1 2\n", "n2 n2 n1 n1"),
        ("n[1-4]\n", "n1 n2 n3 n4"),
        ("n[1-2] slots=2\n", "n1 n1 n2 n2"),
        ("rank 1=n1 slot=0:1\nrank 0=n2 slot=1\nrank 3=n2\nrank 2 = n1 slot=0:2-3\n", "n2 n1 n1 n2"),
        ("rank,host,package\n2,n1,0\n0,n4,1\n1,n4,\n3,n2,0\n", "n4 n4 n1 n2"),
        (
            '[{"rank": 1, "host": "n1"}, {"rank": 0, "host": "n3"},\n'
            ' {"rank": 2, "host": "n1"}, {"rank": 3, "host": "n2"}]',
            "n3 n1 n1 n2",
        ),
    ],
)
def test_files(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "hosts").write_text(text)
    places = given_hosts(str(tmp_path / "hosts"), 4, own=["a", "b", "c"])
    assert [place.host for place in places] == expected.split()


def test_a_rankfile_counts_hosts_of_a_run_that_has_them(tmp_path: Path, golden: Golden) -> None:
    (tmp_path / "ranks").write_text("rank 0=+n1 slot=0\n")
    for own in (["a"], []):  # too few; nobody knows which
        with pytest.raises(RankwiseError) as caught:
            given_hosts(str(tmp_path / "ranks"), 1, own=own)
        golden.says(caught.value, "ranks .. 1 .. +n1")
    on = fabric(star(FOUR))
    assert hosts_taken(given_places(run(["n3", "n3"]).connection, on, "n1*2"), on) == [["n1/mlx5_0"]] * 2
    (tmp_path / "ranks").write_text("rank 0=+n1 slot=0\nrank 1=+n0 slot=0\n")
    places = given_places(run(["n3", "n4"]).connection, on, str(tmp_path / "ranks"))
    assert hosts_taken(places, on) == [["n4/mlx5_0"], ["n3/mlx5_0"]]


def test_addresses_are_no_names_with_a_domain() -> None:
    addresses = ("10.0.0.1", "10.0.0.2")
    places = of_run(addresses, fabric(star(addresses)))
    assert hosts_taken(places, fabric(star(addresses))) == [["10.0.0.1/mlx5_0"], ["10.0.0.2/mlx5_0"]]
    with pytest.raises(RankwiseError, match=r"'10\.0\.0\.3'"):
        of_run(["10.0.0.3"], fabric(star(addresses)))


def test_files_that_a_mapping_wrote(tmp_path: Path) -> None:
    hosts = ["n3", "n1", "n1", "n4"]
    bindings = [Binding(rank, host, 0, rank, rank, rank) for rank, host in enumerate(hosts)]
    written = {
        instruction.path.name: instruction for instruction in instructions(bindings, tmp_path, ["./app"])
    }
    read = set(written) - {"MPICH_RANK_ORDER"}
    assert {"placement.csv", "placement.json", "openmpi4.ranks", "slurm.hosts", "lsf.hosts"} <= read
    for name in read:
        written[name].path.write_text(written[name].text)
        places = given_hosts(str(written[name].path), 4)
        assert [place.host for place in places] == hosts, name
    assert [place.host for place in given_hosts(str(tmp_path), 4)] == hosts


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("n1\nn2 slots=many\n", "2 .. 'n2 slots=many'"),
        ("n1\nn2:0\n", "2 .. 'n2:0'"),
        ("n1\nn2 and more\n", "2 .. 'n2 and more'"),
        ("n[1-\n", "line 1: "),
        ("0,1,2,3\n4\n", "1 .. '0,1,2,3'"),
        ("+n0\n", "1 .. '+n0'"),
        ("rank 0=n1\nrank 0=n2\n", "line 2: rank 0 is given twice"),
        ("rank 0=n1\nn2\n", "line 2: 'n2' is not like"),
        ("rank 0=\\+n0\n", "1"),
        ("rank,host\n0,n1\nx,n2\n", "line 3: 'x' is not a rank"),
        ("rank,host\n0\n", "2 .. '0'"),
        ('[{"rank": 0, "host": 7}]', "0 .. '7'"),
        ("[1]", "entry 0: is not an object"),
        ("[\n{]", "line 2: is not JSON"),
        ('{"rank": 0}', ""),
        ("rank,host\n0,n1\n", "1 .. 4"),
        ("n1\nn2\n", "2 .. 4"),
        ("", "room for 0 ranks"),
    ],
)
def test_bad_files_are_one_line(tmp_path: Path, text: str, line: str, golden: Golden) -> None:
    (tmp_path / "hosts").write_text(text.replace("\\", ""))
    with pytest.raises(RankwiseError) as caught:
        given_hosts(str(tmp_path / "hosts"), 4)
    golden.says(caught.value, line)
    assert str(tmp_path / "hosts") in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("n[1-", "is neither a file "),
        ("n1*x", ""),
        ("n1*0", ""),
        ("n[1-3]", "3 .. 4"),
        ("./nowhere", ""),
        ("n[" * 3_000, ""),
        ("\0", "is neither a file "),
    ],
)
def test_bad_lists_are_one_line(given: str, line: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as caught:
        given_hosts(given, 4)
    golden.says(caught.value, line)
    assert str(caught.value).isprintable()


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for path, line in ((tmp_path / "bytes", "is not text"), (tmp_path, "placement.csv is not found")):
        with pytest.raises(RankwiseError, match=line):
            given_hosts(str(path), 4)


def test_a_job_of_a_laptop_on_a_fabric() -> None:
    on = fabric(star(FOUR))
    places = given_places(run(["laptop"] * 4).connection, on, "n[1-2]*2")
    assert [(host.name, host.ranks, host.how) for host in places.hosts] == [
        ("n1", 2, "placed"),
        ("n2", 2, "placed"),
    ]
    assert hosts_taken(places, on) == [["n1/mlx5_0"]] * 2 + [["n2/mlx5_0"]] * 2


def test_two_names_of_one_host_are_one_host(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("n1\nn1.site\n")
    places = given_places(run(["a", "b"]).connection, fabric(star(FOUR)), str(tmp_path / "hosts"))
    assert places.host.tolist() == [0, 0]


def test_a_host_that_the_fabric_lacks_is_named_with_its_line(tmp_path: Path, golden: Golden) -> None:
    (tmp_path / "hosts").write_text("n1\nx9\n")
    with pytest.raises(RankwiseError) as error:
        given_places(run(["a", "b"]).connection, fabric(star(FOUR)), str(tmp_path / "hosts"))
    golden.says(error.value, "hosts .. 2 .. 'x9'")
    with pytest.raises(RankwiseError, match=r"^'x9': no host"):
        given_places(run(["a", "b"]).connection, fabric(star(FOUR)), "n1,x9")


# ---- flows between ports


def taken(hosts: Sequence[str], on: Fabric, policy: str = "split") -> tuple[Made, Journeys]:
    """Journeys of an all-to-all of 100 bytes, in the order of source and destination."""
    made, ranks = run(hosts), range(len(hosts))
    for source in ranks:
        for destination in ranks:
            if source != destination:
                made.connection.execute(
                    "INSERT INTO messages VALUES (?, ?, ?, 'point-to-point', 3, 1, 100)",
                    (source, destination, WORLD),
                )
    return made, journeys(flows(made.connection), places_of_run(made.connection, on, policy))


def whole(of: Journeys, count: int) -> np.ndarray:
    """The sum of the shares of each flow, those within hosts and those that are lost included."""
    total = np.zeros(count)
    for rail in of.rails:
        np.add.at(total, rail.flow, rail.share)
    total[of.within_hosts] += 1
    total[of.lost] += 1
    return total


@pytest.mark.parametrize("policy", ["split", "first", "by-local-rank", "mlx5_1", "r1"])
def test_nothing_is_lost_or_told_twice(policy: str) -> None:
    on = fabric(star(FOUR, 0, "r1", ["mlx5_0", "mlx5_1"]), star(FOUR[1:], 1, "r2", ["mlx5_2"]))
    hosts = ["n1", "n1", "n2", "n3", "n3", "n3", "x", "x"]
    _, of = taken(hosts, on, policy)
    np.testing.assert_allclose(whole(of, 8 * 7), 1)
    assert len(of.within_hosts) == 2 + 6 + 2
    assert len(of.lost) == 2 * 2 * 6
    for rail, subnet in zip(of.rails, on.subnets, strict=True):
        names = np.array(subnet.ports.hosts)
        pairs = [(a, b) for a in range(8) for b in range(8) if a != b]
        assert names[rail.source].tolist() == [hosts[pairs[flow][0]] for flow in rail.flow]
        assert names[rail.destination].tolist() == [hosts[pairs[flow][1]] for flow in rail.flow]


def test_a_rail_that_the_receiver_lacks_is_not_taken() -> None:
    """n1 has the first rail alone: what goes there takes it whole, between the others half."""
    on = fabric(star(FOUR, 0, "r1"), star(FOUR[1:], 1, "r2"))
    _, of = taken(["n1", "n2", "n3"], on)
    assert [rail.share.tolist() for rail in of.rails] == [[1, 1, 1, 0.5, 1, 0.5], [0.5, 0.5]]
    assert of.rails[1].flow.tolist() == [3, 5]


def test_hosts_without_a_rail_in_common() -> None:
    on = fabric(star(FOUR[:2], 0, "r1"), star(FOUR[2:], 1, "r2"))
    _, of = taken(["n1", "n3"], on)
    assert of.lost.tolist() == [0, 1]
    assert [len(rail.flow) for rail in of.rails] == [0, 0]


def test_the_sender_chooses_the_rail() -> None:
    """The second rank of n1 takes the second rail, and the only one of n2 the first."""
    on = fabric(star(FOUR, 0, "r1"), star(FOUR, 1, "r2"))
    _, of = taken(["n1", "n1", "n2"], on, "by-local-rank")
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    assert [pairs[flow] for flow in of.rails[0].flow] == [(0, 2), (2, 0), (2, 1)]
    assert [pairs[flow] for flow in of.rails[1].flow] == [(1, 2)]


def test_as_many_ranks_as_there_is_room_for(tmp_path: Path) -> None:
    assert [place.host for place in given_hosts("n1*2,n3", None)] == ["n1", "n1", "n3"]
    (tmp_path / "placement.csv").write_text("rank,host\n1,b\n0,a\n")
    assert [place.host for place in given_hosts(str(tmp_path), None)] == ["a", "b"]
    (tmp_path / "none").write_text("# nobody\n")
    with pytest.raises(RankwiseError, match="names no host"):
        given_hosts(str(tmp_path / "none"), None)
