"""The page of a measurement in a real browser: it says what was measured, and does what its controls say."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import heatmaps
import numpy as np
import pytest
from browsers import Tab
from test_latency_page_data import example

from exhaustive import few
from golden import assert_facts
from rankwise.latency.dense import from_matrices
from rankwise.render.figures.heatmap.view import View, view
from rankwise.render.page.latency.page import latency_page

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
HOSTILE = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>\"'`&\u202e\x1b[31m{}"
MAP = "#map .stage canvas"


def opened(browser: Any, of: View, folder: Path, address: str = "", **how: Any) -> Tab:
    path = folder / "latency.html"
    path.write_bytes(latency_page(of))
    tab = Tab(browser, path, **how)
    tab.page.wait_for_selector("#levels svg")
    if address:
        tab.page.goto(f"{path.as_uri()}#{address}")
    return tab


def many(ranks: int = 64, per_node: int = 16) -> View:
    """Ranks on nodes behind switches, one pair of them slow, and a block that was not measured."""
    node = np.arange(ranks) // per_node
    times = np.where(node[:, None] == node, 0.5, np.where(node[:, None] // 2 == node // 2, 2.0, 4.0))
    times *= np.random.default_rng(1).lognormal(0, 0.03, times.shape)
    times[5, ranks - 3] = times[ranks - 3, 5] = 60.0
    times[8:12, 40:44] = times[40:44, 8:12] = np.nan
    hosts = [f"node{number:03}" for number in node]
    return view(from_matrices(hosts, {64: times}), None, "median", 64)


def point(tab: Tab, row: float, column: float, cells: int) -> tuple[float, float]:
    """Return where a cell is on the screen while all are seen: the matrix ends at the canvas's lower edge."""
    tab.page.locator(MAP).scroll_into_view_if_needed()
    box = tab.page.locator(MAP).bounding_box()
    edges = tab.page.evaluate(
        """() => {
          const canvas = document.querySelector('#map .stage canvas');
          const scale = canvas.width / canvas.clientWidth;
          const copy = document.createElement('canvas');
          [copy.width, copy.height] = [canvas.width, canvas.height];
          const context = copy.getContext('2d', { willReadFrequently: true });
          context.drawImage(canvas, 0, 0);
          // Near the lower edge nothing but cells is drawn, and names beside them.
          const y = canvas.height - Math.round(6 * scale) - Math.round(3 * scale);
          const line = context.getImageData(0, y, canvas.width, 1).data;
          const paper = line.slice(0, 3).join();
          const drawn = [];
          for (let x = 0; x < canvas.width; x++)
            if (line.slice(4 * x, 4 * x + 3).join() !== paper) drawn.push(x);
          const left = drawn.find((x) => x > 40 * scale);
          return [left / scale, (drawn.at(-1) + 1) / scale, canvas.clientHeight - 6];
        }"""
    )
    left, right, bottom = edges
    side = right - left
    return box["x"] + left + (column + 0.5) * side / cells, box["y"] + bottom - side + (
        row + 0.5
    ) * side / cells


def tip_of(tab: Tab) -> dict[str, str]:
    rows = tab.page.locator("#tip tr").all()
    return dict(row.locator("td").all_inner_texts() for row in rows)


def test_hovering_tells_the_pair_and_its_values(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, example(), tmp_path)
    for row, column, level, value in (
        (0, 1, "same node", 0.5),
        (0, 3, "same switch", 2.0),
        (6, 1, "across the machine", 4.0),
    ):
        tab.page.mouse.move(*point(tab, row, column, heatmaps.RANKS))
        head = tab.page.inner_text("#tip strong")
        assert head == f"rank {row} on node{row // 2} – rank {column} on node{column // 2}"
        assert tab.page.inner_text("#tip p") == f"{level}, 64 B"
        assert tip_of(tab)["median"] == f"{value:#.3g} us"
    tab.page.mouse.move(*point(tab, 2, 2, heatmaps.RANKS))
    assert tab.page.locator("#tip").is_hidden()  # a rank and itself
    tab.close()


def test_the_data_are_what_was_measured(browser: Any, tmp_path: Path) -> None:
    of = example("bandwidth", 1 << 20, shuffled=True)
    tab = opened(browser, of, tmp_path)
    rows = tab.rows("#map-data", tmp_path)
    matrix = of.measurement.matrix("bandwidth", 1 << 20).astype(np.float32)
    assert len(rows) == heatmaps.RANKS * (heatmaps.RANKS - 1)  # from row to column
    for row in rows:
        rank, other = int(row["rank"]), int(row["other_rank"])
        assert float(row["bandwidth_MB_per_s"]) == pytest.approx(matrix[rank, other], rel=1e-6)
        assert row["host"] == of.measurement.host_names()[rank]
    tab.click("nav button:has-text('median')")
    tab.click("nav button:has-text('64 B')")
    rows = tab.rows("#map-data", tmp_path)
    assert len(rows) == heatmaps.RANKS * (heatmaps.RANKS - 1) / 2  # each pair once
    times = of.measurement.matrix("median", 64)
    for row in rows:
        assert float(row["median_us"]) == times[int(row["rank"]), int(row["other_rank"])]
    levels = tab.rows("#levels-data", tmp_path)
    counts = {row["level"]: int(row["pairs"]) for row in levels}
    assert counts == {"same node": 4, "same switch": 8, "across the machine": 16}
    [outlier] = tab.rows("#outliers-data", tmp_path)
    assert (outlier["where"], outlier["measured"]) == ("node0 - node3", "44.4 us")
    nodes = tab.rows("#nodes-data", tmp_path)
    assert {(row["node"], row["median_us"], row["worst_us"]) for row in nodes} == {
        (f"node{node}", "4", "4") for node in range(4)
    }
    tab.close()


