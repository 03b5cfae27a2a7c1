"""What `rankwise diff --output` writes for pipelines: formats that others read, and the same facts in all."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from test_diff import written

import rankwise
from rankwise.__main__ import main


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """A run, and one that sends more."""
    return written(tmp_path / "a"), written(tmp_path / "b", 2.0, calls=12)


def saved(sides: tuple[Path, Path], path: Path, *words: str, status: int = 0) -> str:
    assert main(["diff", *words, "--output", str(path), *map(str, sides)]) == status
    return path.read_text(encoding="utf-8")


def test_markdown(sides: tuple[Path, Path], tmp_path: Path) -> None:
    text = saved(sides, tmp_path / "s.md", "--fail-above", "0", "--metric", "calls", status=1)
    lines = text.splitlines()
    assert lines[0] == "### Rankwise: FAILED"
    assert any(line.startswith("**FAILED: calls +") for line in lines)
    rows = [line for line in lines if line.startswith("| ")]
    assert len({line.count(" | ") for line in rows}) == 1
    assert [row.split(" | ")[0] for row in rows[1:3]] == ["| wall", "| in MPI"]


def test_markdown_without_a_gate(sides: tuple[Path, Path], tmp_path: Path) -> None:
    assert saved(sides, tmp_path / "s.md").startswith("### Rankwise: compared\n")


@pytest.mark.parametrize(("metric", "status"), [("calls", 1), ("messages", 0)])
def test_junit(sides: tuple[Path, Path], tmp_path: Path, metric: str, status: int) -> None:
    words = ("--fail-above", "0", "--metric", metric)
    suite = Xml.fromstring(saved(sides, tmp_path / "s.xml", *words, status=status))
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases))
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert failed == (["calls"] if status else [])
    assert suite.get("failures") == str(len(failed))


def test_code_quality(sides: tuple[Path, Path], tmp_path: Path) -> None:
    words = ("--fail-above", "0", "--metric", "calls")
    issues = json.loads(saved(sides, tmp_path / "s.json", *words, status=1))
    assert issues[0]["check_name"] == "rankwise/fail-above"
    assert issues[0]["severity"] == "blocker"
    for issue in issues:
        assert issue["description"]
        assert issue["location"] == {"path": str(sides[1]), "lines": {"begin": 1}}
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    again = json.loads(saved(sides, tmp_path / "t.json", *words, status=1))
    assert again == issues


@pytest.mark.parametrize(
    ("metric", "status", "colour"), [("calls", 1, "#c62828"), ("messages", 0, "#2e7d32")]
)
def test_badge(sides: tuple[Path, Path], tmp_path: Path, metric: str, status: int, colour: str) -> None:
    text = saved(sides, tmp_path / "s.svg", "--fail-above", "0", "--metric", metric, status=status)
    picture = Xml.fromstring(text)
    assert (picture.get("aria-label") or "").startswith(f"{metric}: ")
    assert colour in text


def test_several_files_at_once(sides: tuple[Path, Path], tmp_path: Path) -> None:
    files = [tmp_path / "s.md", tmp_path / "s.svg"]
    words = [word for file in files for word in ("--output", str(file))]
    assert main(["diff", *words, *map(str, sides)]) == 0
    assert all(file.exists() for file in files)


def test_another_ending(sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--output", str(tmp_path / "s.html"), *map(str, sides)]) == 2
    assert capsys.readouterr().err == (
        f"rankwise: --output {tmp_path / 's.html'}: give a name that ends with .md, .xml, .json, .svg\n"
    )


def test_from_python(sides: tuple[Path, Path], tmp_path: Path) -> None:
    difference = rankwise.diff(*sides)
    assert difference.for_pipeline("s.md") == saved(sides, tmp_path / "s.md")
