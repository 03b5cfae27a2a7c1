"""The page Place in a real browser: ranks stand where they were, and numbers are those of `rankwise show`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assembled import made
from browsers import Tab
from made_profile import Made
from synthetic import Process, call
from test_network_rates import made_with_samples
from test_place_view import MACHINES, recorded, world
from test_report_place_data import MACHINE, cores
from test_sites_page_browser import HOSTILE, report

from exhaustive import few
from golden import assert_facts
from rankwise.__main__ import main


def opened(browser: Any, profile: Path, address: str = "", **how: Any) -> Tab:
    path = report(profile)
    tab = Tab(browser, path, address=f"page=place{address}", **how)
    tab.page.wait_for_selector("#node-table table, .empty")
    return tab


def job(
    tmp_path: Path, hosts: list[str], cpus: list[list[int]], change: Callable[[Process], object] = id
) -> Path:
    """Rank r is 0.5 + r s in Scan."""
    processes = world(MACHINE, hosts, cpus)
    for rank, process in enumerate(processes):
        process.calls[0].append(call("MPI_Scan", seconds=0.5 + rank))
        process.header["moves"] = rank
        change(process)
    return made(tmp_path, processes).path


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Four nodes: two are alike, on the third one two ranks share a core, on the last one none is bound."""
    core = cores()
    every = [cpu for cpus in core for cpu in cpus]
    hosts = ["n01", "n01", "n02", "n02", "n03", "n03", "n03", "n04", "n04"]
    return job(tmp_path, hosts, [core[0], core[5]] * 2 + [core[2], core[2], core[3], every, every])


def drawn(tab: Tab) -> dict[str, dict[int, str]]:
    """What stands in each core of the nodes that are drawn, by host."""
    nodes = {}
    for node in tab.page.locator("#nodes .node").all():
        cells = {}
        for core in node.locator("g.core").all():
            number = re.match(r"core (\d+),", core.get_attribute("aria-label") or "")
            assert number
            cells[int(number[1])] = core.locator("text").text_content()
        nodes[node.locator(".host").inner_text()] = cells
    return nodes


def test_ranks_stand_on_their_cores(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile)
    first = [core[0] for core in cores()]
    free = dict.fromkeys(first, "·")
    assert drawn(tab) == {
        "n01": free | {first[0]: "0", first[5]: "1"},
        "n03": free | {first[2]: "4-5", first[3]: "6"},
        "n04": free | {first[0]: "~7-8"},
    }
    assert "like n01:\nn02" in tab.page.inner_text("#nodes .node >> nth=0")
    assert tab.page.locator("#nodes .badge").all_inner_texts() == ["shared core", "not bound"]
    assert tab.page.inner_text("#faults h2").startswith(f"Ranks 4-5 share core {first[2]} of n03")
    tab.close()


def test_another_node_is_drawn_when_it_is_asked_for(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile)
    first = [core[0] for core in cores()]
    tab.click("#nodes .alike button:has-text('n02')")
    assert "drawn=n02" in tab.page.url
    [(host, cells)] = drawn(tab).items()
    assert host == "n02"
    assert {core: text for core, text in cells.items() if text != "·"} == {first[0]: "2", first[5]: "3"}
    tab.page.select_option("#nodes select", label="one of each kind")
    assert set(drawn(tab)) == {"n01", "n03", "n04"}
    tab.close()


@pytest.mark.parametrize(
    ("address", "words"), [("", ()), ("&procedure=Scan", ("--call", "Scan")), ("&ranks=0-3", None)]
)
def test_numbers_are_those_of_show(
    browser: Any,
    profile: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    address: str,
    words: tuple[str, ...] | None,
) -> None:
    tab = opened(browser, profile, address)
    shown = {row["node"]: row for row in tab.rows("#node-table-data", tmp_path)}
    capsys.readouterr()
    # (Nodes and ranks that are not chosen stay there to be chosen.)
    assert main(["show", str(profile), "--by", "node", "--json", *(words or ())]) == 0
    wanted = json.loads(capsys.readouterr().out)["nodes"]
    assert shown.keys() == {row["host"] for row in wanted}
    for row in wanted:
        cells = shown[row["host"]]
        assert int(cells["ranks"]) == row["ranks"]
        assert float(cells["mpi_seconds"]) == pytest.approx(row["seconds"], rel=1e-6)
        share = 100 * float(cells["mpi_seconds"]) / float(cells["run_seconds"])
        assert share == pytest.approx(row["percent_of_own_run"], rel=1e-6)
        if not words:
            assert int(cells["bytes_on_node"]) == row["bytes_on_node"]
            assert int(cells["bytes_off_node"]) == row["bytes_off_node"]
    tab.close()


