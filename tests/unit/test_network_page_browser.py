"""The Network page in a real browser: every figure shows what belongs to a choice, and that is the truth."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import fabrics_made
import network_jobs
import numpy as np
import pytest
import recorded_fabrics
from browsers import Tab
from test_network_page_data import JOBS, RANKS, job

from exhaustive import few
from golden import assert_facts
from rankwise.network.fabric.model import LEAF_UP
from rankwise.network.job.journeys import journeys
from rankwise.network.routes.walk import crossings, link_loads
from rankwise.render.network.traffic import Traffic
from rankwise.render.page.blocks import blocks

HOSTILE = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>\"'`&\u202e\x1b[31m"


def opened(browser: Any, of: Traffic, folder: Path, address: str = "", **how: Any) -> Tab:
    path = folder / "report.html"
    path.write_bytes(network_jobs.page(of))
    tab = Tab(browser, path, address="&".join(["page=network", *filter(None, [address])]), **how)
    tab.page.wait_for_selector("#hot tr.pick, #hot .none")
    return tab


def links_of(of: Traffic) -> list[tuple[int, int, dict[str, str]]]:
    """All links of the fabric: rail, index, and their fields as in the data of the page."""
    all_links = []
    for number, subnet in enumerate(of.fabric.subnets):
        links = subnet.links
        for link in range(len(links)):
            ends = {
                "rail": subnet.name,
                "from": subnet.name_of(int(links.source[link])),
                "from_port": str(links.source_port[link]),
                "to": subnet.name_of(int(links.destination[link])),
                "to_port": str(links.destination_port[link]),
            }
            all_links.append((number, link, ends))
    return all_links


def values_of(rows: list[dict[str, str]], what: str) -> dict[tuple[str, ...], float]:
    """What the data of the links says, by their ends; two-port hosts' names are without the adapter."""
    sums: dict[tuple[str, ...], float] = {}
    for row in rows:
        ends = (row["rail"], row["from"].split()[0], row["from_port"], row["to"].split()[0], row["to_port"])
        sums[ends] = sums.get(ends, 0.0) + float(row[what] or 0)
    return {ends: value for ends, value in sums.items() if value}


def expected(of: Traffic, loads: list[Any]) -> dict[tuple[str, ...], float]:
    sums: dict[tuple[str, ...], float] = {}
    for rail, link, ends in links_of(of):
        if loads[rail][link]:
            key = tuple(ends.values())
            sums[key] = sums.get(key, 0.0) + float(loads[rail][link])
    return sums


def loads(of: Traffic, chosen: np.ndarray[Any, Any], what: str = "bytes") -> list[Any]:
    """Loads of all links by the flows that are chosen, rail by rail."""
    taken = journeys(of.flows, of.places)
    weight = getattr(of.flows, what) * chosen
    return [
        link_loads(
            subnet,
            rail.source,
            rail.destination,
            weight[rail.flow] * rail.share,
            lid_offset=of.lid_offset,
        )
        for subnet, rail in zip(of.fabric.subnets, taken.rails, strict=True)
    ]


@pytest.mark.parametrize("name", few(JOBS, 3))
def test_links_pairs_and_what_belongs_together(browser: Any, tmp_path: Path, name: str) -> None:
    of = job(name)
    tab = opened(browser, of, tmp_path)
    all_links_carry_what_is_sent(of, tab, tmp_path)
    a_chosen_link_lights_its_rank_pairs(of, tab, tmp_path, by_ends=name != "two ports")
    a_chosen_pair_lights_its_links(of, tab, tmp_path)
    tab.close()


def all_links_carry_what_is_sent(of: Traffic, tab: Tab, folder: Path) -> None:
    rows = tab.rows("#levels-data", folder)
    everything = np.ones(len(of.flows))
    for what in ("bytes", "messages"):
        assert values_of(rows, what) == pytest.approx(expected(of, loads(of, everything, what)), rel=1e-6)


