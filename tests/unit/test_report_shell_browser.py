"""What stands around the pages of a report, in a browser: tabs, filters, search, address, themes, safety."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import profiles
import pytest
import recorded_fabrics
from browsers import Tab

from exhaustive import few
from rankwise.__main__ import main

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
FABRIC = ("--fabric", str(recorded_fabrics.FABRICS / "small-ftree"), "--place", "node[0001,0005]*2")
SCRIPT = "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>"
THEMES = ("light", "dark")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, of the run of known numbers."""
    profile = profiles.write_inside(tmp_path_factory.mktemp("shell") / "inside.rankwise")
    assert main(["report", str(profile), *FABRIC]) == 0
    return profile.with_suffix(".html")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Names that are markup, or move a terminal's cursor."""
    profile = profiles.write_hostile(tmp_path_factory.mktemp("hostile") / "hostile.rankwise")
    with closing(sqlite3.connect(profile)) as connection, connection:
        connection.execute("UPDATE communicators SET user_name = ? WHERE name = 'W_a1'", (SCRIPT,))
        connection.execute("UPDATE regions SET name = ? WHERE id = 1", (SCRIPT,))
        connection.execute("UPDATE run SET command = ?", (json.dumps([f"./{SCRIPT}\x1b[31m"]),))
        connection.execute("UPDATE ranks SET host = ? WHERE rank = 3", (SCRIPT,))
    assert main(["report", str(profile)]) == 0
    return profile.with_suffix(".html")


def calls(tab: Tab, folder: Path) -> dict[str, float]:
    """Seconds of each call, as the page Calls tells it."""
    sums: dict[str, float] = {}
    for row in tab.rows("#calls-data", folder):
        sums[row["call"]] = sums.get(row["call"], 0.0) + float(row["seconds"])
    return {call: seconds for call, seconds in sums.items() if seconds}


def state(tab: Tab) -> dict[str, str]:
    return {key: value for key, [value] in parse_qs(urlsplit(tab.page.url).fragment).items()}


def test_every_page_opens(browser: Any, report: Path) -> None:
    tab = Tab(browser, report)
    pages = tab.names_of_pages()
    assert {"overview", "communicators", "calls", "balance", "time-line", "network"} <= set(pages)
    for name in pages:
        tab.click(f"#tab-{name}")
        assert state(tab)["page"] == name
        assert tab.page.get_attribute(f"#tab-{name}", "aria-selected") == "true"
        assert tab.page.locator("[aria-selected=true][role=tab]").count() == 1
        assert tab.page.locator(f"#stage > .sheet.{name} > *").count() >= 1
        title = tab.page.inner_text(f"#tab-{name}")
        assert tab.page.title().startswith(f"{title} ")
    # Each one is a step of the way back.
    for name in reversed(pages[:-1]):
        tab.page.go_back()
        tab.page.wait_for_selector(f"#tab-{name}[aria-selected=true]")
    tab.close()


# Of profiles.write_profile, by construction: rank 0 has 0.25 s in Allreduce, rank 1 0.5 s, ...
EVERYTHING = {"Allreduce": 2.5, "Alltoallv": 1.6, "Bcast": 0.06, "Irecv": 0.2, "Isend": 0.2, "Waitall": 0.8}


def test_filters_leave_what_they_say(browser: Any, report: Path, tmp_path: Path) -> None:
    tab = Tab(browser, report)
    for address, expected in (
        ("", EVERYTHING),
        ("communicator=W", {"Allreduce": 2.5}),
        ("communicator=W_a1_u1", {"Alltoallv": 1.6}),
        ("communicator=W_a1_u1.0", {"Alltoallv": 0.8}),
        ("region=solve", {call: seconds for call, seconds in EVERYTHING.items() if call != "Bcast"}),
        ("region=outside+of+regions", {"Bcast": 0.06}),
        ("communicator=W&ranks=1,3", {"Allreduce": 1.5}),
        ("communicator=W&ranks=0-2", {"Allreduce": 1.5}),
        ("communicator=W&node=nodeb", {"Allreduce": 1.75}),
        ("communicator=W&node=nodeb&ranks=0-2", {"Allreduce": 0.75}),
        ("communicator=W&region=outside+of+regions", {}),
    ):
        tab.to(f"page=calls&{address}")
        assert calls(tab, tmp_path) == pytest.approx(expected, rel=1e-6), address
        nothing = "No call matches all of these filters."
        assert (tab.page.inner_text(".notice") == nothing) == (not expected)
    tab.close()


