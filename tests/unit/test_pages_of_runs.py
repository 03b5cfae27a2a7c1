"""The pages of `scaling`, `history`, `variance` and `diff`: their filters fit, and they open reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import network_jobs
import profiles
import pytest
from many_runs import Truth, commit_of, write_runs
from scaling_made import Call, Program

import rankwise

CALLS = {("W", "MPI_Bcast"): 1.0, ("W_s2", "MPI_Alltoall"): 2.0}


def _scaling(directory: Path) -> Any:
    calls = {key: Call(lambda ranks, by=by: by * ranks, lambda _: 1e4) for key, by in CALLS.items()}  # type: ignore[misc]
    Program(useful=lambda ranks: 64 / ranks, calls=calls).write(directory, ranks=(2, 4), runs=1)
    return rankwise.scaling(directory, kind="strong")


def _repeated(directory: Path) -> Path:
    runs = [
        Truth(
            {call: (1 + number / 10) * by for call, by in CALLS.items()}, day=number, commit=commit_of(number)
        )
        for number in range(12)
    ]
    return write_runs(directory, runs)


def _sides(directory: Path) -> Any:
    return rankwise.diff_sides(
        {name: profiles.write_profile(directory / f"{name}.rankwise") for name in "abc"}
    )


ANSWERS: Mapping[str, Callable[[Path], Any]] = {
    "scaling": _scaling,
    "history": lambda directory: rankwise.history(_repeated(directory)),
    "variance": lambda directory: rankwise.variance(_repeated(directory)),
    "sides": _sides,
}


@pytest.fixture(params=ANSWERS)
def page(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """The directory of some profiles, all but one with a report, and the data of the page on them."""
    answer = ANSWERS[request.param](tmp_path)
    for profile in sorted(tmp_path.glob("*.rankwise"))[1:]:
        profile.with_suffix(".html").write_text("report")
    (tmp_path / "pages").mkdir()
    return tmp_path, network_jobs.data(answer.html_page(tmp_path / "pages"))


def test_what_lines_are_about_can_be_chosen(page: tuple[Path, dict[str, Any]]) -> None:
    choices: dict[str, set[str]] = {}
    for table in page[1]["tables"]:
        for place, column in enumerate(table["columns"]):
            if column.get("choice"):
                choices.setdefault(column["name"], set()).update(row[place][0] for row in table["rows"])
    lines = [series["about"] for chart in page[1]["charts"] for series in chart["series"]]
    for name, value in (item for about in lines for item in about.items()):
        assert value in choices[name]
    assert choices


def test_each_run_opens_its_report_if_there_is_one(page: tuple[Path, dict[str, Any]]) -> None:
    directory, data = page
    cells = [cell for table in data["tables"] for row in table["rows"] for cell in row]
    links = {cell[3] for cell in cells if len(cell) > 3}
    assert links == {f"../{path.name}" for path in directory.glob("*.html")}
    assert len(links) == len(list(directory.glob("*.rankwise"))) - 1
