"""`rankwise explain`: what it prints of a profile, of a metric, and of words that it does not know."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import profiles
import pytest

import rankwise
from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.findings.metrics import METRICS
from rankwise.findings.registry import RULES

WORDS = [metric.name for metric in METRICS] + [rule.id for rule in RULES]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose ranks share a processor, and that lets a grid be reordered that nobody did."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    path = profiles.write_profile(Path("a.rankwise"))
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM messages WHERE source / 2 = destination / 2")
        connection.execute("UPDATE ranks SET cpus_allowed = '0'")
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["explain", *words]) == status
    out, err = capsys.readouterr()
    return err if status else out


def test_all_of_a_profile(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, str(path))
    lines = text.splitlines()
    assert " ".join(text.split()).startswith(rankwise.open(path).explain().diagnosis.verdict)
    lines = lines[lines.index("Efficiency (POP)") :]
    # 10 s less 0.14 s in MPI_Init and MPI_Finalize; of them 0.97 to 1.71 s in MPI.
    row = ["(run)", "4", "9.86", "s", "8.52", "s", "8.89", "s", "(0)", "0.86", "0.96", "0.90", "-", "-"]
    assert lines[2].split() == row
    assert_facts(" ".join(text.split()), "93 % .. MPI")
    assert_facts("\n\n".join(lines), "1. 2 .. 1 .. node .. 1")
    assert_facts("\n\n".join(lines), "19.7 s .. 50.0 %")
    assert "   command     rankwise show a.rankwise --by rank -v" in lines
    assert "   rule        oversubscribed (rankwise explain oversubscribed)" in lines
    assert any(line.startswith("late-ranks: ") for line in lines)
    assert "   command     rankwise run --reorder -- mpirun -n 4 ./heat --steps 100" in lines
    assert all(len(line) <= 100 and line.isascii() and line == line.rstrip() for line in lines)


def test_what_saves_next_to_nothing_is_counted(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "below 1 %" not in printed(capsys, str(path))
    with sqlite3.connect(path) as connection:  # now the run takes longer, the same is less of it
        connection.execute("UPDATE ranks SET cpus_allowed = '0-63', run = 100 * run")
    findings = json.loads(printed(capsys, str(path), "--json"))["findings"]
    assert findings
    assert all(finding["saved_percent_of_run"] < 1 for finding in findings)
    many = "s" * (len(findings) > 1)
    text = printed(capsys, str(path))
    assert f"\n{len(findings)} finding{many}, " in text
    assert "below 1 % of the run: -v shows " in text
    assert findings[0]["title"] not in text
    verbose = printed(capsys, str(path), "-v")
    assert f"1. {findings[0]['title']}" in " ".join(verbose.split())
    assert "below 1 %" not in verbose


def test_json_has_every_number(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(printed(capsys, str(path), "--json"))
    assert list(answer) == ["diagnosis", "efficiency", "regions", "findings", "unknown", "nothing_found"]
    assert answer["efficiency"]["parallel"] == pytest.approx((9.86 - 5.36 / 4) / 9.86)
    first = answer["findings"][0]
    assert first["rule"] == "oversubscribed"
    assert first["saved_seconds"] == pytest.approx(39.44 / 2)
    assert first["saved_percent_of_run"] == pytest.approx(50)
    assert first["upper_bound"] is True
    assert_facts(first["inputs"][0]["what"], "2 .. 1")
    assert first["inputs"][0] == {
        "what": first["inputs"][0]["what"],
        "value": 19.72,
        "unit": "s",
    }
    assert first["command"] == "rankwise show a.rankwise --by rank -v"
    assert first["page"] == "docs/explanation/explain.md#oversubscribed"
    assert {finding["rule"] for key in ("findings", "unknown") for finding in answer[key]} | set(
        answer["nothing_found"]
    ) == {rule.id for rule in RULES}
    # The summary has the same.
    assert main(["show", str(path), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["findings"] == answer["findings"]
    assert summary["efficiency"] == answer["efficiency"]


def test_notebooks_have_it_too(path: Path, golden: Golden) -> None:
    answer = rankwise.open(path).explain()
    assert answer.findings.found[0].finding.rule == "oversubscribed"
    assert "Efficiency (POP)" in str(answer)
    with pytest.raises(rankwise.RankwiseError) as error:
        rankwise.open(path).part(rank=0).explain()
    golden.says(error.value)


def test_what_a_metric_is(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "load-balance")
    [formula] = [metric.formula for metric in METRICS if metric.name == "load-balance"]
    assert formula in " ".join(text.split())
    assert "POP Standard Metrics for Parallel Performance Analysis" in text
    assert "value" not in text


def test_the_value_of_a_metric(path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    assert printed(capsys, "load-balance", str(path)).splitlines()[-1].split() == [
        "value",
        "load",
        "balance:",
        "0.96",
    ]
    assert printed(capsys, str(path), "Load_Balance") == printed(capsys, "load-balance", str(path))
    answer = json.loads(printed(capsys, "imbalance", str(path), "--json"))
    assert answer["value"] == pytest.approx(4 * (9.86 - 0.97) - (39.44 - 5.36))
    assert (answer["unit"], answer["unknown"]) == ("s", None)
    answer = json.loads(printed(capsys, "waiting", str(path), "--json"))
    assert answer["value"] is None
    golden.says(answer["unknown"])


def test_why_a_metric_has_no_value(path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    text = " ".join(printed(capsys, "transfer", str(path)).split())
    golden.says(text, "93 % .. MPI")


def test_a_rule_and_what_it_has_found(path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    [rule] = [rule for rule in RULES if rule.id == "oversubscribed"]
    assert rule.looks_for in " ".join(printed(capsys, "oversubscribed").split())
    text = printed(capsys, "oversubscribed", str(path))
    assert "2 ranks share 1 processor on node" in text
    assert printed(capsys, "polling", str(path)).splitlines()[-1] == "Not found."
    answer = json.loads(printed(capsys, "late-ranks", str(path), "--json"))
    assert answer["findings"] == []
    golden.says(answer["unknown"])


@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_explained(word: str, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, word).startswith(f"{word}\n")
    assert json.loads(printed(capsys, word, str(path), "--json"))


def test_all_words(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys)
    assert all(f"  {word}  " in text for word in WORDS)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["load-blance"],
            "'load-blance'",
        ),
        (["missing.rankwise"], "rankwise: missing.rankwise is not found"),
        (["waiting", "transfer"], ""),
    ],
)
def test_one_line_if_it_is_not_known(
    words: list[str], error: str, path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    assert path.exists()
    text = printed(capsys, *words, status=2)
    golden.says(text, error)
    assert text.count("\n") == 1


def test_an_empty_and_a_partial_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, str(profiles.write_empty(tmp_path / "e.rankwise")))
    assert text.startswith("PARTIAL: ")
    assert_facts(text, "MPI_Init .. MPI_Finalize")
    text = printed(capsys, str(profiles.write_partial(tmp_path / "p.rankwise")))
    assert text.startswith("PARTIAL: rank 2 (nodeb) ended inside MPI_Allreduce on W")


def test_hostile_names_are_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = profiles.write_hostile(tmp_path / "h.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE ranks SET cpus_allowed = '0'")
    text = printed(capsys, str(path))
    assert text.isascii()
    assert "\x1b" not in text


def test_a_damaged_profile_is_one_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE ranks SET wall = 'x'")
    text = printed(capsys, str(path), status=2)
    assert text.startswith("rankwise: a.rankwise: damaged profile")
    assert text.count("\n") == 1
