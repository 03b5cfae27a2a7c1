"""`rankwise links --route`: ways as ibtracert prints them, in both directions; loops and dead ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fabrics_made import at_random, made
from profiles import write_traffic
from recorded_fabrics import opened, path_of
from test_fabric_reach import LOOPS, LOST, outcome

from golden import Golden
from rankwise.__main__ import main
from rankwise.network.fabric.model import Fabric, Source
from rankwise.network.routes.destinations import ARRIVES, IN_CIRCLES, NO_WAY
from rankwise.network.routes.reach import reach_of
from rankwise.network.routes.trace import trace
from rankwise.network.sources.fabric_json.write import write_fabric
from rankwise.network.sources.text import read_text
from rankwise.views.links.traces import trace_lines

FILES = [str(path_of("medium-ftree", name)) for name in ("opensm-subnet.lst", "opensm.fdbs")]


def recorded() -> list[tuple[int, int, list[str]]]:
    """The pairs of LIDs that ibtracert traced, and its lines."""
    text = read_text(path_of("medium-ibtracert", "trace.txt")).data.decode()
    traces = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        head, *lines = part.splitlines()
        first, second = map(int, head.split(","))
        traces.append((first, second, lines))
    return traces


def test_lines_are_those_of_ibtracert() -> None:
    (subnet,) = opened("medium-ftree", "opensm-subnet.lst", "opensm.fdbs").subnets
    port = {lid: place for place, lid in enumerate(subnet.ports.lids.tolist())}
    traces = recorded()
    assert len(traces) == 40
    for first, second, lines in traces:
        assert trace_lines(subnet, trace(subnet, port[first], port[second], second)) == lines


def test_both_directions_of_hosts_and_of_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, _, lines = recorded()[0]
    ends = [re.findall(r'"(\S+) ', line)[0] for line in (lines[0], lines[-1])]
    assert main(["links", "--fabric", *FILES, "--route", *ends]) == 0
    out = capsys.readouterr().out
    there, back = out.split("\n\n")
    assert there.splitlines()[1:] == lines
    assert back.splitlines()[1].startswith(lines[-1].replace("To", "From"))
    assert back.splitlines()[-1] == lines[0].replace("From", "To")
    profile = write_traffic(tmp_path / "a.rankwise", ends, [(0, 1, "point-to-point", 1, 8)])
    assert main(["links", str(profile), "--fabric", *FILES, "--route", "0", "1"]) == 0
    of_ranks = capsys.readouterr().out
    assert [line for line in of_ranks.splitlines() if "->" in line] == [
        line for line in out.splitlines() if "->" in line
    ]
    assert main(["links", "--fabric", *FILES, "--route", *ends, "--json"]) == 0
    traces = json.loads(capsys.readouterr().out)["traces"]
    assert [each["outcome"] for each in traces] == ["arrives", "arrives"]
    assert traces[0]["lines"] == lines
    assert len(traces[0]["hops"]) == len(lines) - 2


@pytest.mark.parametrize("seed", range(20))
def test_ways_end_as_those_of_another_walk(seed: int) -> None:
    subnet = at_random(seed, broken=True)
    fates = {LOST: NO_WAY, LOOPS: IN_CIRCLES}
    for source in range(len(subnet.ports.hosts)):
        first = int(subnet.links.destination[subnet.up[source]])
        for destination in range(len(subnet.ports.hosts)):
            if source != destination:
                way = trace(subnet, source, destination, int(subnet.ports.lids[destination]))
                assert way.fate == fates.get(outcome(subnet, first, destination), ARRIVES)


def lost_and_looping(path: Path) -> str:
    """Three switches in a row: messages from the first two for host 2 go to and fro, those for host 3 end."""
    tables = {0: [1, 2, 2, 9], 1: [2, 1, 2, 3], 2: [3, 3, 1, 2]}
    subnet = made([0, 1, 2, 2], [(0, 1), (1, 2)], lambda switch, host: [tables[switch][host]])
    write_fabric(Fabric((subnet,), (Source("generator", "made"),)), path, False)
    return str(path)


def test_loops_and_dead_ends_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    fabric = lost_and_looping(tmp_path / "fabric.json")
    assert main(["links", "--fabric", fabric, "--json"]) == 0
    warnings = "\n".join(json.loads(capsys.readouterr().out)["fabric"]["warnings"])
    golden.says(warnings, "1 of 12, such as host000 to host003")
    golden.says(warnings, "2 of 12, such as host000 to host002")
    for other in ("host002", "host003"):
        assert main(["links", "--fabric", fabric, "--route", "host000", other]) == 0
        there, back = capsys.readouterr().out.split("\n\n")
        golden.says(there, "switch0")
        assert back.splitlines()[-1].startswith("To ca ")
    messages = [
        (0, 2, "point-to-point", 1, 8),
        (0, 3, "point-to-point", 1, 8),
        (3, 0, "point-to-point", 1, 999),
    ]
    profile = write_traffic(tmp_path / "a.rankwise", [f"host00{number}" for number in range(4)], messages)
    assert main(["links", str(profile), "--fabric", fabric, "--json"]) == 0
    golden.says(
        json.loads(capsys.readouterr().out)["notes"][0], "host000 to host003 .. host000 to host002 .. 16 B"
    )


def test_examples_of_loops_and_dead_ends_are_their_own() -> None:
    kinds = {LOST: "lost_example", LOOPS: "looping_example"}
    seen = set()
    for seed in range(40):
        subnet = at_random(seed, broken=True)
        reach = reach_of(subnet)
        for kind, name in kinds.items():
            pair = getattr(reach, name)
            if pair is not None:
                seen.add(kind)
                first = int(subnet.links.destination[subnet.up[pair[0]]])
                assert outcome(subnet, first, pair[1]) == kind
    assert seen == set(kinds)


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--route", "node0001", "elsewhere"], "elsewhere"),
        (["--route", "0", "1"], "--route"),
        (["--route", "node0001", "node0001"], "node0001 .. one host"),
        (["--route", "node0001", "node0002", "--all-to-all", "1M"], "--all-to-all"),
        (["PROFILE", "--route", "0", "2"], "2 .. 2"),
        (["PROFILE", "--route", "1", "1"], "different"),
    ],
)
def test_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden, words: list[str], facts: str
) -> None:
    hosts = ["node0001", "node0002"]
    profile = write_traffic(tmp_path / "a.rankwise", hosts, [(0, 1, "point-to-point", 1, 8)])
    given = [str(profile) if word == "PROFILE" else word for word in words]
    assert main(["links", *given, "--fabric", *FILES]) == 2
    golden.says(capsys.readouterr().err, facts)
