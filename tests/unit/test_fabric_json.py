"""fabric.json: what is written is read the same, people can write it, and what is wrong is named."""

import json
import random
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from fabrics_made import made
from recorded_fabrics import FOLDERS, assert_same, opened

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, MODELLED, NO_PORT, Fabric, Routing, Source
from rankwise.network.sources.fabric_json import devices
from rankwise.network.sources.fabric_json import read as read_module
from rankwise.network.sources.fabric_json.read import fabric_of
from rankwise.network.sources.fabric_json.write import text_of, write_fabric
from rankwise.network.sources.infiniband.rates import rate_of
from rankwise.network.sources.open import open_fabric
from rankwise.network.sources.text import TextFile, read_text

GIVEN = Source("generator", "by a test")


def read(text):
    return fabric_of(TextFile("fabric.json", text.encode()))


def assert_same_again(fabric):
    again = read(text_of(fabric))
    assert len(again.subnets) == len(fabric.subnets)
    for subnet, other in zip(again.subnets, fabric.subnets, strict=True):
        assert_same(subnet, other)
    assert (again.sources, again.warnings) == (fabric.sources, fabric.warnings)


@pytest.mark.parametrize("folder", FOLDERS)
def test_recorded_fabrics_are_read_as_written(folder):
    assert_same_again(opened(folder))


@pytest.mark.parametrize(
    "words",
    [
        "torus:4x4",
        "torus:3x3x3",
        "fattree:leaf=4x4,spine=4",
        "fattree:leaf=4x4,spine=4,routing=even",
        "dragonfly:a=4,p=2,h=2",
    ],
)
def test_made_fabrics_are_read_as_written(words):
    assert_same_again(open_fabric([words]))


def test_a_fabric_of_rails_is_read_as_written():
    two = [
        replace(opened("small-ftree").subnets[0], name="one"),
        replace(made([0, 1], [(0, 1)], line), name="two"),
    ]
    assert_same_again(Fabric(tuple(two), (GIVEN, GIVEN), ("something is missing",)))


def line(switch, host):
    return [host + 1 if switch == host else 2]


def test_names_that_are_not_unique():
    subnet = opened("dual-ftree").subnets[0]
    switches = replace(subnet.switches, names=("node0001", "chip", "chip", "chip", "chip", "x"))
    assert_same_again(Fabric((replace(subnet, switches=switches),), (GIVEN,)))


def test_rates_are_kept_to_the_last_bit():
    subnet = opened("small-ftree").subnets[0]
    rates = [rate_of("4x", speed) for speed in ("SDR", "FDR", "FDR10", "EDR", "HDR", "XDR")]
    rates += [float("nan"), 1.0, 1 / 3, 12345678901.234567, 1e9 + 1]
    cables = len(subnet.links) // 2
    chance = random.Random(4)
    rates += [chance.uniform(1e6, 1e11) for _ in range(cables - len(rates))]
    links = replace(subnet.links, rates=np.repeat(rates, 2))
    assert_same_again(Fabric((replace(subnet, links=links),), (GIVEN,)))


def test_an_even_split_is_written_without_tables_if_the_cables_tell_them():
    fabric = open_fabric(["fattree:leaf=4x4,spine=4,routing=even"])
    assert '"tables"' not in text_of(fabric)
    subnet = fabric.subnets[0]
    forward = subnet.forward.copy()
    forward[0, 5] = NO_PORT
    forward[0, 5, 0] = 5
    other = Fabric((replace(subnet, forward=forward),), fabric.sources)
    assert '"tables"' in text_of(other)
    assert_same_again(other)


@pytest.mark.parametrize("name", ["fabric.json", "fabric.json.gz"])
def test_it_is_opened_like_any_other(tmp_path, name):
    fabric = opened("small-ftree")
    path = tmp_path / name
    write_fabric(fabric, path, force=False)
    again = open_fabric([str(path)])
    assert_same(again.subnets[0], fabric.subnets[0])
    assert again.sources[0] == Source("ibdiagnet", f"{path}, of {fabric.sources[0].what}")
    assert (read_text(path).data[:1], path.read_bytes()[:2] == b"\x1f\x8b") == (b"{", name.endswith(".gz"))
    with pytest.raises(RankwiseError, match="already exists"):
        write_fabric(fabric, path, force=False)
    write_fabric(fabric, path, force=True)


