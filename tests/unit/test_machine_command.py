"""`rankwise machine`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from machines_synthetic import tree

from golden import Golden
from rankwise.__main__ import main
from rankwise.latency.formats import mmpi
from rankwise.topology.machine.read import read_machine

MACHINES = Path(__file__).parent / "machines"


def document(**keys: object) -> str:
    levels = [
        {
            "name": "switch",
            "count": 2,
            "cost": {"latency_us": 2.5, "bandwidth_mb_s": 11000},
            "link_mb_s": 12500,
        },
        {"name": "node", "count": 4, "names": "tux[1-8]"},
        {"name": "core", "count": 12},
    ]
    return json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels, **keys})


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "machine.json"
    outlier = {
        "kind": "slow node",
        "where": "tux3",
        "hosts": ["tux3"],
        "what": "bandwidth",
        "size": 1048576,
        "value": 950,
        "expected": 11000,
        "level": "node",
    }
    sources = [
        {"kind": "slurm", "what": "what is around nodes", "file": "topology.conf", "date": "2026-01-02"}
    ]
    path.write_text(document(outliers=[outlier], sources=sources))
    return path


def test_show(small: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    assert main(["machine", "show", str(small)]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == ["Machine of 8 nodes with 96 slots", "2 switches x 4 nodes x 12 cores"]
    assert "  4 nodes tux[1-4]: 12 cores" in lines
    rows = {words[0]: words[1:] for line in lines if (words := line.split())}
    assert rows["switch"] == ["2", "2.5", "-", "-", "11000", "12500"]
    assert rows["core"] == ["96", "-", "-", "-", "-", "-"]
    assert " ".join(rows["slow"]) == "node tux3 bandwidth, 1.00 MiB 950 11000 node -"
    golden.says(lines[-1], "topology.conf .. 2026-01-02")


def test_long_lists_are_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "machine.json"
    levels = [{"name": "switch", "count": 50}, {"name": "node", "count": 1}]
    path.write_text(json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels}))
    assert main(["machine", "show", str(path), "--limit", "10"]) == 0
    cut = capsys.readouterr().out
    assert "90 more; --limit 0 shows all." in cut
    assert "node5" not in cut.replace("node[", "")
    assert main(["machine", "show", str(path), "--limit", "0"]) == 0
    assert "1 node node49" in capsys.readouterr().out


def test_show_as_json(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine", "show", "--json", str(small)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["shape"] == "2 switches x 4 nodes x 12 cores"
    assert shown["objects"] == {"machine": 1, "switch": 2, "node": 8, "core": 96}
    assert shown["slots"] == 96
    assert shown["hosts"] == [f"tux{number}" for number in range(1, 9)]
    assert shown["outliers"][0]["value"] == 950


def test_names_do_not_reach_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "machine.json"
    path.write_text(document(sources=[{"kind": "hwloc", "file": "\u00e9\U0001f600"}]))
    assert main(["machine", "show", str(path)]) == 0
    assert "hwloc in \\xe9\\U0001f600" in capsys.readouterr().out
    path.write_text(document(sources=[{"kind": "\x1b[2J"}]))
    assert main(["machine", "show", str(path)]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_from_hwloc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "m.json"
    words = [
        "machine",
        "from-hwloc",
        str(MACHINES / "virtual-machine.xml"),
        "--node",
        "n[1-3]",
        "-o",
        str(output),
    ]
    assert main(words) == 0
    expected = "3 nodes x 1 package x 1 numa x 1 l3 x 2 cores x 1 pu"
    assert capsys.readouterr().out.split(": ")[1].split() == expected.split()
    assert read_machine(output).hosts() == ("n1", "n2", "n3")


def test_from_slurm(tmp_path: Path) -> None:
    output = tmp_path / "m.json"
    words = ["machine", "from-slurm", str(MACHINES / "tree.conf"), "--node", "tux[2-5]", "--slots", "8"]
    assert main([*words, "-o", str(output)]) == 0
    machine = read_machine(output)
    assert machine.hosts() == ("tux2", "tux3", "tux4", "tux5")
    assert len(machine.slots) == 32


def test_from_latency(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    planted = tree((4, 4, 2), (0.5, 2.0, 5.0), (20000, 5000, 2500))
    log, first, second = tmp_path / "F.log", tmp_path / "m1.json", tmp_path / "m2.json"
    measurement = planted.measure(0.02)
    mmpi.write(measurement, log)
    assert main(["machine", "from-latency", str(log), "-o", str(first)]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("2 switches x 4 nodes x 4 slots")
    assert main(["machine", "from-latency", str(log), "--base", str(first), "-o", str(second)]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {words[0]: words[1:] for line in lines[1:] if (words := line.split())}
    assert rows["switch"] == ["switch", "1.00", "none"]
    assert rows["node"] == ["node", "1.00", "none"]
    machine = read_machine(second)
    assert machine.costs("latency_us")[:3] == pytest.approx([5.0, 2.0, 0.5], rel=0.1)
    golden.says("\n".join([source.what for source in machine.sources]), "")


@pytest.mark.parametrize("action", ["from-hwloc", "from-slurm", "from-latency"])
def test_an_output_that_exists_is_kept(
    action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "m.json"
    output.write_text("mine")
    # The input does not exist either: the output is looked at first.
    assert main(["machine", action, str(tmp_path / "nothing"), "-o", str(output)]) == 2
    assert "m.json exists; --force replaces it" in capsys.readouterr().err
    assert main(["machine", action, str(tmp_path / "nothing"), "-o", str(output), "--force"]) == 2
    error = capsys.readouterr().err
    assert "nothing" in error
    assert error.count("\n") == 1
    assert output.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_force_replaces(tmp_path: Path) -> None:
    output = tmp_path / "m.json"
    output.write_text("old")
    assert main(["machine", "from-slurm", str(MACHINES / "block.conf"), "-o", str(output), "--force"]) == 0
    assert len(read_machine(output).nodes) == 16


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["show"], "required: machine.json"),
        (["show", "nothing.json"], "cannot read nothing.json"),
        (["show", "nothing.json", "--limit", "x"], "'x'"),
        (["from-hwloc"], "required: -o/--output"),
        (["from-hwloc", "--node", "n[1-", "-o", "m.json"], "'n[1-'"),
        (["from-slurm", "t.conf", "--slots", "0", "-o", "m.json"], "'0'"),
        (["from-slurm", "t.conf", "--slots", "9999999", "-o", "m.json"], ""),
        (["from-slurm", "t.conf", "--slots", "1", "--hwloc", "a", "-o", "m.json"], "not allowed with"),
        (["melt"], "'melt' .. from-slurm"),
    ],
)
def test_wrong_words(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.conf").write_text("SwitchName=s Nodes=n")
    assert main(["machine", *words]) == 2
    error = capsys.readouterr().err
    golden.says(error, complaint)
    assert error.count("\n") == 1


def test_an_output_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "no" / "such" / "m.json"
    (tmp_path / "t.conf").write_text("SwitchName=s Nodes=n")
    assert main(["machine", "from-slurm", str(tmp_path / "t.conf"), "-o", str(output)]) == 1
    assert capsys.readouterr().err.startswith(f"rankwise: {output} can't be written: ")
