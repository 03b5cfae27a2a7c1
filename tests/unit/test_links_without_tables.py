"""Subnets of which only the links are known: routes by a rule, on the cables that there are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fabrics_made import at_random
from recorded_fabrics import FABRICS, opened, path_of
from routes_walked import all_pairs, loads, walked

from golden import Golden
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, HOST_DOWN, LEAF_UP, MODELLED, NO_PORT, Fabric, Subnet
from rankwise.network.routes.all_to_all import all_to_all
from rankwise.network.sources.generators.generate import generated
from rankwise.network.sources.on_cables import RULES, routed_by
from rankwise.network.sources.open import open_fabric

SMALL = FABRICS / "small-ftree"
LINKS = ["ibdiagnet.lst", "opensm-subnet.lst", "ibnetdiscover.txt", "ibnetdiscover-p.txt", "iblinkinfo-l.txt"]


def of_rule(name: str, rule: str | None = None, folder: str = "small-ftree") -> Fabric:
    return open_fabric([str(path_of(folder, name))], rule)


def messages_up(subnet: Subnet) -> list[float]:
    """How many messages of an all-to-all take each link from a leaf to a spine."""
    messages: list[float] = loads(subnet, all_pairs(len(subnet.ports.hosts)))[
        subnet.classes == LEAF_UP
    ].tolist()
    return messages


@pytest.mark.parametrize("name", [*LINKS, "ibsim.net"])
def test_all_formats_of_links_have_an_even_split(name: str) -> None:
    """4 hosts a leaf send 12 others a message each, over 4 cables: 12 on each of them."""
    fabric = of_rule(name)
    [subnet] = fabric.subnets
    assert subnet.routing.kind == EVEN_SPLIT
    assert len(subnet.ports.hosts) == 16
    assert messages_up(subnet) == [12] * 16


@pytest.mark.parametrize(("rule", "kind"), [("even", EVEN_SPLIT), ("minhop", MODELLED), ("dmodk", MODELLED)])
def test_rules(rule: str, kind: str) -> None:
    [subnet] = of_rule("ibdiagnet.lst", rule).subnets
    assert subnet.routing.kind == kind
    assert messages_up(subnet) == [12] * 16


def test_every_screen_says_that_routes_are_modelled(
    capsys: pytest.CaptureFixture[str], golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FABRICS)
    for rule in RULES:
        words = ["links", "--fabric", "small-ftree/ibdiagnet.lst", "--routing", rule]
        assert main(words) == 0
        golden.says(capsys.readouterr().out, "unknown")
        assert main([*words, "--all-to-all", "1M", "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert any("unknown" in line for line in shown["matched"])
        assert any("model" in line for line in shown["notes"])


def test_d_mod_k_on_cables_is_that_of_the_generator() -> None:
    for words in ("fattree:leaf=4x4,spine=2", "fattree:leaf=6x4,spine=2,uplinks=4", "fattree:k=4"):
        made = generated(words)
        bare = replace(made, forward=np.full_like(made.forward, NO_PORT))
        np.testing.assert_array_equal(routed_by("dmodk", bare).forward, made.forward)


def test_min_hop_takes_each_port_as_often() -> None:
    """324 hosts below 18 leaves: each of the 18 cables up leads to 17 of the 306 others."""
    [subnet] = of_rule("ibdiagnet.lst", "minhop", "medium-ftree").subnets
    hosts = subnet.forward[:, subnet.ports.lids, 0]
    for switch in np.flatnonzero(subnet.switches.levels == 1):
        up = np.flatnonzero(subnet.classes == LEAF_UP)
        ports = subnet.links.source_port[up[subnet.links.source[up] == switch]]
        assert [int((hosts[switch] == port).sum()) for port in ports] == [17] * 18


def test_min_hop_on_three_levels_is_as_uneven_as_that_of_opensm() -> None:
    """OpenSM's own tables of this engine put 1,072 of the routes between all 512 hosts on one link."""
    [subnet] = of_rule("opensm-subnet.lst", "minhop", "tsubame-r1-ftree").subnets
    taken = all_to_all(subnet, np.arange(len(subnet.ports.hosts))).loads
    assert taken[subnet.classes > HOST_DOWN].max() == 1072


@pytest.mark.parametrize("seed", range(5))
def test_min_hop_goes_as_straight_as_the_even_split(seed: int) -> None:
    made = at_random(seed)
    straight, split = routed_by("minhop", made), routed_by("even", made)
    for source, other in all_pairs(len(made.ports.hosts)):
        assert sum(walked(straight, source, other).values()) == pytest.approx(
            sum(walked(split, source, other).values())
        )


def test_d_mod_k_is_for_trees(tmp_path: Path, golden: Golden) -> None:
    lines = [f'Switch 4 "s{number}"\n[1] "h{number}"[1]\n[2] "s{1 - number}"[2]\n' for number in range(2)]
    lines += [f'Hca 1 "h{number}"\n[1] "s{number}"[1]\n' for number in range(2)]
    (tmp_path / "ring.net").write_text("\n".join(lines))
    assert len(open_fabric([str(tmp_path / "ring.net")]).subnets[0].ports.hosts) == 2
    with pytest.raises(RankwiseError) as error:
        open_fabric([str(tmp_path / "ring.net")], "dmodk")
    golden.says(error.value, "ring.net .. s0 .. s1")


def test_a_rule_is_for_links_without_tables(golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        open_fabric(["torus:2x2"], "minhop")
    golden.says(error.value, "minhop .. torus:2x2")


def test_a_rail_with_tables_keeps_them() -> None:
    fabric = open_fabric([str(path_of("medium-ftree", "ibdiagnet.lst")), "torus:2x2"])
    assert [subnet.routing.kind for subnet in fabric.subnets] == [EVEN_SPLIT, MODELLED]
    assert opened("small-ftree", "ibdiagnet.lst", "opensm.fdbs").subnets[0].routing.kind == "measured tables"
