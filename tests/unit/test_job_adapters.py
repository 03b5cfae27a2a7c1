"""Ranks on a fabric by what their nodes told: port GUIDs, LIDs, and what the environment chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from assembled import made, made_of_damaged, rows
from fabrics_synthetic import fabric, port_guid, star
from made_profile import Made
from profiles import write_profile
from synthetic import Process, small_world

from exhaustive import repeated
from golden import Golden
from rankwise.analysis.opened import opened_profile
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.flows import flows
from rankwise.network.job.journeys import journeys
from rankwise.network.job.rank_ports import Places, places_of_run

FOUR = ("n1", "n2", "n3", "n4")
OTHERS = ("r1i0n0", "r1i0n1", "r1i0n2", "r1i0n3")
"""What a fabric may call the same hosts."""


def run(
    hosts: Sequence[str],
    adapters: Mapping[str, Sequence[tuple[str, int, int]]],
    chosen: Mapping[int, tuple[str, str]] | None = None,
    **columns: object,
) -> Made:
    """A run whose hosts have these adapters: device, port GUID and LID; the number of each port is 1."""
    run = Made(ranks=len(hosts), hosts=hosts)
    for host, ports in adapters.items():
        for device, guid, lid in ports:
            port = {"host": host, "device": device, "port": 1, "port_guid": f"0x{guid:016x}", "lid": lid}
            run.insert("adapters", **{**port, "state": "active", "link_layer": "InfiniBand", **columns})
    for rank, (variable, value) in (chosen or {}).items():
        run.insert("rail_choices", rank=rank, variable=variable, value=value)
    return run


def of_run(of: Made, on: Fabric, policy: str = "split") -> Places:
    return places_of_run(of.connection, on, policy)


def two_rails(first: Sequence[str] = FOUR, second: Sequence[str] = FOUR) -> Fabric:
    return fabric(star(first, 0, "r1"), star(second, 1, "r2"))


def of_host(host: int) -> list[tuple[str, int, int]]:
    """The adapters of a host of `two_rails`."""
    return [(f"mlx5_{rail}", port_guid(rail, host), host + 2) for rail in range(2)]


ALL = {host: of_host(number) for number, host in enumerate(FOUR)}


def test_guids_count_whatever_names_say() -> None:
    """The fabric has other names; and of the two that it has alike, for other hosts."""
    on = two_rails(OTHERS, ["n2", "n1", *OTHERS[2:]])
    places = of_run(run(["n1", "n1", "n2", "n4"], ALL), on)
    assert [(host.name, host.how) for host in places.hosts] == [
        (name, "port GUID") for name in ("n1", "n2", "n4")
    ]
    assert places.hosts[0].on_fabric == "r1i0n0"
    for rail, subnet in zip(places.rails, on.subnets, strict=True):
        taken = subnet.ports.guids[rail.ports[:, 0]].tolist()
        assert taken == [port_guid(on.subnets.index(subnet), host) for host in (0, 0, 1, 3)]
        assert rail.shares[:, 0].tolist() == [0.5] * 4
    assert places.warnings == ()
    assert [places.how(rank) for rank in range(4)] == ["port GUID"] * 4


def test_names_are_for_hosts_without_adapters() -> None:
    places = of_run(run(["n1", "n2"], {"n1": of_host(0)}), two_rails())
    assert [host.how for host in places.hosts] == ["port GUID", "name"]
    assert places.warnings == ()


def test_a_host_of_a_guid_is_no_host_of_a_name(golden: Golden) -> None:
    """n1 has the adapters that the fabric knows as n2's; so n2, of which nothing is known, is not there."""
    places = of_run(run(["n2", "n1"], {"n1": of_host(1)}), two_rails())
    assert [(host.name, host.how) for host in places.hosts] == [("n2", ""), ("n1", "port GUID")]
    absent, there = (host.why for host in places.hosts)
    golden.says(absent, "'n1'")
    assert there == ""


def test_another_lid_is_another_time(golden: Golden) -> None:
    adapters = {"n1": of_host(0), "n2": [("mlx5_0", port_guid(0, 1), 9), ("mlx5_1", port_guid(1, 1), 3)]}
    places = of_run(run(["n1", "n2"], adapters), two_rails())
    assert [host.how for host in places.hosts] == ["port GUID"] * 2
    [warning] = places.warnings
    golden.says(warning, "1 .. n2 mlx5_0:1: 9 .. 3")