def test_views_and_scales(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, example(), tmp_path)
    assert "64 B messages, median" in tab.page.inner_text("h1")
    assert tab.page.locator("nav button:has-text('64 B')").get_attribute("aria-pressed") == "true"
    tab.click("nav button:has-text('bandwidth')")
    # It was not measured with the other size.
    assert tab.page.locator("nav button:has-text('64 B')").is_disabled()
    assert_facts(tab.page.inner_text("h1"), "1.00 MiB")
    assert "MB/s" in tab.page.inner_text("#map .legend")
    assert "logarithmic" in tab.page.inner_text("#map .caption")
    tab.click("nav button:has-text('linear')")
    assert "linear" in tab.page.inner_text("#map .caption")
    # The address holds it all.
    tab.page.reload()
    tab.page.wait_for_selector("#levels svg")
    assert_facts(tab.page.inner_text("h1"), "1.00 MiB")
    assert tab.page.locator("nav button:has-text('linear')").get_attribute("aria-pressed") == "true"
    tab.close()


def test_zoom_shows_fewer_cells(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, many(), tmp_path)

    def seen() -> int:
        return len(tab.rows("#map-data", tmp_path))

    assert seen() == 64 * 63 / 2
    tab.page.mouse.move(*point(tab, 5, 61, 64))
    tab.page.keyboard.down("Control")
    for _ in range(6):
        tab.page.mouse.wheel(0, -200)
    tab.page.keyboard.up("Control")
    tab.drawn()
    rows = tab.rows("#map-data", tmp_path)
    assert 0 < len(rows) < 300
    assert ("5", "61", "60") in {(row["rank"], row["other_rank"], row["median_us"]) for row in rows}
    tab.click("#map .under button:has-text('all')")
    tab.drawn()
    assert seen() == 64 * 63 / 2
    # A rectangle.
    tab.page.mouse.move(*point(tab, 0, 32, 64))
    tab.page.keyboard.down("Shift")
    tab.page.mouse.down()
    tab.page.mouse.move(*point(tab, 8, 40, 64), steps=4)
    tab.page.mouse.up()
    tab.page.keyboard.up("Shift")
    tab.drawn()
    ranks = {(int(row["rank"]), int(row["other_rank"])) for row in tab.rows("#map-data", tmp_path)}
    assert {(rank, other) for rank in range(1, 8) for other in range(33, 40)} <= ranks
    assert len(ranks) <= 100
    tab.page.locator(MAP).focus()
    tab.page.keyboard.press("0")
    tab.drawn()
    assert seen() == 64 * 63 / 2
    tab.close()


def test_what_the_titles_find(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, many(), tmp_path)
    assert tab.page.inner_text("#map-title").startswith("Slowest pair: rank 5 – rank 61, 60.0 us, ")
    assert "not measured" in tab.page.inner_text("#map .legend")
    assert "not measured: 16 pairs" in tab.page.inner_text("header")
    assert "no levels" in tab.page.inner_text("#outliers-title")
    tab.close()


def test_a_pair_is_chosen_copied_and_saved(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, example(), tmp_path, permissions=["clipboard-read", "clipboard-write"])
    assert tab.page.locator("#pair-copy").is_disabled()
    tab.page.mouse.click(*point(tab, 1, 6, heatmaps.RANKS))
    assert tab.page.inner_text("#pair-title") == "rank 1 on node0 – rank 6 on node3"
    assert "pair=1.6" in tab.page.url
    tab.click("#pair-copy")
    tab.page.wait_for_selector("#pair-copy:has-text('copied')")
    lines = tab.page.evaluate("navigator.clipboard.readText()").split("\n")
    assert lines[0] == "rank 1 on node0 – rank 6 on node3, across the machine"
    assert lines[2].split("\t")[:3] == ["64 B", "4.00 us", "4.00 us"]
    [small, large] = tab.rows("#pair-data", tmp_path)
    assert (small["size"], small["median"], large["bandwidth there"]) == ("64 B", "4", "2500")
    tab.page.keyboard.press("Escape")
    assert "#" not in tab.page.url
    # By keys alone.
    tab.page.locator(MAP).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        tab.page.keyboard.press(key)
    assert "rank 0 on node0 – rank 2 on node1" in tab.page.inner_text("#map .unseen")
    assert tab.page.inner_text("#pair-title") == "rank 0 on node0 – rank 2 on node1"
    tab.close()