def test_warnings_are_not_said_twice(tmp_path):
    subnet = opened("small-ftree").subnets[0]
    forward = subnet.forward.copy()
    forward[:, subnet.ports.lids[3]] = NO_PORT
    warning = "routes between hosts that lead nowhere: 15 of 240, such as node0001 to node0004"
    write_fabric(
        Fabric((replace(subnet, forward=forward),), (GIVEN,), (warning,)), tmp_path / "f", force=False
    )
    assert open_fabric([str(tmp_path / "f")]).warnings == (warning,)


def by_hand(**changes):
    subnet = {
        "gbit": 100,
        "switches": ["leaf1", "leaf2", "spine1", "spine2"],
        "hosts": ["a", "b", "c", "d"],
        "links": [
            ["a", "leaf1"],
            ["b", "leaf1"],
            ["c", "leaf2"],
            ["d", "leaf2"],
            ["leaf1", "spine1"],
            ["leaf1", "spine2"],
            {"ends": ["leaf2", "spine1"], "gbit": 200},
            {"ends": ["leaf2", "spine2"], "count": 2},
        ],
    }
    document = {"format": "rankwise-fabric", "version": 1, "subnets": [subnet | changes]}
    subnet = document["subnets"][0]
    for key in [key for key, value in subnet.items() if value is ...]:
        del subnet[key]
    return document


def test_a_file_by_hand():
    fabric = read(json.dumps(by_hand()))
    (subnet,) = fabric.subnets
    assert fabric.sources == (Source("fabric.json", "fabric.json"),)
    assert subnet.routing == Routing(EVEN_SPLIT)
    assert subnet.switches.levels.tolist() == [1, 1, 2, 2]
    assert subnet.ports.lids.tolist() == [1, 2, 3, 4]
    assert len(subnet.links) == 2 * 9
    assert sorted(set(subnet.links.rates.tolist())) == [12.5e9, 25e9]
    assert [port for port in subnet.forward[1, 1].tolist() if port != NO_PORT] == [3, 4, 5]
    assert subnet.forward[0, 1, 0] == 1
    assert_same_again(fabric)


def test_examples_of_the_manual_are_fabrics():
    text = (Path(__file__).parents[2] / "docs/reference/fabrics.md").read_text(encoding="utf-8")
    first, second = (read(example) for example in re.findall(r"```json\n(.*?)```", text, re.DOTALL))
    assert sorted(set(first.subnets[0].links.rates.tolist())) == [12.5e9, 25e9]
    assert first.subnets[0].forward.shape == (3, 5, 2)
    assert second.subnets[0].forward[:, 1:, :].tolist() == [
        [[1, NO_PORT], [2, 3], [NO_PORT] * 2, [NO_PORT] * 2],
        [[2, NO_PORT], [1, NO_PORT], [3, NO_PORT], [0, NO_PORT]],
    ]
    assert_same_again(first)
    assert_same_again(second)


def test_keys_are_those_of_the_manual():
    text = (Path(__file__).parents[2] / "docs/reference/fabrics.md").read_text(encoding="utf-8")
    for title, keys in (
        ("the file", read_module._KEYS),
        ("a subnet", read_module._SUBNET),
        ("a switch", devices._SWITCH),
        ("a host", devices._HOST),
    ):
        table = text.split(f"| key of {title} |")[1].split("\n\n")[0]
        documented = {
            key for row in table.splitlines()[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])
        }
        assert documented == set(keys)


def test_tables_by_name():
    routes = {
        "leaf1": {"a": 1, "b": 2, "c": 3, "d": [3, 4]},
        "leaf2": {"a": 3, "b": [3, 4, 5], "c": 1, "d": 2},
        "spine1": {"a": 1, "b": 1, "c": 2, "d": 2},
        "spine2": [None, 1, 1, 2, 3],
    }
    fabric = read(json.dumps(by_hand(tables=routes, routing={"kind": "modelled", "by": "me"})))
    (subnet,) = fabric.subnets
    assert subnet.routing == Routing(MODELLED, "me")
    assert subnet.forward[0, 4].tolist() == [3, 4, NO_PORT]
    assert subnet.forward[3, :, 0].tolist() == [NO_PORT, 1, 1, 2, 3]
    assert_same_again(fabric)


