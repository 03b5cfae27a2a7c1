"""`rankwise doctor nodes`: what nodes tell, and a line for each problem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import fake_mpi
import pytest

from rankwise.errors import RankwiseError
from rankwise.installation import facts, nodes
from rankwise.installation.facts import Facts
from rankwise.installation.problems import problems
from rankwise.launch.checkup import Finding
from rankwise.probes.launch import understand

HERE = Facts(
    host="n1",
    version="0.1.0",
    python="3.11.2",
    library="/opt/rankwise/lib/librankwise.so",
    digest="a" * 64,
    complaint="",
    time=1000.0,
    clock_source="tsc",
    memory_bytes=1 << 30,
    transports=("UCX", "libfabric"),
    hwloc=True,
)
ALL = [replace(HERE, host=f"n{number}") for number in range(1, 5)]


def findings_of(*changed: Facts) -> list[Finding]:
    """What is said of four nodes, of which some are as given."""
    by_host = {node.host: node for node in (*ALL, *changed)}
    return list(problems(list(by_host.values()), HERE, began=999.0, ended=1001.0))


def test_nothing_is_wrong() -> None:
    said = [(finding.subject, finding.text, finding.cure) for finding in findings_of()]
    assert said == [
        ("nodes", "4: n[1-4]", ""),
        ("Rankwise", "0.1.0, Python 3.11.2", ""),
        ("transports", "UCX, libfabric", ""),
    ]


@pytest.mark.parametrize(
    ("change", "text", "stops"),
    [
        ({"version": "0.0.9"}, "Rankwise 0.0.9, here 0.1.0", True),
        ({"complaint": "missing; install Rankwise again"}, "missing; install Rankwise again", True),
        (
            {"digest": "b" * 64},
            "another /opt/rankwise/lib/librankwise.so than here, of the same version",
            True,
        ),
        ({"python": "3.12.1"}, "Python 3.12.1, here 3.11.2", False),
        ({"time": 1038.2}, "its clock is 37 s ahead of the one here", False),
        ({"time": 992.0}, "its clock is 7 s behind the one here", False),
        ({"clock_source": "hpet"}, "the kernel takes the time from hpet", False),
        ({"memory_bytes": 12 << 20}, "12 MiB free in /dev/shm", False),
        ({"transports": ("UCX",)}, "lacks libfabric, which other nodes have", False),
        ({"hwloc": False}, "no lstopo of hwloc", False),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_one_line_for_the_nodes_with_a_problem(change: Mapping[str, object], text: str, stops: bool) -> None:
    wrong = [replace(node, **change) for node in ALL[1:3]]
    said = [finding for finding in findings_of(*wrong) if finding.cure]
    assert [(finding.subject, finding.text, finding.stops) for finding in said] == [("n[2-3]", text, stops)]


@pytest.mark.parametrize("time", [998.5, 1001.5])
def test_clocks_may_be_off_by_a_second(time: float) -> None:
    assert not any(finding.cure for finding in findings_of(replace(HERE, host="n2", time=time)))


def test_the_first_process_of_a_node_answers(tmp_path: Path) -> None:
    assert facts.main([str(tmp_path)]) == 0
    (answer,) = tmp_path.glob("*.json")
    answer.write_text(json.dumps({**json.loads(answer.read_text()), "python": "kept"}))
    assert facts.main([str(tmp_path)]) == 0
    (node,) = facts.read(tmp_path)
    assert node.python == "kept"
    assert node.digest
    assert node.complaint == ""


def test_a_directory_that_a_node_does_not_see(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert facts.main([str(tmp_path / "none")]) == 0
    mark, host, reason = capsys.readouterr().out.rstrip("\n").split("\t")
    assert (mark, host, reason) == (facts.CANT_WRITE, facts.facts().host, "No such file or directory")


LAUNCH = """[ "$1" = --version ] && echo 'mpirun (Open MPI) 4.1.4' && exit
shift 2
"$@" && "$@"
"""


def asked(tmp_path: Path, launch: str) -> list[Finding]:
    fake_mpi.script(tmp_path / "bin" / "mpirun", launch)
    environment = {"PATH": str(tmp_path / "bin")}
    launcher = understand(["mpirun", "-n", "2"], environment, "doctor nodes")
    return list(nodes.findings(launcher, tmp_path))


def test_a_launch(tmp_path: Path) -> None:
    said = asked(tmp_path, LAUNCH)
    assert not any(finding.stops for finding in said)
    assert next(finding.text for finding in said if finding.subject == "nodes").startswith("1: ")
    # There is no compiler on this PATH.
    assert next(finding.text for finding in said if finding.subject == "recording").startswith(
        "not tried: no mpicc"
    )
    assert not list(tmp_path.glob("doctor*"))


def test_a_launch_that_fails(tmp_path: Path) -> None:
    (launch,) = [
        finding
        for finding in asked(tmp_path, LAUNCH.splitlines()[0] + "\necho no slots >&2; exit 3")
        if finding.stops
    ]
    assert (launch.subject, launch.text) == ("launch", "ended with status 3: no slots")


def test_a_node_that_can_not_write(tmp_path: Path) -> None:
    said = f"printf '%s\\tn7\\tPermission denied\\n' {facts.CANT_WRITE}\n"
    wrong = [finding for finding in asked(tmp_path, LAUNCH + said) if finding.stops]
    assert [(finding.subject, finding.text) for finding in wrong] == [
        ("n7", f"can't write to {tmp_path}: Permission denied")
    ]


def test_no_launch(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="as in: rankwise doctor nodes -- mpirun -n 4"):
        understand([], {"PATH": str(tmp_path)}, "doctor nodes")