def a_chosen_link_lights_its_rank_pairs(of: Traffic, tab: Tab, folder: Path, *, by_ends: bool) -> None:
    if not tab.page.locator("#hot tr.pick").count():  # no link between switches
        tab.page.select_option("#hot select", label="all links")
    tab.click("#hot tr.pick")
    rows = tab.rows("#levels-data", folder)
    rail, link = map(int, re.findall(r"links=(\d+)\.(\d+)$", tab.page.url)[0])
    assert rows[0]["chosen"] != ""
    # Which one that is in the fabric: the page has those of the job's part, in the same order.
    row = [row for row in rows if row["rail"] == of.fabric.subnets[rail].name][link]
    ends = [row[key].split()[0] for key in ("rail", "from", "from_port", "to", "to_port") if row[key]]
    [where] = (
        {
            index
            for number, index, names in links_of(of)
            if number == rail and [part for part in names.values() if part] == ends
        }
        if by_ends
        else {link}
    )
    taken = journeys(of.flows, of.places).rails[rail]
    subnet = of.fabric.subnets[rail]
    pair, _, share = crossings(subnet, taken.source, taken.destination, [where], lid_offset=of.lid_offset)
    pairs: dict[tuple[str, str], float] = {}
    for journey, part in zip(pair.tolist(), share.tolist(), strict=True):
        flow = taken.flow[journey]
        key = (f"rank {of.flows.source[flow]}", f"rank {of.flows.destination[flow]}")
        pairs[key] = pairs.get(key, 0.0) + float(of.flows.bytes[flow] * taken.share[journey] * part)
    shown = {(row["from"], row["to"]): float(row["bytes"]) for row in tab.rows("#chosen-data", folder)}
    assert shown == pytest.approx(pairs, rel=1e-5)
    causes = tab.rows("#causes-data", folder)
    assert sum(float(row["chosen"]) for row in causes) == pytest.approx(sum(pairs.values()), rel=1e-5)
    # The link itself is lit, and the other figures say what they show.
    assert float(row["bytes"]) == pytest.approx(float(row["chosen"]), rel=1e-5)
    for figure in ("levels", "ranks", "causes"):
        assert row["from"].split()[0] in tab.page.inner_text(f"#{figure}-title")


def a_chosen_pair_lights_its_links(of: Traffic, tab: Tab, folder: Path) -> None:
    tab.page.evaluate("window.location.hash = 'page=network&net-cell=1.20'")
    tab.page.wait_for_selector("text=rank 1 → rank 20")
    chosen = (of.flows.source == 1) & (of.flows.destination == 20)
    lit = values_of(tab.rows("#levels-data", folder), "chosen")
    assert lit == pytest.approx(expected(of, loads(of, chosen)), rel=1e-6)


def test_a_chosen_call_lights_its_links_and_pairs(browser: Any, tmp_path: Path) -> None:
    of = job("tree")
    tab = opened(browser, of, tmp_path)
    tab.click("#causes tr.pick:has-text('6 × W.s')")
    assert tab.page.locator("#causes tr.now").count() == 1
    of_rows = np.array([group.family == "W.s" for group in of.flows.groups])
    lit = values_of(tab.rows("#levels-data", tmp_path), "chosen")
    assert lit == pytest.approx(expected(of, loads(of, of_rows[of.flows.group])), rel=1e-6)
    # One of its communicators.
    tab.click("#causes tr.pick:has-text('Bcast of W.s3')")
    chosen = np.array([group.communicator == "W.s3" for group in of.flows.groups])[of.flows.group]
    lit = values_of(tab.rows("#levels-data", tmp_path), "chosen")
    assert lit == pytest.approx(expected(of, loads(of, chosen)), rel=1e-6)
    pairs = {(row["from"], row["to"]) for row in tab.rows("#chosen-data", tmp_path)}
    assert pairs == {("rank 12", f"rank {other}") for other in (14, 15)}  # rank 13 is on the same host
    tab.page.keyboard.press("Escape")
    assert tab.page.url.endswith("#page=network")
    tab.close()