COMPLAINTS = [
    (by_hand() | {"version": 2}, "version: this Rankwise reads version 1"),
    (by_hand() | {"format": "x"}, 'format: must be "rankwise-fabric"'),
    (by_hand() | {"more": 1}, "unknown key 'more'"),
    (by_hand() | {"subnets": []}, "subnets: must not be empty"),
    (by_hand() | {"sources": []}, "sources: must be 1, one for each of `subnets`"),
    (by_hand(links=...), "subnets[0]: 'links' is missing"),
    (by_hand(switches=["leaf1", "leaf1"]), "subnets[0].switches[1]: the name 'leaf1' is given twice"),
    (by_hand(hosts=["leaf1"]), "subnets[0].hosts[0]: the name 'leaf1' is given twice"),
    (by_hand(hosts=["a", "b", "c", "d", "e"]), "subnets[0].hosts[4]: 'e' has no link"),
    (by_hand(hosts=["a", ""]), "subnets[0].hosts[1]: its name must not be empty"),
    (by_hand(hosts=["a\n"]), "subnets[0].hosts[0]: must not contain control characters"),
    (by_hand(links=[["a", "x"]]), "subnets[0].links[0][1]: there is no switch or host 'x'"),
    (by_hand(links=[["a", "b"]]), "subnets[0].links[0]: one end must be a switch"),
    (by_hand(links=[["a", "leaf1"], ["a", "leaf2"]]), "subnets[0].links[1]: port 1 of a already has a link"),
    (by_hand(links=[["a", 2, "leaf1", 1]]), "subnets[0].links[0][1]: 'a' is port 1 of its adapter"),
    (by_hand(links=[["leaf1", 3, "leaf1", 3]]), "subnets[0].links[0]: port 3 of leaf1 already has a link"),
    (by_hand(links=[["a", "leaf1", 1]]), "subnets[0].links[0]: must be two names, or"),
    (by_hand(links=[{"ends": ["a", "leaf1"], "gbit": 0}]), "links[0].gbit: must be a number above 0"),
    (by_hand(links=[{"ends": ["a", "leaf1"], "gbit": 1, "mb_s": 1}]), "mb_s: there is `gbit` already"),
    (by_hand(links=[{"ends": ["a", "leaf1"], "count": 0}]), "count: must be a whole number above 0"),
    (by_hand(gbit="fast"), "subnets[0].gbit: must be a number"),
    (by_hand(routing="magic"), "subnets[0].routing: must be one of measured tables, modelled, even split"),
    (by_hand(routing="modelled"), 'subnets[0].routing: needs `tables`; "even split" does not'),
    (by_hand(tables={}), "subnets[0]: `routing` must give the origin of `tables`: measured tables, modelled"),
    (by_hand(routing="modelled", tables={"x": []}), "subnets[0].tables: there is no switch 'x'"),
    (by_hand(routing="modelled", tables={"leaf1": {"x": 1}}), "tables.leaf1: there is no switch or host 'x'"),
    (by_hand(routing="modelled", tables={"leaf1": [1, -1]}), "tables.leaf1[1]: must be a whole number"),
    (by_hand(routing="modelled", tables={"leaf1": [1, 1 << 70]}), "tables.leaf1[1]: must be at most 65534"),
    (by_hand(routing="modelled", tables={"leaf1": [1, [2, 2]]}), "tables.leaf1[1]: lists a port twice"),
    (by_hand(routing="modelled", tables={"leaf1": [1, []]}), "tables.leaf1[1]: must not be empty"),
    (by_hand(routing="modelled", tables={"leaf1": [1, True]}), "tables.leaf1[1]: must be a whole number"),
    (by_hand(routing="modelled", tables={"leaf1": 1}), "tables.leaf1: must be a list of ports by LID"),
    (by_hand(switches=[{"name": "s", "guid": "12"}]), "switches[0].guid: must be a GUID such as"),
    (
        by_hand(switches=[{"name": "s", "guid": "0x1"}, "t"]),
        "switches[1]: either all switches or none must have a `guid`",
    ),
    (
        by_hand(switches=[{"name": n, "guid": "0x1"} for n in "st"]),
        "switches[1].guid: another switch already has it",
    ),
    (by_hand(hosts=[{"name": "a", "lid": 1}, "b"]), "hosts[1]: either all hosts or none must have a `lid`"),
    (by_hand(hosts=[{"name": n, "lid": 1} for n in "ab"]), "hosts: LID 1 of 'b' also belongs to 'a'"),
    (by_hand(hosts=[{"name": "a", "lid": 70000}]), "subnets[0].hosts[0].lid: must be at most 49151"),
    (by_hand(hosts=[{"name": "a", "lid": 0xBFFF, "lids": 2}]), "hosts: 'a' has a LID above 49151"),
    (
        by_hand(switches=[{"name": "leaf1", "lid": 0xC000}]),
        "subnets[0].switches[0].lid: must be at most 49151",
    ),
    (by_hand(hosts=[{"name": n, "guid": "0xa"} for n in "ab"]), "hosts[1].guid: another one already has it"),
    (
        by_hand(switches=[{"name": "s", "guid": "0xa"}], hosts=[{"name": "a", "guid": "0xa"}]),
        "hosts[0].guid: another one already has it",
    ),
    (
        by_hand(routing={"kind": "measured tables", "by": "me"}, tables={}),
        "subnets[0].routing.by: measured tables do not come from a rule; tables made by a rule are modelled",
    ),
    (by_hand(hosts=[{"name": "a", "lids": 3}]), "hosts[0].lids: must be 1, 2, 4 ... 128"),
    (by_hand(hosts=[{"name": n, "node": "0xa"} for n in "ab"]), "hosts[1].node: another one already has it"),
    (by_hand(switches=[{"name": "leaf1", "lid": 1}]), "hosts: switches have a `lid`, but these do not"),
]