def with_network(folder: Path) -> Path:
    run = made_with_samples()
    run.connection.execute("UPDATE network_ports SET sent_bytes = 900, symbol_errors = 3 WHERE id = 1")
    return run.write(folder / "a.rankwise")


def test_network_ports(browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = with_network(tmp_path)
    tab = opened(browser, profile)
    capsys.readouterr()
    assert main(["show", str(profile), "--by", "network", "--json"]) == 0
    network = json.loads(capsys.readouterr().out)["network"]
    for figure, wanted in (("traffic", network["nodes"]), ("ports", network["ports"])):
        shown = tab.rows(f"#network-{figure}-data", tmp_path)
        assert [row["node"] for row in shown] == [row["host"] for row in wanted]
    assert_facts(tab.page.inner_text("#network-ports h2"), "eth0 .. 3 symbol errors")
    tab.close()


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_texts_of_the_network_drawing_keep_their_size(browser: Any, tmp_path: Path, width: int) -> None:
    tab = opened(browser, with_network(tmp_path), width=width)
    drawn, room, texts = tab.page.evaluate(
        """() => {
            const svg = document.querySelector("#network-traffic svg");
            const box = svg.getBoundingClientRect();
            const within = (text) => {
                const { left, right } = text.getBoundingClientRect();
                return left >= box.left - 1 && right <= box.right + 1;
            };
            return [
                box.width / svg.viewBox.baseVal.width,
                svg.parentElement.clientWidth - box.width,
                [...svg.querySelectorAll("text")].every(within),
            ];
        }"""
    )
    assert drawn == pytest.approx(1.0)
    assert room >= 0
    assert texts
    tab.close()


def test_choices_restrict_the_report(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile)
    page = tab.page
    page.locator("#nodes g.core", has_text="4-5").click()
    assert "ranks=4-5" in page.url
    # Others are faint.
    assert page.locator("#nodes g.core", has_text="~7-8").get_attribute("opacity") == "0.3"
    assert page.locator("#nodes g.core", has_text="4-5").get_attribute("opacity") is None
    page.locator("#nodes g.core", has_text="4-5").click()
    assert "ranks=" not in page.url
    tab.click("#faults button:has-text('ranks 4-5')")
    assert "ranks=4-5" in page.url
    tab.click(".chips button")
    tab.click("#nodes .host")
    assert "node=n01" in page.url
    assert set(drawn(tab)) == {"n01"}
    page.locator("#node-table tbody tr", has_text="n03").click()
    assert "node=n03" in page.url
    assert set(drawn(tab)) == {"n03"}
    tab.close()


def test_a_core_tells_of_its_rank(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile)
    page = tab.page
    core = page.locator("#nodes .node").first.locator("g.core").first
    core.focus()
    text = page.inner_text("#tip")
    assert text.startswith("rank 0 on core 0")
    for words in ("may use", "seen on", "0 of 9 looks", "threads", "in MPI"):
        assert words in text
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#tip").startswith("core ")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert "ranks=0" in page.url
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("core 0,")
    tab.close()


def test_the_list_has_what_the_picture_has(browser: Any, profile: Path, tmp_path: Path) -> None:
    tab = opened(browser, profile)
    page = tab.page
    page.locator("#nodes summary").nth(1).click()
    page.wait_for_selector("#nodes details[open] table")
    lines = page.locator("#nodes details[open] tbody tr").all_inner_texts()
    assert [line.split()[0] for line in lines] == ["4", "5", "6"]
    assert ["shared core" in line for line in lines] == [True, True, False]
    page.locator("#nodes details[open] tbody tr").nth(2).click()
    assert "ranks=6" in page.url
    assert page.locator("#nodes details[open] tbody tr.now").count() == 1
    tab.click(".chips button")
    rows = tab.rows("#nodes-data", tmp_path)
    assert [row["node"] for row in rows] == ["n01"] * 2 + ["n02"] * 2 + ["n03"] * 3 + ["n04"] * 2
    assert [row["moves"] for row in rows] == [str(rank) for rank in range(9)]
    assert [row["bound"] for row in rows] == ["1"] * 7 + ["0"] * 2
    assert [row["faults"] for row in rows] == [*[""] * 4, *["shared core"] * 2, "", *["not bound"] * 2]
    tab.close()


def test_colours_follow_the_amount(browser: Any, profile: Path) -> None:
    tab = opened(browser, profile, "&procedure=Scan")
    page = tab.page

    def colours() -> list[str | None]:
        bars = page.locator("#nodes .node").first.locator("g.core.pick rect:nth-of-type(2)")
        return [bar.get_attribute("fill") for bar in bars.all()]

    in_mpi = colours()
    assert len(set(in_mpi)) == 2
    tab.click("#nodes button:has-text('moves')")
    assert "colour=moves" in page.url
    assert page.inner_text("#nodes .legend").split()[0] == "0"
    assert "8 moves" in page.inner_text("#nodes .legend")
    assert page.inner_text(".notice")
    tab.close()


@pytest.mark.parametrize("machine", few(sorted(path.name for path in MACHINES.glob("*.xml")), 3))
def test_every_core_of_recorded_machines_is_drawn_once(browser: Any, tmp_path: Path, machine: str) -> None:
    processors = recorded(machine)
    numbers = sorted(
        {processor["core"] if processor["core"] >= 0 else processor["os"] for processor in processors}
    )
    tab = opened(browser, made(tmp_path, world(machine, ["n01"] * 2, [[numbers[0]]] * 2)).path, width=360)
    page = tab.page
    assert sorted(drawn(tab)["n01"]) == numbers
    assert page.locator("#nodes g.core").count() == len(numbers)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    boxes = page.evaluate(
        "[...document.querySelectorAll('#nodes g.core > rect:first-child')].map((box) =>"
        " [box.x.baseVal.value, box.y.baseVal.value, box.width.baseVal.value, box.height.baseVal.value])"
    )
    for at, (x, y, wide, high) in enumerate(boxes):
        for left, top, width_, height in boxes[:at]:
            assert x >= left + width_ or left >= x + wide or y >= top + height or top >= y + high
    assert page.evaluate(
        "(() => { const svg = document.querySelector('#nodes .node svg');"
        " return svg.clientWidth <= svg.parentElement.clientWidth; })()"
    )
    tab.close()


def test_many_kinds_of_nodes_are_drawn_on_demand(browser: Any, tmp_path: Path) -> None:
    core = cores()
    tab = opened(browser, job(tmp_path, [f"n{node:02}" for node in range(9)], core[:9]))
    assert len(drawn(tab)) == 4
    assert tab.page.inner_text("#nodes .more") == "draw 4 more of 5 other kinds"
    tab.click("#nodes .more")
    assert len(drawn(tab)) == 8
    tab.click("#nodes .more")
    assert len(drawn(tab)) == 9
    tab.close()


def test_pictures_can_be_kept(browser: Any, profile: Path, tmp_path: Path) -> None:
    tab = opened(browser, profile)
    [path] = tab.saved("#nodes-image", tmp_path)
    text = path.read_text(encoding="utf-8")
    assert path.suffix == ".svg"
    assert ">4-5<" in text
    assert "var(" not in text
    tab.close()


def test_nodes_whose_inside_is_not_known(browser: Any, tmp_path: Path) -> None:
    run = Made(hosts=["a", "a", "b", "b"])
    run.call(2, "MPI_Barrier", 2.5)
    tab = opened(browser, run.write(tmp_path / "p.rankwise"))
    page = tab.page
    assert "/sys" in page.inner_text("#faults .empty")
    assert page.locator("#nodes svg").count() == 0
    assert page.locator("#nodes-image").is_hidden()
    assert [row.split()[0] for row in page.locator("#node-table tbody tr").all_inner_texts()] == ["b", "a"]
    assert "may use" in page.inner_text("#nodes details[open] table")
    tab.close()


def test_hostile_names_are_text(browser: Any, tmp_path: Path) -> None:
    run = Made(hosts=[HOSTILE, HOSTILE, "b", "b"], cpus="0-1")
    for processor in range(2):
        run.insert(
            "shape_processors", shape=1, processor=processor, core=processor, numa=processor, kind="any"
        )
    run.insert("shape_devices", shape=1, kind="network", name=HOSTILE, numa=0)
    for host in (HOSTILE, "b"):
        run.insert("node_shapes", host=host, shape=1)
    tab = opened(browser, run.write(tmp_path / "hostile.rankwise"))
    page = tab.page
    assert "<script>window.harmed" in page.inner_text("#node-table tbody")
    page.locator("#node-table tbody tr").first.click()
    page.locator("#nodes .host").first.click()
    assert page.evaluate("window.harmed") is None
    assert page.locator("main script, main img").count() == 0
    assert not re.search("[\u202e\x1b]", page.inner_text("body"))
    tab.close()
