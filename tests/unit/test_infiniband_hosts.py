"""Which adapters are of one host, where descriptions alone do not tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from infiniband_made import Made, two_leaves
from routes_walked import all_pairs, loads

from golden import Golden
from rankwise.network.fabric.model import LEAF_DOWN, LEAF_UP, Fabric, Subnet
from rankwise.network.sources.infiniband.hosts import Adapter, host_names
from rankwise.network.sources.open import open_fabric

LOCALHOST = "localhost mlx5_0"


def opened(tmp_path: Path, made: Made) -> Fabric:
    (tmp_path / "links").write_text(made.links())
    (tmp_path / "tables").write_text(made.tables())
    return open_fabric([str(tmp_path)])


def named(*descriptions: str) -> list[str]:
    """The hosts of adapters that are on a card each."""
    adapters = [Adapter(0x10 + place, 0x10 + place, 0, text) for place, text in enumerate(descriptions)]
    return [host for host, _ in host_names(adapters).names]


def of_class(subnet: Subnet, which: int) -> list[float]:
    """How many messages of an all-to-all take each link of a class."""
    counts: list[float] = loads(subnet, all_pairs(len(subnet.ports.hosts)))[subnet.classes == which].tolist()
    return counts


@pytest.mark.reported("machines/localhost")
def test_hosts_of_one_name_are_told_apart_by_their_guids(tmp_path: Path, golden: Golden) -> None:
    """Three hosts are called localhost: of 5 on 2 leaves 3 x 2 messages go each way."""
    fabric = opened(tmp_path, two_leaves(LOCALHOST, LOCALHOST, "n5 mlx5_0", LOCALHOST, "n4 mlx5_0"))
    [subnet] = fabric.subnets
    assert sorted(subnet.ports.hosts)[:2] == ["localhost-0x0000000000001000", "localhost-0x0000000000001010"]
    assert len(set(subnet.ports.hosts)) == 5
    assert of_class(subnet, LEAF_UP) == [6, 6]
    assert of_class(subnet, LEAF_DOWN) == [6, 6]
    golden.says(fabric.warnings[0], "1 .. localhost on 3 ports .. rdma-ndd")


def test_the_host_may_stand_last(tmp_path: Path) -> None:
    [subnet] = opened(tmp_path, two_leaves(*(f"HCA-1 H{number}" for number in range(5)))).subnets
    assert subnet.ports.hosts == ("H0", "H1", "H2", "H3", "H4")
    assert set(subnet.ports.devices) == {"HCA-1"}
    assert of_class(subnet, LEAF_UP) == [6, 6]


def test_one_device_of_one_name_is_there_once_a_host() -> None:
    assert named("a mlx5_0", "a mlx5_1", "b mlx5_0") == ["a", "a", "b"]
    assert named("a mlx5_0", "a mlx5_0", "b mlx5_0")[:2] == ["a-0x0000000000000010", "a-0x0000000000000011"]


def test_a_name_that_is_a_device_or_none_is_no_host() -> None:
    assert len(set(named("HCA-1", "HCA-1", "n1", "n2"))) == 4
    assert len(set(named("localhost", "localhost", "n1", "n2"))) == 4


def test_what_most_hosts_have_decides_where_no_device_is_told(golden: Golden) -> None:
    """Two adapters where one is usual are a login node's; twenty are hosts of which none has its own name."""
    few, many = ["login"] * 2 + ["n1", "n2", "n3"], ["node"] * 20 + ["n1", "n2", "n3"]
    assert named(*few) == few
    assert len(set(named(*many))) == 23
    assert len(set(named(*["node"] * 4))) == 4  # the only name of all
    said = host_names([Adapter(place, place, 0, text) for place, text in enumerate(few, 1)]).warnings
    golden.says(said[0], "login on 2 ports")


def test_a_rack_in_front_is_no_host() -> None:
    assert named(*(f"rack1 n{number}" for number in range(20)), "n99 mlx5_0")[:3] == ["n0", "n1", "n2"]
    assert named("HCA n1", "HCA n2") == ["n1", "n2"]


def test_adapters_on_one_card_are_of_one_host() -> None:
    """Two functions of a card have GUIDs of their own, and the system's in common."""
    both = [Adapter(1, 7, 0, "a"), Adapter(2, 7, 0, "a"), Adapter(3, 8, 0, "b")]
    assert [host for host, _ in host_names(both).names] == ["a", "a", "b"]
    planes = [Adapter(node, 7, 0, "a mlx5_0") for node in range(1, 5)]
    assert {host for host, _ in host_names(planes).names} == {"a"}


def test_a_system_guid_that_all_adapters_have_is_none() -> None:
    adapters = [Adapter(node, 7, 0, LOCALHOST) for node in range(1, 31)]
    assert len({host for host, _ in host_names(adapters).names}) == 30


def test_ports_without_the_guid_of_their_adapter() -> None:
    """As `ibnetdiscover -p` has them: two ports of one adapter, by their numbers."""
    ports = [Adapter(1, 0, 1, "a mlx5_0"), Adapter(2, 0, 2, "a mlx5_0"), Adapter(3, 0, 1, "b mlx5_0")]
    assert [host for host, _ in host_names(ports).names] == ["a", "a", "b"]
    twice = [Adapter(1, 0, 1, "a mlx5_0"), Adapter(2, 0, 1, "a mlx5_0")]
    assert len({host for host, _ in host_names(twice).names}) == 2