@pytest.mark.parametrize(("told", "complaint"), COMPLAINTS, ids=[said for _, said in COMPLAINTS])
def test_complaints_name_the_place(told, complaint):
    with pytest.raises(RankwiseError) as error:
        read(json.dumps(told))
    assert str(error.value).startswith("fabric.json: ")
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not JSON: "),
        ('{"format": "rankwise-fabric", "format": 1}', "the key 'format' is given twice"),
        ('{"format": "rankwise-fabric", "version": NaN}', "NaN .. JSON"),
        ("[" * 100_000, ""),
        ("[]", ""),
    ],
)
def test_what_is_no_json(text, complaint, golden: Golden):
    with pytest.raises(RankwiseError) as error:
        read(text)
    golden.says(error.value, complaint)


def test_a_guid_is_in_one_subnet_alone():
    fabric = opened("small-ftree")
    with pytest.raises(RankwiseError) as error:
        read(text_of(replace(fabric, subnets=fabric.subnets * 2, sources=fabric.sources * 2)))
    assert str(error.value) == "fabric.json: subnets[1]: GUID 0x0000000000100001 is in subnets[0], too"


@pytest.mark.exhaustive  # half a million entries of tables as JSON, for one limit
def test_a_made_fabric_may_have_more_hosts_than_there_are_lids():
    """Their order by name is not that of their numbers."""
    fabric = open_fabric(["fattree:leaf=10x5000,spine=1,uplinks=1,names=n[1-50000]"])
    (subnet,) = read(text_of(fabric)).subnets
    (made,) = fabric.subnets
    assert subnet.ports.lids.max() == 50000
    assert (subnet.ports.lids == made.ports.lids).all()
    assert (subnet.forward == made.forward).all()


def test_too_many_lids_are_refused():
    switches = [f"s{number}" for number in range(2000)]
    links = [["a", "s0"], *([switch, other] for switch, other in pairwise(switches))]
    document = by_hand(switches=switches, hosts=["a"], links=links, routing="modelled")
    document["subnets"][0]["hosts"] = [{"name": "a", "lid": 0xBFFF}]
    document["subnets"][0]["tables"] = {"s0": {"a": list(range(1, 65))}}
    with pytest.raises(RankwiseError, match=r"tables: would take 11\.7 GiB; the maximum is 4\.00 GiB"):
        read(json.dumps(document))


def test_whatever_is_damaged_ends_in_one_line_or_in_a_fabric(tmp_path):
    text = text_of(opened("small-ftree")).encode()
    chance = random.Random(7)
    refused = 0
    for _ in range(200):
        changed = bytearray(text)
        place = chance.randrange(len(text))
        kind = chance.randrange(3)
        if kind == 0:
            del changed[place:]
        elif kind == 1:
            changed[place] = chance.randrange(256)
        else:
            del changed[place : place + chance.randrange(1, 200)]
        (tmp_path / "f").write_bytes(changed)
        try:
            open_fabric([str(tmp_path / "f")])
        except RankwiseError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 100
