"""Profiles in notebooks: the same values as on the command line, and everything shows itself."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
import pandas
import profiles
import pytest
from test_docs import page

import rankwise
from exhaustive import few
from golden import Golden
from rankwise.__main__ import main
from rankwise.reading.rows import Rows
from rankwise.views.by import VIEWS

NAMED = ("communicator", "call", "size", "pair", "collective", "algorithm", "rank", "node", "region", "file")

WRITERS = [
    profiles.write_profile,
    profiles.write_partial,
    profiles.write_inside,
    profiles.write_with_files,
    profiles.write_hostile,
    profiles.write_empty,
]


@pytest.fixture
def profile(tmp_path: Path) -> rankwise.Profile:
    return rankwise.open(profiles.write_inside(tmp_path / "a.rankwise"))


@pytest.fixture(autouse=True)
def no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")


def as_json(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> dict[str, Any]:
    assert main(["show", str(path), *words, "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def known(value: object) -> object:
    """A value of pandas as JSON has it."""
    return None if not isinstance(value, list) and pandas.isna(value) else value


@pytest.mark.each_value
@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("name", VIEWS)
def test_frames_have_the_values_of_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[[Path], Path], name: str
) -> None:
    path = write(tmp_path / "a.rankwise")
    view = rankwise.open(path).view(name)
    answer = as_json(capsys, path, "--by", name)
    assert view.data.keys() == answer.keys()
    assert json.loads(view.to_json()) == answer
    assert view.names
    for key in view.names:
        frame, array = view.to_pandas(key), view.to_numpy(key)
        if key not in answer:  # it is in an object
            outer, _, inner = key.partition("_")
            answer[key] = answer[outer][inner]
        assert len(frame) == len(array) == len(answer[key])
        assert list(array.dtype.names or ()) == list(frame.columns)
        for place, row in enumerate(answer[key]):
            for column, value in row.items():
                if column in frame:  # else it is an object
                    assert known(frame[column].iloc[place]) == value
                    assert known(array[column][place]) == value
                elif value is not None:
                    assert known(frame[f"{column}_{next(iter(value))}"].iloc[place]) == next(
                        iter(value.values())
                    )


@pytest.mark.each_value
@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("name", VIEWS)
def test_text_is_that_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[[Path], Path], name: str
) -> None:
    path = write(tmp_path / "a.rankwise")
    view = rankwise.open(path).view(name)
    assert main(["show", str(path), "--by", name]) == 0
    assert str(view) == capsys.readouterr().out
    assert main(["show", str(path), "--by", name, "-v", "--limit", "0"]) == 0
    assert view.text(verbose=True, limit=0) == capsys.readouterr().out
    view.show()
    assert capsys.readouterr().out == str(view)
    assert name in repr(view)
    assert "\n" not in repr(view)


class Balanced(HTMLParser):
    """Reads HTML: every tag is closed, and the texts of the cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.each_value
@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("name", VIEWS)
def test_html_is_whole_and_harmless(tmp_path: Path, write: Callable[[Path], Path], name: str) -> None:
    markup = Balanced(rankwise.open(write(tmp_path / "a.rankwise")).view(name)._repr_html_())
    harmless = {"div", "p", "b", "small", "table", "thead", "tbody", "tr", "th", "td"}
    assert markup.tags <= harmless
    assert all(text.isprintable() for text in markup.texts)


def test_html_has_the_cells_of_the_table(profile: rankwise.Profile, golden: Golden) -> None:
    texts = Balanced(profile.calls()._repr_html_()).texts
    golden.says(texts[0], "46.6 % .. MPI")
    start = texts.index("Allreduce")
    assert texts[start : start + 6] == ["Allreduce", "400", "3.12 KiB", "-", "2.50 s", "46.6"]
    assert "Init" in texts
    assert any(text.startswith("sent: bytes sent;") for text in texts)


def test_html_is_cut_with_a_row_for_the_others(tmp_path: Path) -> None:
    large = rankwise.open(profiles.write_large(tmp_path / "l.rankwise"))
    texts = Balanced(large.calls()._repr_html_()).texts
    assert "16 others" in texts
    assert sum(text.startswith("Extra_") for text in texts) == 24