def test_pictures_are_saved(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, example(), tmp_path)
    for shape, name in (("Heat map", "heat-map.png"), ("Surface", "surface.png")):
        tab.click(f"nav button:has-text('{shape}')")
        [path] = tab.saved("#map-image", tmp_path)
        assert path.name == name
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG") and len(content) > 5000
        drawn = tab.page.locator("#map canvas:visible").first.bounding_box()
        assert struct.unpack(">II", content[16:24])[0] > 2 * drawn["width"]
    for figure in ("levels", "nodes"):
        [path] = tab.saved(f"#{figure}-image", tmp_path)
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    tab.close()


def test_the_surface_turns(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, many(), tmp_path)
    tab.click("nav button:has-text('Surface')")
    canvas = tab.page.locator("#map canvas:visible")
    assert canvas.count() == 1

    def picture() -> str:
        tab.drawn()
        url: str = canvas.evaluate("canvas => canvas.toDataURL()")
        return url

    first = picture()
    box = canvas.bounding_box()
    tab.page.mouse.move(box["x"] + 200, box["y"] + 200)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 260, box["y"] + 220, steps=3)
    tab.page.mouse.up()
    turned = picture()
    assert turned != first
    canvas.focus()
    tab.page.keyboard.press("ArrowLeft")
    assert picture() != turned
    tab.page.keyboard.press("0")
    assert picture() == first
    tab.close()


def test_hostile_names_are_words(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, example(names=HOSTILE), tmp_path)
    tab.page.mouse.move(*point(tab, 0, 7, heatmaps.RANKS))
    assert "<script>window.harmed=1</script>" in tab.page.inner_text("#tip strong")
    tab.page.mouse.click(*point(tab, 0, 7, heatmaps.RANKS))
    assert "\\u202e\\x1b[31m" in tab.page.inner_text("#pair-title")
    tab.drawn()
    assert tab.page.evaluate("window.harmed") is None
    assert tab.page.locator("img").count() == 0
    tab.close()


def test_addresses_that_fit_nothing(browser: Any, tmp_path: Path) -> None:
    address = "statistic=<b>&size=-1&pair=99.1&colours=red&shape=7"
    tab = opened(browser, example(), tmp_path, address)
    tab.drawn()
    assert "64 B messages, median" in tab.page.inner_text("h1")
    assert tab.page.inner_text("#pair-title") == "No pair is selected"
    tab.close()


@pytest.mark.parametrize(("width", "theme"), few([(360, "light"), (1280, "dark"), (2560, "light")], 2))
def test_nothing_of_it_hangs_out(browser: Any, tmp_path: Path, width: int, theme: str) -> None:
    tab = opened(browser, many(), tmp_path, width=width, color_scheme=theme)
    tab.page.mouse.click(*point(tab, 1, 6, 64))
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.page.evaluate("document.documentElement.dataset.theme") == theme
    outside = tab.page.evaluate(
        """() => [...document.querySelectorAll('.card')].flatMap(card => {
          const end = card.getBoundingClientRect().right + 0.5;
          return [...card.querySelectorAll('*')].filter(one => one.getBoundingClientRect().right > end
            && !one.closest('.unseen, .sideways, .scroll'))
            .map(one => `${card.id}: ${one.tagName} ${one.textContent}`);
        })"""
    )
    assert outside == []
    tab.click("#theme")
    assert tab.page.evaluate("document.documentElement.dataset.theme") != theme
    tab.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_it(browser: Any, tmp_path: Path, theme: str) -> None:
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm ci in web/")
    tab = opened(browser, example(), tmp_path, color_scheme=theme)
    tab.page.mouse.click(*point(tab, 1, 6, heatmaps.RANKS))
    # (Evaluated, not put in as a script: the page runs no others.)
    tab.page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = tab.page.evaluate("axe.run().then(found => found.violations)")
    assert [
        (violation["id"], [node["html"] for node in violation["nodes"]]) for violation in violations
    ] == []
    tab.close()


def test_paper_is_light(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, example(), tmp_path, color_scheme="dark")
    assert tab.page.pdf(format="A4").startswith(b"%PDF-")
    tab.page.evaluate("""window.addEventListener('beforeprint', () => {
      window.printed = document.documentElement.dataset.theme;
    })""")
    tab.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.page.evaluate("window.printed") == "light"
    tab.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_title_begins_at_the_left(browser: Any, tmp_path: Path, width: int) -> None:
    tab = opened(browser, example(), tmp_path, width=width)
    title, head = tab.page.locator("h1").bounding_box(), tab.page.locator("header").bounding_box()
    theme = tab.page.locator("#theme").bounding_box()
    assert title["x"] == pytest.approx(head["x"], abs=1)
    assert theme["x"] + theme["width"] == pytest.approx(head["x"] + head["width"], abs=1)
    tab.close()