def test_filters_hold_for_all_figures(browser: Any, tmp_path: Path) -> None:
    of = job("tree")
    tab = opened(browser, of, tmp_path)
    tab.click("summary:has-text('Filter')")
    tab.page.select_option("nav select[aria-label='call']", label="Isend")
    ring = np.array([group.procedure == "MPI_Isend" for group in of.flows.groups])[of.flows.group]
    rows = tab.rows("#levels-data", tmp_path)
    assert values_of(rows, "bytes") == pytest.approx(expected(of, loads(of, ring)), rel=1e-6)
    flows = tab.rows("#ranks-data", tmp_path)
    assert {row["call"] for row in flows} == {"Isend"}
    assert len(flows) == RANKS / 2  # the others stay on their host
    assert "Isend" in tab.page.inner_text("#hot-title")
    tab.page.select_option("nav select[aria-label='communicator']", label="W.s (6 communicators)")
    assert tab.page.locator("#causes .none").count() == 1
    assert values_of(tab.rows("#levels-data", tmp_path), "bytes") == {}
    # The address holds it all.
    tab.page.reload()
    tab.page.wait_for_selector("#causes .none")
    assert tab.page.locator(".chip").all_inner_texts() == ["communicator W.s ×", "call Isend ×"]
    tab.click("summary:has-text('Filter')")
    assert tab.page.input_value("nav select[aria-label='call']") != "0"
    tab.close()


def test_units_and_directions(browser: Any, tmp_path: Path) -> None:
    of = job("tree")
    tab = opened(browser, of, tmp_path)
    matrices = tab.rows("#matrices-data", tmp_path)
    up = {(row["lower"], row["upper"]): float(row["most_loaded_up_bytes"]) for row in matrices}
    everything = loads(of, np.ones(len(of.flows)))[0]
    names = {tuple(ends.values())[1::2]: everything[link] for _, link, ends in links_of(of)}
    assert up == pytest.approx({pair: names[pair] for pair in up}, rel=1e-6)
    for unit in ("messages", "time", "× mean"):
        tab.click(f"#stage .choices button:has-text('{unit}')")
        assert tab.page.get_attribute(f"#stage .choices button:has-text('{unit}')", "aria-pressed") == "true"
    hottest = tab.page.inner_text("#hot tr.pick >> nth=0")
    leaf_up = everything[[link for _, link, ends in links_of(of) if ends["from"] < "switch4" < ends["to"]]]
    ratio = max(leaf_up) / np.mean([load for load in leaf_up if load])
    assert f"{ratio:.2f} ×" in hottest or ratio < 1.2
    tab.click("#stage .choices button:has-text('up')")
    tab.click("#stage .choices button:has-text('down')")
    assert "&net-direction=down" in tab.page.url
    tab.close()


def test_directions_hold_for_lists_and_histograms(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("tree"), tmp_path)
    for direction in ("up", "down"):
        tab.click(f"#stage .choices button:has-text('{direction}')")
        assert {row["class"] for row in tab.rows("#hot-data", tmp_path)} == {f"leaf {direction}"}
        titles = tab.page.locator("#spread h3").all_inner_texts()
        assert [title.split(":")[0] for title in titles] == [f"host {direction}", f"leaf {direction}"]
    tab.close()


def test_a_dragonfly_has_links_within_and_between_groups(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("dragonfly"), tmp_path)
    assert tab.page.locator("#stage .choices button:has-text('down')").count() == 0
    options = tab.page.locator("#hot option").all_inner_texts()
    assert options == ["between switches", "all links", "host up", "host down", "local", "global"]
    assert "level" not in tab.page.locator("#matrices").inner_text().lower()
    assert "dragonfly of 9 groups of 4 switches" in tab.page.locator(".found").inner_text()
    tab.close()