def test_filters_by_call_and_size(browser: Any, report: Path, tmp_path: Path) -> None:
    tab = Tab(browser, report)
    for address, seconds in (
        ("procedure=Allreduce", {"W": 2.5}),
        ("procedure=Isend", {"W_a1": 0.2}),
        ("sizeFrom=64-128+KiB", {"W_a1_u1.0": 0.8, "W_a1_u1.2": 0.8}),
        ("sizeFrom=4-7+B&sizeTo=1-2+KiB", {"W": 2.5, "W_a1": 0.4, "W_a1_u2.0": 0.02, "W_a1_u2.1": 0.02}),
        ("procedure=Waitall&ranks=3", {"W_a1": 0.2}),
    ):
        tab.to(f"page=communicators&{address}")
        rows = tab.rows("#communicators-data", tmp_path)
        shown = {row["communicator"]: float(row["seconds"] or 0) for row in rows}
        assert {name: value for name, value in shown.items() if value} == pytest.approx(seconds, rel=1e-6)
    tab.close()


def test_lists_chips_and_the_address(browser: Any, report: Path, tmp_path: Path) -> None:
    tab = Tab(browser, report, address="page=calls")
    tab.click(".filters summary")
    lists = tab.page.locator(".lists .list").all_inner_texts()
    assert [text.split("\n")[0] for text in lists] == [
        *("communicator", "call", "size from", "size to", "ranks", "node", "region"),
    ]
    calls_offered = tab.page.locator(".lists select[aria-label=call] option").all_inner_texts()
    assert calls_offered == ["all", *EVERYTHING]  # MPI_Init is in no sum
    tab.page.select_option(".lists select[aria-label=communicator]", label="W_a1_u1 (2 communicators)")
    tab.page.fill(".lists input", "0, 2")
    tab.page.keyboard.press("Enter")
    assert state(tab) == {"page": "calls", "communicator": "W_a1_u1", "ranks": "0,2"}
    assert calls(tab, tmp_path) == pytest.approx({"Alltoallv": 0.8})
    # Kept, and sent to somebody else.
    tab.page.reload()
    assert calls(tab, tmp_path) == pytest.approx({"Alltoallv": 0.8})
    chips = tab.page.locator(".chip")
    assert chips.all_inner_texts() == ["communicator W_a1_u1 ×", "ranks 0,2 ×"]
    chips.first.click()
    assert calls(tab, tmp_path)["Allreduce"] == pytest.approx(0.25 + 0.75)
    tab.page.evaluate("window.location.hash = 'page=calls&communicator=W&ranks=3'")
    tab.page.wait_for_selector(".chip:has-text('ranks 3')")
    tab.click("text=show all")
    assert state(tab) == {"page": "calls"}
    assert calls(tab, tmp_path) == pytest.approx(EVERYTHING)
    tab.close()


def test_back_undoes_each_choice(browser: Any, report: Path) -> None:
    tab = Tab(browser, report, address="page=calls")
    tab.click("[data-key='call Bcast']")
    tab.page.get_by_role("button", name="bandwidth", exact=True).click()
    tab.page.fill("#search", "nodeb")
    tab.page.keyboard.press("Enter")
    assert state(tab) == {"page": "calls", "procedure": "Bcast", "node": "nodeb", "measure": "bandwidth"}
    for chips in (["call Bcast ×"], []):
        tab.page.go_back()
        tab.page.wait_for_function(f"document.querySelectorAll('.chip').length === {len(chips)}")
        assert tab.page.locator(".chip").all_inner_texts() == chips
    tab.page.go_forward()
    tab.page.wait_for_selector(".chip")
    # How a figure is shown is no step of its own, but goes with the choice before it.
    assert state(tab) == {"page": "calls", "procedure": "Bcast", "measure": "bandwidth"}
    tab.close()


def test_escape_takes_the_latest_choice_away(browser: Any, report: Path) -> None:
    tab = Tab(browser, report, address="page=calls&communicator=W_a1")
    tab.click("[data-key='cell Isend 1-2 KiB']")
    tab.page.fill("#search", "rank 3")
    tab.page.keyboard.press("Enter")
    tab.page.evaluate("document.activeElement.blur()")
    chosen = []
    for _ in range(3):
        tab.page.keyboard.press("Escape")
        chosen.append(list(state(tab)))
    kept = ["page", "communicator"]  # that came with the address
    assert chosen == [[*kept, "procedure", "sizeFrom", "sizeTo"], kept, kept]
    tab.close()


def test_a_matrix_cell_is_chosen_no_more_after_escape(browser: Any, report: Path) -> None:
    tab = Tab(browser, report, address="page=matrix")
    tab.page.locator("#matrix-rank canvas").last.focus()
    for key in ("ArrowRight", "Enter"):
        tab.page.keyboard.press(key)
    assert "ranks" in state(tab)
    tab.page.keyboard.press("Escape")
    assert state(tab) == {"page": "matrix"}
    tab.close()


