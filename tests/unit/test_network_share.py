"""The network against the time in MPI: one value and one sentence, wherever it is shown, and advice by it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import network_jobs
import numpy as np
import pytest
from phased_run import run_of_eight
from profiles import write_traffic

from golden import Golden
from rankwise.__main__ import main

FABRIC = "fattree:leaf=4x2,spine=2,gbit=0.8"  # 100 MB/s
PLACE = "node000[1-8]"
HOSTS = [f"node{number:04}" for number in range(1, 17)]
Messages = list[tuple[int, int, str, int, int]]


def phased(path: Path, mpi_seconds: float = 0.1) -> Path:
    """Ranks 0 to 5 are in MPI for so long. Ranks 4 and 5 send most: 5 MB, in the second phase 0.5 MB."""
    run = run_of_eight()
    run.connection.execute("UPDATE main.call_counts SET ns = ?", (round(mpi_seconds * 1e9),))
    return run.write(path)


def words(profile: Path, *more: str) -> list[str]:
    return [str(profile), "--fabric", FABRIC, "--place", PLACE, *more]


def answer_of(capsys: pytest.CaptureFixture[str], *of: object) -> dict[str, Any]:
    assert main(["links", *map(str, of), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def lead_of(tmp_path: Path, profile: Path, *, names_phase: bool = True) -> str:
    """What the page Network begins with; whether a caption names the busiest phase."""
    page = tmp_path / "a.html"
    assert main(["report", *words(profile, "--force"), "-o", str(page)]) == 0
    network: dict[str, Any] = network_jobs.data(page.read_bytes())["runs"][0]["network"]
    assert any("phase 1" in caption for caption in network["captions"]) == names_phase
    return str(network["lead"])


def test_the_busiest_link_against_the_time_in_mpi(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    share = answer_of(capsys, *words(phased(tmp_path / "a.rankwise")))["network_share"]
    assert share["seconds"] == pytest.approx(0.055)  # 5.5 MB at 100 MB/s
    assert share["mpi_seconds"] == pytest.approx(6 * 0.1 / 8)
    assert share["percent_of_mpi"] == pytest.approx(100 * 0.055 / 0.075)
    first, second = share["phases"]  # of 2 s each
    assert first["percent_busy"] == pytest.approx(2.5)
    assert second["percent_busy"] == pytest.approx(0.25)


@pytest.mark.parametrize(("mpi_seconds", "matters"), [(0.1, True), (100.0, False)])
def test_one_sentence_on_screen_in_json_and_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden, mpi_seconds: float, matters: bool
) -> None:
    profile = phased(tmp_path / "a.rankwise", mpi_seconds)
    answer = answer_of(capsys, *words(profile))
    assert answer["network_share"]["matters"] == matters
    golden.says(answer["verdict"], "55.0 ms")
    assert ("the limit:" in answer["verdict"]) == matters
    assert main(["links", *words(profile)]) == 0
    assert " ".join(answer["verdict"].split()) in " ".join(capsys.readouterr().out.split())
    assert f"{lead_of(tmp_path, profile, names_phase=matters)}." == answer["verdict"]
    by_phase = answer_of(capsys, *words(profile, "--by", "phase"))
    assert by_phase["network_share"] == answer["network_share"]
    assert any("55.0 ms" in sentence for sentence in by_phase["sentences"])
    assert [each["percent_hosts_busy"] for each in by_phase["phases"]] == pytest.approx([2.5, 0.25])


def test_nothing_is_advised_where_the_network_hardly_matters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    answer = answer_of(capsys, *words(phased(tmp_path / "a.rankwise", 100.0)))
    assert answer["commands"] == []
    advised = [
        sentence for sentence in answer["sentences"] if "routes" in sentence and "share" not in sentence
    ]
    golden.says("\n".join(advised))


def test_a_part_of_the_messages_is_no_limit_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    answer = answer_of(capsys, *words(phased(tmp_path / "a.rankwise", 100.0), "--call", "send"))
    golden.says(answer["verdict"], "5.00 ms")
    assert "of this run" not in answer["verdict"]


def random_traffic(seed: int, ranks: int = 16) -> Messages:
    random = np.random.default_rng(seed)
    pairs = {tuple(pair) for pair in random.integers(0, ranks, (3 * ranks, 2)).tolist() if pair[0] != pair[1]}
    return [(a, b, "point-to-point", 1, int(random.integers(1, 1 << 20))) for a, b in sorted(pairs)]


@pytest.mark.parametrize("seed", range(12))
def test_no_routing_is_advised_where_hosts_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    profile = write_traffic(tmp_path / "a.rankwise", HOSTS, random_traffic(seed))
    spines = 1 + seed % 4
    answer = answer_of(
        capsys, profile, "--fabric", f"fattree:leaf=4x4,spine={spines},uplinks={spines},gbit=8"
    )
    text = " ".join(answer["sentences"])
    if answer["bottleneck"]["times"] < 0.95:
        assert "No other routing helps" in text
        assert "try another" not in text
        assert answer["commands"] == []
    else:
        assert "No other routing helps" not in text


def across(ranks: int = 16) -> Messages:
    """Each rank and its partner are on different leaves; all could be on one."""
    half = ranks // 2
    return [(rank, (rank + half) % ranks, "point-to-point", 1, 1 << 20) for rank in range(ranks)]


@pytest.mark.parametrize("place", [(), ("--place", "node[0001-0016]")])
def test_commands_can_be_pasted(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    place: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_traffic(Path("pairs.rankwise"), HOSTS, across())
    fabric = "fattree:leaf=4x4,spine=2,uplinks=2,gbit=8"
    before = answer_of(capsys, "pairs.rankwise", "--fabric", fabric, *place)
    assert before["bottleneck"]["times"] == pytest.approx(2)
    assert before["commands"]
    assert main(["links", "pairs.rankwise", "--fabric", fabric, *place]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    for command in before["commands"]:
        assert command in lines  # on one line
        name, *rest = shlex.split(command)
        assert name == "rankwise"
        assert main(rest) == 0
    capsys.readouterr()
    placed = Path("placement") / "placement.csv"
    after = answer_of(capsys, "pairs.rankwise", "--fabric", fabric, "--place", placed)
    assert after["bottleneck"]["fabric"] is None or after["bottleneck"]["times"] < 0.95


def two_objectives(path: Path) -> Path:
    """A pair on one leaf limits by its hosts' links, wherever it is; other pairs share a link of switches."""
    heavy: Messages = [(0, 1, "point-to-point", 1, 100_000_000)]
    light: Messages = [(2, 6, "point-to-point", 1, 40_000_000), (3, 6, "point-to-point", 1, 40_000_000)]
    return write_traffic(path, [f"host{number}" for number in range(8)], heavy + light)