def test_slow_cables_are_marked_and_can_be_listed(browser: Any, tmp_path: Path) -> None:
    tree = fabrics_made.tree()
    rates, widths = np.full(len(tree.links), 25e9), np.full(len(tree.links), 4, np.int8)
    slow = np.flatnonzero(tree.classes == LEAF_UP)[0] // 2 * 2 + np.array([0, 1])
    rates[slow], widths[slow] = 12.5e9, 2
    tree = replace(tree, links=replace(tree.links, rates=rates, widths=widths))
    of = network_jobs.placed(tree, network_jobs.usual(24), network_jobs.hosts_of(tree, 24, 2))
    tab = opened(browser, of, tmp_path)
    assert "200 Gbit/s (4x)" in tab.page.locator("#hot table").inner_text()
    tab.page.locator("#hot select").select_option(label="slow cables")
    lines = tab.page.locator("#hot tr.pick").all_inner_texts()
    assert len(lines) == 2
    for line in lines:
        assert "100 Gbit/s (2x)" in line
        assert "slower" in line
    tab.close()


def test_a_torus_has_no_up_and_down(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("torus"), tmp_path, "net-direction=down")
    assert tab.page.locator("#stage .choices button:has-text('down')").count() == 0
    assert tab.page.locator("#spread h3").count() == 3
    # Nothing is offered that is not there.
    options = tab.page.locator("#hot option").all_inner_texts()
    assert options == ["between switches", "all links", "host up", "host down", "across"]
    tab.close()


def test_histograms_light_what_is_chosen(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("tree"), tmp_path)
    bars = tab.page.locator("#spread rect.bin")
    before = bars.count()
    tab.click("#hot tr.pick")
    titles = tab.page.locator("#spread rect.bin title").all_text_contents()
    lit = tab.rows("#levels-data", tmp_path)
    assert bars.count() > before
    # Each bin tells it twice where it has both.
    numbers = {text: int(re.findall(r"(\d+) of them highlighted", text)[0]) for text in titles}
    assert sum(numbers.values()) == sum(float(row["chosen"]) > 0 for row in lit)
    for label in tab.page.locator("#spread svg").evaluate_all("all => all.map(one => one.ariaLabel)"):
        assert re.search(r"\b\d+ of \d+ links\b", label)
        assert "bound 0 B" not in label
    tab.close()


def test_pictures_are_saved(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("tree"), tmp_path)
    for figure in ("levels", "matrices", "ranks"):
        [path] = tab.saved(f"#{figure}-image", tmp_path)
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size > 3000
        # Two dots a pixel, and room for the title, the scale, and the words below.
        wide, high = struct.unpack(">II", path.read_bytes()[16:24])
        drawn = tab.page.locator(f"#{figure} canvas").first.bounding_box()
        assert wide > 2 * drawn["width"]
        assert high > 2 * (drawn["height"] + 60)
    [path] = tab.saved("#spread-image", tmp_path)
    texts = [node.text or "" for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
    assert sum(text.startswith("bound ") for text in texts) == 4
    for name in ("host up", "host down", "leaf up", "leaf down"):
        assert any(text.startswith(f"{name}: ") for text in texts)
    tab.close()


def test_hovering_tells_facts(browser: Any, tmp_path: Path) -> None:
    of = job("tree")
    tab = opened(browser, of, tmp_path)
    tab.page.locator("#ranks canvas").scroll_into_view_if_needed()
    box = tab.page.locator("#ranks canvas").bounding_box()
    tab.page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.3 * box["height"])
    assert "rank " in tab.page.inner_text("#tip strong")
    drawing = tab.page.locator("#levels .over")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    seen = set()
    for step in range(60):
        tab.page.mouse.move(box["x"] + box["width"] * step / 60, box["y"] + box["height"] * 0.3)
        if tab.page.locator("#tip").is_visible():
            seen.add(tab.page.inner_text("#tip strong"))
    assert any("switch" in text and " – " in text for text in seen)
    tab.close()