def test_a_hostile_name_is_text(tmp_path: Path) -> None:
    html = rankwise.open(profiles.write_hostile(tmp_path / "h.rankwise")).files()._repr_html_()
    assert "&lt;b&gt;" in html
    assert "\x1b" not in html


@pytest.mark.parametrize("write", [*WRITERS, profiles.write_large])
def test_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[[Path], Path]
) -> None:
    path = write(tmp_path / "a.rankwise")
    summary = rankwise.open(path).summary()
    assert json.loads(json.dumps(summary.data)) == as_json(capsys, path)
    assert main(["show", str(path)]) == 0
    assert str(summary) == capsys.readouterr().out
    assert Balanced(summary._repr_html_()).tags == {"pre"}


def test_the_run(profile: rankwise.Profile) -> None:
    with profile as p:
        assert (p.run.ranks, p.run.nodes, p.run.wall_seconds) == (4, 2, 10.0)
        assert p.run.command == profiles.COMMAND
        assert p.trust.complete
        assert repr(p) == "<Profile a.rankwise: 4 ranks, 10 s>"
        assert repr(p.part(rank=1)) == "<Profile a.rankwise: 4 ranks, 10 s, rank 1>"


def test_methods_are_the_views(profile: rankwise.Profile) -> None:
    for name in NAMED:
        method = getattr(profile, f"{name}s")
        assert method().data == profile.view(name).data


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--rank", "1-2"], {"rank": [1, 2]}),
        (["--rank", "3"], {"rank": np.int64(3)}),
        (["--rank", "0-3"], {"rank": range(4)}),
        (["--call", "Isend,Irecv"], {"call": ("Isend", "MPI_Irecv")}),
        (["--communicator", "W_a1"], {"communicator": "W_a1"}),
        (["--node", "nodeb", "--size", "1K-2K"], {"node": "nodeb", "size": "1K-2K"}),
        (["--region", "solve", "--size", "8"], {"region": "solve", "size": 8}),
    ],
)
def test_parts_are_those_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], part: dict[str, Any]
) -> None:
    path = profiles.write_inside(tmp_path / "a.rankwise")
    p = rankwise.open(path)
    assert main(["show", str(path), "--by", "call", *words]) == 0
    shown = capsys.readouterr().out.splitlines()[2:]
    for view in (p.calls(**part), p.part(**part).calls()):
        assert str(view).splitlines()[2:] == shown
        assert view.data["selected"]
    assert p.calls(rank=1).to_pandas().calls.sum() == 617 - 2  # without MPI_Init and MPI_Finalize


def test_a_part_of_a_part(profile: rankwise.Profile) -> None:
    part = profile.part(rank="0-1").part(call="Allreduce")
    assert part.calls().to_pandas().calls.tolist() == [200]
    assert part.part(rank=3).calls().to_pandas().calls.tolist() == [100]


@pytest.mark.parametrize("ends", ["rank", "node"])
def test_matrices(tmp_path: Path, capsys: pytest.CaptureFixture[str], ends: str) -> None:
    path = profiles.write_inside(tmp_path / "a.rankwise")
    for measure in ("bytes", "messages"):
        matrix = rankwise.open(path).matrix(ends, of=measure)
        answer = as_json(capsys, path, "--matrix", "--by", ends, "--of", measure)
        assert json.loads(json.dumps(matrix.data)) == answer
        expected = np.zeros((answer["matrix"]["size"],) * 2, dtype=np.int64)
        for cell in answer["matrix"]["cells"]:
            expected[cell["source"], cell["destination"]] = cell[measure]
        assert (matrix.to_numpy() == expected).all()
        assert (np.asarray(matrix) == expected).all()
        assert (matrix.to_scipy().toarray() == expected).all()
        assert matrix.to_scipy().nnz == len(answer["matrix"]["cells"])
        assert matrix.to_pandas()[measure].sum() == expected.sum()
        assert main(["show", str(path), "--matrix", "--by", ends, "--of", measure]) == 0
        assert str(matrix) == capsys.readouterr().out
    assert list(rankwise.open(path).matrix("node").labels) == ["nodea", "nodeb"]


def test_the_matrix_of_a_run_without_messages(tmp_path: Path) -> None:
    empty = rankwise.open(profiles.write_empty(tmp_path / "e.rankwise"))
    assert empty.matrix().to_scipy().nnz == 0
    assert list(empty.matrix().to_pandas().columns) == ["source", "destination", "messages", "bytes"]


