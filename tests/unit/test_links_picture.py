"""`rankwise links --plot`: drawings that hold what they claim to."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import fabrics_made
import network_jobs
import numpy as np
import profiles
import pytest
import recorded_fabrics
from test_network_page_data import JOBS, job

from golden import Golden
from rankwise.__main__ import main
from rankwise.network.fabric.model import HOST_DOWN, HOST_UP
from rankwise.network.loads import JobLoads, job_loads
from rankwise.render.network.bundles import bundles
from rankwise.render.network.picture import links_picture

HOSTILE = "</svg><script>alert(1)</script>$\\frac{1}$\x1b[31m\u202e&"
FABRIC = str(recorded_fabrics.FABRICS / "small-ftree")


def loads(name: str) -> JobLoads:
    of = job(name)
    return job_loads(of.fabric, of.flows, of.places, lid_offset=of.lid_offset)


def texts(svg: bytes) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_bundles_have_the_most_of_each_direction() -> None:
    rail = loads("tree").rails[0]
    subnet = rail.subnet
    every = np.arange(len(subnet.links))
    bundled = bundles(subnet, every, rail.bytes, np.array([int(rail.bytes.argmax())]))
    assert bundled.cables.tolist() == [1] * len(bundled.cables)
    assert bundled.most.sum() == pytest.approx(rail.bytes.sum())
    assert bundled.hot.sum() == 1
    up = np.isin(subnet.classes, [HOST_UP])
    of_hosts = bundled.low >= len(subnet.switches.names)
    assert sorted(bundled.most[0][of_hosts]) == pytest.approx(sorted(rail.bytes[up]))
    assert sorted(bundled.most[1][of_hosts]) == pytest.approx(sorted(rail.bytes[subnet.classes == HOST_DOWN]))


def test_parallel_cables_are_one_bundle() -> None:
    subnet = recorded_fabrics.opened("medium-ftree").subnets[0]
    bytes_of = np.arange(len(subnet.links), dtype=np.float64)
    bundled = bundles(subnet, np.arange(len(subnet.links)), bytes_of, np.array([], np.int64))
    assert sorted(set(bundled.cables.tolist())) == [1, 2]
    assert bundled.cables.sum() * 2 == len(subnet.links)
    assert bundled.most.max() == bytes_of.max()


@pytest.mark.parametrize("name", JOBS)
def test_drawings_of_all_kinds_of_fabrics(name: str) -> None:
    of = loads(name)
    first = links_picture(of, "What was found", ["Routes: as told."], "svg")
    labels = texts(first)
    assert "What was found" in labels
    assert any("Routes: as told." in text for text in labels)
    assert any(text.startswith("hosts (") for text in labels)
    assert "host up" in labels
    assert links_picture(of, "What was found", ["Routes: as told."], "svg") == first


def test_names_are_harmless() -> None:
    tree = fabrics_made.tree()
    switches = replace(tree.switches, names=tuple(f"{HOSTILE}{n}" for n in range(len(tree.switches.names))))
    hosts = tuple(f"{HOSTILE}{n:03}" for n in range(len(tree.ports.hosts)))
    tree = replace(tree, switches=switches, ports=replace(tree.ports, hosts=hosts))
    of = network_jobs.placed(tree, network_jobs.usual(12), list(hosts))
    svg = links_picture(job_loads(of.fabric, of.flows, of.places), HOSTILE, [HOSTILE], "svg")
    assert b"<script" not in svg
    assert any("\\x1b[31m" in text for text in texts(svg))


def test_nothing_sent_is_drawn_too() -> None:
    tree = fabrics_made.tree()
    of = network_jobs.placed(tree, network_jobs.flows(4, []), network_jobs.hosts_of(tree, 4))
    assert links_picture(job_loads(of.fabric, of.flows, of.places), "Nothing", [], "pdf").startswith(b"%PDF")


def test_of_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    profile = profiles.write_inside(tmp_path / "inside.rankwise")
    output = tmp_path / "links.svg"
    words = ["links", str(profile), "--fabric", FABRIC, "--place", "node[0001,0005]*2", "--plot", str(output)]
    assert main(words) == 0
    assert any("Ranks: 4 on 2 hosts" in text for text in texts(output.read_bytes()))
    capsys.readouterr()
    assert main(words) == 2
    golden.says(capsys.readouterr().err, "--plot")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--all-to-all", "1k", "--plot", "links.html"], "`rankwise report` writes a page"),
        (["--plot", "links.svg"], "give a profile, or --all-to-all"),
    ],
)
def test_refused(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["links", "--fabric", FABRIC, *words]) == 2
    assert told in capsys.readouterr().err