def test_titles_are_findings(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("tree"), tmp_path)

    def title(figure: str) -> str:
        return str(tab.page.inner_text(f"#{figure}-title"))

    ends, load, ratio = tab.page.locator("#hot tr.pick").first.locator("td").all_inner_texts()
    link = ends.splitlines()[0]
    mean = ratio.replace("\u00a0", " ")
    assert_facts(title("levels"), f"{link} .. {load} .. {mean}")
    assert f" {load} " in title("matrices")
    rows = tab.rows("#ranks-data", tmp_path)
    sums: dict[tuple[str, str], float] = {}
    for row in rows:
        ends_of = row["from"], row["to"]
        sums[ends_of] = sums.get(ends_of, 0.0) + float(row["bytes"])
    (source, other), most = max(sums.items(), key=lambda item: item[1])
    share = 100 * most / sum(sums.values())
    assert_facts(title("ranks"), f" {source} .. {other}: .. {share:.1f} %")
    cause = tab.page.locator("#causes tr.pick").first.inner_text()
    name, _, percent = cause.replace(")", "").partition("\t")
    assert_facts(title("causes"), f"{name.strip()} .. {percent.split('(')[1].strip()}")
    # Four links up and four down between each pair of leaf and spine, unlike those of hosts: two spines.
    assert_facts(title("spread"), "leaf down: 8 .. 8")
    counts = tab.page.locator("#spread svg text").all_text_contents()
    assert counts.count("links (log)") == 4
    assert {"1", "2", "5"} <= set(counts)
    tab.close()


def test_keys_zoom_around_the_cell_in_use(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("tree"), tmp_path)
    canvas = tab.page.locator("#ranks canvas")
    canvas.scroll_into_view_if_needed()
    canvas.focus()
    for key in ["ArrowRight"] * 10 + ["ArrowDown"] * 2:
        tab.page.keyboard.press(key)
    cell = "rank 2 → rank 9"
    assert tab.page.inner_text("#tip strong") == cell
    box = canvas.bounding_box()

    def is_at(x: float, y: float) -> bool:
        tab.page.mouse.move(box["x"] + x, box["y"] + y)
        return bool(tab.page.locator("#tip").is_visible() and tab.page.inner_text("#tip strong") == cell)

    places = [(x, y) for y in range(60, 160, 8) for x in range(120, 420, 8)]
    x, y = next(place for place in places if is_at(*place))
    for key in "++":
        tab.page.keyboard.press(key)
    assert tab.page.inner_text("#tip strong") == cell
    tab.drawn()
    assert is_at(x + 1, y)
    for _ in range(15):  # the picture follows the cell
        tab.page.keyboard.press("ArrowDown")
    tip = tab.page.locator("#tip").bounding_box()
    assert tab.page.inner_text("#tip strong") == "rank 17 → rank 9"
    assert tip["y"] <= box["y"] + box["height"] + 20
    tab.close()


def test_keys_alone_do(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, job("tree"), tmp_path)
    tab.page.locator("#hot tr.pick").first.focus()
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    assert "&net-links=" in tab.page.url
    tab.page.locator("#ranks canvas").focus()
    tab.page.keyboard.press("ArrowRight")
    for _ in range(5):
        tab.page.keyboard.press("ArrowRight")
    assert "rank 0 → rank 5" in tab.page.inner_text("#ranks .unseen")
    tab.page.keyboard.press("Enter")
    assert "&net-cell=0.5" in tab.page.url
    tab.page.locator("#levels .over").focus()
    for key in ("+", "+", "ArrowLeft", "ArrowRight", "-", "0"):
        tab.page.keyboard.press(key)
    tab.page.keyboard.press("Escape")
    assert tab.page.url.endswith("#page=network")
    # A list is one stop of the tab key.
    tab.page.locator("#hot tr.pick").first.focus()
    tab.page.keyboard.press("End")
    assert "hot" in tab.page.evaluate("document.activeElement.dataset.key")
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("document.activeElement.closest('#hot')") is None
    tab.page.keyboard.press("Shift+Tab")
    tab.page.keyboard.press("Home")
    assert tab.page.evaluate("document.activeElement.previousElementSibling") is None
    # A switch by its name.
    tab.page.locator("#levels input").focus()
    tab.page.keyboard.type("switch1")
    tab.page.keyboard.press("Enter")
    assert "&net-links=" in tab.page.url
    assert "switch1" in tab.page.inner_text("#chosen h3")
    tab.close()