def test_tables_are_those_of_export(tmp_path: Path, profile: rankwise.Profile) -> None:
    left_out = profile.export(tmp_path / "out", "json")
    assert left_out == []
    assert {file.stem for file in (tmp_path / "out").iterdir()} == {*profile.tables}
    for name in profile.tables:
        rows = json.loads((tmp_path / "out" / f"{name}.json").read_text())
        assert json.loads(json.dumps([*profile.table(name)])) == rows
    part = profile.part(rank=0)
    assert "patterns" not in part.tables
    left_out = ["network_ports", "network_samples", "paths", "pattern_messages", "patterns"]
    assert part.export(tmp_path / "part") == left_out
    assert set(part.table("calls").to_dict()["rank"]) == {0}


@pytest.mark.parametrize("write", few([*WRITERS, profiles.write_large], 3))
def test_drawings(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    from matplotlib import pyplot

    plot = rankwise.open(write(tmp_path / "a.rankwise")).plot
    for draw in (plot.matrix, plot.communicators, plot.sizes, plot.balance):
        axes = draw()
        assert axes.get_title() or axes.get_title(loc="left")
        axes.figure.savefig(tmp_path / "a.png")
        assert (tmp_path / "a.png").stat().st_size > 5000
        pyplot.close(axes.figure)


def test_drawings_say_what_they_show(profile: rankwise.Profile, golden: Golden) -> None:
    from matplotlib import pyplot

    _, mine = pyplot.subplots()
    assert profile.plot.sizes(ax=mine) is mine
    golden.says(mine.get_title(loc="left"), "8-15 B .. 46.6 % .. MPI")
    labels = [text.get_text() for text in mine.get_xticklabels()]
    assert labels[0] == "no data"
    assert "8-15 B" in labels
    heights = {}
    for bars in mine.containers:
        for bar in bars:
            heights[round(bar.get_x() + bar.get_width() / 2)] = bar.get_y() + bar.get_height()
    seconds = profile.sizes().to_pandas().set_index("size_bin").seconds
    assert max(heights.values()) == pytest.approx(seconds.max())

    axes = profile.plot.communicators()
    golden.says(axes.get_title(loc="left"), "46.6 % .. MPI")
    names = [text.get_text().split("\n")[0] for text in axes.get_yticklabels()]
    assert names == ["W", 'W_a1_u1 "row"', 'W_a1 "grid"', "W_a1_u2"]
    axes = profile.plot.balance()
    golden.says(axes.get_title(loc="left"), "3 .. MPI .. 1.71 s")
    axes = profile.plot.matrix("node")
    assert axes.get_title(loc="left").startswith("806 KiB between 2 nodes")
    (image,) = axes.get_images()
    assert image.get_array().sum() == profile.matrix("node").to_numpy().sum()
    pyplot.close("all")


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda p: p.view("nothing"), "'nothing'"),
        (lambda p: p.calls(rank=7), "7 .. 0 .. 3"),
        (lambda p: p.calls(rank=[]), ""),
        (lambda p: p.calls(size="3-64"), "size .. '3-64'"),
        (lambda p: p.pairs(size=8), "--size .. --by"),
        (lambda p: p.calls().rows("pairs"), "call has no 'pairs': it has calls, opening_and_closing"),
        (lambda p: p.matrix("core"), "'core'"),
        (lambda p: p.matrix(kind="all of them"), "'all of them'"),
        (lambda p: p.matrix(of="time"), "'time'"),
        (lambda p: p.matrix(call="Nothing"), "there is no MPI procedure 'Nothing'"),
        (lambda p: p.table("nothing"), "'nothing'"),
        (lambda p: p.export("out", "xml"), "'xml'"),
        (
            lambda p: p.part(rank=0).summary(),
            "--rank .. --by .. --matrix",
        ),
        (lambda p: p.calls().text(limit=cast("int", "x")), "limit .. 'x' .. 0"),
        (lambda p: p.calls().text(limit=cast("int", 1.5)), "limit .. 1.5 .. 0"),
        (lambda p: p.calls().text(limit=-1), "limit .. -1 .. 0"),
        (lambda p: p.calls().show(cast("TextIO", "out.txt")), "file .. 'out.txt'"),
        (
            lambda p: p.calls(rank=1.5),
            "rank .. 1.5 .. 0-3,7",
        ),
        (lambda p: p.calls(call=3), "call .. 3"),
        (lambda p: p.calls(size=(1,)), "size .. 1 .. 0 .. 64"),
        (lambda p: p.export(cast("str", 3)), "directory .. 3 .. pathlib.Path"),
        (lambda _: rankwise.open(cast("str", 3)), "path .. 3 .. pathlib.Path"),
        (lambda p: rankwise.diff(p.path, cast("str", 3)), "after: 3 is not a path"),
        (lambda p: rankwise.diff([cast("str", 3)], p.path), "before: 3 is not a path"),
        (
            lambda p: rankwise.diff(p.path, p.path, fail_above=cast("float", "5")),
            "fail_above: '5' is not a percentage, such as 5",
        ),
    ],
)
def test_errors_are_ours(
    profile: rankwise.Profile, ask: Callable[[rankwise.Profile], object], line: str, golden: Golden
) -> None:
    with pytest.raises(rankwise.RankwiseError) as error:
        ask(profile)
    golden.says(error.value, line)