def test_errors_and_blocked_ports_are_told_with_their_cables(golden: Golden) -> None:
    """Of ports in the fabric; a host's other interfaces are left out."""
    of = run(["n1", "n2", "n3"], ALL)
    counted = {"kind": "infiniband", "port": 1, "end": 1.0, "sent_bytes": 1 << 30}
    ports = [
        {"host": "n1", "device": "mlx5_1", "symbol_errors": 2, **counted},
        {"host": "n2", "device": "mlx5_0", "wait_ticks": 3 << 28, **counted},
        {"host": "n3", "device": "mlx5_0", **counted},
        {"host": "n3", "device": "eth0", "kind": "ethernet", "receive_errors": 5},
    ]
    for number, port in enumerate(ports, 1):
        of.insert("network_ports", id=number, **port)
    on = two_rails()
    errors, blocked = of_run(of, on).warnings
    golden.says(errors, "n1 mlx5_1 [1] .. 2")
    golden.says(blocked, "n2 mlx5_0 [1] .. 75.0")


def test_a_lid_that_is_not_known_is_no_other_one() -> None:
    assert of_run(run(["n1"], {"n1": [("mlx5_0", port_guid(0, 0), 0)]}), two_rails()).warnings == ()


def test_a_rail_that_was_not_given(golden: Golden) -> None:
    places = of_run(run(["n1", "n2"], ALL), fabric(star(FOUR, 0, "r1")))
    [warning] = places.warnings
    golden.says(warning, "2 .. n1 mlx5_1:1: ")
    assert places.rails[0].shares.tolist() == [[1], [1]]
    for idle in (run(["n1"], ALL, state="down"), run(["n1"], ALL, link_layer="Ethernet")):
        assert of_run(idle, fabric(star(FOUR, 0, "r1"))).warnings == ()


def test_adapters_that_the_fabric_does_not_know(golden: Golden) -> None:
    adapters = {host: [("mlx5_0", 0x77000 + number, 5)] for number, host in enumerate(FOUR)}
    places = of_run(run(["n1", "x", "n2"], adapters | {"x": [("mlx5_0", 0x77999, 5)]}), two_rails())
    assert [host.how for host in places.hosts] == ["name", "", "name"]
    golden.says(places.warnings[0], "3 .. GUID .. n1 mlx5_0:1 .. 2")


def test_containers_of_one_host_are_one_host(golden: Golden) -> None:
    """Names differ, and the adapters are the same."""
    of = run(["c1", "c2", "n2"], {"c1": of_host(0), "c2": of_host(0), "n2": of_host(1)})
    places = of_run(of, two_rails())
    assert places.host.tolist() == [0, 0, 1]
    assert [(host.name, host.ranks) for host in places.hosts] == [("c1", 2), ("n2", 1)]
    [warning] = places.warnings
    golden.says(warning, "c2 .. c1")


def test_generated_fabrics_have_no_guids() -> None:
    rail = star(FOUR)
    unknown = replace(rail, ports=replace(rail.ports, guids=np.zeros(4, np.uint64)))
    places = of_run(run(["n1"], {"n1": [("mlx5_0", port_guid(0, 0), 2)]}), fabric(unknown))
    assert places.how(0) == "name"


def test_names_of_adapters_are_those_of_the_node() -> None:
    """The fabric calls them HCA-1; the policy takes the names that the kernel has."""
    on = fabric(star(FOUR, devices=["HCA-1", "HCA-2"]))
    adapters = {"n1": [("mlx5_3", port_guid(0, 0, 0), 2), ("mlx5_4", port_guid(0, 0, 1), 3)]}
    places = of_run(run(["n1"], adapters), on, "mlx5_4")
    assert on.subnets[0].ports.devices[places.rails[0].ports[0, 1]] == "HCA-2"
    assert places.rails[0].shares.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("UCX_NET_DEVICES", "mlx5_1:1", [0, 1]),
        ("UCX_NET_DEVICES", "mlx5_1", [0, 1]),
        ("UCX_NET_DEVICES", "mlx5_0:1,mlx5_1:1", [0.5, 0.5]),
        ("UCX_NET_DEVICES", "all", [0.5, 0.5]),
        ("UCX_NET_DEVICES", "eth0,mlx5_0:1", [1, 0]),
        ("UCX_NET_DEVICES", "mlx5_0:2", [0, 0]),
        ("OMPI_MCA_btl_openib_if_include", "mlx5_0", [1, 0]),
        ("MV2_IBA_HCA", "mlx5_1:mlx5_9", [0, 1]),
        ("PSM3_NIC", "any", [0.5, 0.5]),
        ("HFI_UNIT", "1", [0, 0]),
        ("HFI_UNIT", "", [0.5, 0.5]),
        ("SOMETHING", "mlx5_0", [0.5, 0.5]),
    ],
)
def test_what_the_environment_chose(variable: str, value: str, expected: list[float]) -> None:
    places = of_run(run(["n1", "n2"], ALL, {0: (variable, value)}), two_rails(), "env")
    assert [rail.shares[0, 0] for rail in places.rails] == expected
    assert [rail.shares[1, 0] for rail in places.rails] == [0.5, 0.5]


