"""What the filters of a report mean, and what it says of an address: regions as `--region` has them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import made_profile
import profiles
import pytest
from browsers import Tab

from golden import assert_facts
from rankwise.__main__ import main

ROOT = Path(__file__).parents[2]
NO_TIMES: dict[int, tuple[float, float]] = {}


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Regions in regions, one name in two places; each has its own number of calls."""
    made = made_profile.Made(ranks=1)
    made.region(1, "solve", NO_TIMES, parent=0)
    made.region(2, "solve/exchange", NO_TIMES, parent=1)
    made.region(3, "solve/exchange/pack", NO_TIMES, parent=2)
    made.region(4, "write", NO_TIMES, parent=0)
    made.region(5, "write/exchange", NO_TIMES, parent=4)
    for region, calls in enumerate((1, 10, 100, 1000, 10_000, 100_000)):
        made.call(0, "MPI_Barrier", 0.1, calls=calls, region=region)
    profile = made.write(tmp_path_factory.mktemp("nested") / "nested.rankwise")
    assert main(["report", str(profile)]) == 0
    return profile


def shown(profile: Path, region: str, capsys: pytest.CaptureFixture[str]) -> int:
    capsys.readouterr()
    assert main(["show", str(profile), "--by", "call", "--region", region, "--json"]) == 0
    return sum(row["calls"] for row in json.loads(capsys.readouterr().out)["calls"])


def test_a_region_means_what_the_terminal_means(
    browser: Any, nested: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tab = Tab(browser, nested.with_suffix(".html"))
    for region, calls in (
        ("(outside)", 1),
        ("solve", 10),
        ("solve/", 1110),
        ("solve/exchange", 100),
        ("solve/exchange/", 1100),
        ("exchange", 100_100),
        ("exchange/", 101_100),
        ("pack", 1000),
        ("write/,pack", 111_000),
        ("solve, (outside)", 11),
    ):
        assert shown(nested, region, capsys) == calls
        tab.to(f"page=calls&region={region}")
        assert sum(int(row["calls"]) for row in tab.rows("#calls-data", tmp_path)) == calls, region
    tab.close()


def test_regions_are_offered_with_those_in_them(browser: Any, nested: Path, tmp_path: Path) -> None:
    tab = Tab(browser, nested.with_suffix(".html"), address="page=calls&region=outside+of+regions")
    assert [row["calls"] for row in tab.rows("#calls-data", tmp_path)] == ["1"]
    tab.click(".filters summary")
    offered = ".lists select[aria-label=region]"
    regions = [text.split()[0] for text in tab.page.locator(f"{offered} option").all_inner_texts()]
    assert regions[2:] == [
        *("solve", "solve/", "solve/exchange", "solve/exchange/", "solve/exchange/pack"),
        *("write", "write/", "write/exchange"),
    ]
    tab.page.select_option(offered, index=regions.index("write/"))
    assert [row["calls"] for row in tab.rows("#calls-data", tmp_path)] == ["110000"]
    for region in ("nix", "solve,nix", "pack/nix/", "/"):
        tab.page.evaluate(f"window.location.hash = 'page=calls&region={region}'")
        tab.page.locator(".notice").get_by_text(f" {region}.").wait_for()
    tab.close()


def test_keys_of_the_address_that_nothing_has(browser: Any, nested: Path) -> None:
    report = nested.with_suffix(".html")
    tab = Tab(browser, report, address="page=calls&call=Barrier&measure=calls&bars-by=mpi")
    filters = "communicator, procedure, sizeFrom, sizeTo, ranks, region, node, site"
    assert_facts(tab.page.inner_text(".notice"), f" call=Barrier .. {filters}")
    tab.page.evaluate("window.location.hash = 'page=calls&a=<b>&c=' + 'd'.repeat(1000)")
    tab.page.locator(".notice").get_by_text(" a=<b>, c=ddd").wait_for()
    assert len(tab.page.inner_text(".notice")) < 300
    tab.page.evaluate("window.location.hash = 'page=calls&measure=calls'")
    tab.page.locator(".notice").wait_for(state="hidden")
    tab.close()


def test_titles_say_what_the_filters_leave(browser: Any, tmp_path: Path) -> None:
    profile = profiles.write_inside(tmp_path / "inside.rankwise")
    assert main(["report", str(profile)]) == 0
    tab = Tab(browser, profile.with_suffix(".html"), address="page=calls")
    for page in ("calls", "communicators"):
        for address, left in ((f"page={page}&ranks=0", True), (f"page={page}", False)):
            tab.page.evaluate(f"window.location.hash = '{address}'")
            title = tab.page.locator(f".sheet.{page} h2").filter(has_text="of the time in MPI").first
            title.filter(**{"has_text" if left else "has_not_text": "that the filters leave"}).wait_for()
    tab.close()


def test_all_keys_are_documented() -> None:
    text = (ROOT / "docs/reference/report.md").read_text(encoding="utf-8")
    section = text[text.index("## The address") :]
    keys = set(re.findall(r"^  (\w+): string;", (ROOT / "web/src/shell/state.ts").read_text(), re.MULTILINE))
    for page in (ROOT / "web/src").glob("*/page.ts"):
        for names in re.findall(r"^  options: \[([^\]]*)\]", page.read_text(encoding="utf-8"), re.MULTILINE):
            keys |= set(re.findall(r'"([^"]+)"', names))
    assert {"page", "run", "sizeFrom", "matrix-of", "bars-by"} <= keys
    assert [key for key in sorted(keys) if f"`{key}`" not in section] == []
