"""`rankwise diff` with three sides and more: each compared with the reference as two sides are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import profiles
import pytest
from screens_of_profiles import changed

import rankwise
from golden import Golden
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.views.comparison.several import charts

SIDES = {"default": 1.0, "ring": 1.5, "bruck": 0.7, "pairwise": 1.0}
RUNS = 4
_NOISE = (0.99, 1.0, 1.01, 1.005)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four settings of one program, four runs each; of `ring` one procedure takes longer, of `bruck` less."""
    directory = tmp_path_factory.mktemp("sides")
    for name, factor in SIDES.items():
        (directory / name).mkdir()
        for number in range(RUNS):
            by = factor * _NOISE[number if name != "pairwise" else RUNS - 1 - number]
            changed(
                profiles.write_profile,
                f"UPDATE calls SET seconds = seconds * {by} WHERE procedure = 2",
                f"UPDATE ranks SET mpi = mpi + {by}, wall = wall + {by}, run = run + {by}",
                f"UPDATE run SET wall = 10 + {by}, job = '{name}{number}'",
            )(directory / name / f"{number}.rankwise")
    return directory


@pytest.fixture
def sides(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Path]]:
    """Return the runs of each setting, below the current directory."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return {name: [Path(name) / f"{number}.rankwise" for number in range(RUNS)] for name in SIDES}


def words(sides: dict[str, list[Path]]) -> list[str]:
    listed = [word for side in sides.values() for word in ("--", *map(str, side))]
    return listed[1:]


def test_each_side_is_compared_as_two_sides_are(sides: dict[str, list[Path]]) -> None:
    several = rankwise.diff_sides(sides)
    assert several.found.reference == "default"
    for name in ("ring", "bruck", "pairwise"):
        two = rankwise.diff(sides["default"], sides[name]).found
        assert several.found.sides[name] == two.after
        for figure in two.whole:
            assert several.found.figure(figure.name).values[name].change == figure.value
        by_key = {row.key: row.values for row in several.found.rows["communicator_calls"]}
        for row in two.rows["communicator_calls"]:
            assert by_key[row.communicator, row.procedure][name].change == row.seconds
            assert by_key[row.communicator, row.procedure]["default"].value == row.seconds.before
        for factor, other in zip(several.found.efficiency, two.efficiency, strict=True):
            assert factor.values[name] == other.after
            assert factor.values["default"] == other.before


def test_the_title_names_the_fastest_side_only_if_it_is(sides: dict[str, list[Path]], golden: Golden) -> None:
    golden.says(rankwise.diff_sides(sides).title, "bruck .. default")
    golden.says(rankwise.diff_sides(sides, reference="bruck").title, "bruck")
    equal = {name: sides[name] for name in ("default", "pairwise")}
    golden.says(rankwise.diff_sides(equal).title, "default")
    single = {name: side[:1] for name, side in sides.items()}
    golden.says(rankwise.diff_sides(single).title)


def test_the_screen(sides: dict[str, list[Path]], capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    assert main(["diff", *words(sides)]) == 0
    golden.says(capsys.readouterr().out)


def test_names_of_the_sides(sides: dict[str, list[Path]], capsys: pytest.CaptureFixture[str]) -> None:
    def named(*given: str) -> list[str]:
        assert main(["diff", "--json", *given]) == 0
        return list(json.loads(capsys.readouterr().out)["sides"])

    assert named(*words(sides)) == list(SIDES)
    assert named("--names", "a,b,c,d", "--reference", "c", *words(sides)) == ["a", "b", "c", "d"]
    assert named("--names", "a,b", str(sides["ring"][0]), "--", str(sides["bruck"][0])) == ["a", "b"]
    one_place = ["default/0.rankwise", "--", "default/1.rankwise", "--", "default/2.rankwise"]
    assert named(*one_place) == ["0", "1", "2"]


@pytest.mark.parametrize(
    "given",
    [
        ["default/0.rankwise", "--", "ring/0.rankwise", "--"],
        ["default/0.rankwise", "--", "--", "ring/0.rankwise"],
        ["--names", "a,b", "default/0.rankwise", "--", "ring/0.rankwise", "--", "bruck/0.rankwise"],
        ["--names", "a,b,a", "default/0.rankwise", "--", "ring/0.rankwise", "--", "bruck/0.rankwise"],
        ["--reference", "x", "default/0.rankwise", "--", "ring/0.rankwise", "--", "bruck/0.rankwise"],
        ["--fail-above", "5", "default/0.rankwise", "--", "ring/0.rankwise", "--", "bruck/0.rankwise"],
        ["default/0.rankwise", "--", "ring/0.rankwise", "--", "bruck/0.rankwise", "--json"],
        ["default/0.rankwise", "default/0.rankwise", "--", "ring/0.rankwise", "--", "bruck/0.rankwise"],
        ["default/0.rankwise", "--", "ring/0.rankwise", "--", "missing.rankwise"],
        ["--names", "a", "default/0.rankwise"],
    ],
)
def test_what_is_refused(
    given: list[str], sides: dict[str, list[Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(sides) == len(SIDES)
    assert main(["diff", *given]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_calls_that_only_some_sides_have(tmp_path: Path) -> None:
    whole = profiles.write_profile(tmp_path / "a.rankwise")
    without = changed(profiles.write_profile, "DELETE FROM calls WHERE procedure = 2")
    lacking = tmp_path / "b.rankwise"
    without(lacking)
    for reference in ("a", "b"):
        several = rankwise.diff_sides({"a": whole, "b": lacking, "c": lacking}, reference=reference)
        only = [row for row in several.found.rows["calls"] if set(row.values) == {"a"}]
        assert only
        assert str(several)


def test_a_reference_has_to_exist(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    for sides, reference in (
        ({"a": path}, ""),
        ({}, ""),
        ({"a": path, "b": path}, "c"),
        ({"a": [], "b": path}, ""),
    ):
        with pytest.raises(RankwiseError):
            rankwise.diff_sides(sides, reference=reference)  # type: ignore[arg-type]


def test_the_page(sides: dict[str, list[Path]], capsys: pytest.CaptureFixture[str]) -> None:
    several = rankwise.diff_sides(sides)
    wall, calls = charts(several.found)
    assert len(wall.series[1].points) == RUNS * len(SIDES)
    assert {point.y for point in wall.series[0].points} == {
        value.value for value in several.found.figure("wall").values.values()
    }
    assert calls.series
    assert main(["diff", "-o", "page.html", *words(sides)]) == 0
    assert Path("page.html").read_bytes().startswith(b"<!doctype html>")
    assert main(["diff", "-o", "page.md", *words(sides)]) == 2
    assert not Path("page.md").exists()
    assert capsys.readouterr().err.count("\n") == 1