def test_calls_that_the_run_does_not_have(browser: Any, report: Path) -> None:
    # A procedure of MPI, which the profile knows: it is in no call.
    tab = Tab(browser, report, address="page=calls&procedure=Testany")
    assert "Testany" in tab.page.inner_text(".notice")
    assert tab.page.locator(".chip.unknown").count() == 1
    tab.close()


def test_ranks_that_are_none(browser: Any, report: Path) -> None:
    tab = Tab(browser, report, address="page=calls")
    tab.click(".filters summary")
    for text in ("4", "x", "1-", "9-12"):
        tab.page.fill(".lists input", text)
        tab.page.keyboard.press("Enter")
        assert "no such ranks" in tab.page.locator(".lists input").evaluate("one => one.validationMessage")
    assert state(tab) == {"page": "calls"}
    tab.close()


def test_names_that_the_run_does_not_have(browser: Any, report: Path) -> None:
    address = "page=nix&communicator=Nix&procedure=Nix&ranks=77&node=n&region=r&sizeFrom=9&sizeTo=x&more=%00"
    tab = Tab(browser, report, address=address)
    assert tab.page.locator("[role=tab][aria-selected=true]").count() == 1
    notice = tab.page.inner_text(".notice")
    for name in (
        "communicator Nix",
        "call Nix",
        "ranks 77",
        "node n",
        "region r",
        "size from 9",
        "size to x",
    ):
        assert f"no {name}" in notice
    assert tab.page.locator(".chip.unknown").count() == 7
    for name in tab.names_of_pages():
        tab.click(f"#tab-{name}")
    tab.close()


def test_search_by_keyboard(browser: Any, report: Path) -> None:
    tab = Tab(browser, report)
    tab.page.locator("#search").wait_for()  # keys that are pressed before are lost
    press = tab.page.keyboard.press

    def results_for(text: str) -> list[str]:
        press("/")
        tab.page.keyboard.type(text)
        tab.page.locator("#results").wait_for()
        return [line.split("\n")[0] for line in tab.page.locator("#results [role=option]").all_inner_texts()]

    assert results_for("ALL")[:3] == ["Allreduce", "Alltoallv", "Calls and sizes"]
    assert tab.page.get_attribute("#search", "aria-activedescendant") == "result-0"
    press("ArrowDown")
    assert tab.page.inner_text("#results [aria-selected=true]").startswith("Alltoallv")
    press("Enter")
    assert state(tab) == {"procedure": "Alltoallv"}
    tab.page.evaluate("document.activeElement.blur()")
    assert results_for("nothing like it") == ["No match."]
    press("Enter")
    press("Escape")
    assert not tab.page.locator("#results").is_visible()
    press("Enter")
    assert state(tab) == {"procedure": "Alltoallv"}
    for text, key, value in (
        ("rank 3", "ranks", "3"),
        ("nodeb", "node", "nodeb"),
        ("grid", "communicator", "W_a1"),
    ):
        tab.page.evaluate("document.activeElement.blur()")
        assert results_for(text)
        press("Enter")
        assert state(tab)[key] == value
    tab.page.evaluate("document.activeElement.blur()")
    results_for("balance")
    press("Enter")
    assert state(tab)["page"] == "balance"
    tab.close()


def test_tabs_and_help_by_keyboard(browser: Any, report: Path) -> None:
    tab = Tab(browser, report)
    press = tab.page.keyboard.press
    pages = tab.names_of_pages()
    tab.page.focus(f"#tab-{pages[0]}")
    for key, name in (
        ("ArrowRight", pages[1]),
        ("End", pages[-1]),
        ("ArrowRight", pages[0]),
        ("ArrowLeft", pages[-1]),
    ):
        press(key)
        assert tab.page.evaluate("document.activeElement.id") == f"tab-{name}"
        assert state(tab)["page"] == name
    press("?")
    assert tab.page.locator("dialog[open]").is_visible()
    assert "How to read" in tab.page.inner_text("dialog h2")
    press("Escape")
    assert tab.page.locator("dialog[open]").count() == 0
    tab.click("#help")
    tab.click("dialog >> text=Definitions")
    assert state(tab)["page"] == "appendix"
    tab.close()


