"""What a report holds of communicators and calls is what `rankwise show` tells of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import communicators_made
import network_jobs
import numpy as np
import profiles
import pytest

from rankwise.__main__ import main
from rankwise.profile.join.members import known_ranks
from rankwise.text.units import bin_text


def report(profile: Path) -> dict[str, Any]:
    """The run that the report of a profile holds."""
    assert main(["report", str(profile)]) == 0
    [run] = network_jobs.data(profile.with_suffix(".html").read_bytes())["runs"]
    assert isinstance(run, dict)
    return run


@pytest.fixture
def kinds(tmp_path: Path) -> dict[str, Any]:
    return report(communicators_made.write_kinds(tmp_path / "kinds.rankwise"))


def row(run: dict[str, Any], name: str) -> dict[str, Any]:
    """All that is told of a communicator."""
    place = run["axes"]["communicators"]["name"].index(name)
    columns = run["communicators"]
    return {key: values[place] for key, values in columns.items() if key not in ("wall", "waiting")}


def test_each_communicator_tells_how_it_was_made(kinds: dict[str, Any]) -> None:
    first = row(kinds, "W_s1.0")
    assert first["maker"] == "Comm_split"
    assert (first["madeIn"], first["madeAt"]) == (["app"], ["app.c:7"])
    assert (first["created"], first["freed"]) == (1, 5)
    assert (first["groups"], first["userNames"]) == (["0-3"], ["row"])
    assert (first["count"], first["least"], first["most"], first["remote"]) == (1, 4, 4, 0)
    assert row(kinds, "W_s1.4_d1")["freed"] == -1
    assert row(kinds, "W")["maker"] == ""


def test_intercommunicators_have_both_groups(kinds: dict[str, Any]) -> None:
    inter = row(kinds, "W_i1")
    assert (inter["groups"], inter["remoteParent"], inter["remote"]) == (["0 + 1-7"], "W_s1.4", 7)


def test_windows_and_files_are_told_apart(kinds: dict[str, Any]) -> None:
    assert (row(kinds, "W_w1")["type"], row(kinds, "W_w1")["freed"]) == ("window", 4.5)
    file = row(kinds, "W_f1")
    assert file["type"] == "file"
    assert file["userNames"][0].startswith("/scratch/<script>")
    assert file["userNames"][0].isprintable()


def test_what_is_no_communicator_counts_none(kinds: dict[str, Any]) -> None:
    assert [row(kinds, name)["count"] for name in ("(none)", "(several)", "(other)")] == [0, 0, 0]
    assert row(kinds, "(several)")["groups"] == []


def test_calls_that_never_returned_are_in_the_cells(kinds: dict[str, Any]) -> None:
    cells, axes = kinds["cells"], kinds["axes"]
    [stuck] = np.flatnonzero(cells["unfinished"])
    assert axes["procedures"]["name"][cells["procedure"][stuck]] == "Barrier"
    assert (cells["rank"][stuck], cells["calls"][stuck], axes["sizes"][cells["size"][stuck]]) == (
        7,
        0,
        "other",
    )


def test_many_communicators_are_told_by_family(tmp_path: Path) -> None:
    run = report(communicators_made.write_many(tmp_path / "many.rankwise"))
    assert run["axes"]["communicators"]["each"] is False
    family = row(run, "W_s1")
    assert (family["count"], family["least"], family["most"]) == (550, 2, 2)
    assert (len(family["groups"]), family["moreGroups"]) == (100, 450)
    assert family["members"] == "0-1099"


@pytest.mark.parametrize(
    "write", [profiles.write_profile, profiles.write_with_files, communicators_made.write_kinds]
)
def test_sums_are_those_of_show(write: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "p.rankwise")
    run = report(path)
    cells, axes = run["cells"], run["axes"]
    apart = axes["procedures"]["apart"][cells["procedure"]]

    def sums(key: str, names: list[str]) -> dict[str, tuple[float, ...]]:
        totals: dict[str, np.ndarray[Any, Any]] = {}
        for cell in np.flatnonzero(apart == 0):
            amounts = np.array(
                [cells[what][cell] for what in ("calls", "sent", "received", "seconds", "unfinished")]
            )
            name = names[cells[key][cell]]
            totals[name] = totals.get(name, 0) + amounts
        return {name: tuple(amounts) for name, amounts in totals.items()}

    def shown(by: str, *words: str) -> dict[str, Any]:
        capsys.readouterr()
        assert main(["show", str(path), "--by", by, "--json", *words]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert isinstance(answer, dict)
        return answer

    def sums_of(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
        return {
            entry[name]: pytest.approx(
                tuple(entry[of] for of in ("calls", "bytes_sent", "bytes_received", "seconds", "unfinished")),
                rel=1e-6,
            )
            for entry in rows
            if entry["calls"] or entry["unfinished"]
        }

    assert cells["calls"].sum() > 0
    procedures = [f"MPI_{name}" for name in axes["procedures"]["name"]]
    assert sums("procedure", procedures) == sums_of(shown("call")["calls"], "procedure")
    bins = [str(size) for size in axes["sizes"]]
    sizes = [{**entry, "size": _bin(entry)} for entry in shown("size")["sizes"]]
    assert sums("size", bins) == sums_of(sizes, "size")
    each = shown("communicator", "--verbose")["communicators"]
    assert sums("communicator", axes["communicators"]["name"]) == sums_of(each, "name")


def _bin(row: dict[str, Any]) -> str:
    return bin_text(row["size_bin"])


def test_members_below_an_end_cost_no_more_than_they_are() -> None:
    assert known_ranks("0-999999999999999:3,?x7,5-4:-1", 8) == {0, 3, 4, 5, 6}
    assert known_ranks("", 8) == set()
    with pytest.raises(ValueError, match="not an entry"):
        known_ranks("x", 8)
