"""The data of the Network page: it is what the links carry, and all of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import fabrics_made
import fabrics_synthetic
import network_jobs
import numpy as np
import pytest

from golden import Golden
from rankwise.network.fabric.model import CLASSES, GAP, HOST_DOWN, Source, Subnet
from rankwise.network.loads import job_loads
from rankwise.network.sources.generators.dragonfly import dragonfly
from rankwise.network.sources.generators.fat_tree import fat_tree
from rankwise.network.sources.generators.torus import torus
from rankwise.render.network.groups import page_groups
from rankwise.render.network.layout import layout, natural
from rankwise.render.network.sentences import about, captions, finding, warnings
from rankwise.render.network.traffic import Traffic
from rankwise.render.page.blocks import blocks
from rankwise.render.page.container import Container

RANKS = 24


def two_rails() -> tuple[Subnet, Subnet]:
    return tuple(  # type: ignore[return-value]
        fabrics_synthetic.star([f"host{host:03}" for host in range(12)], rail, f"rail{rail}")
        for rail in range(2)
    )


def job(name: str) -> Traffic:
    of = network_jobs.usual(RANKS)
    if name == "rails":
        rails = two_rails()
        return network_jobs.placed(rails, of, network_jobs.hosts_of(rails[0], RANKS, 2))
    if name == "two ports":
        hosts = [f"host{host:03}" for host in range(12)]
        star = fabrics_synthetic.star(hosts, devices=("mlx5_0", "mlx5_1"))
        return network_jobs.placed(star, of, network_jobs.hosts_of(star, RANKS, 2))
    if name == "LIDs":
        tree = fabrics_made.tree(lmc=1)
        return network_jobs.placed(tree, of, network_jobs.hosts_of(tree, RANKS, 2), lid_offset=None)
    if name == "torus":
        of_torus = torus("torus:3x4")
        return network_jobs.placed(of_torus, of, network_jobs.hosts_of(of_torus, RANKS, 2))
    if name == "dragonfly":
        of_dragonfly = dragonfly("dragonfly:a=4,p=1,h=2")
        return network_jobs.placed(of_dragonfly, of, network_jobs.hosts_of(of_dragonfly, RANKS, 2))
    tree = fabrics_made.tree(split=name == "split")
    return network_jobs.placed(tree, of, network_jobs.hosts_of(tree, RANKS, 2))


JOBS = ("tree", "split", "LIDs", "rails", "two ports", "torus", "dragonfly")


def shown(of: Traffic) -> dict[str, Any]:
    network: dict[str, Any] = network_jobs.data(network_jobs.page(of))["runs"][0]["network"]
    return network


@pytest.mark.parametrize("name", JOBS)
def test_links_bear_what_is_sent_over_them(name: str) -> None:
    of = job(name)
    network = shown(of)
    for number, rail in enumerate(network["rails"]):
        subnet = of.fabric.subnets[number]
        told_by = job_loads(of.fabric, of.flows, of.places, lid_offset=of.lid_offset).rails[number]
        for what in ("bytes", "messages"):
            expected = getattr(told_by, what)
            amounts = network_jobs.dense(rail["loads"], what, len(rail["links"]["source"])).sum(axis=0)
            # Of each link of the subnet by its ends and ports.
            names = [*subnet.switches.names, *subnet.ports.hosts]
            kept = {
                (names[s], int(p), names[d], int(q)): load
                for s, p, d, q, load in zip(
                    subnet.links.source,
                    subnet.links.source_port,
                    subnet.links.destination,
                    subnet.links.destination_port,
                    expected,
                    strict=True,
                )
                if load
            }
            ends = [*rail["switches"]["name"], *(port.split()[0] for port in rail["ports"]["name"])]
            links = rail["links"]
            in_page = {
                (ends[s], int(p), ends[d], int(q)): load
                for s, p, d, q, load in zip(
                    links["source"],
                    links["sourcePort"],
                    links["destination"],
                    links["destinationPort"],
                    amounts,
                    strict=True,
                )
                if load
            }
            if name != "two ports":  # (whose ports of one host have the same ends)
                assert in_page == pytest.approx(kept, rel=1e-6)
            assert amounts.sum() == pytest.approx(expected.sum(), rel=1e-6)


@pytest.mark.parametrize("name", JOBS)
def test_bounds_are_those_of_all_messages(name: str) -> None:
    of = job(name)
    for number, rail in enumerate(shown(of)["rails"]):
        told_by = job_loads(of.fabric, of.flows, of.places, lid_offset=of.lid_offset).rails[number]
        expected = {each.link_class: each.bound for each in told_by.classes}
        cuts = rail["cuts"]
        amounts = network_jobs.dense(cuts["loads"], "bytes", len(cuts["links"])).sum(axis=0)
        bounds = np.zeros(len(CLASSES))
        np.maximum.at(bounds, cuts["class"], amounts / cuts["links"])
        assert {number: bounds[number] for number in expected} == pytest.approx(expected, rel=1e-6)


def test_flows_are_those_between_hosts() -> None:
    of = job("tree")
    network = shown(of)
    sent = network["flows"]
    assert sent["together"] == 1
    pairs = zip(of.flows.source.tolist(), of.flows.destination.tolist(), of.flows.bytes.tolist(), strict=True)
    assert int(sent["bytes"].sum()) == sum(size for source, other, size in pairs if source // 2 != other // 2)
    assert all(network["hostOf"][sent["source"]] != network["hostOf"][sent["destination"]])
    assert network["hostOf"].tolist() == [rank // 2 for rank in range(RANKS)]


def test_only_the_part_of_the_job_is_there() -> None:
    tree = fabrics_made.tree(leaves=4, hosts=3, spines=2)
    of = network_jobs.placed(tree, network_jobs.usual(4), network_jobs.hosts_of(tree, 4))
    [rail] = shown(of)["rails"]
    assert rail["switches"]["name"] == ["switch0", "switch1", "switch4", "switch5"]
    assert rail["switches"]["level"].tolist() == [1, 1, 2, 2]
    assert len(rail["ports"]["name"]) == 4
    # Links that carry nothing stay, if both their ends are used: four of hosts and four of leaves, both ways.
    assert len(rail["links"]["source"]) == 16
    assert rail["forward"]["width"] == 1
    assert len(rail["forward"]["ports"]) == 4 * 4


def test_each_link_has_its_rate_and_width_and_slow_cables_are_marked() -> None:
    tree = fabrics_made.tree()
    rates, widths = np.full(len(tree.links), 25e9), np.full(len(tree.links), 4, np.int8)
    between = np.flatnonzero(tree.classes > HOST_DOWN)
    slow = between[0] // 2 * 2 + np.array([0, 1])
    rates[slow], widths[slow] = 12.5e9, 2
    tree = replace(tree, links=replace(tree.links, rates=rates, widths=widths))
    of = network_jobs.placed(tree, network_jobs.usual(RANKS), network_jobs.hosts_of(tree, RANKS, 2))
    [rail] = shown(of)["rails"]
    links = rail["links"]
    marked = links["slow"].astype(bool)
    assert marked.sum() == 2
    assert set(links["rate"][marked]) == {np.float32(12.5e9)}
    assert set(links["width"][marked]) == {2}
    assert set(links["rate"][~marked]) == {np.float32(25e9)}
    assert set(links["width"][~marked]) == {4}
    assert rail["topology"] == ""
    assert rail["switches"]["place"] == []


def test_a_dragonfly_is_described_by_its_words() -> None:
    of = job("dragonfly")
    network = shown(of)
    [rail] = network["rails"]
    assert rail["topology"] == "dragonfly"
    assert set(rail["switches"]["level"].tolist()) == {1}
    assert set(rail["switches"]["place"]) <= {f"group {number}" for number in range(1, 10)}
    classes = {network["classes"][number] for number in rail["links"]["class"]}
    assert classes == {"host up", "host down", "local", "global"}
    assert any(phrase.startswith("dragonfly of 9 groups of 4 switches") for phrase in about(of))
    assert "level" not in " ".join([network["finding"], network["lead"], *network["about"]])


def test_groups_by_communicator_and_causes_by_family() -> None:
    network = shown(job("tree"))
    assert network["procedures"] == ["Alltoall", "Isend", "Bcast"]
    assert sorted(network["families"]) == ["W", "W.s"]
    communicators = network["communicators"]
    assert sorted(communicators["label"]) == ["W", *(f"W.s{row}" for row in range(6))]
    assert communicators["name"] == communicators["label"]
    assert network["causes"] == [
        "Alltoall of W",
        "Isend of W",
        "Bcast of 6 \N{MULTIPLICATION SIGN} W.s",
    ]


def test_small_groups_are_taken_together_with_their_families() -> None:
    groups = network_jobs.usual(RANKS).groups
    result = page_groups(groups, most=3)
    assert result.communicators == ["W", groups[2].communicator, "others of W.s"]
    assert result.names == ["W", groups[2].communicator, ""]
    assert result.of.tolist() == [0, 1, 2, *[3] * 5]
    assert result.causes[2] == "Bcast of 6 \N{MULTIPLICATION SIGN} W.s"
    assert result.cause == [0, 1, 2, 2]


def test_blocks_lose_nothing() -> None:
    random = np.random.default_rng(5)
    source, destination, group = random.integers(0, 64, (3, 4000))
    amounts = random.integers(1, 1000, (2, 4000)).astype(np.float64)
    whole = blocks(source, destination, group % 3, amounts, most=10**6)
    assert whole.together == 1
    merged = blocks(source, destination, group % 3, amounts, most=1000)
    assert merged.together == 4
    assert len(merged.source) <= 1000
    assert merged.bytes.sum() == amounts[0].sum()
    assert merged.messages.sum() == amounts[1].sum()
    mask = (source // 4 == 3) & (destination // 4 == 5) & (group % 3 == 1)
    at = (merged.source == 3) & (merged.destination == 5) & (merged.group == 1)
    assert merged.bytes[at].tolist() == [amounts[0][mask].sum()]
    assert (np.diff(merged.source * 16 + merged.destination) >= 0).all()


def test_columns_come_back() -> None:
    columns = {
        "u8": np.array([0, 255, 3]),
        "u16": np.array([256, 1, 65535]),
        "u32": np.array([2**32 - 1, 0]),
        "i32": np.array([-1, 2**31 - 1]),
        "f32": np.array([0.25, 2.0**40, np.nan]),
        "none": np.array([], np.int64),
    }
    container = Container()
    kinds = [container.column(numbers)["column"][0] for numbers in columns.values()]
    assert kinds == ["u8", "u16", "u32", "i32", "f32", "u8"]
    report = {name: container.column(numbers) for name, numbers in columns.items()}
    report["rising"] = container.column(np.arange(5, 70000, 3), ascending=True)
    unpacked = network_jobs.data(f'id="data">{container.packed(report)}<'.encode())
    for name, numbers in columns.items():
        np.testing.assert_array_equal(unpacked[name], numbers)
    np.testing.assert_array_equal(unpacked["rising"], np.arange(5, 70000, 3))


def test_rows_of_the_drawing() -> None:
    tree = fabrics_made.tree(leaves=4, hosts=3, spines=2)
    switches, ports = np.ones(6, bool), np.ones(12, bool)
    switches[2] = False
    ports[6:9] = False
    drawing = layout(tree, switches, ports)
    assert np.isnan(drawing.switches[2])
    assert np.isnan(drawing.ports[6:9]).all()
    below = tree.links.destination[tree.up]
    order = [int(below[port]) for port in np.argsort(drawing.ports)[:9]]
    assert order == sorted(order)  # hosts stand below their switches, and these by their names
    assert drawing.switches[4] < drawing.switches[5]
    kept = np.concatenate([drawing.switches[np.isfinite(drawing.switches)], drawing.ports[ports]])
    assert ((kept > 0) & (kept < 1)).all()


def test_numbers_in_names_are_in_their_order() -> None:
    names = ["node10", "node2", "leaf", "node2a", "10", ""]
    assert sorted(names, key=natural) == ["", "10", "leaf", "node2", "node2a", "node10"]


def test_what_is_found_is_the_slowest_link(golden: Golden) -> None:
    # Only host 0 sends to the second leaf: one link up and one down carry it, no other one carries anything.
    tree = fabrics_made.tree(leaves=3, hosts=3, spines=2)
    heavy = {(0, 3): (1_000_000, 1)}
    light = {(6, 0): (1000, 1), (7, 1): (1000, 1)}
    of = network_jobs.placed(
        tree,
        network_jobs.flows(
            9, [(network_jobs.group("W", "MPI_Bcast"), heavy), (network_jobs.group("W", "MPI_Gather"), light)]
        ),
        network_jobs.hosts_of(tree, 9),
    )
    link = "switch0 [5] \N{RIGHTWARDS ARROW} switch4 [1]"
    ratio = "2.99 \N{MULTIPLICATION SIGN} the mean of its class (leaf up)"
    golden.says(finding(of), f"{link} .. 977 KiB .. {ratio} .. 100 % .. Bcast .. W")


def test_captions_and_warnings(golden: Golden) -> None:
    of = job("rails")
    said = " ".join(captions(of))
    golden.says(said, "--place .. 12")
    assert list(warnings(of)) == []


def test_what_is_missing_is_told_first(golden: Golden) -> None:
    """With less than nine tenths of the bytes on links the page begins with that, and names no link."""
    of = job("tree")
    lines = ("adapters: 2", f"{GAP}switches: 2")
    of = replace(of, fabric=replace(of.fabric, warnings=lines))
    assert list(warnings(of)) == [lines[1], lines[0]]
    lost = replace(of, rails=())
    golden.says(finding(lost), "only 0.0 %")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("/a/long way/net.links and /a/long way/net.fdbs", "net.links and net.fdbs"),
        ("/a/1.links and /a/1.fdbs; in agreement with /a/2.fdbs, /a/3.fdbs", "4 files"),
    ],
)
def test_captions_name_files_without_folders(what: str, said: str) -> None:
    of = job("tree")
    read = replace(of.fabric, sources=(Source("opensm", what),))
    assert captions(replace(of, fabric=read))[0].endswith(f", from {said}")


def test_one_is_not_several() -> None:
    star = fabrics_synthetic.star(["host000", "host001"])
    of = network_jobs.placed(star, network_jobs.flows(1, []), ["host000"])
    assert about(of)[:2] == ["1 rank on 1 host", "a fabric of 1 switch"]
    assert about(job("two ports"))[0] == f"{RANKS} ranks on 12 hosts"


def test_ports_of_one_host_are_told_apart() -> None:
    ports = shown(job("two ports"))["rails"][0]["ports"]
    assert ports["host"][:2] == ["host000", "host000"]
    assert sorted(ports["device"][:2]) == ["mlx5_0", "mlx5_1"]
    assert sorted(ports["name"][:2]) == ["host000 mlx5_0:1", "host000 mlx5_1:1"]


def test_nothing_sent(golden: Golden) -> None:
    tree = fabrics_made.tree()
    of = network_jobs.placed(tree, network_jobs.flows(4, []), network_jobs.hosts_of(tree, 4))
    golden.says(finding(of))
    network = shown(of)
    assert len(network["flows"]["source"]) == 0
    assert network["rails"][0]["loads"]["start"].sum() == 0


def test_4096_ranks_are_less_than_5_megabytes() -> None:
    subnet = fat_tree("fattree:k=36,pods=13")
    ranks = np.arange(4096)
    pairs = {
        (int(rank), int((rank + step) % 4096)): (int(rank) * 977 % 100_003 + 1, step)
        for step in (1, 64, 511, *(2**bit for bit in range(1, 12)))
        for rank in ranks
    }
    of = network_jobs.placed(
        subnet,
        network_jobs.flows(4096, [(network_jobs.group("W", "MPI_Allreduce"), pairs)]),
        network_jobs.hosts_of(subnet, 4096),
    )
    content = network_jobs.page(of)
    assert len(content) < 5_000_000
    assert len(network_jobs.data(content)["runs"][0]["network"]["flows"]["source"]) == len(pairs)
