"""Pictures of a measurement as files and on the terminal: they are what they claim to be, and harmless."""

from __future__ import annotations

import io
import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import heatmaps
import numpy as np
import pytest
from terminals import Terminal

from golden import Golden
from rankwise.__main__ import main
from rankwise.latency.dense import from_matrices
from rankwise.latency.formats.own import write
from rankwise.latency.measurement import Measurement
from rankwise.render.figures.heatmap.picture import picture
from rankwise.render.figures.heatmap.scale import PALETTE
from rankwise.render.figures.heatmap.view import View, view
from rankwise.render.terminal.heatmap import heatmap_lines
from rankwise.render.terminal.page import Page
from rankwise.topology.hierarchy.levels import Outlier

OUTLIER = Outlier(
    kind="slow link",
    where="node0 - node3",
    ranks=(0, 1, 6, 7),
    what="latency",
    size=64,
    value=44.4,
    expected=4.0,
    level="machine",
    verdict="slow alone",
)
HOSTILE = "</script><script>alert(1)</script><img src=http://x/$\\frac{1}$\x1b[31m\u202e&{}"


def example(statistic: str = "median", size: int = 64, **how: Any) -> View:
    measurement, hierarchy = heatmaps.machine(outliers=(OUTLIER,), **how)
    return view(measurement, hierarchy, statistic, size)


def texts(svg: bytes) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_svg_holds_the_labels() -> None:
    first = picture(example(shuffled=True), "svg")
    labels = texts(first)
    for label in ("node0", "node3", "switch 0", "switch 1", "slow link: node0 - node3", "4.00"):
        assert label in labels, label
    everything = " ".join(labels)
    assert "Latency between all pairs: 64 B messages, median" in everything
    assert "8 ranks on 4 nodes" in everything
    assert "same switch  2.00 us" in everything
    assert "not measured" not in everything
    assert picture(example(shuffled=True), "svg") == first  # no date, no random names


def test_svg_of_hostile_names_is_well_formed() -> None:
    text = " ".join(texts(picture(example(names=HOSTILE), "svg")))
    assert "</sc..." in text  # a text, not an element
    assert "\x1b" not in text


def test_png_and_pdf() -> None:
    png = picture(example("bandwidth", 1 << 20), "png")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (2016, 1360)
    pdf = picture(example(), "pdf", surface=True)
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")


def test_svg_of_one_pair_of_ranks() -> None:
    measurement = from_matrices(["a", "b"], {64: [[0, 3.0], [3.0, 0]]})
    assert "3.00" in texts(picture(view(measurement, None, "min", 64), "svg"))


def test_missing_pairs_are_hatched_and_told() -> None:
    times = heatmaps.latencies()
    times[0, 7] = times[7, 0] = np.nan
    svg = picture(view(from_matrices(heatmaps.HOSTS, {64: times}), None, "min", 64), "svg")
    assert any("not measured: 1 pair (grey)" in text for text in texts(svg))
    assert b"<pattern" in svg


def large() -> Measurement:
    names = [f"node{rank // 4}" for rank in range(120)]
    same = np.array(names)[:, None] == np.array(names)
    times = np.where(same, 1.0, 10.0)
    times[3, 100] = times[100, 3] = 1000.0
    times[8:12, 20:24] = times[20:24, 8:12] = np.nan
    return from_matrices(names, {64: times})


def test_terminal_shades_the_worst_of_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = [line.plain for line in heatmap_lines(Page(io.StringIO()), large(), None, "min", 64)]
    assert max(map(len, lines)) <= 40
    assert " ".join(lines[:2]).split()[:3] == ["64", "B", "messages:"]
    rows = lines[3:33]  # a cell for each node, behind two lines of title and one of numbers
    assert [row.split()[0] for row in rows] == [f"node{node}" for node in range(30)]
    cells = [row[7:] for row in rows]
    assert all(len(row) == 30 for row in cells)
    assert cells[0][25] == cells[25][0] == "@"  # the outlier, rank 3 to rank 100
    assert cells[2][5] == "?"
    assert {row[place] for place, row in enumerate(cells)} == {"."}
    assert len(set("".join(cells)) - set("@?.")) == 1
    legend = " ".join(lines[33:])
    assert "@ to 1000 us" in legend
    assert "each cell: the worst of 4 x 4 pairs" in legend
    assert "? not measured" in legend


def test_terminal_numbers_where_they_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    measurement, hierarchy = heatmaps.machine(shuffled=True)
    lines = [line.plain for line in heatmap_lines(Page(io.StringIO()), measurement, hierarchy, "median", 64)]
    assert lines[2].split() == ["node0", "1", "\\", "0.500", *["2.00"] * 2, *["4.00"] * 4]
    assert lines[3].split()[0] == "4"  # the host is named once


def test_terminal_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = heatmap_lines(Page(Terminal()), large(), None, "min", 64)
    assert max(line.cell_len for line in lines) <= 40
    assert lines[3].plain[7:] == " " * 30
    styles = [str(span.style) for span in lines[3].spans]
    assert f"#ffffff on {PALETTE[0]}" in styles
    assert any("on #e3342f" in style for style in styles)


def test_terminal_shows_hostile_names_harmless() -> None:
    measurement, hierarchy = heatmaps.machine(names=HOSTILE)
    text = "".join(
        line.plain for line in heatmap_lines(Page(io.StringIO()), measurement, hierarchy, "min", 64)
    )
    assert text.isascii() and text.isprintable()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    measurement, _ = heatmaps.machine()
    write(measurement, tmp_path / "m.json")
    return tmp_path / "m.json"


def test_command_draws_each_kind(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, start in (("png", b"\x89PNG"), ("html", b"<!doctype html>")):
        target = file.with_name(f"picture.{kind}")
        words = [
            "latency",
            "plot",
            str(file),
            "-o",
            str(target),
            "--statistic",
            "bandwidth",
            "--order",
            "rank",
        ]
        assert main(words) == 0
        assert target.read_bytes().startswith(start)
        assert main(words) == 2
        assert f"{target} already exists" in capsys.readouterr().err
    assert main([*words, "--force", "--surface", "--size", "1M"]) == 0
    assert sorted(path.name for path in file.parent.iterdir()) == [
        "m.json",
        "m.pairs",
        "picture.html",
        "picture.png",
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["-o", "{}/a.jpeg"], "endings .svg, .pdf, .png, .html"),
        (["-o", "{}/picture"], "endings .svg, .pdf, .png, .html"),
        (
            ["-o", "{}/a.svg", "--size", "1K"],
            "1024 .. --size .. 64 .. 1048576",
        ),
        (["-o", "{}/a.svg", "--size", "x"], "not a size"),
        (["-o", "{}/a.svg", "--size", "64", "--statistic", "bandwidth"], "choose from"),
        (["-o", "{}/none/a.svg"], "-o"),
        (["-o", "{}/a.svg", "--order", "random"], "--order"),
    ],
)
def test_bad_input_is_one_line(
    file: Path, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str, golden: Golden
) -> None:
    assert main(["latency", "plot", str(file), *(word.format(file.parent) for word in words)]) in (1, 2)
    err = capsys.readouterr().err
    golden.says(err, complaint)
    assert err.count("\n") == 1
    assert sorted(path.name for path in file.parent.iterdir()) == ["m.json", "m.pairs"]
