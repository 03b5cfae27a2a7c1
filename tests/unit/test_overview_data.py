"""What the overview and the appendix of a report are told: the numbers and words of the terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import overview_profiles
import profiles
import pytest
from made_profile import Made

from golden import Golden
from rankwise.analysis.opened import opened_profile
from rankwise.findings.metrics import METRICS
from rankwise.findings.registry import RULES
from rankwise.render.page.container import Container
from rankwise.render.page.contents.run import run_data
from rankwise.render.page.contents.subject import subject
from rankwise.render.terminal.summary import print_summary
from rankwise.views.by import VIEWS


def run_of(path: Path) -> dict[str, Any]:
    with opened_profile(path) as connection:
        return run_data(subject(path, connection, Container()), "a")


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_of(overview_profiles.late_rank(tmp_path_factory.mktemp("late") / "a.rankwise"))


def test_parts_of_the_time_add_up(late: dict[str, Any], golden: Golden) -> None:
    time = late["overview"]["time"]
    parts = {part["name"]: part for part in time["parts"]}
    assert {name: part["percent"] for name, part in parts.items()} == pytest.approx(
        {"compute": 50.0, "waiting": 30.0, "transfer": 20.0}
    )
    assert {name: part["seconds"] for name, part in parts.items()} == pytest.approx(
        {"compute": 5.0, "waiting": 3.0, "transfer": 2.0}
    )
    golden.says(time["title"], "50.0 % .. 30.0 %")
    assert time["wall"] == "wall 10.0 s, 4 ranks / 2 nodes"


def test_the_efficiency_is_a_product(late: dict[str, Any], golden: Golden) -> None:
    efficiency = late["overview"]["efficiency"]
    tree = efficiency["tree"]
    balance, communication = tree["below"]
    assert tree["value"] == pytest.approx(0.5)
    assert balance["value"] == pytest.approx(0.625)
    assert communication["value"] == pytest.approx(0.8)
    serialisation, transfer = communication["below"]
    assert serialisation["value"] * transfer["value"] == pytest.approx(0.8)
    assert serialisation["text"].startswith("~")
    golden.says(efficiency["title"])


def test_who_is_late(late: dict[str, Any], golden: Golden) -> None:
    figure = late["overview"]["late"]
    golden.says(figure["title"], "3 .. 100.0 %")
    [row] = figure["rows"]
    assert (row["rank"], row["host"], row["seconds"], row["share"]) == (3, "slow", pytest.approx(12.0), 1.0)


def test_findings_with_their_commands(late: dict[str, Any]) -> None:
    first = late["overview"]["findings"][0]
    assert first["title"].startswith("Rank 3 arrives late")
    assert first["share"] == "up to 30.0 %"
    assert first["command"].endswith("a.rankwise --by waiting")
    assert "rule" in dict(first["facts"])
    assert late["overview"]["next"][0]["command"].startswith("rankwise explain ")


def test_lead_and_head(late: dict[str, Any], golden: Golden) -> None:
    assert late["lead"] == late["overview"]["verdict"]
    assert late["about"][0] == "4 ranks / 2 nodes"
    heaviest = late["overview"]["heaviest"]
    assert (heaviest["operation"], heaviest["communicator"]) == ("Allreduce 8-15 B", "W")
    golden.says(heaviest["share"], "100.0 % .. MPI")


def test_the_words_of_the_terminal(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    shown = io.StringIO()
    print_summary(path, file=shown, verbose=2)
    words = " ".join(shown.getvalue().split())
    overview = run_of(path)["overview"]
    for text in (*overview["trust"]["fields"], overview["efficiency"]["text"], *overview["late"]["spread"]):
        assert " ".join(text.split()) in words
    for row in overview["calls"]["table"]["rows"]:
        assert f"{row[0][0]} {row[1][0]}" in words
    assert f"MPI {overview['time']['title'].split()[2]} %" in words


def test_tables_have_what_matters_and_the_rest(tmp_path: Path) -> None:
    overview = run_of(profiles.write_profile(tmp_path / "a.rankwise"))["overview"]
    for short in (overview["communicators"], overview["calls"]):
        assert len(short["values"]) == len(short["table"]["rows"]) <= 4
        assert len(short["table"]["sums"]) <= 1
        place = [column["name"] for column in short["table"]["columns"]].index("% of MPI")
        shares = [row[place][1] for row in short["table"]["rows"]]
        assert shares == sorted(shares, reverse=True)
    assert overview["calls"]["values"][0] == overview["calls"]["table"]["rows"][0][0][0]


def test_communicators_that_nobody_used_take_no_share(tmp_path: Path) -> None:
    overview = run_of(Made(1).write(tmp_path / "a.rankwise"))["overview"]
    for short in (overview["communicators"], overview["calls"]):
        assert short["table"]["rows"] == short["values"] == []
        assert short["table"]["empty"].startswith("No MPI call was recorded")


def test_a_partial_run_begins_with_where_it_ended(tmp_path: Path) -> None:
    run = run_of(profiles.write_partial(tmp_path / "a.rankwise"))
    assert run["warnings"][0].startswith("PARTIAL: rank 2 (nodeb) ended inside MPI_Allreduce on W")
    places = run["overview"]["places"]
    assert places["rows"][0][0][0] == "2"
    assert not run["overview"]["trust"]["complete"]


@pytest.mark.parametrize("write", [profiles.write_empty, profiles.write_hostile, profiles.write_with_files])
def test_any_profile_is_told(tmp_path: Path, write: Any) -> None:
    run = run_of(write(tmp_path / "a.rankwise"))
    text = json.dumps([run["overview"], run["appendix"]], allow_nan=False, ensure_ascii=False)
    assert not any(ord(character) < 32 for character in text)


def test_the_appendix_has_all_words_and_tables(late: dict[str, Any]) -> None:
    sections = {section["id"]: section for section in late["appendix"]["sections"]}

    def first_column(name: str) -> list[str]:
        return [row[0][0] for row in sections[name]["tables"][0]["rows"]]

    assert first_column("metrics") == [metric.name for metric in METRICS]
    assert first_column("rules") == [rule.id for rule in RULES]
    assert "command" in first_column("environment")
    assert first_column("coverage") == ["Allreduce"]
    alone = {name.removeprefix("by-") for name in sections if name.startswith("by-")}
    assert alone == {"region", "counter", "file", "collective", "algorithm", "library"}
    assert alone < {*VIEWS}
    values = {row[0][0]: row[1][0] for row in sections["metrics"]["tables"][0]["rows"]}
    assert values["load-balance"] == "0.62"
    assert values["waiting"] == "12.0 s"