def test_a_figure_that_is_none(profile: rankwise.Profile, golden: Golden) -> None:
    with pytest.raises(ValueError) as error:
        rankwise.diff(profile.path, profile.path).found.figure("nope")
    golden.says(error.value, "'nope'")


def test_a_profile_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.rankwise").write_text("nothing of the kind")
    with pytest.raises(rankwise.RankwiseError, match="is not a Rankwise profile"):
        rankwise.open(tmp_path / "a.rankwise")
    with pytest.raises(rankwise.RankwiseError, match="is not found"):
        rankwise.open(str(tmp_path / "b.rankwise"))


def test_a_damaged_profile(tmp_path: Path) -> None:
    path = profiles.write_profile(tmp_path / "a.rankwise")
    p = rankwise.open(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE ranks SET mpi = 'long'")
    for ask in (lambda: str(p.ranks()), lambda: p.plot.balance()):
        with pytest.raises(rankwise.RankwiseError, match="damaged profile"):
            ask()


def test_rows() -> None:
    rows = Rows("things", [{"a": 1, "b": {"c": None, "d": [1]}}, {"a": None, "b": None}, {"a": 3, "e": True}])
    assert rows.columns == ["a", "b_c", "b_d", "e"]
    assert rows[1] == {"a": None, "b_c": None, "b_d": None, "e": None}
    assert len(rows[:2]) == 2
    assert repr(rows) == "<things: 3 rows of a, b_c, b_d, e>"
    frame = rows.to_pandas()
    assert str(frame.a.dtype) == "Int64"
    assert frame.a.sum() == 4
    array = rows.to_numpy()
    assert np.isnan(array["a"][1])
    assert array["b_d"][0] == [1]
    assert Rows("big", [{"n": 1 << 70}]).to_numpy()["n"][0] == 1 << 70
    assert Rows("none", [], ["a"]).to_pandas().columns.tolist() == ["a"]


def test_the_command_line_has_no_other_way_to_a_profile() -> None:
    commands = Path(main.__code__.co_filename).with_name("commands")
    for name in ("show", "export", "diff"):
        text = (commands / f"{name}.py").read_text(encoding="utf-8")
        imports = set(re.findall(r"(?:from|import) (rankwise\.\S+)", text))
        assert any(module.startswith("rankwise.reading") for module in imports)
        for other in (
            "analysis.opened",
            "views.by import view",
            "rankwise.profile",
            "sqlite3",
            "render.terminal",
        ):
            assert other not in text


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib import pyplot

    profiles.write_profile(tmp_path / "heat.rankwise")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page("notebooks.md"), re.DOTALL)
    assert len(blocks) == 11
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"block {number} of notebooks.md", "exec"), names)
    assert (tmp_path / "matrix.png").stat().st_size > 5000
    assert (tmp_path / "tables" / "calls.csv").is_file()
    pyplot.close("all")


def test_the_page_names_every_list_of_rows(profile: rankwise.Profile) -> None:
    text = page("notebooks.md")
    for name in NAMED:
        lists = ", ".join(f"`{key}`" for key in profile.view(name).names)
        assert f"| `p.{name}s()` | `--by {name}` | {lists} |" in text
