"""The fabric without --fabric: of the environment, or of the centre; every verb that needs one finds it."""

from __future__ import annotations

import json
from pathlib import Path

import network_jobs
import pytest
from profiles import write_traffic

from golden import Golden
from rankwise.__main__ import main
from rankwise.commands import default_fabric, run

FABRIC = "fattree:leaf=4x4,spine=2,uplinks=2,gbit=8"
HOSTS = [f"node{number:04}" for number in range(1, 17)]


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Directories of a centre, without a fabric."""
    monkeypatch.delenv(default_fabric.VARIABLE, raising=False)
    directories = tmp_path / "prefix" / "etc", tmp_path / "etc"
    for directory in directories:
        directory.mkdir(parents=True)
    monkeypatch.setattr(default_fabric, "places", lambda: directories)
    return directories[1]


@pytest.fixture
def profile(tmp_path: Path) -> str:
    """Partners are on different leaves."""
    messages = [(rank, (rank + 8) % 16, "point-to-point", 1, 1 << 20) for rank in range(16)]
    return str(write_traffic(tmp_path / "a.rankwise", HOSTS, messages))


def saved(path: Path) -> Path:
    assert main(["links", "save", FABRIC, "-o", str(path)]) == 0
    return path


@pytest.mark.parametrize("name", ["fabric.json", "fabric.json.gz", "fabric"])
def test_the_centres_fabric(
    profile: str, nothing_installed: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = nothing_installed / name
    if name == "fabric":  # a directory with the files of the network's tools
        path.mkdir()
        saved(path / "any.json")
    else:
        saved(path)
    assert main(["links", profile, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["fabric"]["hosts"] == 16
    assert str(path) in answer["matched"][0]
    assert "--fabric" not in answer["commands"][0]  # the same default again


def test_what_is_nearer_comes_first(tmp_path: Path, nothing_installed: Path) -> None:
    for directory in (nothing_installed, tmp_path / "prefix" / "etc"):
        (directory / "fabric.json").touch()
        found = default_fabric.default_fabric({})
        assert found is not None
        assert found.words == (str(directory / "fabric.json"),)
    found = default_fabric.default_fabric(
        {default_fabric.VARIABLE: "slurm:/a/b.conf,gbit=100 '/my files/rail2'"}
    )
    assert found == (("slurm:/a/b.conf,gbit=100", "/my files/rail2"), default_fabric.VARIABLE)
    assert default_fabric.default_fabric({default_fabric.VARIABLE: ""}) is None
    given = default_fabric.given_or_default(["mine"])
    assert given == (("mine",), "")


def test_without_any(profile: str, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    assert main(["links", profile]) == 2
    golden.says(capsys.readouterr().err, "--fabric .. RANKWISE_FABRIC")


def test_report(
    profile: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    page = tmp_path / "a.html"

    def network() -> object:
        assert main(["report", profile, "-o", str(page), "--force"]) == 0
        return network_jobs.data(page.read_bytes())["runs"][0].get("network")

    assert network() is None
    monkeypatch.setenv(default_fabric.VARIABLE, FABRIC)
    assert network() is not None
    assert capsys.readouterr().err == ""
    monkeypatch.setenv(default_fabric.VARIABLE, "torus:2x2,names=x[1-4]")  # another machine's
    assert network() is None
    golden.says(capsys.readouterr().err, "Network")


def test_map(
    profile: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    def notes() -> str:
        assert main(["map", profile, "--objective", "bottleneck", "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["machine"]["sources"][0]["kind"] == "fabric") == (
            "is from" in " ".join(answer["notes"])
        )
        return "\n".join(answer["notes"])

    without = notes()
    assert "RANKWISE_FABRIC" not in without
    monkeypatch.setenv(default_fabric.VARIABLE, FABRIC)
    golden.says(notes(), "RANKWISE_FABRIC")
    monkeypatch.setenv(default_fabric.VARIABLE, "torus:2x2,names=x[1-4]")
    golden.says(notes(), "RANKWISE_FABRIC .. not used")
    monkeypatch.delenv(default_fabric.VARIABLE)
    assert main(["map", profile, "--routing", "even"]) == 2
    assert main(["map", profile, "--fabric", "torus:2x2,names=x[1-4]"]) == 2


def test_run(
    profile: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    def said(of: str) -> str:
        run._say_network(Path(of))
        return capsys.readouterr().err

    assert said(profile) == ""
    monkeypatch.setenv(default_fabric.VARIABLE, FABRIC)
    golden.says(said(profile), "2.10 ms against 1.05 ms")
    on_one = write_traffic(tmp_path / "one.rankwise", ["node0001"] * 4, [(0, 1, "point-to-point", 1, 8)])
    elsewhere = write_traffic(tmp_path / "b.rankwise", ["x1", "x2"], [(0, 1, "point-to-point", 1, 8)])
    for other in (on_one, elsewhere):
        assert said(str(other)) == ""
    monkeypatch.setenv(default_fabric.VARIABLE, str(tmp_path / "missing.json"))
    assert said(profile) == ""