def test_the_environment_of_each_rank_is_its_own(golden: Golden) -> None:
    """As scripts do it that give each rank of a node the adapter next to it."""
    chosen = {rank: ("UCX_NET_DEVICES", f"mlx5_{rank % 2}:1") for rank in range(4)}
    of = run(["n1", "n1", "n2", "n2"], ALL, chosen)
    places = of_run(of, two_rails(), "env")
    assert [rail.shares[:, 0].tolist() for rail in places.rails] == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert places.warnings == ()
    [warning] = of_run(of, two_rails()).warnings
    golden.says(warning, "4 .. mlx5_0:1 .. 0: .. env")
    [warning] = of_run(run(["n1"], ALL), two_rails(), "env").warnings
    golden.says(warning)


# ---- from the counters to the profile


def port(device: str, guid: int, **members: object) -> dict[str, object]:
    """A record of the counters."""
    known = {"device": device.encode(), "port_guid": guid, "number": 1, "lid": 5, "sm_lid": 1, "state": 4}
    return known | {"rate": b"100 Gb/sec (4X EDR)", "link_layer": b"InfiniBand"} | members


def processes() -> list[Process]:
    """Four ranks on two nodes; two processes of the first tell of its adapters, and nobody of the second."""
    world = small_world()
    for rank, process in enumerate(world):
        process.header["host"] = b"n1" if rank < 2 else b"n2"
        process.rail_choices = [{"variable": b"UCX_NET_DEVICES", "value": b"mlx5_0:1"}] if rank == 3 else []
    world[0].adapter_ports = [
        port("mlx5_1", port_guid(1, 0), subnet_prefix=0xFE80 << 48, lid_mask_count=2),
        port(
            "mlx5_0", port_guid(0, 0), node_guid=7, description=b"n1 mlx5_0\x1b[31m", lid=0, sm_lid=0, state=1
        ),
        port("mlx5_2", 0),
        port("", 5),
        port("mlx5_3", 2**64 - 1, lid_mask_count=200, state=77, number=2),
    ]
    world[1].adapter_ports = [port("other", 9)]
    return world


def test_one_process_tells_of_a_node(tmp_path: Path) -> None:
    path = made(tmp_path, processes()).path
    layer = ("100 Gb/sec (4X EDR)", "InfiniBand")
    guid = [f"0x{port_guid(rail, 0):016x}" for rail in range(2)]
    description = "n1 mlx5_0\N{REPLACEMENT CHARACTER}[31m"
    assert rows(path, "SELECT * FROM adapters") == [
        ("n1", "mlx5_0", 1, "0x0000000000000007", description, guid[0], None, None, 0, None, "down", *layer),
        ("n1", "mlx5_1", 1, None, "", guid[1], "0xfe80000000000000", 5, 2, 1, "active", *layer),
        ("n1", "mlx5_3", 2, None, "", "0xffffffffffffffff", None, 5, None, 1, "unknown", *layer),
    ]
    assert rows(path, "SELECT * FROM rail_choices") == [(3, "UCX_NET_DEVICES", "mlx5_0:1")]
    with opened_profile(path) as connection:
        hosts = [OTHERS[0], "n2", *OTHERS[2:]]
        places = places_of_run(connection, two_rails(hosts, hosts))
        assert [places.how(rank) for rank in range(4)] == ["port GUID"] * 2 + ["name"] * 2
        on_rails = journeys(flows(connection), places)
    assert (len(on_rails.within_hosts), len(on_rails.lost)) == (2, 0)  # of a ring
    assert [rail.share.tolist() for rail in on_rails.rails] == [[0.5, 0.5]] * 2


def test_hosts_without_adapters_are_found_by_their_names(tmp_path: Path) -> None:
    with opened_profile(write_profile(tmp_path / "a.rankwise")) as connection:
        hosts = [host for (host,) in connection.execute("SELECT DISTINCT host FROM ranks ORDER BY rank")]
        places = places_of_run(connection, fabric(star(hosts)))
    assert [host.how for host in places.hosts] == ["name"] * len(hosts)


@repeated(15, 40)
def test_damaged_counters(tmp_path: Path, times: int) -> None:
    rng = np.random.default_rng(7)

    def damaged(image: bytearray) -> bytearray:
        for place in rng.integers(0, len(image), 20):
            image[place] = rng.integers(0, 256)
        return image

    for assembly in made_of_damaged(tmp_path, processes(), times, damaged):
        with opened_profile(assembly.path) as connection:
            for (guid,) in connection.execute("SELECT port_guid FROM adapters"):
                assert int(guid, 16) > 0
