"""`rankwise report`: the file, and what it refuses in one line."""

from __future__ import annotations

from pathlib import Path

import network_jobs
import profiles
import pytest
import recorded_fabrics

from golden import Golden
from rankwise.__main__ import main

FABRIC = str(recorded_fabrics.FABRICS / "small-ftree")
PLACE = ("--place", "node[0001,0005]*2")


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Ranks 0, 1 on nodea, 2, 3 on nodeb."""
    return profiles.write_inside(tmp_path / "inside.rankwise")


def test_the_page_is_beside_the_profile(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(profile), "--fabric", FABRIC, *PLACE]) == 0
    assert capsys.readouterr().out == ""
    content = profile.with_suffix(".html").read_bytes()
    [run] = network_jobs.data(content)["runs"]
    network = run["network"]
    assert "routes: measured tables" in network["about"]
    assert "4 ranks on 2 hosts" in network["about"]
    assert main(["links", str(profile), "--fabric", FABRIC, *PLACE]) == 0
    assert network["lead"] in capsys.readouterr().out.replace("\n  ", " ")
    assert network["hosts"] == ["node0001", "node0005"]
    # Each rank sends 800 bytes inside the Allreduce to one on the other host.
    [allreduce] = [number for number, name in enumerate(network["causes"]) if "Allreduce" in name]
    inside = network["groups"]["cause"][network["flows"]["group"]] == allreduce
    assert network["flows"]["bytes"][inside].tolist() == [800] * 4


def test_without_a_fabric_it_is_a_report(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(profile)]) == 0
    assert capsys.readouterr() == ("", "")
    [run] = network_jobs.data(profile.with_suffix(".html").read_bytes())["runs"]
    assert "network" not in run
    assert run["name"] == "inside"
    assert run["axes"]["hosts"] == ["nodea", "nodeb"]


def test_nothing_is_replaced_unasked(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = profile.with_name("page.html")
    output.write_text("mine")
    words = ["report", str(profile), "--fabric", FABRIC, *PLACE, "-o", str(output)]
    assert main(words) == 2
    assert "already exists" in capsys.readouterr().err
    assert output.read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert output.read_bytes().startswith(b"<!doctype html>")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (PLACE, "--place .. --fabric PATH"),
        (["--fabric", FABRIC, "-o", "page.pdf"], ""),
        (["--fabric", FABRIC], ""),
        (["--fabric", FABRIC, *PLACE, "--lid", "x"], "--lid x: give split"),
        (["--fabric", FABRIC, *PLACE, "--rail", "nix"], "'nix'"),
        (["--fabric", "nix"], "nix"),
    ],
)
def test_refused(
    profile: Path, words: list[str], told: str, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    assert main(["report", str(profile), *words]) == 2
    error = capsys.readouterr().err
    golden.says(error, told)
    assert error.count("\n") == 1
    assert not profile.with_suffix(".html").exists()