@pytest.mark.parametrize("objective", ["bottleneck", "hops"])
def test_two_objectives_have_a_sentence_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden, objective: str
) -> None:
    machine, profile = str(tmp_path / "machine.json"), str(two_objectives(tmp_path / "a.rankwise"))
    fabric = "fattree:leaf=2x4,spine=1,uplinks=1,gbit=8"
    assert main(["machine", "from-fabric", fabric, "-o", machine]) == 0
    capsys.readouterr()
    predict = ["map", "predict", profile, "--machine", machine, "--objective", objective]
    assert main([*predict, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["gains"]
    assert answer["natural"]["between_switches"]["load"] == pytest.approx(80_000)  # us at 1 GB/s
    assert answer["found"]["between_switches"] is None
    if objective == "bottleneck":
        assert answer["found"]["cost"] == answer["natural"]["cost"]
    golden.says(answer["verdict"], "100.0 %")
    assert main(predict) == 0
    assert " ".join(answer["verdict"].split()) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("seed", range(8))
def test_what_is_said_of_a_placement_is_what_links_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    fabric, machine = "fattree:leaf=4x4,spine=2,uplinks=2,gbit=8", str(tmp_path / "machine.json")
    profile = write_traffic(tmp_path / "a.rankwise", HOSTS, random_traffic(seed))
    assert main(["machine", "from-fabric", fabric, "-o", machine]) == 0
    out = str(tmp_path / "placement")
    predict = ["map", "predict", str(profile), "--machine", machine, "--objective", "bottleneck", "-o", out]
    capsys.readouterr()
    assert main([*predict, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    before, after = (
        answer_of(capsys, profile, "--fabric", fabric, "--place", place)["bottleneck"]["fabric"]["seconds"]
        for place in ("node[0001-0016]", str(tmp_path / "placement" / "placement.csv"))
    )
    assert answer["natural"]["between_switches"]["load"] == pytest.approx(1e6 * before)
    assert answer["found"]["between_switches"]["load"] == pytest.approx(1e6 * after)
    assert ("between switches" in answer["verdict"]) == (abs(1 - after / before) >= 0.01)
    if not answer["gains"]:
        assert after == pytest.approx(before)


def test_map_takes_the_fabric_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    """Hosts of the run are found by their names with the domain; the machine has the names of the run."""
    hosts = [f"{host}.site" for host in HOSTS]
    profile = str(write_traffic(tmp_path / "a.rankwise", hosts, across()))
    fabric = ["--fabric", "fattree:leaf=4x4,spine=2,uplinks=2,gbit=8"]
    assert main(["map", profile, *fabric, "--objective", "bottleneck", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["present"]["bottleneck"]["load"] > answer["found"]["bottleneck"]["load"]
    assert {seat["host"] for seat in answer["bindings"]} == set(hosts)
    assert main(["map", profile, *fabric, "--machine", "machine.json"]) == 2
    golden.says(capsys.readouterr().err, "--fabric .. --machine")
    assert main(["map", profile, "--fabric", "fattree:leaf=2x4,spine=2"]) == 2
    golden.says(capsys.readouterr().err, "8 .. 16")