def test_hostile_names_are_text(browser: Any, hostile: Path) -> None:
    tab = Tab(browser, hostile)
    for name in tab.names_of_pages():
        tab.click(f"#tab-{name}")
    tab.click(".filters summary")
    tab.page.fill("#search", "script")
    tab.drawn()
    texts = " ".join(tab.page.locator("#results [role=option]").all_inner_texts())
    assert SCRIPT in texts
    tab.page.keyboard.press("Enter")
    assert tab.page.locator(".chip").count() == 1
    assert SCRIPT in tab.page.inner_text("h1")
    assert SCRIPT in tab.page.title()
    assert "\\x1b" in tab.page.inner_text("h1")
    assert "\x1b" not in tab.page.content()
    assert tab.page.evaluate("window.harmed") is None
    assert tab.page.locator("img, #main script").count() == 0
    tab.close()


def test_nothing_but_the_page_itself_runs(browser: Any, report: Path, tmp_path: Path) -> None:
    content = report.read_text(encoding="utf-8")
    [policy] = re.findall(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', content)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert len(re.findall(r"script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+';", policy)) == 1
    # Whoever gets a script into the file has none that runs.
    changed = tmp_path / "changed.html"
    evil = "<script>window.harmed=1</script><p onclick='window.harmed=1' id='evil'>x</p>"
    changed.write_text(content.replace("<body>", f"<body>{evil}", 1), encoding="utf-8")
    tab = Tab(browser, changed)
    tab.page.wait_for_selector("[role=tab]")
    tab.click("#evil")
    assert tab.page.evaluate("window.harmed") is None
    assert any("Content Security Policy" in complaint for complaint in tab.complaints)
    tab.complaints.clear()
    tab.close()


@pytest.mark.parametrize("theme", THEMES)
def test_everybody_can_use_it(browser: Any, report: Path, theme: str) -> None:
    if not AXE.exists():
        pytest.skip("needs axe-core: npm ci in web/")
    tab = Tab(browser, report, color_scheme=theme)
    tab.page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = []
    for name in tab.names_of_pages():
        tab.click(f"#tab-{name}")
        violations += wrong(tab, f"{name} {theme}")
    tab.page.evaluate("window.location.hash = 'page=calls&communicator=W&ranks=77'")
    tab.page.wait_for_selector(".chip.unknown")
    tab.click(".filters summary")
    tab.page.fill("#search", "all")
    violations += wrong(tab, f"filters and search {theme}")
    tab.click("#help")
    violations += wrong(tab, f"help {theme}")
    assert violations == []
    tab.close()


def wrong(tab: Tab, where: str) -> list[str]:
    """What axe finds."""
    violations = tab.page.evaluate("axe.run()")["violations"]
    return [
        f"{where}: {violation['id']}: {node['html'][:120]} {node['any'][:1] and node['any'][0]['message']}"
        for violation in violations
        for node in violation["nodes"]
    ]


def test_themes(browser: Any, report: Path) -> None:
    for theme in THEMES:
        tab = Tab(browser, report, color_scheme=theme)
        looks = []
        for _ in range(2):
            looks.append(tab.page.evaluate("document.documentElement.dataset.theme"))
            looks.append(tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))
            tab.click("#theme")
        other = THEMES[1 - THEMES.index(theme)]
        assert looks[::2] == [theme, other]
        assert looks[1] != looks[3]
        tab.close()


def test_on_paper_there_is_nothing_to_press(browser: Any, report: Path) -> None:
    tab = Tab(browser, report, address="page=communicators&procedure=Allreduce")
    tab.page.emulate_media(media="print")
    for selector in ("#search", "#theme", "#help", ".filters summary", "#tab-calls", ".tools"):
        assert not tab.page.locator(selector).first.is_visible()
    assert tab.page.locator(".chip").is_visible()
    tab.close()


@pytest.mark.parametrize(("width", "theme"), few([(360, "light"), (1280, "dark"), (2560, "light")], 2))
def test_nothing_overlaps_or_hangs_out(browser: Any, report: Path, width: int, theme: str) -> None:
    address = "page=calls&communicator=W_a1&procedure=Isend&ranks=0-3&region=solve&node=nodea"
    tab = Tab(browser, report, width=width, address=address, color_scheme=theme)
    tab.click(".filters summary")
    tab.page.fill("#search", "a")
    for name in tab.names_of_pages():
        tab.click(f"#tab-{name}")
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, name
        # The tab of the page that is open is in sight.
        box = tab.page.locator(f"#tab-{name}").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    parts = ["header", "nav .row", ".filters summary", ".chips", ".lists", ".notice", "#stage"]
    boxes = [tab.page.locator(part).bounding_box() for part in parts if tab.page.locator(part).is_visible()]
    for number, place in enumerate(boxes):
        for other in boxes[number + 1 :]:
            beside = (
                place["x"] + place["width"] <= other["x"] + 1 or other["x"] + other["width"] <= place["x"] + 1
            )
            assert beside or place["y"] + place["height"] <= other["y"] + 1
    tab.close()