def test_hostile_names_are_words(browser: Any, tmp_path: Path) -> None:
    tree = fabrics_made.tree()
    names = tuple(f"{HOSTILE}{number}" for number in range(len(tree.switches.names)))
    tree = replace(tree, name=HOSTILE, switches=replace(tree.switches, names=names))
    of = network_jobs.usual(12)
    groups = tuple(replace(group, communicator=HOSTILE, user_name=HOSTILE) for group in of.groups)
    hosts = tuple(f"{HOSTILE}{number:03}" for number in range(len(tree.ports.hosts)))
    tree = replace(tree, ports=replace(tree.ports, hosts=hosts))
    traffic = network_jobs.placed(tree, replace(of, groups=groups), [hosts[rank] for rank in range(12)])
    tab = opened(browser, traffic, tmp_path)
    tab.click("#hot tr.pick")
    tab.click("#causes tr.pick")
    tab.drawn()
    assert tab.page.evaluate("window.harmed") is None
    assert tab.page.locator("img").count() == 0
    assert "<script>window.harmed=1</script>" in tab.page.inner_text("#hot")
    assert "\\u202e\\x1b[31m" in tab.page.inner_text(".found h2")
    tab.close()


def test_addresses_that_fit_nothing(browser: Any, tmp_path: Path) -> None:
    options = "links=0.99999 groups=-1.7 cell=1.x rail=9 unit=<b> class=1e9 level=-4"
    address = "&".join(f"net-{option}" for option in options.split())
    tab = opened(browser, job("tree"), tmp_path, address)
    tab.drawn()
    assert "Nothing is selected" in tab.page.inner_text("#chosen-title")
    tab.close()


def test_what_is_known_of_blocks_alone_is_estimated(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.render.network.page_data.blocks", partial(blocks, most=100))
    tab = opened(browser, job("tree"), tmp_path)
    tab.click("#hot tr.pick")
    rows = tab.rows("#chosen-data", tmp_path)
    assert {row["amount_is"] for row in rows} == {"estimated"}
    assert all("ranks " in row["from"] and " – " in row["from_host"] for row in rows)
    assert "estimated" in tab.page.inner_text("#chosen th >> nth=1")
    assert {row["chosen_is"] for row in tab.rows("#levels-data", tmp_path)} == {"estimated"}
    tab.click("#causes tr.pick")  # that of a call is exact
    assert {row["amount_is"] for row in tab.rows("#chosen-data", tmp_path)} == {"exact"}
    assert "estimated" not in tab.page.inner_text("#levels")
    tab.close()


@pytest.mark.parametrize(("width", "theme"), few([(360, "light"), (1280, "dark"), (2560, "light")], 2))
def test_nothing_hangs_out(browser: Any, tmp_path: Path, width: int, theme: str) -> None:
    subnet = recorded_fabrics.opened("medium-ftree").subnets[0]
    of = network_jobs.placed(subnet, network_jobs.usual(64), network_jobs.hosts_of(subnet, 64))
    tab = opened(browser, of, tmp_path, width=width, color_scheme=theme)
    tab.click("#hot tr.pick")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.page.evaluate("document.documentElement.dataset.theme") == theme
    outside = tab.page.evaluate(
        """() => [...document.querySelectorAll('.card')].flatMap(card => {
          const end = card.getBoundingClientRect().right + 0.5;
          return [...card.querySelectorAll('*')].filter(one => one.getBoundingClientRect().right > end
            && !one.closest('.unseen')).map(one => card.id + ': ' + one.tagName + ' ' + one.textContent);
        })"""
    )
    assert outside == []
    tab.click("#theme")
    assert tab.page.evaluate("document.documentElement.dataset.theme") != theme
    tab.close()
